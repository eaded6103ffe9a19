// The one source that includes nlohmann/json: its parser drives the events.
#include <cmath>
#include <nlohmann/json.hpp>

#include "json/events.hpp"
#include "json/keys.hpp"

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

[[noreturn]] void refuse(const Source& source, std::size_t at, std::string id,
                         std::string message) {
    throw Error({.id = std::move(id),
                 .message = std::move(message),
                 .where = where_in(source, at),
                 .expected = {},
                 .suggestions = {},
                 .hint = {}});
}

// What nlohmann's parser calls.
class Listener {
  public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    Listener(const Source& source, const char** taken, Events& events)
        : source_(source), taken_(taken), events_(events), keys_(source.text) {}

    bool null() {
        events_.null(offset());
        return true;
    }
    bool boolean(bool value) {
        events_.boolean(value, offset());
        return true;
    }
    bool number_integer(number_integer_t value) {
        const std::string text = value == 0 ? "-0" : std::to_string(value);
        return number(static_cast<double>(value), text, std::nullopt);
    }
    bool number_unsigned(number_unsigned_t value) {
        return number(static_cast<double>(value), std::to_string(value), value);
    }
    bool number_float(number_float_t value, const string_t& text) {
        return number(value, text, std::nullopt);
    }
    bool string(const string_t& value) {
        events_.string(value, offset());
        return true;
    }
    bool binary(binary_t&) { return false; }
    bool start_object(std::size_t) {
        descend();
        keys_.begin();
        events_.begin_object(offset());
        return true;
    }
    bool start_array(std::size_t) {
        descend();
        events_.begin_array(offset());
        return true;
    }
    bool end_object() {
        if (const auto twice = keys_.end()) {
            constexpr std::size_t longest_shown = 100;
            refuse(
                source_, twice->quote, "duplicate-key",
                "the key " + quoted(twice->name.substr(0, longest_shown)) + " stands here twice");
        }
        --depth_;
        events_.end_object(offset());
        return true;
    }
    bool end_array() {
        --depth_;
        events_.end_array(offset());
        return true;
    }
    bool key(const string_t& name) {
        keys_.add(name, offset());
        events_.key(name, offset());
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& e) {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: what was wrong"
        std::string message = e.what();
        message.erase(0, message.find("] ") + 2);
        if (message.starts_with("parse error at")) message.erase(0, message.find(": ") + 2);
        // It quotes what it read last, however long.
        constexpr std::size_t longest_message = 300;
        if (message.size() > longest_message) {
            message.resize(longest_message);
            message += "...";
        }
        refuse(source_, position == 0 ? 0 : position - 1, "invalid-json",
               "not valid JSON: " + message);
    }

  private:
    [[nodiscard]] std::size_t offset() const {
        const auto taken = static_cast<std::size_t>(*taken_ - source_.text.data());
        return taken == 0 ? 0 : taken - 1;
    }

    bool number(double value, std::string_view text, std::optional<std::uint64_t> whole) {
        if (!std::isfinite(value)) {
            refuse(source_, offset(), "number-too-large", "a number beyond any double");
        }
        events_.number({.value = value, .text = text, .whole = whole}, offset());
        return true;
    }

    void descend() {
        if (depth_ >= deepest) {
            refuse(source_, offset(), "too-deep", "nested deeper than 64 levels");
        }
        ++depth_;
    }

    const Source& source_;
    const char** taken_;
    Events& events_;
    Keys keys_;
    std::size_t depth_{};
};

}  // namespace

void scan(const Source& source, Events& events, std::size_t longest) {
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
    Listener listener(source, &taken, events);
    const Cursor first(begin, &taken);
    const Cursor last(begin + source.text.size(), &taken);
    (void)nlohmann::json::sax_parse(first, last, &listener);  // a failure has thrown
    // The parser takes a zero byte for the end of the text.
    if (const std::size_t zero = source.text.find('\0'); zero != std::string_view::npos) {
        refuse(source, zero, "invalid-json", "not valid JSON: a zero byte");
    }
}

}  // namespace napkin::json
