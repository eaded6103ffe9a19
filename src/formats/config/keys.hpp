// The keys of a config.json under all the names that the field uses, and what the class of its
// family knows beside them. Problems are collected, so that one run names them all.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/json.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::formats {

/// Offset of a value that stands in no file: it came with --set config.KEY=VALUE.
inline constexpr std::size_t not_in_file = std::string::npos;

class ConfigKeys {
  public:
    /// `text` describes the language model: `outer` itself, or what is nested in it. `family` is
    /// an entry of data/families. All three, and the source, must outlive this.
    ConfigKeys(const json::Value& outer, const json::Value& text, const json::Value& family,
               const json::Source& source);

    /// A count under any of its names, else the one that the family's class supplies; null is
    /// absent. Two names that disagree, and what is no count at all, are problems.
    std::optional<double> find(std::string_view name);
    /// The same; absent or 0 is a problem, 0 is returned.
    double need(std::string_view name);
    double get(std::string_view name, double otherwise);

    /// The member of that name; nothing where absent or null. "a.b" is b of a.
    [[nodiscard]] const json::Value* value(std::string_view name) const;
    /// True or false, also as 1 or 0; anything else is a problem.
    bool flag(std::string_view name, bool otherwise = false);
    [[nodiscard]] std::string text(std::string_view name) const;

    /// A list with an entry for each of `layers` layers; anything else under that name is a
    /// problem. Nothing where absent.
    const json::Value* per_layer(std::string_view name, std::size_t layers);
    /// The same for a list of flags, 0 and 1.
    std::optional<std::vector<bool>> flag_per_layer(std::string_view name, std::size_t layers);
    /// A list of layers' numbers, as a flag for each layer. Numbers beyond the last layer are left
    /// out: configurations that were cut down keep them. Nothing where absent.
    std::optional<std::vector<bool>> listed_layers(std::string_view name, std::size_t layers);

    /// A trait of the family: true, false, or what the key it names says.
    bool trait(std::string_view name, bool otherwise = false);
    [[nodiscard]] const json::Value& family() const { return family_; }
    [[nodiscard]] const json::Value& outer() const { return outer_; }

    /// Takes a problem in, once.
    void problem(std::string id, std::string message, const json::Value* at = nullptr,
                 std::string expected = {}, std::string hint = {});
    void note(std::string id, std::string message, bool warning = false);
    [[nodiscard]] bool failed() const { return !problems_.empty() || !missing_.empty(); }
    /// Throws what was found, the missing keys as one problem.
    void finish();

    std::vector<Note> notes{};

  private:
    std::optional<double> count_of(const json::Value& found, std::string_view key);

    const json::Value& outer_;
    const json::Value& family_;
    const json::Source& source_;
    std::unordered_map<std::string_view, const json::Value*> text_{};
    std::vector<Problem> problems_{};
    std::vector<std::string> missing_{};
    std::set<std::string, std::less<>> bad_{};       // keys that hold no count
    std::set<std::string, std::less<>> supplied_{};  // names that the class has supplied
};

/// How many layers there are: stated, or as many as a list has entries; 0 is a problem already.
[[nodiscard]] double layers_of(ConfigKeys& keys);

/// What describes the language model: the innermost of `text_config` and its like.
[[nodiscard]] const json::Value& text_config(const json::Value& config);

}  // namespace napkin::formats
