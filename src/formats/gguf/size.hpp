// A GGUF file that does not say of which architecture it is: how large it is, and no more.
#pragma once

#include <string>

#include "formats/config/config.hpp"
#include "formats/gguf/gguf.hpp"

namespace napkin::formats {

/// Whether the file holds tensors and says neither what they are (general.type) nor of which
/// architecture.
[[nodiscard]] bool is_only_tensors(const GgufFile& file);

/// A model of which only the weights are known: its size in parameters and bytes, without layers.
[[nodiscard]] ReadModel size_of_gguf(const GgufFile& file, std::string name);

}  // namespace napkin::formats
