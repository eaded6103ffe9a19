// Files that stand where weights or a configuration should be, and what they really are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace napkin::formats {

/// How many of a file's first bytes `impostor` looks at.
inline constexpr std::size_t impostor_bytes = 512;

/// What a file is by its first bytes, and what helps: "this is a git-lfs pointer ...". Nothing
/// where they are not known. Ask once a file has turned out not to be what it was taken for:
/// among the answers are safetensors, GGUF and JSON.
/// Source: the signatures of git-lfs docs/spec.md, PKWARE APPNOTE.TXT, Python's pickle and HDF5.
[[nodiscard]] std::optional<std::string> impostor(std::string_view first_bytes);

}  // namespace napkin::formats
