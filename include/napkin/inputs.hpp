// The five plain inputs of every answer.
#pragma once

#include <optional>

#include "napkin/assumptions.hpp"
#include "napkin/layout.hpp"
#include "napkin/machine.hpp"
#include "napkin/model.hpp"
#include "napkin/workload.hpp"

namespace napkin {

/// Layers that the memory of the host keeps and the host computes, as llama.cpp's -ngl leaves them
/// to it: the first ones. The table of embeddings, a lookup, is the host's then, the head the
/// device's.
struct Offload {
    double layers{};  // whole layers
    double
        expert_layers{};  // layers with experts, from the first on, whose routed experts it keeps
    Accelerator host{};   // peaks and memory: zero where unknown
};

/// Whose part of the model an answer is about.
enum class Portion { whole, device, host_layers, host_experts };

struct Inputs {
    Machine machine{};
    Model model{};
    Workload workload{};
    Layout layout{};
    Assumptions assumptions{};
    std::optional<Model> draft{};  // a small model whose tokens the model verifies
    std::optional<Offload> offload{};
    Portion portion{Portion::whole};
};

}  // namespace napkin
