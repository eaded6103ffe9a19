#include "napkin/operations.hpp"

#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

const Operation<>* find(const Operations<>& rows, OperationKind kind) {
    for (const Operation<>& row : rows) {
        if (row.kind == kind) return &row;
    }
    return nullptr;
}

/// One row of a layer of the last block: for mixtures the one with experts.
Operation<> row_of(const Inputs& inputs, Phase phase, OperationKind kind) {
    const auto rows = lower(inputs.model.blocks.back(), inputs, phase,
                            even_load<double>(inputs.workload.batch, inputs.layout));
    const Operation<>* row = find(rows, kind);
    REQUIRE(row != nullptr);
    return *row;
}

double pairs_one_by_one(int fresh, int prefix, int window) {
    double sum = 0;
    for (int i = 1; i <= fresh; ++i) sum += window > 0 ? std::min(prefix + i, window) : prefix + i;
    return sum;
}

}  // namespace

TEST_CASE("DeepSeek-V3 touches 8, 57.4, 222.4 and 255.9 of 256 experts", "[operations]") {
    // 256 (1 - (1 - 8/256)^B)
    CHECK(distinct_experts(256.0, 8.0, 1.0) == Approx(8).epsilon(1e-12));
    CHECK(distinct_experts(256.0, 8.0, 8.0) == Approx(57.42083).epsilon(1e-6));
    CHECK(distinct_experts(256.0, 8.0, 64.0) == Approx(222.44249).epsilon(1e-6));
    CHECK(distinct_experts(256.0, 8.0, 256.0) == Approx(255.92441).epsilon(1e-6));
}

TEST_CASE("16 tokens touch 82.4 of 128 experts, 8 at a time", "[operations]") {
    CHECK(distinct_experts(128.0, 8.0, 16.0) == Approx(82.4225113022).epsilon(1e-10));
}

TEST_CASE("experts that are all active are all touched", "[operations]") {
    CHECK(distinct_experts(8.0, 8.0, 1.0) == 8);
    CHECK(distinct_experts(8.0, 2.0, 1e6) == 8);
    CHECK(distinct_experts(8.0, 2.0, 0.0) == 0);
}

TEST_CASE("causal pairs are the sum over tokens, with any window and prefix", "[operations]") {
    std::mt19937_64 random(99);
    std::uniform_int_distribution<int> length(0, 300);
    for (int i = 0; i < 3000; ++i) {
        const int fresh = length(random) + 1;
        const int prefix = i % 3 == 0 ? 0 : length(random);
        const int window = i % 4 == 0 ? 0 : length(random) + 1;
        CAPTURE(fresh, prefix, window);
        REQUIRE(causal_pairs<double>(fresh, prefix, window) ==
                pairs_one_by_one(fresh, prefix, window));
    }
}

TEST_CASE("a window of 512 in 2,048 tokens leaves 448.125 keys for a query", "[operations]") {
    // (512 * 513 / 2 + 1,536 * 512) / 2,048
    CHECK(causal_pairs(2048.0, 0.0, 512) / 2048 == 448.125);
}

TEST_CASE("attention scores and sums each pair over all heads", "[operations]") {
    // 4 B H d S
    const auto row =
        row_of(inputs_for(llama_3_1_8b(), 1000, 3), Phase::decode, OperationKind::attention);
    CHECK(row.flops.value() == 4.0 * 3 * 32 * 128 * 1000);
    CHECK(row.kv_bytes.value() == 3.0 * 4096 * 1001);  // 2 * 8 * 128 * 2 bytes an entry
}

TEST_CASE("absorbed latent attention: 2 H S (2 r + d_rope) FLOPs over one latent", "[operations]") {
    // about 242 FLOP/B, close to the ridge of an H100
    const double context = 65536;
    const auto row =
        row_of(inputs_for(deepseek_v3(), context, 1), Phase::decode, OperationKind::attention);
    CHECK(row.flops.value() == 2 * 128 * context * (2 * 512 + 64));
    CHECK(row.kv_bytes.value() == (512 + 64) * 2 * (context + 1));
    CHECK((row.flops / row.kv_bytes).value() == Approx(241.8).epsilon(1e-3));
}

TEST_CASE("in prefill latent attention expands to heads of 192 and 128", "[operations]") {
    const auto row =
        row_of(prompts_for(deepseek_v3(), 1000), Phase::prefill, OperationKind::attention);
    CHECK(row.flops.value() == 2.0 * 128 * (128 + 64 + 128) * 500500);  // 1,000 * 1,001 / 2 pairs
}

