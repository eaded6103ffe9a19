// Inputs of an answer, put together by hand.
#pragma once

#include "napkin/inputs.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/models.hpp"

namespace napkin::test {

/// `model` in the given layout on as many H100s as the layout needs; bf16 throughout.
inline Inputs inputs_for(const Model& model, double context, double batch,
                         const Layout& layout = {}) {
    Inputs inputs{.machine = h100s(layout.dp * layout.tp * layout.pp), .model = model};
    inputs.layout = layout;
    inputs.workload.context = context;
    inputs.workload.batch = batch;
    return inputs;
}

/// Reading prompts of `prompt` tokens of which `prefix` are cached.
inline Inputs prompts_for(const Model& model, double prompt, double prefix = 0, double batch = 1,
                          const Layout& layout = {}) {
    Inputs inputs = inputs_for(model, prompt, batch, layout);
    inputs.workload.prompt = prompt;
    inputs.workload.prefix = prefix;
    return inputs;
}

}  // namespace napkin::test
