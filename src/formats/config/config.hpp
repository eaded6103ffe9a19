// A publisher's config.json as a model.
#pragma once

#include <string>

#include "formats/quantization/quantization.hpp"
#include "json/json.hpp"
#include "napkin/formats.hpp"

namespace napkin::formats {

/// Reads a configuration by its `model_type`; `name` is what the model is called. What the family's
/// class knows comes from data/families. A second document may hold the quantization alone
/// (hf_quant_config.json). With `weights_given` the caller knows the formats: what the checkpoint
/// says of quantization is not read. Throws `Error` with every problem found.
[[nodiscard]] ReadModel read_config(const json::Value& config, const json::Source& source,
                                    std::string name, const Catalog& catalog,
                                    const QuantizationFile* quantization = nullptr,
                                    bool weights_given = false);

/// Adds a layer to the model: to the block of its equals, or as a block of its own.
void add_layer(Model& model, Block layer);

}  // namespace napkin::formats
