// The tensors of a GGUF model by where they belong: a layer, outside of them, or a part beside
// them.
#pragma once

#include "napkin/model.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/gguf/layer.hpp"

namespace napkin::formats {

struct GgufSizes {
    double layers{};  // all that the file counts
    double main{};    // those before the ones of multi-token prediction
    double hidden{};
};

struct GgufTensors {
    std::vector<GgufLayer> layers{};
    std::vector<const StoredTensor*> outside{};
    Part predicting{.name = "multi-token prediction"};
};

/// "blk.12.attn_q.weight" is layer 12's; nothing for tensors outside the layers.
[[nodiscard]] std::optional<std::size_t> gguf_layer_in(std::string_view name);

/// Throws `Error` for tensors of layers that the file does not count. Those without weights, which
/// are legal, are left out.
[[nodiscard]] GgufTensors sort_gguf(GgufKeys& keys, const GgufFile& file, const GgufSizes& sizes);

/// Throws `Error` where layers have no tensors and should have some.
void check_gguf_layers(GgufKeys& keys, const GgufTensors& all);

}  // namespace napkin::formats
