// Random but repeatable inputs of an answer: for laws that hold whatever the inputs are.
#pragma once

#include <cmath>
#include <random>

#include "napkin/partition.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

namespace napkin::test {

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    double whole(int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random_);
    }
    double size(double low, double high) {
        std::uniform_real_distribution<double> any(std::log(low), std::log(high));
        return std::round(std::exp(any(random_)));
    }
    double of(std::initializer_list<double> values) {
        return values.begin()[random_() % values.size()];
    }

    Model model() {
        switch (random_() % 10) {
            case 0:
                return gpt2();
            case 1:
                return qwen3_4b();
            case 2:
                return mixtral_8x7b();
            case 3:
                return qwen3_30b_a3b();
            case 4:
                return deepseek_v3();
            case 5:
                return gpt_oss_120b();
            case 6:
                return mamba_130m();
            case 7: {
                Model model = deepseek_v3();
                set_weights(model, fp8_tiles());
                return model;
            }
            default: {
                const double kv_heads = of({1, 2, 4, 8});
                return llama_like({whole(1, 100), 64 * whole(8, 128), whole(1000, 200000),
                                   kv_heads * whole(1, 8), kv_heads, 64, 64 * whole(8, 256)});
            }
        }
    }

    Layout layout(const Model& model, bool replicas_and_stages) {
        const auto degrees = valid_tensor_parallel(model, 8);
        Layout layout{.tp = degrees[random_() % degrees.size()]};
        if (!replicas_and_stages) return layout;
        layout.dp = whole(1, 4);
        layout.pp = smaller(whole(1, 4), layers(model));
        return layout;
    }

    Inputs inputs(bool replicas_and_stages = true) {
        // One throw a statement: compilers differ in the order of arguments.
        const Model any = model();
        const double context = size(1, 1e6) - 1;
        const double batch = size(1, 1000);
        Inputs inputs = inputs_for(any, context, batch, layout(any, replicas_and_stages));
        inputs.workload.prompt = size(1, 1e5);
        const double part = whole(2, 9);
        if (whole(0, 1) == 1) inputs.workload.prefix = std::floor(inputs.workload.prompt / part);
        inputs.workload.sequence = size(1, 1e5);
        return inputs;
    }

  private:
    std::mt19937_64 random_;
};

/// Calls `check` with `count` inputs, always the same ones; a failure shows which.
template <class Check>
void for_random_inputs(int count, bool replicas_and_stages, Check check) {
    for (int seed = 0; seed < count; ++seed) {
        Dice dice(static_cast<std::uint64_t>(seed) + 1000);
        const Inputs inputs = dice.inputs(replicas_and_stages);
        CAPTURE(seed, inputs.model.id, inputs.workload.context, inputs.workload.batch,
                inputs.workload.prompt, inputs.layout.dp, inputs.layout.tp, inputs.layout.pp);
        check(inputs);
    }
}

}  // namespace napkin::test
