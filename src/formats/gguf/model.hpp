// A GGUF file as a model: which layers it has, and in which format each of their tensors is.
#pragma once

#include <string>

#include "formats/config/config.hpp"
#include "formats/gguf/gguf.hpp"
#include "napkin/catalog.hpp"

namespace napkin::formats {

/// The model that a file holds; `name` is what it is called. Its tensors decide what each layer is,
/// so that it need not be of a known architecture. Parameters and bytes are those of the file:
///   parameters(model) + parts = elements of all tensors, weight_bytes(model) = their bytes
/// (without those of the parts). Tensors that have no place in a block are `extra_parameters`.
/// A file of tensors that does not say what it is has a size, and no layers.
/// Throws `Error` for files that are no language model, where keys are missing or tensors
/// contradict them, and "unsupported-architecture" where a layer is of no known kind.
[[nodiscard]] ReadModel read_gguf_model(const GgufFile& file, std::string name,
                                        const Catalog& catalog);

}  // namespace napkin::formats
