// Text in columns: widths, alignment and folding of UTF-8, for everything that people read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace napkin::report {

/// Columns that a text takes: its UTF-8 characters, each one wide here.
[[nodiscard]] std::size_t columns_of(std::string_view text);
[[nodiscard]] std::string padded(const std::string& text, std::size_t width);
[[nodiscard]] std::string right(const std::string& text, std::size_t width);
/// Breaks at spaces so that each line, indented, stays within the width.
[[nodiscard]] std::string folded(const std::string& text, std::size_t indent, std::size_t width);

/// What a terminal may be sent of text that came from outside: control characters and broken UTF-8
/// become '?', a tab a space. Newlines and our own red and green stay.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace napkin::report
