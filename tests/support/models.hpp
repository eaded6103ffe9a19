// Models built by hand from their config.json, for tests that must not depend on the presets.
#pragma once

#include "napkin/model.hpp"

namespace napkin::test {

/// OCP MXFP4: 32 weights of 4 bits and one scale of 8 bits in 17 bytes.
inline NumberFormat mxfp4() {
    return {.id = "mxfp4", .elements = 32, .bytes = 17, .computes_in = Arithmetic::fp4};
}

/// DeepSeek's FP8: a 4-byte scale for each tile of 128 x 128; embedding, head, norms and router
/// stay in 16 bit.
inline NumberFormat fp8_tiles() {
    NumberFormat format{.id = "fp8_tiles", .bytes = 1, .computes_in = Arithmetic::fp8};
    format.tile_rows = format.tile_columns = 128;
    format.tile_bytes = 4;
    format.keeps_embedding = format.keeps_head = format.keeps_norm = format.keeps_router = true;
    return format;
}

inline Model in_bfloat16(Model model) {
    set_weights(model, bfloat16());
    return model;
}

/// A size alone: "70B", "671B:37B".
inline Model size_of(double total, double active) {
    Model model{.id = "size", .name = "size"};
    model.size_total = total;
    model.size_active = active;
    return in_bfloat16(model);
}

struct Shape {
    double layers{}, hidden{}, vocabulary{}, heads{}, kv_heads{}, head_dim{}, width{};
};

/// Grouped-query attention and a gated feed-forward layer, two RMS norms, nothing tied.
inline Model llama_like(const Shape& shape) {
    Block block{.count = shape.layers};
    block.mixer =
        Attention{.heads = shape.heads, .kv_heads = shape.kv_heads, .head_dim = shape.head_dim};
    block.feed_forward = DenseFeedForward{.width = shape.width, .gated = true};
    Model model{.id = "llama-like", .hidden = shape.hidden, .vocabulary = shape.vocabulary};
    model.blocks = {block};
    return in_bfloat16(model);
}

inline Attention& attention_of(Model& model) {
    return std::get<Attention>(model.blocks.front().mixer);
}

inline Model llama_3_1_8b() {
    return llama_like({32, 4096, 128256, 32, 8, 128, 14336});
}
inline Model llama_3_1_70b() {
    return llama_like({80, 8192, 128256, 64, 8, 128, 28672});
}
inline Model llama_3_1_405b() {
    return llama_like({126, 16384, 128256, 128, 8, 128, 53248});
}

inline Model qwen3_4b() {
    Model model = llama_like({36, 2560, 151936, 32, 8, 128, 9728});
    attention_of(model).norm_per_head = true;
    model.tied = true;
    return model;
}

inline Model qwen2_5(const Shape& shape) {
    Model model = llama_like(shape);
    Attention& attention = attention_of(model);
    attention.bias_q = attention.bias_k = attention.bias_v = true;
    return model;
}
inline Model qwen2_5_7b() {
    return qwen2_5({28, 3584, 152064, 28, 4, 128, 18944});
}
inline Model qwen2_5_72b() {
    return qwen2_5({80, 8192, 152064, 64, 8, 128, 29568});
}

inline Model gpt2() {
    Model model = llama_like({12, 768, 50257, 12, 12, 64, 3072});
    Attention& attention = attention_of(model);
    attention.bias_q = attention.bias_k = attention.bias_v = attention.bias_o = true;
    model.blocks.front().feed_forward = DenseFeedForward{.width = 3072, .bias = true};
    model.norm = Norm::layer;
    model.positions = 1024;
    model.tied = true;
    return model;
}

inline Model mixtral_8x7b() {
    Model model = llama_like({32, 4096, 32000, 32, 8, 128, 0});
    model.blocks.front().feed_forward = Experts{.experts = 8, .active = 2, .width = 14336};
    return model;
}

inline Model qwen3_30b_a3b() {
    Model model = llama_like({48, 2048, 151936, 32, 4, 128, 0});
    attention_of(model).norm_per_head = true;
    model.blocks.front().feed_forward = Experts{.experts = 128, .active = 8, .width = 768};
    return model;
}

inline LatentAttention deepseek_attention() {
    return {.heads = 128,
            .query_rank = 1536,
            .latent_rank = 512,
            .nope_dim = 128,
            .rope_dim = 64,
            .value_dim = 128};
}

/// Three dense layers, then 58 with 256 experts of which 8 are active, and one shared.
inline Model deepseek_v3() {
    Block dense{.count = 3};
    dense.mixer = deepseek_attention();
    dense.feed_forward = DenseFeedForward{.width = 18432, .gated = true};
    Block sparse{.count = 58};
    sparse.mixer = deepseek_attention();
    sparse.feed_forward = Experts{
        .experts = 256, .active = 8, .width = 2048, .shared_width = 2048, .router_bias = true};
    Model model{.id = "deepseek-v3", .hidden = 7168, .vocabulary = 129280};
    model.blocks = {dense, sparse};
    return in_bfloat16(model);
}

/// Layers alternate between a window of 128 tokens and the whole context; experts in MXFP4.
inline Model gpt_oss_120b() {
    Model model = llama_like({18, 2880, 201088, 64, 8, 64, 0});
    Attention& attention = attention_of(model);
    attention.bias_q = attention.bias_k = attention.bias_v = attention.bias_o = true;
    attention.sinks = true;
    model.blocks.front().feed_forward =
        Experts{.experts = 128, .active = 4, .width = 2880, .bias = true, .router_bias = true};
    model.blocks.push_back(model.blocks.front());
    attention_of(model).window = 128;
    model.weights.of[static_cast<std::size_t>(Role::expert)] = mxfp4();
    return model;
}

/// One Mamba-1 mixer and one norm in each layer: no cache that grows.
inline Model mamba_130m() {
    Block block{.count = 24, .norms = 1};
    block.mixer = Mamba1{.inner = 1536, .state = 16, .kernel = 4, .time_rank = 48};
    Model model{.id = "mamba-130m", .hidden = 768, .vocabulary = 50280, .tied = true};
    model.blocks = {block};
    return in_bfloat16(model);
}

}  // namespace napkin::test
