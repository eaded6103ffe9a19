// Mixers: attention of every sort, latent attention, and those with a constant state.
#include <cmath>

#include "formats/config/blocks.hpp"
#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

double head_dim_of(ConfigKeys& keys, double heads) {
    if (const auto stated = keys.find("head_dim"); stated && *stated > 0) return *stated;
    const double hidden = keys.need("hidden");
    if (heads <= 0 || hidden <= 0) return 0;
    if (std::fmod(hidden, heads) == 0) return hidden / heads;
    keys.problem("inconsistent-keys",
                 "hidden_size " + shortest(hidden) + " is no multiple of num_attention_heads " +
                     shortest(heads) + ", and head_dim is not stated",
                 keys.value("num_attention_heads"), "head_dim", "--set config.head_dim=N gives it");
    return 0;
}

double kv_heads_of(ConfigKeys& keys, double heads) {
    if (keys.family().find("multi_query") != nullptr && !keys.flag("new_decoder_architecture")) {
        return keys.trait("multi_query") ? 1 : heads;  // a stated number of them is not used
    }
    return keys.get("kv_heads", heads);
}

// Some families have other heads where a layer slides (MiMo) or where it does not (Gemma 4).
void vary(ConfigKeys& keys, bool slides, Attention& m) {
    const auto replace = [&](double& size, std::string_view key) {
        if (const auto own = keys.find(key); own && *own > 0) size = *own;
    };
    if (slides) {
        replace(m.heads, "swa_num_attention_heads");
        replace(m.kv_heads, "swa_num_key_value_heads");
        replace(m.head_dim, "swa_head_dim");
        replace(m.value_dim, "swa_v_head_dim");
        m.sinks = keys.trait("sinks_sliding", m.sinks);
    } else {
        replace(m.kv_heads, "num_global_key_value_heads");
        replace(m.head_dim, "global_head_dim");
        m.key_is_value = keys.flag("attention_k_eq_v");
    }
}

Attention attention_of(ConfigKeys& keys, bool slides) {
    Attention m;
    m.heads = keys.need("heads");
    m.kv_heads = kv_heads_of(keys, m.heads);
    m.head_dim = head_dim_of(keys, m.heads);
    m.value_dim = keys.get("value_dim", 0);
    m.bias_q = m.bias_k = m.bias_v = keys.trait("qkv_bias");
    m.bias_o = keys.trait("o_bias");
    m.norm_per_head = keys.trait("qk_norm_head");
    m.norm_full = !m.norm_per_head && keys.trait("qk_norm_full");
    m.gated = keys.trait("gate");
    m.sinks = keys.trait("sinks");
    vary(keys, slides, m);
    if (slides) m.window = keys.need("window");
    if (m.kv_heads > 0 && std::fmod(m.heads, m.kv_heads) != 0) {
        keys.problem(
            "inconsistent-keys",
            shortest(m.heads) + " heads are no multiple of " + shortest(m.kv_heads) + " KV heads",
            keys.value("num_key_value_heads"), "a divisor of the heads");
    }
    if (m.heads > 0 && m.kv_heads <= 0) {
        keys.problem("bad-count", "num_key_value_heads is 0", keys.value("num_key_value_heads"),
                     "at least 1");
    }
    return m;
}

LatentAttention latent_of(ConfigKeys& keys) {
    return {.heads = keys.need("heads"),
            .query_rank = keys.get("q_lora_rank", 0),
            .latent_rank = keys.need("kv_lora_rank"),
            .nope_dim = keys.need("qk_nope_head_dim"),
            .rope_dim = keys.need("qk_rope_head_dim"),
            .value_dim = keys.need("v_head_dim"),
            .index_heads = keys.get("index_n_heads", 0),
            .index_dim = keys.get("index_head_dim", 0),
            .index_top = keys.get("index_topk", 0),
            .index_shared = false,
            .keeps = LatentCache::latent};
}

Mixer mamba1_of(ConfigKeys& keys) {
    const double hidden = keys.need("hidden");
    double inner = keys.get("expand", 2) * hidden;
    const bool pure = keys.family().find("mixer") != nullptr;
    if (pure) inner = keys.get("width", inner);  // its intermediate_size is the inner width
    return Mamba1{.inner = inner,
                  .state = keys.need("state"),
                  .kernel = keys.need("kernel"),
                  .time_rank = keys.get("time_rank", std::ceil(hidden / 16)),
                  .inner_norms = keys.family().flag("mixer_inner_norms")};
}

Mixer mamba2_of(ConfigKeys& keys) {
    const bool pure = keys.family().find("mixer") != nullptr;  // its heads are the mixer's
    return Mamba2{.heads = keys.need(pure ? "heads" : "mamba_heads"),
                  .head_dim = keys.need(pure ? "head_dim" : "mamba_head_dim"),
                  .groups = keys.get("groups", 1),
                  .state = keys.need("state"),
                  .kernel = keys.need("kernel")};
}

Mixer linear_of(ConfigKeys& keys) {
    if (keys.family().text("linear") == "lightning") {
        const double heads = keys.need("heads");
        return Lightning{.heads = heads, .head_dim = head_dim_of(keys, heads)};
    }
    return DeltaNet{.key_heads = keys.need("linear_num_key_heads"),
                    .value_heads = keys.need("linear_num_value_heads"),
                    .key_dim = keys.need("linear_key_head_dim"),
                    .value_dim = keys.need("linear_value_head_dim"),
                    .kernel = keys.need("kernel")};
}

}  // namespace

Mixer mixer_of(ConfigKeys& keys, MixerKind kind) {
    const json::Value& family = keys.family();
    switch (kind) {
        case MixerKind::none:
            return NoMixer{};
        case MixerKind::full:
            if (keys.value("kv_lora_rank") != nullptr) return latent_of(keys);
            return attention_of(keys, false);
        case MixerKind::sliding:
            return attention_of(keys, true);
        case MixerKind::linear:
            return linear_of(keys);
        case MixerKind::mamba: {
            const std::string sort = family.text(family.find("mixer") != nullptr ? "mixer" : "ssm");
            return sort == "mamba1" ? mamba1_of(keys) : mamba2_of(keys);
        }
        case MixerKind::convolution:
            return ShortConvolution{.kernel = keys.need("kernel")};
        case MixerKind::cross: {
            Attention m = attention_of(keys, false);
            m.norm_per_head = true;
            m.uncached = true;  // keys and values of an image, none where there is only text
            return m;
        }
    }
    return NoMixer{};
}

}  // namespace napkin::formats
