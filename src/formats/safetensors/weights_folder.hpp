// Which of the weights in a folder are the model's: copies are told apart, not summed.
#pragma once

#include <string>
#include <vector>

#include "napkin/diagnostic.hpp"

namespace napkin::formats {

/// The path to open for the weights of `folder`. The rule: among files that are no copy, adapter or
/// projector, those called "model" before others;
/// 1. an index decides, unless the only weights beside it are one whole file;
/// 2. else the only whole file or set of shards;
/// 3. without any: consolidated*.safetensors, else a variant such as model.fp16.safetensors.
/// Two that the rule does not tell apart are an error that lists them; so is a folder without
/// weights, with the hint what it holds instead.
[[nodiscard]] std::string choose_weights(const std::string& folder);

/// A note for each kind of weights in `folder` that are not among `files`, the paths that were
/// read.
[[nodiscard]] std::vector<Note> weights_left_out(const std::string& folder,
                                                 const std::vector<std::string>& files);

}  // namespace napkin::formats
