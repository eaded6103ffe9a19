// A JSON document as a stream of events: for what is too long to hold as a tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/json.hpp"

namespace napkin::json {

struct Number {
    double value{};
    std::string_view text{};               // as written
    std::optional<std::uint64_t> whole{};  // exact, for digits alone up to 2^64 - 1
};

/// What `scan` tells, in the order of the text. `at` is the offset of the last character that was
/// read for it: the brace, the closing quote, the character after a number. Views last for the
/// call. Whoever listens may throw to end the scan.
class Events {
  public:
    virtual ~Events() = default;
    virtual void begin_object(std::size_t at) = 0;
    virtual void end_object(std::size_t at) = 0;
    virtual void begin_array(std::size_t at) = 0;
    virtual void end_array(std::size_t at) = 0;
    virtual void key(std::string_view name, std::size_t at) = 0;
    virtual void string(std::string_view text, std::size_t at) = 0;
    virtual void number(const Number& number, std::size_t at) = 0;
    virtual void boolean(bool value, std::size_t at) = 0;
    virtual void null(std::size_t at) = 0;
};

/// Reads one document and refuses what `parse` refuses, at its place. A key that stands twice in an
/// object is refused when the object ends, before its `end_object`. Memory: 24 bytes for each key
/// of the objects that are open, and the longest string.
void scan(const Source& source, Events& events, std::size_t longest = 64u << 20);

}  // namespace napkin::json
