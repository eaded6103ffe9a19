// Which layer is of which kind: windows, experts and mixers, each with the layers worked out by
// hand.
#include "tests/support/configs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

using Layers = std::vector<int>;

Json layered(const char* type, int layers, const Json& changes) {
    return with(with(small_llama(), {{"model_type", type}, {"num_hidden_layers", layers}}),
                changes);
}

Layers windows(const Json& config) {
    return windowed(model_of(config));
}

// Eight experts, two a token, 32 wide.
Json moe(const char* type, int layers, const Json& changes) {
    const Json experts{
        {"num_experts", 8}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 32}};
    return layered(type, layers, with(experts, changes));
}

Layers experts(const Json& config) {
    return with_experts(model_of(config));
}

}  // namespace

TEST_CASE("layer_types say which layers slide") {
    const Json types{"sliding_attention", "full_attention", "sliding_attention", "full_attention"};
    const Json config = layered("llama", 4, {{"layer_types", types}, {"sliding_window", 128}});
    CHECK(windows(config) == Layers{0, 2});
    const Json none = with(config, {{"sliding_window", nullptr}});
    CHECK(has(problem_with(none).message, "sliding_window"));
    // The list gives the number of layers where nothing else does.
    CHECK(layers(model_of(without(config, "num_hidden_layers"))) == 4);
}

TEST_CASE("layer_types of another length, or with an unknown word, are errors at their place") {
    const Json three{"full_attention", "full_attention", "full_attention"};
    const Problem length = problem_with(layered("llama", 4, {{"layer_types", three}}));
    CHECK(length.id == "bad-list");
    CHECK(length.message == "layer_types has 3 entries, for 4 layers");
    const Json odd{"full_attention", "telepathy"};
    const Problem word = problem_with(layered("llama", 2, {{"layer_types", odd}}));
    CHECK(word.id == "unknown-layer-type");
    CHECK(word.message == "layer 1 is of an unknown type \"telepathy\"");
    CHECK(has(word.expected, "full_attention"));
    CHECK(problem_with(layered("llama", 2, {{"layer_types", {1, 2}}})).id == "unknown-layer-type");
    const Problem text = problem_with(layered("llama", 2, {{"layer_types", "full_attention"}}));
    CHECK(text.message == "layer_types is no list, for 2 layers");
}

TEST_CASE("sliding_window_pattern as a number: each n-th layer sees everything") {
    const Json window{{"sliding_window", 128}};
    const Json config = layered("gemma3_text", 8, with(window, {{"sliding_window_pattern", 3}}));
    CHECK(windows(config) == Layers{0, 1, 3, 4, 6, 7});
    // Gemma 3's class says 6.
    const formats::ReadModel read = test::read(layered("gemma3_text", 8, window));
    CHECK(windowed(read.model) == Layers{0, 1, 2, 3, 4, 6, 7});
    CHECK(has(note_in(read, "class-default").message, "every 6th"));
}

TEST_CASE("sliding_window_pattern as letters: L slides, G does not, wherever they stand") {
    const auto pattern = [](const Json& letters) {
        return layered("exaone4", 8,
                       {{"sliding_window", 128}, {"sliding_window_pattern", letters}});
    };
    CHECK(windows(pattern("LLLG")) == Layers{0, 1, 2, 4, 5, 6});
    CHECK(windows(pattern("GLL")) == Layers{1, 2, 4, 5, 7});
    CHECK(windows(pattern("LG")) == Layers{0, 2, 4, 6});
    CHECK(windows(pattern("G")).empty());
    CHECK(problem_with(pattern("LLXG")).id == "unknown-layer-type");
    CHECK(problem_with(pattern("")).id == "unknown-layer-type");
    CHECK(problem_with(pattern(Json::object())).id == "bad-count");
}

