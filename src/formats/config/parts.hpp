// What some families have beside a stack of layers.
#pragma once

#include "formats/config/keys.hpp"
#include "napkin/model.hpp"

namespace napkin::formats {

/// The encoder and the decoder of a T5: layers over the prompt, and layers that attend to what was
/// generated and to the encoded prompt.
void add_encoder_decoder(ConfigKeys& keys, Model& model);

/// Layers whose attention and width are listed one by one (`block_configs`, found by architecture
/// search). Returns whether the configuration has such a list.
bool add_listed_blocks(ConfigKeys& keys, Model& model, std::size_t layers);

/// Parameters of a family's own in the main model, and the parts stored beside it: multi-token
/// prediction, the vision tower.
void add_parts(ConfigKeys& keys, Model& model);

/// Parameters of the vision tower and its projector; nothing where the configuration describes
/// none, or one that has no recipe here.
[[nodiscard]] std::optional<double> vision_parameters(ConfigKeys& keys, double hidden);

}  // namespace napkin::formats
