// The first list: what is computed and moved, one row per kind of work.
#pragma once

#include <string_view>

#include "napkin/inputs.hpp"

namespace napkin {

enum class Phase { prefill, decode };

enum class OperationKind {
    embedding,  // a lookup: one row a token, not the table
    attention_projections,
    attention,  // scores and weighted values over the cache
    recurrence,
    recurrent_state,
    feed_forward,
    router,
    experts,
    shared_experts,
    norms,  // norms, biases and other vectors: bytes, hardly any FLOPs
    head,
    all_reduce,       // joins the halves of a tensor-parallel layer
    all_gather,       // gives all tensor-parallel ranks what each has of the tokens
    expert_dispatch,  // sends tokens to the devices that hold their experts
    expert_combine,   // brings the experts' results back
    stage_send        // hands activations to the next pipeline stage
};
[[nodiscard]] std::string_view name_of(OperationKind kind);

enum class Link { none, scale_up, scale_out };

/// What a group of devices does together.
enum class CollectiveKind { none, all_reduce, all_gather, reduce_scatter, all_to_all, send };
[[nodiscard]] std::string_view name_of(CollectiveKind kind);

/// One kind of work on one device in one step: what it computes, what crosses memory, what crosses
/// a link, and how often. Only bytes that must move are counted: activations can stay on chip.
template <class R = double>
struct Operation {
    OperationKind kind{};
    Arithmetic arithmetic{Arithmetic::bf16};
    double times{1};
    R weights{};  // how many weights are read
    R tokens{};   // rows of activations that they multiply
    Flops<R> flops{};
    Bytes<R> weight_bytes{};
    Bytes<R> kv_bytes{};
    Bytes<R> activation_bytes{};
    /// Attention alone: what would cross memory as well if scores did. Part of no ceiling.
    Bytes<R> fused_bytes{};
    Link link{Link::none};
    Bytes<R> link_bytes{};  // at least, through the link of this device
    CollectiveKind collective{};
    double group{1};     // devices of the collective
    Bytes<R> message{};  // what each of them puts in, or of an all-gather gets out
};

template <class R = double>
using Operations = Rows<Operation<R>, 24>;

/// Sequences that a device works on: its own replica's, and those of all replicas that share its
/// experts.
template <class R = double>
struct Load {
    R own{};
    R together{};
};
/// Every replica that shares the experts has as many sequences.
template <class R = double>
[[nodiscard]] Load<R> even_load(const R& sequences, const Layout& layout) {
    const double groups = attention_groups(layout);
    return {sequences, groups > 1 ? sequences * R(groups) : sequences};
}

/// The work of one layer of `block` on one device. Decode: one token for each sequence, the context
/// in the cache. Prefill: prompt - prefix new tokens each, causal. R is double or Traced.
template <class R = double>
[[nodiscard]] Operations<R> lower(const Block& block, const Inputs& inputs, Phase phase,
                                  const Load<R>& load);

/// The work outside the layers: embedding lookup and head (prefill: last token of each sequence).
template <class R = double>
[[nodiscard]] Operations<R> lower_outer(const Inputs& inputs, Phase phase, const Load<R>& load);

/// Distinct experts that `tokens` tokens touch in a layer when routing is uniform:
/// E (1 - (1 - k/E)^tokens). Uniform routing touches the most, so real traffic is not above it.
template <class R = double>
[[nodiscard]] R distinct_experts(const R& experts, const R& active, const R& tokens);

/// What the busiest of `ranks` expert-parallel ranks sees of `tokens` tokens when the popularity of
/// experts falls as rank^-skew, the popular ones dealt out evenly: how many of its experts are
/// touched, and how many passes of tokens through experts are its own.
struct RankLoad {
    double distinct{};
    double passes{};
};
[[nodiscard]] RankLoad busiest_rank(double experts, double active, double tokens, double ranks,
                                    double skew);

/// Of `ranks` ranks that a token's `active` experts are spread over evenly, those that get a copy
/// of it: ranks (1 - (1 - 1/ranks)^active), not one copy for each expert.
template <class R = double>
[[nodiscard]] R distinct_ranks(double ranks, const R& active);

/// Query-key pairs of `fresh` new tokens after `prefix` cached ones under causal attention, each
/// token seeing itself; a window limits what each sees.
template <class R = double>
[[nodiscard]] R causal_pairs(const R& fresh, const R& prefix, double window);

/// The arithmetic that weights kept in `weights` run in: their format's own where the part has it,
/// else the activations'. Empty if the part can do neither.
[[nodiscard]] std::optional<Arithmetic> arithmetic_of(const Inputs& inputs,
                                                      const NumberFormat& weights);
/// The same of a role's format.
[[nodiscard]] std::optional<Arithmetic> arithmetic_of(const Inputs& inputs, Role role);

}  // namespace napkin