TEST_CASE("Qwen names a window and whether it is used, and from which layer on") {
    const Json window{{"sliding_window", 128}, {"max_window_layers", 2}};
    CHECK(windows(layered("qwen2", 4, with(window, {{"use_sliding_window", false}}))).empty());
    CHECK(windows(layered("qwen2", 4, window)).empty());
    CHECK(windows(layered("qwen2", 4, with(window, {{"use_sliding_window", true}}))) ==
          Layers{2, 3});
}

TEST_CASE("a window no shorter than the context is never full") {
    const auto mistral = [](const Json& window) {
        return windows(layered("mistral", 3, {{"sliding_window", window}}));
    };
    CHECK(mistral(512) == Layers{0, 1, 2});
    CHECK(mistral(1023) == Layers{0, 1, 2});
    CHECK(mistral(1024).empty());
    CHECK(mistral(262144).empty());
    CHECK(mistral(nullptr).empty());
}

TEST_CASE("Gemma 2 and gpt-oss alternate, the first layer slides") {
    CHECK(windows(layered("gemma2", 5, {{"sliding_window", 128}})) == Layers{0, 2, 4});
    const Json oss = moe("gpt_oss", 4, {{"sliding_window", 128}});
    CHECK(windows(oss) == Layers{0, 2});
    // Gemma 2's class also knows the window, longer than this context.
    CHECK(windows(layered("gemma2", 4, Json::object())).empty());
    CHECK(windows(layered("gemma2", 4, {{"max_position_embeddings", 8192}})) == Layers{0, 2});
}

TEST_CASE("hybrid_layer_pattern: 1 slides, with heads of its own") {
    const Json config = layered("mimo_v2_flash", 4,
                                {{"hybrid_layer_pattern", {0, 1, 1, 0}},
                                 {"sliding_window", 128},
                                 {"swa_num_key_value_heads", 4}});
    const Model model = model_of(config);
    CHECK(windowed(model) == Layers{1, 2});
    for (const Block& block : model.blocks) {
        const auto& m = std::get<Attention>(block.mixer);
        CHECK(m.kv_heads == (m.window > 0 ? 4 : 2));
    }
    CHECK(windows(with(config, {{"hybrid_layer_pattern", {false, true, false, true}}})) ==
          Layers{1, 3});
    CHECK(problem_with(with(config, {{"hybrid_layer_pattern", {0, 2, 1, 0}}})).id == "bad-list");
    CHECK(problem_with(with(config, {{"hybrid_layer_pattern", {"0", "1", "1", "0"}}})).id ==
          "bad-list");
}

TEST_CASE("experts, 1: every layer where nothing else is said") {
    CHECK(experts(moe("mixtral", 3, Json::object())) == Layers{0, 1, 2});
    CHECK(experts(moe("mixtral", 3, {{"num_experts", 0}})).empty());
    CHECK(experts(moe("mixtral", 3, {{"num_experts", nullptr}})).empty());
}

TEST_CASE("experts, 2: first_k_dense_replace, with moe_layer_freq as a number") {
    CHECK(experts(moe("deepseek", 6, {{"first_k_dense_replace", 2}})) == Layers{2, 3, 4, 5});
    CHECK(experts(moe("deepseek", 6, {{"first_k_dense_replace", 1}, {"moe_layer_freq", 2}})) ==
          Layers{2, 4});
    CHECK(experts(moe("deepseek", 6, {{"first_k_dense_replace", 9}})).empty());
}

TEST_CASE("experts, 3: moe_layer_freq as a list") {
    CHECK(experts(moe("deepseek", 4, {{"moe_layer_freq", {0, 1, 0, 1}}})) == Layers{1, 3});
    CHECK(experts(moe("deepseek", 4, {{"moe_layer_freq", {false, true, true, false}}})) ==
          Layers{1, 2});
    CHECK(problem_with(moe("deepseek", 4, {{"moe_layer_freq", {0, 1}}})).id == "bad-list");
    CHECK(problem_with(moe("deepseek", 2, {{"moe_layer_freq", {"0", "1"}}})).id == "bad-list");
}

