// What a checkpoint's quantization says of each tensor's format.
#pragma once

#include "formats/config/keys.hpp"
#include "napkin/catalog.hpp"

namespace napkin::formats {

/// A document of its own that says how a checkpoint is quantised: hf_quant_config.json.
struct QuantizationFile {
    json::Value tree{};
    json::Source source{};
};

/// Applies `quantization_config` (of the configuration, or what stands in the file `beside` it) to
/// the formats of the model's tensors and of its KV cache: the scheme, and which modules it leaves
/// alone. A scheme that is not known is a problem of `keys`; what is wrong in the file beside is
/// thrown, at its place there.
void read_quantization(ConfigKeys& keys, const QuantizationFile* beside, const Catalog& catalog,
                       Model& model);

}  // namespace napkin::formats
