// The rules of a quantization, layer by layer of a model.
#pragma once

#include <array>
#include <map>
#include <string>

#include "formats/quantization/rules.hpp"
#include "napkin/model.hpp"

namespace napkin::formats {

/// Weights of each role in the layers, by the id of their format.
using RoleElements = std::array<std::map<std::string, double>, role_count>;

/// The format of most weights; empty where there are none.
[[nodiscard]] std::string most_of(const std::map<std::string, double>& elements);

/// Gives every matrix of every layer the format that the rules say: roles take that of most of
/// their weights, tensors that differ their own. Routers stay as they are. Returns what is in which
/// format.
RoleElements apply_to_layers(const QuantizationRules& rules, Model& model);

}  // namespace napkin::formats
