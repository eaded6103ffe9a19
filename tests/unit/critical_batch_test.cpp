// From which batch on a decode step waits for compute, and above which context never.
#include "napkin/critical_batch.hpp"

#include "napkin/inference.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

/// L40S: NVIDIA data sheet, 362.05 TFLOP/s dense bf16, 864 GB/s. No clocks.
Inputs on_l40s(double context, double batch) {
    Inputs inputs = inputs_for(llama_3_1_8b(), context, batch);
    Accelerator part{.id = "l40s", .name = "L40S"};
    part.compute.peak[index_of(Arithmetic::bf16)] = FlopsPerSecond<>(362.05e12);
    part.memory.bandwidth = BytesPerSecond<>(864e9);
    part.memory.sold = Bytes<>(48e9);
    inputs.machine.accelerator = part;
    return inputs;
}

Bound bound_at(Inputs inputs, double batch) {
    inputs.workload.batch = batch;
    return decode(inputs).step.bound;
}

// All weights of the 8B model's matrices but the embedding: two FLOPs for each and token.
constexpr double matrices = 8030261248.0 - 128256.0 * 4096 - 65 * 4096;

}  // namespace

TEST_CASE("on an L40S the cache of 8B outweighs its work above about 273 tokens", "[turning]") {
    // Linear layers alone: 2 x 7.5e9 / 362.05e12 = 41.5 us, the time of 273 tokens of 131,072
    // bytes.
    const double work = 2 * matrices / 362.05e12;
    CHECK(work / (131072 / 864e9) == Approx(273).epsilon(2e-3));
    // Each token also costs 4 x 4,096 FLOP in 32 layers; one entry and one embedding row are moved.
    const double cost = 131072 / 864e9 - 32 * 4.0 * 4096 / 362.05e12;
    const double limit = (work - (131072 + 8192) / 864e9) / cost;
    const Turning<> found = turning(on_l40s(8192, 1));
    REQUIRE(found.context);
    CHECK(*found.context == std::floor(limit));
    CHECK(*found.context == Approx(273).epsilon(0.02));
    CHECK_FALSE(found.batch);
    CHECK(found.bound == Bound::memory);
    CHECK(bound_at(on_l40s(*found.context, 1), 1e9) == Bound::compute);
    CHECK(bound_at(on_l40s(*found.context + 1, 1), 1e12) == Bound::memory);
}

TEST_CASE("below it the whole step turns later than its linear layers", "[turning]") {
    // Read once: all weights but the table; (compute - memory) of a sequence pays for them.
    const double weights = 2 * (8030261248.0 - 128256.0 * 4096) / 3.35e12;
    const double compute = (2 * matrices + 128 * 32 * 4.0 * 4096) / 989.4e12;
    const double memory = (131072.0 * 129 + 8192) / 3.35e12;
    const Inputs inputs = inputs_for(llama_3_1_8b(), 128, 1);
    const Turning<> found = turning(inputs);
    REQUIRE(found.batch);
    CHECK(*found.batch == std::floor(weights / (compute - memory)) + 1);
    CHECK(*found.batch > critical_batch<double>(inputs));
}

TEST_CASE("it is the smallest such batch in any layout", "[turning]") {
    const std::vector<Layout> layouts{{},
                                      {.dp = 4},
                                      {.tp = 2},
                                      {.pp = 4},
                                      {.dp = 2, .pp = 2},
                                      {.dp = 8, .ep = 8},
                                      {.dp = 16, .ep = 8}};
    for (const Model& model : {llama_3_1_8b(), deepseek_v3(), gpt_oss_120b()}) {
        for (const Layout& layout : layouts) {
            for (const double context : {0., 64.}) {
                const bool routed =
                    std::holds_alternative<Experts>(model.blocks.back().feed_forward);
                if (layout.ep > 1 && !routed) continue;
                const Inputs inputs = inputs_for(model, context, 1, layout);
                const Turning<> found = turning(inputs);
                CAPTURE(model.id, layout.dp, layout.tp, layout.pp, layout.ep, context);
                if (!found.batch) {
                    CHECK(bound_at(inputs, 1e9) != Bound::compute);
                    continue;
                }
                CHECK(bound_at(inputs, *found.batch) == Bound::compute);
                for (double less = 1; less < 40; ++less) {
                    if (*found.batch <= less) break;
                    CHECK(bound_at(inputs, *found.batch - less) != Bound::compute);
                }
            }
        }
    }
}

TEST_CASE("a model without a cache turns at every context", "[turning]") {
    const Turning<> found = turning(inputs_for(size_of(70e9, 70e9), 0, 1));
    CHECK_FALSE(found.context);
    REQUIRE(found.batch);
    CHECK(*found.batch == 296);  // above 989.4 / 3.35
    CHECK(found.attention.value() == 0);
}

TEST_CASE("absorbed latent attention does 242 FLOP/B at any batch", "[turning]") {
    // 2 x 128 x (2 x 512 + 64) / (2 x (512 + 64)), near the ridge of 295
    for (const double batch : {1., 256.}) {
        const Turning<> found = turning(inputs_for(deepseek_v3(), 65536, batch));
        CHECK(found.attention.value() == Approx(241.8).epsilon(1e-3));
        CHECK(found.attention_ridge.value() == Approx(989.4 / 3.35).epsilon(1e-12));
    }
}

TEST_CASE("a windowed model's limit is past its windows", "[turning]") {
    const Inputs inputs = inputs_for(gpt_oss_120b(), 8192, 1);
    const Turning<> found = turning(inputs);
    REQUIRE(found.context);
    Inputs there = inputs;
    there.workload.context = *found.context;
    CHECK(turning(there).batch.has_value());
    there.workload.context += 1;
    CHECK_FALSE(turning(there).batch.has_value());
}
