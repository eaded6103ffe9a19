// Multi-head latent attention and the indexer of its sparse form, by their tensors. The file stores
// the expansion of the latent either as attn_kv_b, or by heads as attn_k_b and attn_v_b.
#include <cmath>

#include "formats/gguf/layer.hpp"

namespace napkin::formats {
namespace {

// `number` divided among the heads; they must share it evenly.
double per_head(const GgufLayer& layer, std::string_view name, double number, double heads) {
    if (std::fmod(number, heads) != 0) {
        layer.mismatch(name, "has " + digits(number) + " values for " + digits(heads) + " heads",
                       "as many for each head");
    }
    return number / heads;
}

// What the metadata call the size that a tensor has.
void check(const GgufLayer& layer, std::string_view name, std::string_view key, double size) {
    const double named = layer.value(key, size);
    if (named == size || named == 0) return;
    layer.mismatch(name, "makes " + shown(layer.keys.full(key)) + " " + digits(size),
                   digits(named) + ", as the metadata say");
}

void read_queries(GgufLayer& layer, LatentAttention& m, double query_dim) {
    if (m.query_rank == 0) {
        (void)layer.need("attn_q.weight", layer.hidden, query_dim);
        layer.put("attn_q", "attn_q.weight");
        return;
    }
    (void)layer.need("attn_q_a.weight", layer.hidden, m.query_rank);
    (void)layer.need("attn_q_b.weight", m.query_rank, query_dim);
    layer.put("attn_q_a", "attn_q_a.weight");
    layer.put_if("attn_q_a_norm", "attn_q_a_norm.weight", m.query_rank);
    layer.put("attn_q_b", "attn_q_b.weight");
    check(layer, "attn_q_a.weight", "attention.q_lora_rank", m.query_rank);
}

void read_expansion(GgufLayer& layer, LatentAttention& m) {
    // By heads the latent itself can be attended to; else keys and values are expanded and cached.
    if (layer.has("attn_k_b.weight")) {
        (void)layer.need("attn_k_b.weight", m.nope_dim, m.latent_rank, m.heads);
        (void)layer.need("attn_v_b.weight", m.latent_rank, m.value_dim, m.heads);
        layer.put("attn_kv_b", "attn_k_b.weight");
        layer.put("attn_kv_b", "attn_v_b.weight");
        return;
    }
    (void)layer.need("attn_kv_b.weight", m.latent_rank, m.heads * (m.nope_dim + m.value_dim));
    layer.put("attn_kv_b", "attn_kv_b.weight");
    m.keeps = LatentCache::expanded;
}

void read_indexer(GgufLayer& layer, LatentAttention& m) {
    m.index_heads = layer.value("attention.indexer.head_count", 0);
    m.index_dim = layer.value("attention.indexer.key_length", 0);
    m.index_top = layer.value("attention.indexer.top_k", 0);
    layer.keys.finish();
    if (m.index_heads == 0 || m.index_dim == 0) {
        m.index_heads = m.index_dim = m.index_top = 0;
        return;
    }
    m.index_shared = !layer.has("indexer.attn_k.weight");
    if (m.index_shared) return;
    (void)layer.need("indexer.attn_q_b.weight", m.query_rank, m.index_heads * m.index_dim);
    (void)layer.need("indexer.attn_k.weight", layer.hidden, m.index_dim);
    (void)layer.need("indexer.proj.weight", layer.hidden, m.index_heads);
    layer.put("indexer_q", "indexer.attn_q_b.weight");
    layer.put("indexer_k", "indexer.attn_k.weight");
    layer.put("indexer_weights", "indexer.proj.weight");
    layer.put_if("indexer_k_norm", "indexer.k_norm.weight", m.index_dim);
    layer.put_if("indexer_k_norm", "indexer.k_norm.bias", m.index_dim);
}

}  // namespace

LatentAttention gguf_latent_attention(GgufLayer& layer) {
    LatentAttention m;
    m.heads = layer.value("attention.head_count", 0);
    const StoredTensor& down = layer.need("attn_kv_a_mqa.weight");
    const StoredTensor& norm = layer.need("attn_kv_a_norm.weight");
    m.latent_rank = layer.value("attention.kv_lora_rank", elements_of(norm));
    layer.keys.finish();
    if (m.heads == 0) {
        layer.mismatch("attn_kv_a_mqa.weight", "stands in a layer that the metadata give no heads",
                       shown(layer.keys.full("attention.head_count")) + " of at least 1");
    }
    check(layer, "attn_kv_a_norm.weight", "attention.kv_lora_rank", elements_of(norm));
    m.rope_dim = outputs(down) - m.latent_rank;
    if (m.rope_dim < 0) {
        layer.mismatch("attn_kv_a_mqa.weight", "is " + shape_of(down),
                       "more than the latent's " + digits(m.latent_rank) + " outputs");
    }
    (void)layer.need("attn_kv_a_mqa.weight", layer.hidden, outputs(down));
    check(layer, "attn_kv_a_mqa.weight", "rope.dimension_count", m.rope_dim);
    layer.put("attn_kv_a", "attn_kv_a_mqa.weight");
    layer.put("attn_kv_a_norm", "attn_kv_a_norm.weight");

    const bool compressed = layer.has("attn_q_a.weight");
    m.query_rank = compressed ? outputs(layer.need("attn_q_a.weight")) : 0;
    const std::string_view last = compressed ? "attn_q_b.weight" : "attn_q.weight";
    const double head_dim = per_head(layer, last, outputs(layer.need(last)), m.heads);
    check(layer, last, "attention.key_length_mla", head_dim);
    m.nope_dim = head_dim - m.rope_dim;
    if (m.nope_dim <= 0) {
        layer.mismatch(last, "makes heads of " + digits(head_dim) + " values",
                       "more than the " + digits(m.rope_dim) + " that are rotated");
    }
    read_queries(layer, m, m.heads * head_dim);
    const StoredTensor& output = layer.need("attn_output.weight");
    m.value_dim = per_head(layer, "attn_output.weight", inputs(output), m.heads);
    check(layer, "attn_output.weight", "attention.value_length_mla", m.value_dim);
    (void)layer.need("attn_output.weight", m.heads * m.value_dim, layer.hidden);
    layer.put("attn_output", "attn_output.weight");
    read_expansion(layer, m);
    read_indexer(layer, m);
    return m;
}

}  // namespace napkin::formats
