// Experts spread over devices: what each holds, reads, computes and exchanges.
#include <numeric>

#include "napkin/capacity.hpp"
#include "napkin/inference.hpp"
#include "napkin/partition.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

using Degrees = std::vector<double>;

constexpr double expert = 3.0 * 7168 * 2048;  // weights of one of DeepSeek-V3's

Operation<> row_of(const Inputs& inputs, OperationKind kind, Link link = Link::none,
                   Phase phase = Phase::decode) {
    const double own = inputs.workload.batch / inputs.layout.dp;
    const auto rows =
        lower(inputs.model.blocks.back(), inputs, phase, even_load<double>(own, inputs.layout));
    for (const Operation<>& row : rows) {
        if (row.kind == kind && row.link == link) return row;
    }
    FAIL("no such row");
    return {};
}

Layout data_parallel_attention(double devices) {
    return {.dp = devices, .tp = 1, .pp = 1, .ep = devices};
}

Layout laid_out(double dp, double tp, double ep) {
    return {.dp = dp, .tp = tp, .pp = 1, .ep = ep};
}

}  // namespace

TEST_CASE("a device of 8 computes an eighth of the passes and reads its own experts", "[ep]") {
    // 64 tokens, 8 experts each, over 8 devices: 64 passes; 222.44 of 256 touched: 27.805 of 32
    const auto row = row_of(inputs_for(deepseek_v3(), 0, 64, data_parallel_attention(8)),
                            OperationKind::experts);
    CHECK(row.tokens == Approx(64).epsilon(1e-12));
    CHECK(row.flops.value() == Approx(2 * 64 * expert).epsilon(1e-12));
    CHECK(row.weight_bytes.value() == Approx(222.44249 / 8 * expert * 2).epsilon(1e-6));
}

TEST_CASE("experts inside a replica or over replicas weigh the same on a device", "[ep]") {
    // 58 layers of 256 experts, 2 bytes a weight, over 8 devices
    const double experts = 58 * 256 * expert * 2 / 8;
    const auto weights = [](const Layout& layout) {
        return bytes_of(inference_residents(inputs_for(deepseek_v3(), 0, 1, layout)),
                        ResidentKind::weights)
            .value();
    };
    CHECK(weights(laid_out(1, 8, 8)) == weights(laid_out(1, 8, 1)));
    CHECK(weights(laid_out(1, 8, 4)) == weights(laid_out(1, 8, 1)));
    // What is not an expert is held whole by each replica instead of an eighth of it.
    const double all = weight_bytes(deepseek_v3()).value();
    CHECK(weights(data_parallel_attention(8)) ==
          Approx(experts + all - 8 * experts).epsilon(1e-12));
    CHECK(weights(data_parallel_attention(8)) > weights(laid_out(1, 8, 8)));
}

TEST_CASE("a latent cache is held 8 times by tp 8, once by replicas of attention", "[ep]") {
    const auto kv = [](const Layout& layout) {
        return bytes_of(inference_residents(inputs_for(deepseek_v3(), 32768, 64, layout)),
                        ResidentKind::kv_cache)
            .value();
    };
    CHECK(kv(laid_out(1, 8, 1)) == 64 * 32768.0 * 70272);
    CHECK(kv(data_parallel_attention(8)) == 8 * 32768.0 * 70272);
}

TEST_CASE("a token is sent to the devices of its experts, not to each expert", "[ep]") {
    // 8 (1 - (7/8)^8) = 5.25113 devices hold 8 random experts; one in 8 of them is the sender
    CHECK(distinct_ranks<double>(8, 8) == Approx(5.251128673553467).epsilon(1e-12));
    CHECK(distinct_ranks<double>(1, 8) == 1);
    CHECK(distinct_ranks<double>(64, 1) == Approx(1).epsilon(1e-12));
    const Inputs inputs = inputs_for(deepseek_v3(), 0, 64, data_parallel_attention(8));
    const auto there = row_of(inputs, OperationKind::expert_dispatch, Link::scale_up);
    CHECK(there.link_bytes.value() == Approx(8 * 7168 * 2 * 5.251128673553467 * 7 / 8));
    CHECK(there.collective == CollectiveKind::all_to_all);
    CHECK(there.group == 8);
    CHECK(row_of(inputs, OperationKind::expert_combine, Link::scale_up).link_bytes ==
          there.link_bytes);
}

TEST_CASE("between nodes one copy goes to each node that holds any of the experts", "[ep]") {
    // 4 nodes of 8: 4 (1 - (3/4)^8) = 3.59955 nodes, 3/4 of them others, cross the network;
    // 32 (1 - (31/32)^8) = 7.17760 devices in all, 31/32 of them others, less those from outside
    const Inputs inputs = inputs_for(deepseek_v3(), 0, 32, data_parallel_attention(32));
    const double token = 7168 * 2;
    const auto out = row_of(inputs, OperationKind::expert_dispatch, Link::scale_out);
    CHECK(out.link_bytes.value() == Approx(token * 3.5995483 * 3 / 4).epsilon(1e-6));
    const auto up = row_of(inputs, OperationKind::expert_dispatch, Link::scale_up);
    const double copies = 32 * (1 - std::pow(31.0 / 32, 8)) * 31 / 32;
    CHECK(up.link_bytes.value() == Approx(token * (copies - 3.5995483 * 3 / 4)).epsilon(1e-6));
}

