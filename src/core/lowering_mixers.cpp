// Rows of what lets tokens see one another: attention over a cache, updates of a recurrent state.
#include "core/lowering.hpp"

namespace napkin {

template <class R>
void Lowering<R>::operator()(const Attention& m) {
    const double values = m.value_dim > 0 ? m.value_dim : m.head_dim;
    const R per_pair = R(2) * R(m.heads / ranks()) * R(m.head_dim + values);
    const R seen = m.over_prompt ? sequences_ * R(inputs_.workload.prompt) : pairs(m.window);
    over_cache(per_pair, seen, m.window, 0);
    score(phase_ == Phase::prefill ? square() : seen, m.heads);
}

template <class R>
void Lowering<R>::operator()(const LatentAttention& m) {
    // Decode attends to the latent itself (absorbed: latent + rope to score, latent to sum);
    // prefill expands it to heads of nope + rope and value.
    const bool absorbed = phase_ == Phase::decode && m.keeps != LatentCache::expanded;
    const double width =
        absorbed ? 2 * m.latent_rank + m.rope_dim : m.nope_dim + m.rope_dim + m.value_dim;
    const R per_pair = R(2) * R(m.heads / ranks()) * R(width);
    R seen = pairs(0);
    if (m.index_heads > 0) {
        // The indexer scores every pair and lets `index_top` of them through. It is not split
        // over ranks; FP8 where the part has it.
        if (!m.index_shared) index(R(2 * m.index_heads * m.index_dim) * seen);
        seen = pairs(m.index_top);
    }
    over_cache(per_pair, seen, 0, phase_ == Phase::decode ? m.index_top : 0);
    score(phase_ == Phase::prefill && m.index_heads == 0 ? square() : seen, m.heads);
}

// Linear mixers update a constant state for each token: c * inner * state FLOPs (Megatron-LM's
// count: 7 for Mamba; 8 for the gated delta rule; 4 for lightning attention).
template <class R>
void Lowering<R>::operator()(const Mamba1& m) {
    over_state(7 * m.inner * m.state);
}
template <class R>
void Lowering<R>::operator()(const Mamba2& m) {
    over_state(7 * m.heads * m.head_dim * m.state);
}
template <class R>
void Lowering<R>::operator()(const DeltaNet& m) {
    over_state(8 * m.value_heads * m.key_dim * m.value_dim);
}
template <class R>
void Lowering<R>::operator()(const ShortConvolution& m) {
    over_state(2 * inputs_.model.hidden * m.kernel);
}
template <class R>
void Lowering<R>::operator()(const Lightning& m) {
    over_state(4 * m.heads * m.head_dim * m.head_dim);
}

// Query-key pairs that all sequences together score.
template <class R>
R Lowering<R>::pairs(double window) const {
    if (phase_ == Phase::prefill) {
        return named(sequences_ * causal_pairs<R>(fresh_, prefix_, window), "query_key_pairs");
    }
    const R seen = window > 0 ? smaller(context_, R(window)) : context_;
    if (inputs_.workload.step_tokens == 1) return named(sequences_ * seen, "query_key_pairs");
    // Each of the tokens to verify sees the ones before it as well.
    const R behind = context_ - R(1);
    return named(sequences_ * causal_pairs<R>(fresh_, larger(behind, R(0)), window),
                 "query_key_pairs");
}

// Attention over what is cached: `selected` of its tokens at most (0: all), `window` of them
// kept at most (0: all). Each new token's entry is written once.
template <class R>
void Lowering<R>::over_cache(const R& flops_per_pair, const R& pairs, double window,
                             double selected) {
    const Cache kept = cache(*block_, inputs_.model);
    const NumberFormat& kv = inputs_.workload.kv_format;
    Operation<R> row{.kind = OperationKind::attention};
    row.arithmetic = activation_arithmetic();
    row.flops = named(Flops<R>(flops_per_pair * pairs), "attention_flops");
    if (kept.per_token > 0) {
        Cache entries = kept;
        entries.window = window;
        R read = phase_ == Phase::prefill ? prefix_ : context_;
        R written = fresh_;
        if (kept.over_prompt && phase_ == Phase::decode) {
            read = given<R>(inputs_.workload.prompt, "prompt", "--prompt", "token");
            written = R(0);
        }
        Bytes<R> bytes = cache_bytes<R>(entries, written, kv, ranks());
        if (selected > 0) {
            // The indexer's keys are read whole, the entries that it selects alone.
            Cache keys = kept;
            keys.per_token = 0;
            entries.fixed_per_token = 0;
            bytes = bytes + cache_bytes<R>(keys, read, kv, ranks());
            read = smaller(read, R(selected));
        }
        bytes = cache_bytes<R>(entries, read, kv, ranks()) + bytes;
        row.kv_bytes = named(sequences_ * bytes, "kv_cache_bytes");
    }
    rows_.push(row);
}

// Unfused, the scores of every pair and head are written, read for the softmax, written as weights
// and read for the sum (Dao 2022, arXiv 2205.14135, algorithm 0), in the activations' format. Fused
// attention keeps them on the chip.
template <class R>
void Lowering<R>::score(const R& pairs, double heads) {
    rows_.at[rows_.count - 1].fused_bytes =
        named(Bytes<R>(R(4) * pairs * R(heads / ranks()) * activation_width()), "score_bytes");
}

// Unfused kernels multiply whole matrices and mask afterwards: every new token with every key, not
// the causal half, and no window.
template <class R>
R Lowering<R>::square() const {
    return named(sequences_ * fresh_ * (prefix_ + fresh_), "unfused_pairs");
}

template <class R>
void Lowering<R>::index(const R& flops) {
    Operation<R> row{.kind = OperationKind::attention};
    row.arithmetic =
        usable(inputs_.machine.accelerator, Arithmetic::fp8).value_or(activation_arithmetic());
    row.flops = named(Flops<R>(flops), "indexer_flops");
    rows_.push(row);
}

template <class R>
void Lowering<R>::over_state(double flops_per_token) {
    const Cache kept = cache(*block_, inputs_.model);
    Operation<R> row{.kind = OperationKind::recurrent_state};
    row.arithmetic = activation_arithmetic();
    row.flops = named(Flops<R>(R(flops_per_token / ranks()) * tokens_), "state_flops");
    // Read once and written once a step.
    row.kv_bytes =
        named(sequences_ * R(2) * cache_bytes<R>(kept, R(0), inputs_.workload.kv_format, ranks()),
              "state_bytes_moved");
    rows_.push(row);
}

template class Lowering<double>;
template class Lowering<Traced>;

}  // namespace napkin
