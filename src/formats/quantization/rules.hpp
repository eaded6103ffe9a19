// The document of a quantization as rules: which modules are in which format.
#pragma once

#include <vector>

#include "formats/config/keys.hpp"
#include "formats/quantization/module_patterns.hpp"
#include "napkin/catalog.hpp"

namespace napkin::formats {

/// A format and the modules that are in it.
struct QuantizedGroup {
    NumberFormat format{};
    ModulePatterns targets{};
    bool everything{};  // every linear layer that no group names
};

struct QuantizationRules {
    std::vector<QuantizedGroup> groups{};
    ModulePatterns kept{};  // left as they were
    bool head{};            // every linear layer includes the head

    /// The format of a module such as "layers.3.mlp.gate_proj", by any of its names; null where it
    /// stays as it was. A group that names it counts before one of every linear layer.
    [[nodiscard]] const NumberFormat* format_of(const std::vector<std::string>& names) const;
    /// How many patterns are tried on a module at most.
    [[nodiscard]] std::size_t tried() const;
};

/// Reads a `quantization_config`, what hf_quant_config.json says under `quantization`, or MLX's
/// `quantization`. What is not understood is a problem of `keys`; patterns that are not, a note.
[[nodiscard]] QuantizationRules read_rules(const json::Value& document, const Catalog& catalog,
                                           ConfigKeys& keys);

}  // namespace napkin::formats
