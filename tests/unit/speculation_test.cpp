#include "napkin/speculation.hpp"

#include <cmath>

#include "napkin/partition.hpp"
#include "napkin/residents.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

Speculation<> speculated(const Inputs& inputs, const Drafting& drafting) {
    return speculate(inputs, drafting, ceiling_pace(inputs.machine));
}

/// A size of `target` weights that verifies what one of `draft` drafts; bytes are all it costs.
Inputs sizes(double target, double draft, double batch = 1, const Layout& layout = {}) {
    Inputs inputs = inputs_for(size_of(target, target), 0, batch, layout);
    if (draft > 0) inputs.draft = size_of(draft, draft);
    return inputs;
}

Decode<> verified(Model model, double context, double batch, double tokens) {
    Inputs inputs = inputs_for(model, context, batch);
    inputs.workload.step_tokens = tokens;
    return decode(inputs);
}

}  // namespace

TEST_CASE("two drafted tokens at 58 % acceptance bring 1.9164 tokens a pass", "[speculation]") {
    CHECK(tokens_per_pass(0.58, 2.0) == Approx(1 + 0.58 + 0.58 * 0.58).epsilon(1e-14));
    CHECK(tokens_per_pass(0.112, 4.0) == Approx(1.126106279936).epsilon(1e-12));
}

TEST_CASE("nothing accepted brings one token a pass, everything one more than drafted",
          "[speculation]") {
    CHECK(tokens_per_pass(0.0, 7.0) == 1);
    CHECK(tokens_per_pass(1.0, 7.0) == 8);
    CHECK(tokens_per_pass(1 - 1e-12, 7.0) == Approx(8).epsilon(1e-3));
}

TEST_CASE("a 1B drafts 4 tokens for a 70B at 70 %: 2.6 times as fast", "[speculation]") {
    // A round reads 4 x 2 GB and 140 GB; 1 + 0.7 + 0.49 + 0.343 + 0.2401 = 2.7731 tokens.
    const Speculation<> round = speculated(sizes(70e9, 1e9), {.tokens = 4, .acceptance = 0.7});
    CHECK(round.tokens_per_pass == Approx(2.7731).epsilon(1e-12));
    CHECK(round.draft_time.value() == Approx(8e9 / 3.35e12).epsilon(1e-12));
    CHECK(round.verify_time.value() == Approx(140e9 / 3.35e12).epsilon(1e-12));
    CHECK(round.round_time.value() == Approx(148e9 / 3.35e12).epsilon(1e-12));
    CHECK(round.tokens_per_second.value() == Approx(2.7731 * 3.35e12 / 148e9).epsilon(1e-12));
    CHECK(round.speedup == Approx(2.7731 * 140 / 148).epsilon(1e-12));
    CHECK(round.break_even_tokens == Approx(148.0 / 140).epsilon(1e-12));
}

TEST_CASE("at the break-even acceptance speculation is as fast as plain decoding",
          "[speculation]") {
    const Inputs inputs = sizes(70e9, 7e9);  // drafting 3 costs 0.3 of a step: 1.3 tokens
    const auto even = speculated(inputs, {.tokens = 3, .acceptance = 0.5}).break_even_acceptance;
    REQUIRE(even);
    CHECK(*even + *even * *even + *even * *even * *even == Approx(0.3).epsilon(1e-12));
    CHECK(speculated(inputs, {.tokens = 3, .acceptance = *even}).speedup ==
          Approx(1).epsilon(1e-12));
    CHECK(speculated(inputs, {.tokens = 3, .acceptance = *even - 0.01}).speedup < 1);
}

TEST_CASE("a draft nearly as large needs nearly all accepted, a larger one more than all",
          "[speculation]") {
    // One drafted token: a round of 7.9 + 8 GB needs 15.9 / 8 tokens, 1 + a of which come.
    const auto even = speculated(sizes(8e9, 7.9e9), {.tokens = 1}).break_even_acceptance;
    REQUIRE(even);
    CHECK(*even == Approx(7.9 / 8).epsilon(1e-12));
    CHECK_FALSE(speculated(sizes(8e9, 8.1e9), {.tokens = 1}).break_even_acceptance);
}

TEST_CASE("free drafting that costs a memory-bound step nothing always pays", "[speculation]") {
    const Speculation<> round = speculated(sizes(70e9, 0), {.tokens = 4, .acceptance = 0.1});
    CHECK(round.draft_time.value() == 0);
    CHECK(round.break_even_acceptance == 0.0);
    CHECK(round.speedup == Approx(1.1111).epsilon(1e-12));
}

