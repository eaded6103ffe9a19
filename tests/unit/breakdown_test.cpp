// A step taken apart, and attention with its scores on the chip or in memory.
#include "napkin/breakdown.hpp"

#include "napkin/inference.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

const Work<>* find(const Breakdown<>& parts, OperationKind kind) {
    for (const Work<>& work : parts.works) {
        if (work.kind == kind) return &work;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("the works of a step add up to its totals", "[breakdown]") {
    const auto same = [](const Breakdown<>& parts, const Totals<>& totals) {
        Totals<> sum;
        double share = 0;
        double flops = 0;
        for (const Work<>& work : parts.works) {
            sum.weight_bytes += work.totals.weight_bytes;
            sum.kv_bytes += work.totals.kv_bytes;
            sum.activation_bytes += work.totals.activation_bytes;
            sum.scale_up_bytes += work.totals.scale_up_bytes;
            sum.scale_out_bytes += work.totals.scale_out_bytes;
            flops += work.step.flops.value();
            share += work.share;
        }
        double all = 0;
        for (const Flops<>& one : totals.flops) all += one.value();
        CHECK(flops == Approx(all).epsilon(1e-12));
        CHECK(sum.weight_bytes.value() == Approx(totals.weight_bytes.value()).epsilon(1e-12));
        CHECK(sum.kv_bytes.value() == Approx(totals.kv_bytes.value()).epsilon(1e-12));
        CHECK(sum.activation_bytes.value() ==
              Approx(totals.activation_bytes.value()).epsilon(1e-12));
        CHECK(sum.scale_up_bytes.value() == Approx(totals.scale_up_bytes.value()).epsilon(1e-12));
        CHECK(sum.scale_out_bytes.value() == Approx(totals.scale_out_bytes.value()).epsilon(1e-12));
        CHECK(share == Approx(1).epsilon(1e-12));
    };
    Model fp8 = deepseek_v3();
    set_weights(fp8, fp8_tiles());
    for (const Model& model : {llama_3_1_8b(), fp8, gpt_oss_120b(), mamba_130m()}) {
        for (const Layout& layout : {Layout{}, Layout{.tp = 8}, Layout{.dp = 8, .ep = 8},
                                     Layout{.dp = 2, .tp = 2, .pp = 2}}) {
            CAPTURE(model.id, layout.tp, layout.dp, layout.pp);
            const Inputs writing = inputs_for(model, 4096, 48, layout);
            same(breakdown(writing, Phase::decode), decode(writing).totals);
            const Inputs reading = prompts_for(model, 4096, 1024, 48, layout);
            same(breakdown(reading, Phase::prefill), prefill(reading).totals);
        }
    }
}

TEST_CASE("a step is no longer than its works in turn, nor shorter than any", "[breakdown]") {
    const auto parts = breakdown(inputs_for(llama_3_1_8b(), 8192, 64), Phase::decode);
    CHECK(parts.step.time <= parts.in_turn);
    for (const Work<>& work : parts.works) CHECK(work.time <= parts.step.time);
}

TEST_CASE("64 sequences put the matrices of an 8B model at 64 FLOP/B", "[breakdown]") {
    // Each 2-byte weight does 2 x 64 FLOP; attention does 4 x 32 x 128 for 2 x 8 x 128 x 2 bytes.
    const auto parts = breakdown(inputs_for(llama_3_1_8b(), 8192, 64), Phase::decode);
    const Work<>* matrix = find(parts, OperationKind::feed_forward);
    REQUIRE(matrix != nullptr);
    CHECK(matrix->intensity.value() == Approx(64).epsilon(1e-12));
    CHECK(matrix->attainable.value() == Approx(64 * 3.35e12).epsilon(1e-12));
    CHECK(matrix->bound == Bound::memory);
    CHECK(find(parts, OperationKind::attention)->intensity.value() ==
          Approx(4.0 * 8192 / 8193).epsilon(1e-12));
    CHECK(find(parts, OperationKind::norms)->intensity.value() == 0);
}

TEST_CASE("reading 2,048 tokens puts them at 2,048, far above the ridge of 295", "[breakdown]") {
    const auto parts = breakdown(prompts_for(llama_3_1_8b(), 2048), Phase::prefill);
    const Work<>* matrix = find(parts, OperationKind::feed_forward);
    CHECK(matrix->intensity.value() == Approx(2048).epsilon(1e-12));
    CHECK(matrix->bound == Bound::compute);
    CHECK(matrix->attainable.value() == Approx(989.4e12).epsilon(1e-12));
    CHECK(parts.roofline.ridge.value() == Approx(989.4 / 3.35).epsilon(1e-12));
    CHECK(parts.roofline.bound == Bound::compute);
    CHECK(parts.roofline.headroom == Approx(1).epsilon(1e-12));
}

TEST_CASE("collectives take what their law says, and latency is overhead", "[breakdown]") {
    // No law: the link's own rate, so the 64 sums of 8,192 bytes take 64 x 8,192 x 2 x 7/8 / 450
    // GB/s
    const Inputs inputs = inputs_for(llama_3_1_8b(), 1024, 1, {.tp = 8});
    const auto parts = breakdown(inputs, Phase::decode);
    const Work<>* sums = find(parts, OperationKind::all_reduce);
    REQUIRE(sums != nullptr);
    CHECK(sums->calls == 64);
    CHECK(sums->message.value() == 64.0 * 8192);
    CHECK(sums->bound == Bound::network);
    CHECK(sums->time == decode(inputs, exchanging_pace<double>(inputs.machine)).totals.collectives);
    Inputs slow = inputs;
    CollectiveLaw law{.id = "late", .source = "test"};
    law.latency = Seconds<>(1e-3);
    slow.assumptions.collectives = {law};
    CHECK(find(breakdown(slow, Phase::decode), OperationKind::all_reduce)->bound ==
          Bound::overhead);
}

// ---- fused attention ----------------------------------------------------------------------------

TEST_CASE("unfused attention moves its square of scores four times", "[breakdown]") {
    // FlashAttention (arXiv 2205.14135), algorithm 0: S written, S read, P written, P read;
    // 2,048^2 pairs, 32 heads, 2 bytes, 32 layers: 34.4 GB beside 268 MB of keys and values.
    const auto parts = breakdown(prompts_for(llama_3_1_8b(), 2048), Phase::prefill);
    const AttentionTraffic<>& attention = parts.attention;
    CHECK(attention.fused.value() == 131072.0 * 2048);
    CHECK(attention.scores.value() == 4.0 * 2048 * 2048 * 32 * 2 * 32);
    CHECK(attention.unfused == attention.fused + attention.scores);
    CHECK(attention.unfused_time.value() ==
          Approx(attention.unfused.value() / 3.35e12).epsilon(1e-12));
    // A prefix lengthens the rows, not the columns.
    const auto behind = breakdown(prompts_for(llama_3_1_8b(), 3072, 1024), Phase::prefill);
    CHECK(behind.attention.scores.value() == 4.0 * 2048 * 3072 * 32 * 2 * 32);
}

TEST_CASE("a decoded token has one row of scores; ranks share the heads", "[breakdown]") {
    const auto scores = [](const Layout& layout) {
        return breakdown(inputs_for(llama_3_1_8b(), 1000, 3, layout), Phase::decode)
            .attention.scores.value();
    };
    CHECK(scores({}) == 4.0 * 3 * 1000 * 32 * 2 * 32);
    CHECK(scores({.tp = 4}) == 4.0 * 3 * 1000 * 8 * 2 * 32);
}

TEST_CASE("latent attention has scores for each of its 128 heads", "[breakdown]") {
    const auto parts = breakdown(prompts_for(deepseek_v3(), 1000), Phase::prefill);
    CHECK(parts.attention.scores.value() == 4.0 * 1000 * 1000 * 128 * 2 * 61);
    const auto writing = breakdown(inputs_for(deepseek_v3(), 1000, 1), Phase::decode);
    CHECK(writing.attention.scores.value() == 4.0 * 1000 * 128 * 2 * 61);
}

TEST_CASE("attention's output is no square, and keys are read once for a group", "[breakdown]") {
    // LLM-Viewer counted 1,535 GB for a prompt of 8,192 on a 70B, and 5.37 GB of keys and values
    // for a token at 2,048: they are 80 layers x 2 x 8 heads x 128 x 2 B a token, read once.
    const double token = 80.0 * 2 * 8 * 128 * 2;
    const auto reading = breakdown(prompts_for(llama_3_1_70b(), 8192), Phase::prefill);
    CHECK(find(reading, OperationKind::attention)->step.bytes.value() == token * 8192);
    const auto writing = breakdown(inputs_for(llama_3_1_70b(), 2048, 1), Phase::decode);
    CHECK(find(writing, OperationKind::attention)->step.bytes.value() == token * 2049);
}

TEST_CASE("scores take their time at 30.9 TB/s of shared memory", "[breakdown]") {
    // 132 SMs x 128 B x 1.83 GHz; a part whose caches are unknown has no such time.
    Inputs inputs = prompts_for(llama_3_1_8b(), 2048);
    CHECK(breakdown(inputs, Phase::prefill).attention.on_chip_time.value() == 0);
    inputs.machine.accelerator = h100_with_clocks();
    const auto attention = breakdown(inputs, Phase::prefill).attention;
    CHECK(attention.on_chip_time.value() ==
          Approx(34359738368.0 / (132 * 128 * 1.83e9)).epsilon(1e-12));
}

TEST_CASE("a recurrent model has no scores", "[breakdown]") {
    const auto parts = breakdown(inputs_for(mamba_130m(), 4096, 1), Phase::decode);
    CHECK(parts.attention.scores.value() == 0);
    CHECK(parts.attention.unfused.value() == 0);
}