TEST_CASE("experts, 4: decoder_sparse_step with mlp_only_layers") {
    CHECK(experts(moe("qwen3_moe", 6, {{"decoder_sparse_step", 2}})) == Layers{1, 3, 5});
    CHECK(experts(moe("qwen3_moe", 6, {{"decoder_sparse_step", 1}, {"mlp_only_layers", {0, 4}}})) ==
          Layers{1, 2, 3, 5});
    CHECK(experts(moe("qwen3_moe", 6, {{"decoder_sparse_step", 3}, {"mlp_only_layers", {5}}})) ==
          Layers{2});
    CHECK(experts(moe("qwen3_moe", 3, {{"mlp_only_layers", Json::array()}})) == Layers{0, 1, 2});
    CHECK(experts(moe("qwen3_moe", 3, {{"mlp_only_layers", {1, 70}}})) == Layers{0, 2});
    for (const Json& list : {Json{"0"}, Json{-1}, Json{0.5}, Json(0)}) {
        CAPTURE(list.dump());
        CHECK(problem_with(moe("qwen3_moe", 3, {{"mlp_only_layers", list}})).id == "bad-list");
    }
}

TEST_CASE("experts, 5: interleave_moe_layer_step") {
    const Json config =
        moe("llama4_text", 6, {{"interleave_moe_layer_step", 2}, {"intermediate_size_mlp", 48}});
    CHECK(experts(config) == Layers{1, 3, 5});
    const Model model = model_of(config);
    CHECK(std::get<DenseFeedForward>(model.blocks.front().feed_forward).width == 48);
    CHECK(experts(with(config, {{"interleave_moe_layer_step", 1}})).size() == 6);
}

TEST_CASE("experts, 6: mlp_layer_types") {
    const Json types{"dense", "sparse", "dense", "sparse"};
    CHECK(experts(moe("glm4_moe", 4, {{"mlp_layer_types", types}})) == Layers{1, 3});
    const Problem word =
        problem_with(moe("glm4_moe", 2, {{"mlp_layer_types", {"dense", "thick"}}}));
    CHECK(word.id == "unknown-layer-type");
    CHECK(has(word.message, "\"thick\""));
}

TEST_CASE("experts, 7: from moe_layer_start_index to moe_layer_end_index, every so many") {
    const auto ernie = [](const Json& changes) { return experts(moe("ernie4_5_moe", 6, changes)); };
    CHECK(ernie({{"moe_layer_start_index", 1}}) == Layers{1, 2, 3, 4, 5});
    CHECK(ernie({{"moe_layer_start_index", 1}, {"moe_layer_end_index", 3}}) == Layers{1, 2, 3});
    CHECK(ernie({{"moe_layer_start_index", 2}, {"moe_layer_end_index", -1}}) == Layers{2, 3, 4, 5});
    // As its class counts: (layer + 1) is a multiple of the interval.
    CHECK(ernie({{"moe_layer_start_index", 1}, {"moe_layer_interval", 2}}) == Layers{1, 3, 5});
    CHECK(ernie({{"moe_layer_start_index", 2}, {"moe_layer_interval", 2}}) == Layers{3, 5});
}

TEST_CASE("experts, 8: expert_layer_period and offset, beside attn_layer_period and offset") {
    const Json config = moe("jamba", 8,
                            {{"attn_layer_period", 4},
                             {"attn_layer_offset", 2},
                             {"expert_layer_period", 2},
                             {"expert_layer_offset", 1},
                             {"mamba_d_state", 16},
                             {"mamba_d_conv", 4}});
    const Model model = model_of(config);
    CHECK(with_experts(model) == Layers{1, 3, 5, 7});
    CHECK(mixed_by<Attention>(model) == Layers{2, 6});
    CHECK(mixed_by<Mamba1>(model) == Layers{0, 1, 3, 4, 5, 7});
}

