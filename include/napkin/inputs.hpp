// The five plain inputs of every answer.
#pragma once

#include <optional>

#include "napkin/assumptions.hpp"
#include "napkin/layout.hpp"
#include "napkin/machine.hpp"
#include "napkin/model.hpp"
#include "napkin/workload.hpp"

namespace napkin {

struct Inputs {
    Machine machine{};
    Model model{};
    Workload workload{};
    Layout layout{};
    Assumptions assumptions{};
    std::optional<Model> draft{};  // a small model whose tokens the model verifies
};

}  // namespace napkin