TEST_CASE("experts inside a tensor-parallel replica need no dispatch", "[ep]") {
    const Inputs inputs = inputs_for(deepseek_v3(), 0, 64, laid_out(1, 8, 8));
    const auto rows = lower(inputs.model.blocks.back(), inputs, Phase::decode,
                            even_load<double>(64, inputs.layout));
    for (const Operation<>& row : rows) {
        CHECK(row.kind != OperationKind::expert_dispatch);
        CHECK(row.kind != OperationKind::all_gather);
    }
    // All 64 tokens are on every rank: 64 x 8 / 8 passes.
    CHECK(row_of(inputs, OperationKind::experts).tokens == Approx(64).epsilon(1e-12));
}

TEST_CASE("popular experts: fewer are touched, the busiest device computes more", "[ep]") {
    const RankLoad even = busiest_rank(256, 8, 64, 8, 0);
    CHECK(even.distinct == Approx(222.44249 / 8).epsilon(1e-6));
    CHECK(even.passes == Approx(64).epsilon(1e-12));
    const RankLoad skewed = busiest_rank(256, 8, 64, 8, 1);
    CHECK(skewed.distinct < even.distinct);
    CHECK(skewed.passes > even.passes);
    // One device: no skew makes tokens pass more experts than they choose.
    CHECK(busiest_rank(256, 8, 64, 1, 1).passes <= 512 * (1 + 1e-12));
    // Popularity 1 : 1/2 : 1/3 : 1/4, one expert a token: the first is hit with 12/25
    CHECK(busiest_rank(4, 1, 1, 4, 1).passes == Approx(12.0 / 25).epsilon(1e-12));
}

TEST_CASE("every broken rule of experts and heads is named, with what would do", "[ep]") {
    const auto found = violations({.dp = 3, .tp = 3, .ep = 3}, deepseek_v3(), h100s(16));
    REQUIRE(found.size() == 2);
    CHECK(found[0].flag == "--ep");
    CHECK(found[0].valid == Degrees{1, 2, 4, 8, 16});
    CHECK(found[1].flag == "--tp");
    CHECK(found[1].valid == Degrees{1, 2, 4, 8, 16});
    // ep 8 over replicas of 4: two of them share; one alone cannot, nor can three.
    CHECK(violations(laid_out(2, 4, 8), deepseek_v3(), h100s(8)).empty());
    const auto lonely = violations(laid_out(1, 4, 8), deepseek_v3(), h100s(8));
    REQUIRE(lonely.size() == 1);
    CHECK(lonely[0].valid == Degrees{1, 2, 4});
    CHECK(violations(laid_out(8, 1, 8), llama_3_1_8b(), h100s(8)).size() == 1);
    // Whole experts are not cut, whatever their width: 2,880 over 128 devices is no whole number.
    CHECK(valid_expert_parallel(gpt_oss_120b(), 128) == Degrees{1, 2, 4, 8, 16, 32, 64, 128});
}

TEST_CASE("DeepSeek-V3 at 32k for 64 users fits 8 H200s with replicas of attention only", "[ep]") {
    // FP8: 671 GB / 8 = 84 GB, and 64 x 2.30 GB = 147 GB of latents on each device with tp 8
    Model model = deepseek_v3();
    set_weights(model, {.id = "fp8", .bytes = 1, .computes_in = Arithmetic::fp8});
    Machine machine = h100s(8);
    machine.accelerator.memory.reported = Bytes<>(150754820096);  // 143,771 MiB
    Inputs inputs{.machine = machine, .model = model};
    inputs.workload.context = 32768;
    inputs.workload.batch = 64;
    const auto candidates = inference_layouts(model, machine);
    const Placement chosen = place(inputs, candidates);
    CHECK(chosen.fit.fits);
    CHECK(chosen.layout.tp == 1);
    CHECK(chosen.layout.dp == 8);
    CHECK(chosen.layout.ep == 8);
    for (const Layout& layout : candidates) {
        if (layout.ep > 1 || layout.pp > 1) continue;
        inputs.layout = layout;
        CHECK_FALSE(fit(inference_residents(inputs), machine.accelerator).fits);
    }
}

TEST_CASE("a verifying step is a prompt of its tokens after the context", "[ep]") {
    Inputs inputs = inputs_for(llama_3_1_8b(), 1000, 2);
    inputs.workload.step_tokens = 5;
    const auto row = row_of(inputs, OperationKind::attention);
    // Token i of the 5 sees the context and the i - 1 before it: 5 x 1,000 + 0 + 1 + 2 + 3 + 4
    CHECK(row.flops.value() == 2 * 4.0 * 32 * 128 * (5 * 1000 + 10));
    CHECK(row.kv_bytes.value() == 2 * 4096.0 * (1000 + 5));
    CHECK(row_of(inputs, OperationKind::feed_forward).tokens == 10);
}