TEST_CASE("full_attention_interval: the last layer of each round attends to everything") {
    const Json delta{{"full_attention_interval", 4}, {"head_dim", 8},
                     {"linear_num_key_heads", 2},    {"linear_num_value_heads", 4},
                     {"linear_key_head_dim", 8},     {"linear_value_head_dim", 8},
                     {"linear_conv_kernel_dim", 4}};
    const Model model = model_of(layered("qwen3_next", 48, delta));
    CHECK(mixed_by<Attention>(model).size() == 12);
    CHECK(mixed_by<DeltaNet>(model).size() == 36);
    CHECK(mixed_by<Attention>(model).front() == 3);
    CHECK(mixed_by<Attention>(model).back() == 47);
}

TEST_CASE("patterns of letters: M Mamba, * attention, - feed-forward, E experts") {
    const Json mamba{{"mamba_num_heads", 4},
                     {"mamba_head_dim", 16},
                     {"ssm_state_size", 8},
                     {"conv_kernel", 4},
                     {"n_groups", 1}};
    const auto pattern = [&](const Json& letters) {
        return moe("nemotron_h", 5, with(mamba, {{"hybrid_override_pattern", letters}}));
    };
    const Model model = model_of(pattern("M*-EM"));
    CHECK(mixed_by<Mamba2>(model) == Layers{0, 4});
    CHECK(mixed_by<Attention>(model) == Layers{1});
    CHECK(mixed_by<NoMixer>(model) == Layers{2, 3});
    CHECK(with_experts(model) == Layers{3});
    for (const Block& block : model.blocks) CHECK(block.norms == 1);

    const Problem length = problem_with(pattern("M*-E"));
    CHECK(length.id == "bad-list");
    CHECK(has(length.message, "4 letters for 5 layers"));
    const Problem letter = problem_with(pattern("M*-XM"));
    CHECK(letter.id == "unknown-layer-type");
    CHECK(has(letter.message, "\"X\""));
    CHECK(problem_with(pattern(Json{"M", "*"})).id == "bad-list");
}

TEST_CASE("attn_type_list, full_attn_idxs and cross_attention_layers place their mixers") {
    const Json lightning{{"attn_type_list", {0, 0, 1, 0}}};
    CHECK(mixed_by<Attention>(model_of(layered("minimax_m1", 4, lightning))) == Layers{2});
    CHECK(mixed_by<Lightning>(model_of(layered("minimax_m1", 4, lightning))) == Layers{0, 1, 3});
    const Json conv{{"full_attn_idxs", {1, 3}}, {"conv_L_cache", 3}};
    CHECK(mixed_by<Attention>(model_of(layered("lfm2", 4, conv))) == Layers{1, 3});
    CHECK(mixed_by<ShortConvolution>(model_of(layered("lfm2", 4, conv))) == Layers{0, 2});
    const Model cross =
        model_of(layered("mllama_text_model", 4, {{"cross_attention_layers", {1, 2}}}));
    CHECK(layers_where(cross, [](const Block& block) {
              return std::get<Attention>(block.mixer).uncached;
          }) == Layers{1, 2});
    CHECK(problem_with(layered("lfm2", 4, {{"full_attn_idxs", {"1"}}, {"conv_L_cache", 3}})).id ==
          "bad-list");
}

TEST_CASE("the last layers share keys and values: Gemma 4 stores none for them, Gemma 3n does") {
    const Json shared{{"num_kv_shared_layers", 2}};
    const Model gemma4 = model_of(layered("gemma4_text", 4, with(shared, {{"head_dim", 8}})));
    CHECK(layers_where(gemma4, [](const Block& block) {
              return std::get<Attention>(block.mixer).shares_cache;
          }) == Layers{2, 3});
    CHECK(kv_bytes_per_token(gemma4, bfloat16()).value() == 2 * 2 * 2 * 8 * 2);
}