TEST_CASE("sparse attention reads every index key but only the chosen latents", "[operations]") {
    // DeepSeek-V3.2: 2,048 latents of 1,152 bytes; index keys of 128 bytes and a 4-byte scale.
    // Only bytes that must move are counted, else a real run would beat the ceiling.
    Model model = deepseek_v3();
    auto& mixer = std::get<LatentAttention>(model.blocks.back().mixer);
    mixer.index_heads = 64;
    mixer.index_dim = 128;
    mixer.index_top = 2048;
    const auto row = row_of(inputs_for(model, 131072, 1), Phase::decode, OperationKind::attention);
    CHECK(row.kv_bytes.value() <= 2048 * 1152 + 131072.0 * 132 + 1152 + 132);
}

TEST_CASE("a windowed layer reads its window", "[operations]") {
    Inputs inputs = inputs_for(gpt_oss_120b(), 8192, 1);
    std::swap(inputs.model.blocks[0], inputs.model.blocks[1]);  // the windowed one last
    const auto row = row_of(inputs, Phase::decode, OperationKind::attention);
    CHECK(row.flops.value() == 4.0 * 64 * 64 * 128);
    CHECK(row.kv_bytes.value() == 2048.0 * (128 + 1));
}

TEST_CASE("experts: FLOPs of the active ones, bytes of the distinct ones", "[operations]") {
    const double expert = 3.0 * 7168 * 2048;
    const auto row = row_of(inputs_for(deepseek_v3(), 0, 8), Phase::decode, OperationKind::experts);
    CHECK(row.flops.value() == Approx(2 * 8 * 8 * expert).epsilon(1e-12));
    CHECK(row.weight_bytes.value() == Approx(57.42083078599535 * expert * 2).epsilon(1e-12));
}

TEST_CASE("a cached prefix is read, not computed", "[operations]") {
    const Inputs whole = prompts_for(llama_3_1_8b(), 4096);
    const Inputs cached = prompts_for(llama_3_1_8b(), 4096, 3072);
    const auto attention = row_of(cached, Phase::prefill, OperationKind::attention);
    CHECK(attention.flops.value() == 4.0 * 32 * 128 * (1024.0 * 3072 + 1024 * 1025 / 2.0));
    CHECK(attention.kv_bytes.value() == 4096.0 * 4096);  // 3,072 entries read, 1,024 written
    const auto matrices = OperationKind::feed_forward;
    CHECK(row_of(cached, Phase::prefill, matrices).flops * 4.0 ==
          row_of(whole, Phase::prefill, matrices).flops);
}

TEST_CASE("prefill runs the head on the last token of each sequence", "[operations]") {
    for (const Model& model : {llama_3_1_8b(), qwen3_4b()}) {
        const Inputs inputs = prompts_for(model, 2048, 0, 3);
        const auto rows = lower_outer(inputs, Phase::prefill, even_load<double>(3, inputs.layout));
        const Operation<>* head = find(rows, OperationKind::head);
        REQUIRE(head != nullptr);
        CHECK(head->flops.value() == 2 * 3 * model.vocabulary * model.hidden);
        CHECK(head->weight_bytes.value() == 2 * model.vocabulary * model.hidden);
        const Operation<>* lookup = find(rows, OperationKind::embedding);
        REQUIRE(lookup != nullptr);
        CHECK(lookup->activation_bytes.value() == 2 * 3 * 2048 * model.hidden);
    }
}

TEST_CASE("tensor parallelism sums twice in a layer, and not at all on one device",
          "[operations]") {
    const Inputs eight = inputs_for(llama_3_1_70b(), 0, 16, {.tp = 8});
    const auto row = row_of(eight, Phase::decode, OperationKind::all_reduce);
    CHECK(row.times == 2);
    CHECK(row.link == Link::scale_up);
    CHECK(row.link_bytes.value() == 16.0 * 8192 * 2);
    // Two domains of 8: the payload inside each, an eighth of it through each NIC.
    const Inputs wide = inputs_for(llama_3_1_70b(), 0, 16, {.tp = 16});
    double inside = 0;
    double across = 0;
    for (const auto& one : lower(wide.model.blocks.front(), wide, Phase::decode,
                                 even_load<double>(16.0, wide.layout))) {
        if (one.link == Link::scale_up) inside += one.link_bytes.value();
        if (one.link == Link::scale_out) across += one.link_bytes.value();
    }
    CHECK(inside == 16.0 * 8192 * 2);
    CHECK(across == 16.0 * 8192 * 2 / 8);
    Inputs parallel = eight;  // mixer and feed-forward layer add up together: one sum
    parallel.model.blocks.front().parallel = true;
    CHECK(row_of(parallel, Phase::decode, OperationKind::all_reduce).times == 1);
    const Inputs one = inputs_for(llama_3_1_70b(), 0, 16);
    const auto rows =
        lower(one.model.blocks.front(), one, Phase::decode, even_load<double>(16.0, one.layout));
    CHECK(find(rows, OperationKind::all_reduce) == nullptr);
}

