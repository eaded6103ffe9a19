// The text of a file that should be JSON.
#pragma once

#include <string>

#include "json/json.hpp"

namespace napkin::formats {

/// What the file at `path` holds; "-" is the standard input. Throws `Error` where it cannot be
/// read, is empty, or is longer than 64 MiB. Python's Infinity and NaN have become empty texts.
[[nodiscard]] std::string read_json_text(const std::string& path);

/// The document in a text. Throws `Error` for anything else, and says what it is where that is
/// known: a git-lfs pointer, an HTML page, weights.
[[nodiscard]] json::Value parse_json_text(const json::Source& source);

}  // namespace napkin::formats
