// Layers that are no plain attention: what they store, remember and compute.
#include "napkin/operations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

Model with_blocks(double hidden, double vocabulary, std::vector<Block> blocks) {
    Model model{.hidden = hidden, .vocabulary = vocabulary};
    model.blocks = std::move(blocks);
    return in_bfloat16(model);
}

/// Three layers of the gated delta rule to one of gated attention; 512 experts, one shared.
Model qwen3_next_80b() {
    const Experts experts{
        .experts = 512, .active = 10, .width = 512, .shared_width = 512, .shared_gate = true};
    Block linear{.count = 36};
    linear.mixer =
        DeltaNet{.key_heads = 16, .value_heads = 32, .key_dim = 128, .value_dim = 128, .kernel = 4};
    linear.feed_forward = experts;
    Block full{.count = 12};
    full.mixer = Attention{
        .heads = 16, .kv_heads = 2, .head_dim = 256, .norm_per_head = true, .gated = true};
    full.feed_forward = experts;
    return with_blocks(2048, 151936, {linear, full});
}

/// 27 Mamba-2 mixers, 4 attentions and 25 plain feed-forward layers, one norm each.
Model nemotron_nano_9b() {
    Block mamba{.count = 27, .norms = 1};
    mamba.mixer = Mamba2{.heads = 128, .head_dim = 80, .groups = 8, .state = 128, .kernel = 4};
    Block attention{.count = 4, .norms = 1};
    attention.mixer = Attention{.heads = 40, .kv_heads = 8, .head_dim = 128};
    Block feed_forward{.count = 25, .norms = 1};
    feed_forward.feed_forward = DenseFeedForward{.width = 15680};
    return with_blocks(4480, 131072, {mamba, attention, feed_forward});
}

/// Ten short convolutions and six attentions.
Model lfm2_1_2b() {
    const DenseFeedForward dense{.width = 8192, .gated = true};
    Block convolution{.count = 10};
    convolution.mixer = ShortConvolution{.kernel = 3};
    convolution.feed_forward = dense;
    Block attention{.count = 6};
    attention.mixer = Attention{.heads = 32, .kv_heads = 8, .head_dim = 64, .norm_per_head = true};
    attention.feed_forward = dense;
    Model model = with_blocks(2048, 65536, {convolution, attention});
    model.tied = true;
    return model;
}

/// Seven layers of lightning attention to one of softmax attention.
Model minimax_m1() {
    const Experts experts{.experts = 32, .active = 2, .width = 9216};
    Block lightning{.count = 70};
    lightning.mixer = Lightning{.heads = 64, .head_dim = 128};
    lightning.feed_forward = experts;
    Block full{.count = 10};
    full.mixer = Attention{.heads = 64, .kv_heads = 8, .head_dim = 128};
    full.feed_forward = experts;
    return with_blocks(6144, 200064, {lightning, full});
}

Operation<> state_row(const Model& model, double batch) {
    const Inputs inputs = inputs_for(model, 4096, batch);
    for (const Operation<>& row : lower(model.blocks.front(), inputs, Phase::decode,
                                        even_load<double>(batch, inputs.layout))) {
        if (row.kind == OperationKind::recurrent_state) return row;
    }
    FAIL("no recurrent state");
    return {};
}

}  // namespace

// Totals: those of the published files.

TEST_CASE("Qwen3-Next-80B has 79,674,391,296 parameters, 3,874,929,408 active", "[mixers]") {
    CHECK(parameters(qwen3_next_80b()) == 79674391296);
    CHECK(active_parameters(qwen3_next_80b()) == 3874929408);
}

TEST_CASE("Nemotron-Nano-9B-v2 has 8,888,227,328 parameters", "[mixers]") {
    CHECK(parameters(nemotron_nano_9b()) == 8888227328);
    CHECK(layers(nemotron_nano_9b()) == 56);
}

TEST_CASE("LFM2-1.2B has 1,170,340,608 and MiniMax-M1 456,089,655,296 parameters", "[mixers]") {
    CHECK(parameters(lfm2_1_2b()) == 1170340608);
    CHECK(parameters(minimax_m1()) == 456089655296);  // the card says 456B
}

TEST_CASE("only attention layers have a cache that grows", "[mixers]") {
    const auto bytes = [](const Model& model) {
        return kv_bytes_per_token(model, bfloat16()).value();
    };
    CHECK(bytes(qwen3_next_80b()) == 24576);    // 12 * 2 * 2 * 256 * 2
    CHECK(bytes(nemotron_nano_9b()) == 16384);  // 4 * 2 * 8 * 128 * 2
    CHECK(bytes(lfm2_1_2b()) == 12288);         // 6 * 2 * 8 * 64 * 2
    CHECK(bytes(minimax_m1()) == 40960);        // 10 * 2 * 8 * 128 * 2
}

TEST_CASE("linear layers keep a constant state", "[mixers]") {
    // in 4 bytes an element
    CHECK(state_bytes(qwen3_next_80b()).value() ==
          36 * 4.0 * (32 * 128 * 128 + (2 * 16 * 128 + 32 * 128) * 3));
    CHECK(state_bytes(nemotron_nano_9b()).value() ==
          27 * 4.0 * (128 * 80 * 128 + (128 * 80 + 2 * 8 * 128) * 3));
    CHECK(state_bytes(lfm2_1_2b()).value() == 10 * 4.0 * 2048 * 2);
    CHECK(state_bytes(minimax_m1()).value() == 70 * 4.0 * 64 * 128 * 128);
    Model half = minimax_m1();
    half.blocks.front().state_bytes = 2;
    CHECK(state_bytes(half).value() == 70 * 2.0 * 64 * 128 * 128);
}

TEST_CASE("a token updates the state once: read, changed, written", "[mixers]") {
    const auto mamba = state_row(nemotron_nano_9b(), 3);
    CHECK(mamba.flops.value() == 3 * 7.0 * 128 * 80 * 128);  // 7 d_inner state (Megatron-LM)
    CHECK(mamba.kv_bytes.value() == 3 * 2 * 4.0 * (1310720 + 12288 * 3));
    const auto delta = state_row(qwen3_next_80b(), 1);
    CHECK(delta.flops.value() == 8.0 * 32 * 128 * 128);  // 2 * 4 n_v d_v^2 (Megatron-LM)
    CHECK(state_row(minimax_m1(), 2).flops.value() == 2 * 4.0 * 64 * 128 * 128);
}

TEST_CASE("a layer that shares another's cache stores none, nor the weights for it", "[mixers]") {
    Model model = llama_3_1_8b();
    attention_of(model).shares_cache = true;
    CHECK(kv_bytes_per_token(model, bfloat16()).value() == 0);
    CHECK(parameters(model) == 8030261248.0 - 32 * 2.0 * 1024 * 4096);
}
