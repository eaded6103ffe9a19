#include "napkin/inference.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

TEST_CASE("a 70B in bf16 on 3.35 TB/s: at most 23.9 tokens a second", "[inference]") {
    const Decode<> result = decode(inputs_for(size_of(70e9, 70e9), 0, 1));
    CHECK(result.tokens_per_second.value() == Approx(23.9285714286).epsilon(1e-10));
    CHECK(result.step_time.value() == Approx(140e9 / 3.35e12).epsilon(1e-14));
    CHECK(result.step.bound == Bound::memory);
    CHECK(result.intensity.value() == Approx(1).epsilon(1e-14));  // 2 FLOP for 2 bytes
    CHECK(result.compute_utilization == Approx(3.35 / 989.4).epsilon(1e-12));
}

TEST_CASE("Llama-3.1-8B reads 15,009,857,536 bytes for a token at context 0", "[inference]") {
    // tests/cases/cases.json dec-002: all weights but the embedding table, one row of which is
    // read. The case leaves out that the token's own keys and values are written: 131,072 bytes.
    const Decode<> result = decode(inputs_for(llama_3_1_8b(), 0, 1));
    CHECK((result.totals.weight_bytes + result.totals.activation_bytes).value() == 15009857536);
    CHECK(result.totals.kv_bytes.value() == 131072);
    CHECK(result.tokens_per_second.value() == Approx(3.35e12 / 15009988608).epsilon(1e-12));
    CHECK(result.tokens_per_second.value() == Approx(223.18666).epsilon(1e-3));  // the case's 0.1 %
}

TEST_CASE("at context 32,768 its cache slows it to 173.5 tokens a second", "[inference]") {
    // dec-003: 15,009,857,536 + 131,072 * 32,768, and one token's entry written
    const Decode<> result = decode(inputs_for(llama_3_1_8b(), 32768, 1));
    CHECK(result.totals.kv_bytes.value() == 131072.0 * 32769);
    CHECK(result.tokens_per_second.value() == Approx(173.531748).epsilon(1e-3));
}

TEST_CASE("one token reads the active weights, without the table it is looked up in",
          "[inference]") {
    const auto read = [](const Model& model) {
        return decode(inputs_for(model, 0, 1)).totals.weights;
    };
    CHECK(read(llama_3_1_8b()) == 8030261248.0 - 128256.0 * 4096);
    CHECK(read(qwen3_4b()) == 4022468096);  // tied: the table is the head
    CHECK(read(deepseek_v3()) == Approx(36625618432).epsilon(1e-12));
    CHECK(read(size_of(671e9, 37e9)) == 37e9);
}

TEST_CASE("each weight costs two FLOPs for each token", "[inference]") {
    // Context 0: no pairs, so what is left are the matrices: all but embedding and norms.
    const Decode<> result = decode(inputs_for(llama_3_1_8b(), 0, 16));
    const double matrices = 8030261248.0 - 128256.0 * 4096 - 65 * 4096;
    CHECK(result.step.flops.value() == Approx(2 * 16 * matrices).epsilon(1e-12));
}

TEST_CASE("a size of 671B with 37B active reads the active ones", "[inference]") {
    const Decode<> result = decode(inputs_for(size_of(671e9, 37e9), 0, 1));
    CHECK(result.totals.weight_bytes.value() == 74e9);
}

TEST_CASE("the rate of a user is the rate of all over the batch", "[inference]") {
    const Decode<> result = decode(inputs_for(llama_3_1_8b(), 4096, 32));
    CHECK(result.tokens_per_second.value() ==
          Approx(32 * result.tokens_per_second_per_user.value()).epsilon(1e-14));
    CHECK(result.step_time == result.step.time);
}

TEST_CASE("linear layers turn compute-bound at 295 sequences in bf16", "[inference]") {
    // ridge * bytes per weight / 2
    CHECK(decode(inputs_for(llama_3_1_8b(), 0, 1)).critical_batch == Approx(295.34).epsilon(1e-4));
}

TEST_CASE("256 experts with 8 active turn at 32 times as many", "[inference]") {
    CHECK(decode(inputs_for(deepseek_v3(), 0, 1)).critical_batch ==
          Approx(32 * 295.34328).epsilon(1e-6));
}

