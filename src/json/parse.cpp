// The one source that includes nlohmann/json: its parser drives a builder that notes positions.
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "json/json.hpp"

namespace napkin::json {
namespace {

constexpr std::size_t deepest = 64;

// Counts what the parser has taken, so that an event knows where in the text it happened.
class Cursor {
  public:
    using difference_type = std::ptrdiff_t;
    using value_type = char;
    using pointer = const char*;
    using reference = const char&;
    using iterator_category = std::input_iterator_tag;

    Cursor(const char* at, const char** taken) : at_(at), taken_(taken) {}
    const char& operator*() const { return *at_; }
    Cursor& operator++() {
        *taken_ = ++at_;
        return *this;
    }
    Cursor operator++(int) {
        const Cursor before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Cursor& other) const { return at_ == other.at_; }
    bool operator!=(const Cursor& other) const { return at_ != other.at_; }

  private:
    const char* at_;
    const char** taken_;
};

class Builder {
  public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    Builder(const Source& source, const char** taken) : source_(source), taken_(taken) {}

    bool null() { return put({}); }
    bool boolean(bool value) { return put({.kind = Kind::boolean, .boolean = value}); }
    bool number_integer(number_integer_t value) {
        return put({.kind = Kind::number,
                    .number = static_cast<double>(value),
                    .string = std::to_string(value)});
    }
    bool number_unsigned(number_unsigned_t value) {
        return put({.kind = Kind::number,
                    .number = static_cast<double>(value),
                    .string = std::to_string(value)});
    }
    bool number_float(number_float_t value, const string_t& text) {
        if (!std::isfinite(value)) return fail("number-too-large", "a number beyond any double");
        return put({.kind = Kind::number, .number = value, .string = text});
    }
    bool string(string_t& value) { return put({.kind = Kind::string, .string = std::move(value)}); }
    bool binary(binary_t&) { return false; }
    bool start_object(std::size_t) { return open(Kind::object); }
    bool start_array(std::size_t) { return open(Kind::array); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(string_t& name) {
        if (!keys_.back().insert(name).second) {
            return fail("duplicate-key", "the key " + json::quoted(name) + " stands here twice");
        }
        open_.back()->members.emplace_back(std::move(name), Value{});
        open_.back()->members.back().second.key_offset = offset();
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& e) {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: what was wrong"
        std::string message = e.what();
        if (const std::size_t at = message.find(": "); at != std::string::npos) {
            message.erase(0, at + 2);
        }
        problem_ = {.id = "invalid-json",
                    .message = "not valid JSON: " + message,
                    .where = where_in(source_, position == 0 ? 0 : position - 1),
                    .expected = {},
                    .suggestions = {},
                    .hint = {}};
        return false;
    }

    Value root{};
    Problem problem_{};

  private:
    [[nodiscard]] std::size_t offset() const {
        const auto taken = static_cast<std::size_t>(*taken_ - source_.text.data());
        return taken == 0 ? 0 : taken - 1;
    }

    bool fail(std::string id, std::string message) {
        problem_ = {.id = std::move(id),
                    .message = std::move(message),
                    .where = where_in(source_, offset()),
                    .expected = {},
                    .suggestions = {},
                    .hint = {}};
        return false;
    }

    Value* place(Value value) {
        value.offset = offset();
        if (open_.empty()) {
            root = std::move(value);
            return &root;
        }
        Value* parent = open_.back();
        if (parent->kind == Kind::array) {
            parent->items.push_back(std::move(value));
            return &parent->items.back();
        }
        value.key_offset = parent->members.back().second.key_offset;
        parent->members.back().second = std::move(value);
        return &parent->members.back().second;
    }

    bool put(Value value) {
        place(std::move(value));
        return true;
    }

    bool open(Kind kind) {
        if (open_.size() >= deepest) return fail("too-deep", "nested deeper than 64 levels");
        Value value;
        value.kind = kind;
        open_.push_back(place(std::move(value)));
        keys_.emplace_back();
        return true;
    }

    bool close() {
        open_.pop_back();
        keys_.pop_back();
        return true;
    }

    const Source& source_;
    const char** taken_;
    std::vector<Value*> open_{};
    std::vector<std::unordered_set<std::string>> keys_{};
};

}  // namespace

Value parse(const Source& source, std::size_t longest) {
    if (source.text.size() > longest) {
        throw Error({.id = "file-too-large",
                     .message = "longer than " + std::to_string(longest) + " bytes",
                     .where = {.file = source.name},
                     .expected = {},
                     .suggestions = {},
                     .hint = {}});
    }
    const char* const begin = source.text.data();
    const char* taken = begin;
    Builder builder(source, &taken);
    const Cursor first(begin, &taken);
    const Cursor last(begin + source.text.size(), &taken);
    if (!nlohmann::json::sax_parse(first, last, &builder)) throw Error(builder.problem_);
    return std::move(builder.root);
}

}  // namespace napkin::json
