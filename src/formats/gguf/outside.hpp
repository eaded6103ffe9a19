// The weights of a GGUF model outside its layers.
#pragma once

#include <vector>

#include "formats/gguf/formats.hpp"
#include "formats/gguf/keys.hpp"
#include "formats/stored_tensors.hpp"
#include "napkin/model.hpp"

namespace napkin::formats {

/// Embedding, positions, norms and head go into the model, by their roles into `stored`; the rest
/// is returned.
struct OutsideWeights {
    std::array<std::vector<StoredWeights>, role_count> stored{};
    std::vector<const StoredTensor*> rest{};
};

/// `model` has its width and its kind of norm.
[[nodiscard]] OutsideWeights read_gguf_outside(GgufKeys& keys,
                                               const std::vector<const StoredTensor*>& tensors,
                                               Model& model);

/// The kind of norm that most of the model has.
[[nodiscard]] Norm gguf_norm(const std::vector<StoredTensor>& tensors, double hidden);

}  // namespace napkin::formats
