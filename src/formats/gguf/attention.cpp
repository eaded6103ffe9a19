// Attention by its tensors. h hidden, a query heads, k KV heads, d and v the sizes of a head's keys
// and values. Names: github:ggml-org/llama.cpp src/llama-arch.cpp, LLM_TENSOR_NAMES.
#include <algorithm>
#include <cmath>

#include "formats/gguf/layer.hpp"

namespace napkin::formats {
namespace {

struct HeadSizes {
    double keys{}, values{};
};

// What the metadata allow: a model whose layers differ names sizes of those with a window beside
// those of the others.
std::vector<HeadSizes> head_sizes(const GgufLayer& layer, double heads) {
    const bool divides = std::fmod(layer.hidden, heads) == 0;
    if (!divides && !layer.keys.has("attention.key_length")) {
        layer.keys.refuse("no-head-size",
                          "the key " + shown(layer.keys.full("attention.key_length")) +
                              " is missing, and " + digits(layer.hidden) +
                              " cannot be divided among " + digits(heads) + " heads");
    }
    const double even = divides ? layer.hidden / heads : 0;
    const HeadSizes wide{.keys = layer.value("attention.key_length", even),
                         .values = layer.value("attention.value_length", even)};
    const HeadSizes local{.keys = layer.value("attention.key_length_swa", wide.keys),
                          .values = layer.value("attention.value_length_swa", wide.values)};
    return layer.window > 0 ? std::vector{local, wide} : std::vector{wide, local};
}

std::string said(const GgufLayer& layer, const Attention& m, const HeadSizes& sizes) {
    return shown(layer.keys.full("attention.head_count")) + " is " + digits(m.heads) +
           ", KV heads " + digits(m.kv_heads) + ", head size " + digits(sizes.keys);
}

// All three projections in one matrix.
void read_fused(GgufLayer& layer, Attention& m, const std::vector<HeadSizes>& allowed) {
    const StoredTensor& fused = layer.need("attn_qkv.weight");
    const auto rows = [&](const HeadSizes& one) {
        return m.heads * one.keys + m.kv_heads * (one.keys + one.values);
    };
    const auto fits = std::find_if(allowed.begin(), allowed.end(), [&](const HeadSizes& one) {
        return outputs(fused) == rows(one);
    });
    if (fits == allowed.end()) {
        layer.mismatch(
            "attn_qkv.weight", "is " + shape_of(fused),
            digits(rows(allowed.front())) + " outputs: " + said(layer, m, allowed.front()));
    }
    (void)layer.need("attn_qkv.weight", layer.hidden, rows(*fits));
    m.head_dim = fits->keys;
    m.value_dim = fits->values;
    layer.put("attn_q", "attn_qkv.weight", m.heads * m.head_dim * layer.hidden);
    layer.put("attn_k", "attn_qkv.weight", m.kv_heads * m.head_dim * layer.hidden);
    layer.put("attn_v", "attn_qkv.weight", m.kv_heads * m.value_dim * layer.hidden);
    if (layer.put_if("attn_bias", "attn_qkv.bias", rows(*fits))) {
        m.bias_q = m.bias_k = m.bias_v = true;
    }
}

void read_separate(GgufLayer& layer, Attention& m, const std::vector<HeadSizes>& allowed) {
    const StoredTensor& q = layer.need("attn_q.weight");
    const auto find = [&](double times) {
        return std::find_if(allowed.begin(), allowed.end(), [&](const HeadSizes& one) {
            return outputs(q) == times * m.heads * one.keys;
        });
    };
    auto fits = find(1);
    if (fits == allowed.end()) {
        fits = find(2);  // with the output gate
        m.gated = fits != allowed.end();
    }
    if (fits == allowed.end()) {
        layer.mismatch("attn_q.weight", "is " + shape_of(q),
                       digits(m.heads * allowed.front().keys) +
                           " outputs: " + said(layer, m, allowed.front()));
    }
    m.head_dim = fits->keys;
    m.value_dim = fits->values;
    (void)layer.need("attn_q.weight", layer.hidden, outputs(q));
    layer.put("attn_q", "attn_q.weight");
    const StoredTensor* gate = layer.find("attn_gate.weight");
    if (!m.gated && gate != nullptr && inputs(*gate) == layer.hidden) {
        m.gated = layer.put_if("attn_q", "attn_gate.weight", elements_of(q));
    }
    m.bias_q = layer.put_if("attn_bias", "attn_q.bias", m.heads * m.head_dim * (m.gated ? 2 : 1));
    const bool keys = layer.has("attn_k.weight");
    m.shares_cache = !keys && !layer.has("attn_v.weight");
    if (m.shares_cache) return;
    (void)layer.need("attn_k.weight", layer.hidden, m.kv_heads * m.head_dim);
    layer.put("attn_k", "attn_k.weight");
    m.bias_k = layer.put_if("attn_bias", "attn_k.bias", m.kv_heads * m.head_dim);
    m.key_is_value = !layer.has("attn_v.weight");
    if (m.key_is_value) return;
    (void)layer.need("attn_v.weight", layer.hidden, m.kv_heads * m.value_dim);
    layer.put("attn_v", "attn_v.weight");
    m.bias_v = layer.put_if("attn_bias", "attn_v.bias", m.kv_heads * m.value_dim);
}

void read_norms(GgufLayer& layer, Attention& m) {
    const StoredTensor* q = layer.find("attn_q_norm.weight");
    const StoredTensor* k = layer.find("attn_k_norm.weight");
    if (q == nullptr || (k == nullptr && !m.shares_cache)) return;
    const double q_size = elements_of(*q);
    const double k_size = k == nullptr ? 0 : elements_of(*k);
    m.norm_per_head = q_size == m.head_dim && (m.shares_cache || k_size == m.head_dim);
    m.norm_full = !m.norm_per_head && q_size == m.heads * m.head_dim &&
                  (m.shares_cache || k_size == m.kv_heads * m.head_dim);
    if (!m.norm_per_head && !m.norm_full) return;
    layer.put("attn_qk_norm", "attn_q_norm.weight");
    if (!m.shares_cache) layer.put("attn_qk_norm", "attn_k_norm.weight");
}

}  // namespace

Attention gguf_attention(GgufLayer& layer) {
    Attention m;
    const bool fused = layer.has("attn_qkv.weight");
    m.heads = layer.value("attention.head_count", 0);
    m.kv_heads = layer.value("attention.head_count_kv", m.heads);
    layer.keys.finish();
    const bool keys = fused || layer.has("attn_k.weight");
    if (m.heads == 0 || (keys && m.kv_heads == 0)) {
        layer.mismatch(fused ? "attn_qkv.weight" : "attn_q.weight",
                       "stands in a layer that the metadata give no heads",
                       shown(layer.keys.full("attention.head_count")) +
                           " and its KV heads of at "
                           "least 1 in this layer");
    }
    const std::vector<HeadSizes> allowed = head_sizes(layer, m.heads);
    layer.keys.finish();
    if (fused) {
        read_fused(layer, m, allowed);
    } else {
        read_separate(layer, m, allowed);
    }
    (void)layer.need("attn_output.weight", m.heads * m.value_dim, layer.hidden);
    layer.put("attn_output", "attn_output.weight");
    m.bias_o = layer.put_if("attn_bias", "attn_output.bias", layer.hidden);
    const std::string_view sinks = layer.one_of({"attn_sinks.weight", "attn_sinks"});
    m.sinks = layer.put_if("attn_bias", sinks, m.heads);
    read_norms(layer, m);
    if (m.value_dim == m.head_dim) m.value_dim = 0;
    m.window = layer.window;
    m.uncached = layer.bidirectional || (layer.borrows_cache && !m.shares_cache);
    return m;
}

}  // namespace napkin::formats
