// The layers of a GGUF model as blocks, and what of them has no place in one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/gguf/layer.hpp"
#include "napkin/model.hpp"

namespace napkin::formats {

/// A layer whose formats are not yet held against those of the whole model.
struct ReadLayer {
    std::vector<Block> blocks{};  // one, or two for mixers that run side by side
    Places places{};
    std::vector<const StoredTensor*> rest{};  // without a place
    std::vector<StoredWeights> rest_weights{};
};

/// Reads a layer; `model` has its width and its kind of norm. Throws `Error` where the tensors are
/// not those of any layer here.
[[nodiscard]] ReadLayer read_gguf_layer(GgufLayer& layer, const Model& model);

/// Counts what the layer stores, by role.
void count_bytes(const ReadLayer& layer, const Model& model, ByteCount& count);

/// States the formats of the layer's tensors where they are not those of their roles.
void set_formats(ReadLayer& layer, const Model& model, GgufFormats& formats);

}  // namespace napkin::formats
