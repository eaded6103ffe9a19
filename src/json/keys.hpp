// The keys of the objects that are open while a document is read.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace napkin::json {

/// Finds keys that stand twice in an object. They are compared by sorting when the object ends: a
/// hash table with a known hash could be made to take quadratic time.
class Keys {
  public:
    struct Key {
        std::string_view name{};
        std::size_t quote{};  // offset of its closing quote
    };

    explicit Keys(std::string_view text) : text_(text) {}

    void begin() { open_.push_back({names_.size(), escaped_.size()}); }
    void add(const std::string& name, std::size_t quote);
    /// Ends the innermost object: a key that stood in it before, if there is one. It is valid
    /// until the next call.
    [[nodiscard]] std::optional<Key> end();

  private:
    struct Start {
        std::size_t names{};
        std::size_t escaped{};
    };
    std::string_view text_;
    std::vector<Key> names_{};
    std::deque<std::string> escaped_{};  // what the text does not hold as it reads
    std::vector<Start> open_{};
};

}  // namespace napkin::json
