// How one scheme of quantization stores a weight.
#pragma once

#include <optional>
#include <string>

#include "json/json.hpp"
#include "napkin/catalog.hpp"

namespace napkin::formats {

/// Weights of `bits` bits in groups of `group` inputs, each with a scale of 16 bits and, if they
/// are asymmetric, a zero point of as many bits as a weight. `index` adds GPTQ's 4 bytes for each
/// input.
struct Packing {
    double bits{4};
    double group{128};
    bool symmetric{};
    bool index{};
};
[[nodiscard]] NumberFormat packed(const Packing& packing, std::string id, std::string source);

/// Whether a document is MLX's `quantization`: bits, without the name of a method.
[[nodiscard]] bool is_mlx(const json::Value& config);

/// The format of a whole configuration of one scheme, by its `quant_method` or `quant_algo`;
/// nothing if the scheme is not known.
[[nodiscard]] std::optional<NumberFormat> scheme_format(const json::Value& config,
                                                        const Catalog& catalog);

/// The format of one group of compressed-tensors or ModelOpt: its `weights`, and whether there are
/// `input_activations`.
[[nodiscard]] std::optional<NumberFormat> group_format(const json::Value& group,
                                                       const Catalog& catalog);

}  // namespace napkin::formats
