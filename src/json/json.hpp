// A JSON document as a tree that remembers where each value stood, so that whatever is wrong with
// it can be shown at its line and column.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "napkin/diagnostic.hpp"

namespace napkin::json {

enum class Kind { null, boolean, number, string, array, object };
[[nodiscard]] std::string_view name_of(Kind kind);

struct Value {
    using Member = std::pair<std::string, Value>;

    Kind kind{Kind::null};
    bool boolean{};
    double number{};
    std::string string{};  // for numbers: as written
    std::vector<Value> items{};
    std::vector<Member> members{};  // in the order of the file
    std::size_t offset{};           // of its last character in the text
    std::size_t key_offset{};       // of its key's closing quote, for a member of an object

    /// The member of that name, or null.
    [[nodiscard]] const Value* find(std::string_view name) const;
    [[nodiscard]] Value* find(std::string_view name);
    // What the schema has made sure of; empty, zero or false where the member is absent.
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] double count(std::string_view name, double otherwise = 0) const;
    [[nodiscard]] bool flag(std::string_view name) const;
    [[nodiscard]] const Value& at(std::string_view name) const;  // a null value where absent
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
};

/// Text of a file with its name, for messages. Compiled-in text has a name like "data/x.json".
struct Source {
    std::string name{};
    std::string_view text{};
};

/// Line and column (1-based) of an offset, and the line itself.
[[nodiscard]] Where where_in(const Source& source, std::size_t offset);

/// Reads one document. Refuses, with its place: what is not JSON, invalid UTF-8, a key twice,
/// numbers beyond a double, nesting deeper than 64 and texts longer than `longest` bytes.
[[nodiscard]] Value parse(const Source& source, std::size_t longest = 64u << 20);

/// Checks a document against a JSON Schema (the keywords that data/schema uses) and returns every
/// problem at its place, unknown keys with the nearest known one.
[[nodiscard]] std::vector<Problem> validate(const Value& document, const Value& schema,
                                            const Source& source);

/// As JSON text, without spaces, keys in order.
[[nodiscard]] std::string write(const Value& value);
/// Length of the valid UTF-8 sequence at the front of a text that is not empty; 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);
/// `text` as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace napkin::json