TEST_CASE("each token to verify sees the cache and the drafted ones before it", "[speculation]") {
    const double one = verified(llama_3_1_8b(), 1000, 3, 1).step.flops.value();
    const double five = verified(llama_3_1_8b(), 1000, 3, 5).step.flops.value();
    double pairs = 0;
    for (int token = 0; token < 5; ++token) pairs += 1000 + token;
    const double per_pair = 32 * 4.0 * 4096;  // layers, 2 FLOP to score and 2 to sum, heads x width
    CHECK(five - 3 * per_pair * pairs ==
          Approx(5 * (one - 3 * per_pair * 1000)).epsilon(1e-12));  // linear layers and head
}

TEST_CASE("a window bounds what each token to verify sees", "[speculation]") {
    Model model = llama_3_1_8b();
    attention_of(model).window = 1002;
    const double windowed = verified(model, 1000, 1, 5).step.flops.value();
    const double whole = verified(llama_3_1_8b(), 1000, 1, 5).step.flops.value();
    CHECK(whole - windowed == Approx(32 * 4.0 * 4096 * (1 + 2)).epsilon(1e-6));  // of 1,003, 1,004
}

TEST_CASE("verifying 64 tokens after nothing computes what reading a prompt of 64 does",
          "[speculation]") {
    // But for the head, which reads every token instead of the last.
    const double read = prefill(prompts_for(llama_3_1_8b(), 64)).step.flops.value();
    const double step = verified(llama_3_1_8b(), 0, 1, 64).step.flops.value();
    CHECK(step - read == Approx(63 * 2.0 * 128256 * 4096).epsilon(1e-9));
}

TEST_CASE("verifying 4 tokens of 3 sequences touches the experts that 12 tokens do",
          "[speculation]") {
    // 8 experts, 2 active, each 3 matrices of 4,096 x 14,336 in 32 layers
    const double expert = 32 * 3.0 * 4096 * 14336;
    const auto weights = [](double batch, double tokens) {
        return verified(mixtral_8x7b(), 0, batch, tokens).totals.weights;
    };
    const auto distinct = [](double tokens) { return 8 * (1 - std::pow(0.75, tokens)); };
    CHECK(weights(3, 4) == Approx(weights(12, 1)).epsilon(1e-12));
    CHECK(weights(3, 4) - weights(3, 1) ==
          Approx(expert * (distinct(12) - distinct(3))).epsilon(1e-9));
}

TEST_CASE("verification turns compute-bound at a fifth of the sequences", "[speculation]") {
    CHECK(verified(llama_3_1_8b(), 0, 1, 5).critical_batch == Approx(295.34328 / 5).epsilon(1e-5));
}

TEST_CASE("replicas with one sequence less run their rounds faster", "[speculation]") {
    // Three sequences of 131,072 tokens on two replicas, drafting free: two of them wait for each
    // other, the third does not.
    const Drafting drafting{.tokens = 2, .acceptance = 0.5};
    const auto rate = [&](double batch, double dp) {
        return speculated(inputs_for(llama_3_1_8b(), 131072, batch, {.dp = dp}), drafting)
            .tokens_per_second.value();
    };
    CHECK(rate(3, 2) == Approx(rate(2, 1) + rate(1, 1)).epsilon(1e-12));
}

TEST_CASE("a draft model and its cache stay beside the model", "[speculation]") {
    Inputs inputs = inputs_for(llama_3_1_70b(), 8192, 4, {.tp = 2});
    const auto alone = inference_residents<double>(inputs);
    inputs.draft = llama_3_1_8b();
    const auto both = inference_residents<double>(inputs);
    const auto bytes = [](const Residents<>& list, ResidentKind kind) {
        return bytes_of(list, kind).value();
    };
    // Half of 8,030,261,248 weights in bf16, but its 65 norms whole; half of 131,072 B a token.
    CHECK(bytes(both, ResidentKind::draft_weights) ==
          Approx(8030261248.0 + 65 * 4096).epsilon(1e-14));
    CHECK(bytes(both, ResidentKind::draft_cache) == 4 * 8192 * 65536.0);
    CHECK(bytes(both, ResidentKind::weights) == bytes(alone, ResidentKind::weights));
    CHECK(bytes(both, ResidentKind::kv_cache) == bytes(alone, ResidentKind::kv_cache));
    CHECK(bytes(alone, ResidentKind::draft_weights) == 0);
}

TEST_CASE("a draft of 14 heads beside tp 4 is cut over 2 devices and repeated", "[speculation]") {
    const Model draft = qwen2_5({24, 896, 151936, 14, 2, 64, 4864});  // Qwen2.5-0.5B
    const Layout layout = draft_layout(draft, {.dp = 3, .tp = 4, .pp = 2});
    CHECK(layout.tp == 2);
    CHECK(layout.dp == 3);
    CHECK(layout.pp == 2);
    CHECK(draft_layout(llama_3_1_8b(), {.tp = 8, .pp = 64}).pp == 32);
}
