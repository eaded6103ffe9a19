// The file system, as far as presets need it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace napkin::catalog {

/// The whole text of a regular file; throws `Error` if it is none or cannot be read.
[[nodiscard]] std::string read_text(const std::string& path);
/// The *.json files of a folder, sorted; nothing if there is no such folder.
[[nodiscard]] std::optional<std::vector<std::string>> json_files(const std::string& folder);
/// "a/b/c.json" -> "c".
[[nodiscard]] std::string stem_of(const std::string& path);

}  // namespace napkin::catalog