TEST_CASE("recurrent layers move a constant state, whatever the context", "[operations]") {
    const auto moved = [](double context) {
        return row_of(inputs_for(mamba_130m(), context, 2), Phase::decode,
                      OperationKind::recurrent_state);
    };
    CHECK(moved(0).kv_bytes.value() == 2.0 * 2 * 29184 * 4);  // read and written, two sequences
    CHECK(moved(0).kv_bytes == moved(1e6).kv_bytes);
    CHECK(moved(0).flops.value() == 7.0 * 1536 * 16 * 2);
}

TEST_CASE("weights run in their own arithmetic where the part has it", "[operations]") {
    Inputs inputs = inputs_for(deepseek_v3(), 0, 1);
    CHECK(arithmetic_of(inputs, Role::expert) == Arithmetic::bf16);
    set_weights(inputs.model, fp8_tiles());
    CHECK(arithmetic_of(inputs, Role::expert) == Arithmetic::fp8);
    CHECK(arithmetic_of(inputs, Role::head) == Arithmetic::bf16);
    inputs.machine.accelerator.compute.peak[index_of(Arithmetic::fp8)] = FlopsPerSecond<>(0);
    CHECK(arithmetic_of(inputs, Role::expert) == Arithmetic::bf16);
    NumberFormat packed{.id = "q4", .elements = 32, .bytes = 18};  // weight-only
    set_weights(inputs.model, packed);
    CHECK(arithmetic_of(inputs, Role::expert) == Arithmetic::bf16);
}

TEST_CASE("weights of one role in two arithmetics make two rows", "[operations]") {
    Inputs inputs = inputs_for(llama_3_1_8b(), 0, 1);
    NumberFormat fp8{.id = "fp8", .bytes = 1, .computes_in = Arithmetic::fp8};
    inputs.model.blocks.front().formats = {{"ffn_down", fp8}};
    const auto rows = lower(inputs.model.blocks.front(), inputs, Phase::decode,
                            even_load<double>(1.0, inputs.layout));
    double narrow = 0;
    double wide = 0;
    for (const Operation<>& row : rows) {
        if (row.kind != OperationKind::feed_forward) continue;
        (row.arithmetic == Arithmetic::fp8 ? narrow : wide) += row.weight_bytes.value();
    }
    CHECK(narrow == 4096.0 * 14336);
    CHECK(wide == 2.0 * 2 * 4096 * 14336);
}

TEST_CASE("an encoder reads the prompt, the decoder generates over it", "[operations]") {
    // Two halves of a decoder layer: over what was generated, and over the encoded prompt.
    Inputs inputs = inputs_for(llama_3_1_8b(), 100, 1);
    Block encoder = inputs.model.blocks.front();
    encoder.runs = Runs::on_prompt;
    std::get<Attention>(encoder.mixer).uncached = true;
    Block cross = inputs.model.blocks.front();
    cross.continues = true;
    std::get<Attention>(cross.mixer).over_prompt = true;
    inputs.model.blocks = {encoder, inputs.model.blocks.front(), cross};
    inputs.workload.prompt = 1000;
    CHECK(layers(inputs.model) == 64);
    CHECK(kv_bytes_per_token(inputs.model, bfloat16()).value() ==
          131072);  // the first half's alone
    const auto rows = lower(cross, inputs, Phase::decode, even_load<double>(1.0, inputs.layout));
    for (const Operation<>& row : rows) {
        if (row.kind == OperationKind::attention) CHECK(row.kv_bytes.value() == 1000.0 * 4096);
    }
}

TEST_CASE("on a part without bf16 all work of a bf16 model runs in fp16", "[operations]") {
    Inputs inputs = prompts_for(llama_3_1_8b(), 2048);  // V100: fp16, no bf16
    inputs.machine.accelerator.compute.peak[index_of(Arithmetic::bf16)] = FlopsPerSecond<>(0);
    const auto rows = lower(inputs.model.blocks.front(), inputs, Phase::prefill,
                            even_load<double>(1.0, inputs.layout));
    for (const Operation<>& row : rows) {
        CAPTURE(name_of(row.kind));
        if (row.flops.value() > 0) CHECK(row.arithmetic == Arithmetic::fp16);
    }
}