TEST_CASE("with its cache an 8B model never turns compute-bound at 8k context", "[inference]") {
    for (const double batch : {1., 32., 1024., 65536.}) {
        CAPTURE(batch);
        CHECK(decode(inputs_for(llama_3_1_8b(), 8192, batch)).step.bound == Bound::memory);
    }
}

TEST_CASE("a prompt of 2,048 tokens is compute-bound", "[inference]") {
    // 2 * 2,048 tokens * the layers' matrices, 2 for the head, and 4 * 4,096 a pair and layer
    const Prefill<> result = prefill(prompts_for(llama_3_1_8b(), 2048));
    const double head = 128256.0 * 4096;
    const double layers = 8030261248.0 - 2 * head - 65 * 4096;
    const double pairs = 2048.0 * 2049 / 2;
    const double flops = 2 * 2048 * layers + 2 * head + 32 * 4.0 * 4096 * pairs;
    CHECK(result.step.flops.value() == Approx(flops).epsilon(1e-12));
    CHECK(result.step.bound == Bound::compute);
    CHECK(result.time_to_first_token.value() == Approx(flops / 989.4e12).epsilon(1e-12));
    CHECK(result.tokens_per_second.value() ==
          Approx(2048 / result.time_to_first_token.value()).epsilon(1e-14));
    CHECK(result.compute_utilization == Approx(1).epsilon(1e-12));
}

TEST_CASE("tokens of a cached prefix are not counted as read", "[inference]") {
    const Prefill<> result = prefill(prompts_for(llama_3_1_8b(), 4096, 3072, 2));
    CHECK(result.tokens_per_second.value() ==
          Approx(2 * 1024 / result.time_to_first_token.value()).epsilon(1e-14));
}

TEST_CASE("replicas multiply the rate and leave the step as it was", "[inference]") {
    const Decode<> one = decode(inputs_for(llama_3_1_8b(), 1024, 4));
    const Decode<> eight = decode(inputs_for(llama_3_1_8b(), 1024, 32, {.dp = 8}));
    CHECK(eight.step_time == one.step_time);
    CHECK(eight.tokens_per_second.value() ==
          Approx(8 * one.tokens_per_second.value()).epsilon(1e-14));
}

TEST_CASE("nine sequences on eight replicas take the step of two", "[inference]") {
    const auto step = [](double batch, double dp) {
        return decode(inputs_for(llama_3_1_8b(), 8192, batch, {.dp = dp})).step_time;
    };
    CHECK(step(9, 8) == step(2, 1));
    CHECK(step(3, 8) == step(1, 1));
}

TEST_CASE("tensor parallelism divides the weights, not the norms", "[inference]") {
    const Decode<> two = decode(inputs_for(llama_3_1_70b(), 0, 1, {.tp = 2}));
    // 161 norms of 8,192 in 2 bytes stay whole; the embedding is a lookup
    const double norms = 161.0 * 8192 * 2;
    const double rest = 141107412992 - 128256.0 * 8192 * 2 - norms;
    CHECK(two.totals.weight_bytes.value() == Approx(rest / 2 + norms).epsilon(1e-14));
}

// A ceiling is never beaten by a run: what follows are runs that are plainly possible.

TEST_CASE("one sequence on a pipeline passes each layer and the head once", "[inference]") {
    // Two stages of 16 layers, the head on the last: the token reads no more than on one device.
    const Decode<> one = decode(inputs_for(llama_3_1_8b(), 1024, 1));
    const Decode<> two = decode(inputs_for(llama_3_1_8b(), 1024, 1, {.pp = 2}));
    CHECK(two.step_time.value() <= one.step_time.value() * (1 + 1e-9));
}

TEST_CASE("one more sequence on busy replicas does not slow the others", "[inference]") {
    // 8 replicas with one sequence each; a ninth joins one of them, seven keep their pace.
    const auto rate = [](double batch) {
        return decode(inputs_for(llama_3_1_8b(), 131072, batch, {.dp = 8})).tokens_per_second;
    };
    CHECK(rate(9).value() >= rate(8).value() * (1 - 1e-9));
}

TEST_CASE("one more sequence in a full pipeline takes its turn behind the others", "[inference]") {
    // Two stages can pass three micro-batches of one in three turns: no worse than two in two.
    const auto rate = [](double batch) {
        return decode(inputs_for(llama_3_1_8b(), 131072, batch, {.pp = 2})).tokens_per_second;
    };
    CHECK(rate(3).value() >= rate(2).value() * (1 - 1e-9));
}
