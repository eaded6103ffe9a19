#include "formats/safetensors/shard_index.hpp"

#include <algorithm>
#include <map>

#include "formats/safetensors/shard_names.hpp"
#include "formats/wording.hpp"
#include "json/events.hpp"

namespace napkin::formats {
namespace {

constexpr std::size_t most_shards = 100'000;
constexpr std::size_t most_unknown = 10;  // that are told of

bool is_plain_name(std::string_view file) {
    return file.ends_with(weights_extension) && !file.starts_with('.') &&
           file.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

class Reader : public json::Events {
  public:
    explicit Reader(const json::Source& source) : source_(source) {}

    void begin_object(std::size_t at) override {
        if (in_map()) refuse_entry("an object", at);
        ++depth_;
    }
    void end_object(std::size_t) override { --depth_; }
    void begin_array(std::size_t at) override {
        check("a list", at);
        ++depth_;
    }
    void end_array(std::size_t) override { --depth_; }
    void key(std::string_view name, std::size_t) override {
        if (depth_ == 2) label_ = name;
        if (depth_ != 1) return;
        key_ = name;
        label_.clear();
        const bool known = key_ == "metadata" || key_ == "weight_map";
        if (!known && found.unknown_keys.size() < most_unknown) found.unknown_keys.push_back(key_);
    }
    void string(std::string_view text, std::size_t at) override {
        in_map() ? add(text, at) : check("a string", at);
    }
    void number(const json::Number& number, std::size_t at) override {
        check("a number", at);
        if (depth_ != 2 || key_ != "metadata") return;
        std::optional<std::uint64_t> whole = number.whole;
        // Some writers sum in floating point: 16060522496.0 is exact up to 2^53.
        if (!whole && number.value >= 0 && number.value <= 0x1p53) {
            whole = static_cast<std::uint64_t>(number.value);
        }
        if (label_ == "total_size") found.total_size = whole;
        if (label_ == "total_parameters") found.total_parameters = whole;
    }
    void boolean(bool, std::size_t at) override { check("a boolean", at); }
    void null(std::size_t at) override { check("null", at); }

    ShardIndex found{};
    std::map<std::string, std::uint32_t, std::less<>> shards{};

  private:
    [[noreturn]] void refuse(std::string message, std::string expected, std::size_t at) const {
        throw Error({.id = "invalid-index",
                     .message = std::move(message),
                     .where = json::where_in(source_, at),
                     .expected = std::move(expected),
                     .suggestions = {},
                     .hint = {}});
    }
    [[noreturn]] void refuse_entry(const std::string& what, std::size_t at) const {
        refuse("weight_map has " + what + " for tensor " + shown(label_),
               "the name of a .safetensors file beside the index", at);
    }

    [[nodiscard]] bool in_map() const { return depth_ == 2 && key_ == "weight_map"; }

    // A value that is neither an object nor a tensor's file: may it stand here?
    void check(const std::string& what, std::size_t at) const {
        if (depth_ == 0) refuse("an index is not " + what, "an object with a weight_map", at);
        if (depth_ == 1 && key_ == "weight_map") {
            refuse("weight_map is " + what, "an object of tensors and their files", at);
        }
        if (in_map()) refuse_entry(what, at);
    }

    void add(std::string_view file, std::size_t at) {
        auto shard = shards.find(file);
        if (shard == shards.end()) {
            if (!is_plain_name(file)) refuse_entry("the file " + shown(file), at);
            if (shards.size() == most_shards) {
                refuse("more than " + grouped(most_shards) + " files", {}, at);
            }
            shard = shards.emplace(file, static_cast<std::uint32_t>(shards.size())).first;
        }
        found.entries.push_back({std::string(label_), shard->second});
    }

    const json::Source& source_;
    std::size_t depth_{};
    std::string key_{};    // at the top
    std::string label_{};  // one level below
};

}  // namespace

ShardIndex read_shard_index(std::string_view text, const std::string& name) {
    const json::Source source{name, text};
    Reader reader(source);
    json::scan(source, reader, longest_shard_index);
    ShardIndex index = std::move(reader.found);
    if (index.entries.empty()) {
        throw Error(problem_in(name, "invalid-index", "its weight_map names no tensor",
                               R"({"metadata": {"total_size": ...}, "weight_map": {...}})"));
    }
    // Numbers of shards follow the order of their names.
    std::vector<std::uint32_t> renumbered(reader.shards.size());
    for (const auto& [file, shard] : reader.shards) {
        renumbered[shard] = static_cast<std::uint32_t>(index.shards.size());
        index.shards.push_back(file);
    }
    for (ShardIndex::Entry& entry : index.entries) entry.shard = renumbered[entry.shard];
    std::sort(index.entries.begin(), index.entries.end(),
              [](const auto& a, const auto& b) { return a.tensor < b.tensor; });
    return index;
}

}  // namespace napkin::formats
