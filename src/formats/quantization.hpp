// What a checkpoint's quantization says of each tensor's format.
#pragma once

#include "formats/config_keys.hpp"
#include "napkin/catalog.hpp"

namespace napkin::formats {

/// Applies `quantization_config` (of the configuration, or `beside` it: hf_quant_config.json) to
/// the formats of the model's tensors: the scheme, and which modules it leaves alone. A scheme that
/// is not known is a problem of `keys`.
void read_quantization(ConfigKeys& keys, const json::Value* beside, const Catalog& catalog,
                       Model& model);

}  // namespace napkin::formats
