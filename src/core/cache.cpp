// What a layer remembers of a sequence: growing keys and values, a latent, or a constant state.
#include <cmath>

#include "napkin/derivation.hpp"
#include "napkin/model.hpp"

namespace napkin {
namespace {

// An indexer keeps its keys in FP8 with one fp32 scale a token (DeepSeek-V3.2).
constexpr double index_scale_bytes = 4;

struct Remembers {
    double state_bytes{};
    double hidden{};

    Cache operator()(const NoMixer&) const { return {}; }
    Cache operator()(const Attention& m) const {
        if (m.shares_cache || m.uncached) return {};
        const double values = m.value_dim > 0 ? m.value_dim : m.head_dim;
        return {.per_token = m.kv_heads * (m.head_dim + values),
                .fixed_per_token = 0,
                .window = m.window,
                .over_prompt = m.over_prompt,
                .state = 0,
                .heads = m.kv_heads};
    }
    Cache operator()(const LatentAttention& m) const {
        const bool indexed = m.index_heads > 0 && !m.index_shared;
        const bool expanded = m.keeps == LatentCache::expanded;
        const double copy = m.keeps == LatentCache::latent_and_values ? m.latent_rank : 0;
        return {.per_token = expanded ? m.heads * (m.nope_dim + m.rope_dim + m.value_dim)
                                      : m.latent_rank + m.rope_dim + copy,
                .fixed_per_token = indexed ? m.index_dim + index_scale_bytes : 0,
                .window = 0,
                .over_prompt = false,
                .state = 0,
                .heads = expanded ? m.heads : 1};
    }
    Cache operator()(const Mamba1& m) const {
        return constant(m.inner * m.state + m.inner * (m.kernel - 1), m.inner);
    }
    Cache operator()(const Mamba2& m) const {
        const double convolved = m.heads * m.head_dim + 2 * m.groups * m.state;
        return constant(m.heads * m.head_dim * m.state + convolved * (m.kernel - 1), m.heads);
    }
    Cache operator()(const DeltaNet& m) const {
        const double convolved = 2 * m.key_heads * m.key_dim + m.value_heads * m.value_dim;
        return constant(m.value_heads * m.key_dim * m.value_dim + convolved * (m.kernel - 1),
                        m.value_heads);
    }
    Cache operator()(const ShortConvolution& m) const {
        return constant(hidden * (m.kernel - 1), hidden);
    }
    Cache operator()(const Lightning& m) const {
        return constant(m.heads * m.head_dim * m.head_dim, m.heads);
    }

    [[nodiscard]] Cache constant(double size, double heads) const {
        return {.per_token = 0,
                .fixed_per_token = 0,
                .window = 0,
                .over_prompt = false,
                .state = size * state_bytes,
                .heads = heads};
    }
};

}  // namespace

Cache cache(const Block& block, const Model& model) {
    return std::visit(Remembers{block.state_bytes, model.hidden}, block.mixer);
}

template <class R>
BytesPerToken<R> kv_bytes_per_token(const Model& model, const NumberFormat& format) {
    const R width = given<R>(bytes_per_weight(format), "kv_bytes_per_element", format.source, "B");
    if (is_size(model)) {
        return BytesPerToken<R>(given<R>(larger(0.0, model.size_kv_bytes_per_token),
                                         "kv_bytes_per_token", "--kv-per-token", "B/token"));
    }
    R total(0);
    for (const Block& block : model.blocks) {
        const Cache kept = cache(block, model);
        if (kept.per_token <= 0 || kept.over_prompt) continue;
        R layer = R(kept.per_token) * width;
        if (kept.fixed_per_token > 0) layer = layer + R(kept.fixed_per_token);
        layer = named(layer, "kv_bytes_per_token_and_layer", "B/token");
        total = total + R(block.count) * layer;
    }
    return named(BytesPerToken<R>(total), "kv_bytes_per_token");
}

template <class R>
Bytes<R> state_bytes(const Model& model) {
    R total(0);
    for (const Block& block : model.blocks) {
        const Cache kept = cache(block, model);
        if (kept.state > 0) total = total + R(block.count) * R(kept.state);
    }
    return named(Bytes<R>(total), "state_bytes_per_sequence");
}

template <class R>
Bytes<R> cache_bytes(const Cache& cache, const R& context, const NumberFormat& format,
                     double ranks) {
    const R kept = cache.window > 0 ? smaller(context, R(cache.window)) : context;
    R entry = R(cache.per_token) * R(bytes_per_weight(format));
    if (cache.fixed_per_token > 0) entry = entry + R(cache.fixed_per_token);
    R bytes = entry * kept;
    if (cache.state > 0) bytes = bytes + R(cache.state);
    // Heads spread over ranks until each has one; a latent cannot be split at all.
    const double parts = smaller(ranks, cache.heads);
    return Bytes<R>(parts > 1 ? bytes / R(parts) : bytes);
}

template BytesPerToken<double> kv_bytes_per_token<double>(const Model&, const NumberFormat&);
template BytesPerToken<Traced> kv_bytes_per_token<Traced>(const Model&, const NumberFormat&);
template Bytes<double> state_bytes<double>(const Model&);
template Bytes<Traced> state_bytes<Traced>(const Model&);
template Bytes<double> cache_bytes<double>(const Cache&, const double&, const NumberFormat&,
                                           double);
template Bytes<Traced> cache_bytes<Traced>(const Cache&, const Traced&, const NumberFormat&,
                                           double);

}  // namespace napkin
