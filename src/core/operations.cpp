#include "napkin/operations.hpp"

#include <algorithm>

#include "napkin/derivation.hpp"

namespace napkin {
namespace {

constexpr std::array<std::string_view, 13> names{"embedding",
                                                 "attention_projections",
                                                 "attention",
                                                 "recurrence",
                                                 "recurrent_state",
                                                 "feed_forward",
                                                 "router",
                                                 "experts",
                                                 "shared_experts",
                                                 "norms",
                                                 "head",
                                                 "all_reduce",
                                                 "stage_send"};

std::string symbol(OperationKind kind, std::string_view what) {
    return std::string(name_of(kind)) + "_" + std::string(what);
}

template <class R>
class Lowering {
  public:
    Lowering(const Inputs& inputs, Phase phase, const R& sequences)
        : inputs_(inputs), phase_(phase), sequences_(sequences) {
        const Workload& workload = inputs.workload;
        context_ = given<R>(workload.context, "context", "--context", "token");
        if (phase == Phase::prefill) {
            prefix_ = given<R>(workload.prefix, "prefix", "--prefix", "token");
            fresh_ = given<R>(workload.prompt, "prompt", "--prompt", "token");
            if (workload.prefix > 0) fresh_ = named(fresh_ - prefix_, "new_tokens", "token");
            tokens_ = named(sequences_ * fresh_, "tokens", "token");
        } else {
            tokens_ = sequences_;
        }
    }

    [[nodiscard]] const R& tokens() const { return tokens_; }

    // A matrix multiplication: 2 FLOP for each weight and token; the weights are read once. One row
    // for each arithmetic that the weights run in.
    void matmul(OperationKind kind, Role role, const Tensors& list, const Sharding& sharding) {
        by_arithmetic(list, role, [&](Arithmetic arithmetic, const Tensors& alike) {
            const R size = elements_of<R>(alike, role, sharding);
            const Bytes<R> bytes = bytes_of<R>(alike, role, sharding);
            push(kind, arithmetic, size, R(2) * size * tokens_, bytes);
        });
    }

    // Routed experts: each token passes `active` of them; the distinct ones are read once.
    void experts(const Experts& mixture, const Tensors& list, const Sharding& sharding) {
        const R count = given<R>(mixture.experts, "experts_per_layer", inputs_.model.source);
        const R active = given<R>(mixture.active, "experts_per_token", inputs_.model.source);
        const R touched = named(distinct_experts<R>(count, active, tokens_), "distinct_experts");
        Bytes<R> biases = bytes_of<R>(list, Role::expert_bias, sharding);
        by_arithmetic(list, Role::expert, [&](Arithmetic arithmetic, const Tensors& alike) {
            const R size = elements_of<R>(alike, Role::expert, sharding);
            const Bytes<R> bytes = bytes_of<R>(alike, Role::expert, sharding) + biases;
            biases = Bytes<R>(R(0));  // go with the first row
            push(OperationKind::experts, arithmetic, size / count * touched,
                 R(2) * (size / count) * active * tokens_, bytes / count * touched);
        });
    }

    void head(const Tensors& list, const Sharding& sharding, const R& rows) {
        const R size = elements_of<R>(list, Role::head, sharding);
        push(OperationKind::head, arithmetic_of(inputs_, *list.at[0].format), size,
             R(2) * size * rows, bytes_of<R>(list, Role::head, sharding));
    }

    // Vectors (norms, biases): read, next to no arithmetic.
    void vectors(const Tensors& list, const Sharding& sharding) {
        const Bytes<R> bytes = bytes_of<R>(list, Role::norm, sharding);
        if (value_of(bytes) == 0) return;
        push(OperationKind::norms, arithmetic_of(inputs_, format_of(inputs_.model, Role::norm)),
             elements_of<R>(list, Role::norm, sharding), R(0), bytes);
    }

    // A size alone: its active weights, and a cache if its bytes a token were given.
    void size() {
        const Model& model = inputs_.model;
        const NumberFormat& stored = format_of(model, Role::feed_forward);
        const R active = given<R>(model.size_active, "active_parameters", model.source);
        const R parts(ranks());
        push(OperationKind::feed_forward, arithmetic_of(inputs_, stored), active / parts,
             R(2) * active * tokens_ / parts,
             Bytes<R>(active *
                      given<R>(bytes_per_weight(stored), stored.id + "_bytes_per_weight",
                               stored.source, "B") /
                      parts));
        if (model.size_kv_bytes_per_token <= 0) return;
        Operation<R> row{.kind = OperationKind::attention};
        row.kv_bytes = named(
            Bytes<R>(kv_bytes_per_token<R>(model, stored).value() * context_ * sequences_ / parts),
            "kv_cache_bytes");
        rows_.push(row);
    }

    void operator()(const NoMixer&) {}

    void operator()(const Attention& m) {
        const double values = m.value_dim > 0 ? m.value_dim : m.head_dim;
        const R per_pair = R(2) * R(m.heads / ranks()) * R(m.head_dim + values);
        const R seen = m.over_prompt ? sequences_ * R(inputs_.workload.prompt) : pairs(m.window);
        over_cache(per_pair, seen, m.window, 0);
    }

    void operator()(const LatentAttention& m) {
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
    }

    // Linear mixers update a constant state for each token: c * inner * state FLOPs (Megatron-LM's
    // count: 7 for Mamba; 8 for the gated delta rule; 4 for lightning attention).
    void operator()(const Mamba1& m) { over_state(7 * m.inner * m.state); }
    void operator()(const Mamba2& m) { over_state(7 * m.heads * m.head_dim * m.state); }
    void operator()(const DeltaNet& m) { over_state(8 * m.value_heads * m.key_dim * m.value_dim); }
    void operator()(const ShortConvolution& m) { over_state(2 * inputs_.model.hidden * m.kernel); }
    void operator()(const Lightning& m) { over_state(4 * m.heads * m.head_dim * m.head_dim); }

    // Tensor parallelism sums partial results after the mixer and after the feed-forward layer,
    // once where they run in parallel. At least the payload enters each device. Ranks in several
    // domains first sum inside each, so that a NIC carries a part of it only.
    void join(double times) {
        if (ranks() <= 1) return;
        const R payload = tokens_ * R(inputs_.model.hidden) * activation_width();
        link(OperationKind::all_reduce, Link::scale_up, payload, times);
        const double inside = smaller(ranks(), inputs_.machine.domain);
        if (ranks() <= inside) return;
        link(OperationKind::all_reduce, Link::scale_out, payload / R(inside), times);
    }

    void link(OperationKind kind, Link over, const R& bytes, double times) {
        Operation<R> row{.kind = kind};
        row.times = times;
        row.link = over;
        row.link_bytes = named(Bytes<R>(bytes), symbol(kind, "bytes"));
        rows_.push(row);
    }

    [[nodiscard]] R activation_width() const {
        const NumberFormat& format = inputs_.workload.activations;
        return given<R>(bytes_per_weight(format), "activation_bytes_per_element", format.source,
                        "B");
    }

    [[nodiscard]] double ranks() const { return inputs_.layout.tp; }

    void push(OperationKind kind, const std::optional<Arithmetic>& arithmetic, const R& weights,
              const R& flops, const Bytes<R>& weight_bytes) {
        Operation<R> row{.kind = kind};
        row.weights = weights;
        row.arithmetic = arithmetic.value_or(Arithmetic::bf16);
        row.flops = named(Flops<R>(flops), symbol(kind, "flops"));
        row.weight_bytes = named(weight_bytes, symbol(kind, "weight_bytes"));
        rows_.push(row);
    }

    void push(const Operation<R>& row) { rows_.push(row); }
    [[nodiscard]] const Operations<R>& rows() const { return rows_; }
    void of_block(const Block& block) { block_ = &block; }

  private:
    // Hands the tensors of a role to `row`, those that run in one arithmetic together: almost
    // always all of them.
    template <class Row>
    void by_arithmetic(const Tensors& list, Role role, Row row) {
        std::array<std::optional<Arithmetic>, arithmetic_count> found{};
        std::size_t count = 0;
        for (const Tensor& tensor : list) {
            if (tensor.role != role) continue;
            const auto own = arithmetic_in(tensor);
            const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
            if (std::find(found.begin(), end, own) == end) found[count++] = own;
        }
        if (count == 1) row(*found[0], list);
        for (std::size_t i = 0; count > 1 && i < count; ++i) {
            Tensors alike;
            for (const Tensor& tensor : list) {
                if (tensor.role == role && arithmetic_in(tensor) == *found[i]) alike.push(tensor);
            }
            row(*found[i], alike);
        }
    }

    // Neighbours share a format more often than not.
    [[nodiscard]] Arithmetic arithmetic_in(const Tensor& tensor) {
        if (tensor.format != last_format_) {
            last_format_ = tensor.format;
            last_arithmetic_ = arithmetic_of(inputs_, *tensor.format).value_or(Arithmetic::bf16);
        }
        return last_arithmetic_;
    }

    // Query-key pairs that all sequences together score.
    [[nodiscard]] R pairs(double window) const {
        if (phase_ == Phase::prefill) {
            return named(sequences_ * causal_pairs<R>(fresh_, prefix_, window), "query_key_pairs");
        }
        const R seen = window > 0 ? smaller(context_, R(window)) : context_;
        return named(sequences_ * seen, "query_key_pairs");
    }

    // Attention over what is cached: `selected` of its tokens at most (0: all), `window` of them
    // kept at most (0: all). Each new token's entry is written once.
    void over_cache(const R& flops_per_pair, const R& pairs, double window, double selected) {
        const Cache kept = cache(*block_, inputs_.model);
        const NumberFormat& kv = inputs_.workload.kv_format;
        Operation<R> row{.kind = OperationKind::attention};
        row.arithmetic = activation_arithmetic();
        row.flops = named(Flops<R>(flops_per_pair * pairs), "attention_flops");
        if (kept.per_token > 0) {
            Cache entries = kept;
            entries.window = window;
            R read = phase_ == Phase::prefill ? prefix_ : context_;
            R written = phase_ == Phase::prefill ? fresh_ : R(1);
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

    void index(const R& flops) {
        Operation<R> row{.kind = OperationKind::attention};
        row.arithmetic =
            usable(inputs_.machine.accelerator, Arithmetic::fp8).value_or(activation_arithmetic());
        row.flops = named(Flops<R>(flops), "indexer_flops");
        rows_.push(row);
    }

    void over_state(double flops_per_token) {
        const Cache kept = cache(*block_, inputs_.model);
        Operation<R> row{.kind = OperationKind::recurrent_state};
        row.arithmetic = activation_arithmetic();
        row.flops = named(Flops<R>(R(flops_per_token / ranks()) * tokens_), "state_flops");
        // Read once and written once a step.
        row.kv_bytes = named(
            sequences_ * R(2) * cache_bytes<R>(kept, R(0), inputs_.workload.kv_format, ranks()),
            "state_bytes_moved");
        rows_.push(row);
    }

    // What runs between the weights: in the activations' format, as far as the part has it.
    [[nodiscard]] Arithmetic activation_arithmetic() const {
        const Arithmetic wanted =
            inputs_.workload.activations.computes_in.value_or(Arithmetic::bf16);
        return usable(inputs_.machine.accelerator, wanted).value_or(wanted);
    }

    const Inputs& inputs_;
    Phase phase_;
    R sequences_;
    R context_{};
    R prefix_{};
    R fresh_{};
    R tokens_{};
    const Block* block_{};
    const NumberFormat* last_format_{};
    Arithmetic last_arithmetic_{};
    Operations<R> rows_{};
};

}  // namespace

std::string_view name_of(OperationKind kind) {
    return names[static_cast<std::size_t>(kind)];
}

std::optional<Arithmetic> arithmetic_of(const Inputs& inputs, Role role) {
    return arithmetic_of(inputs, format_of(inputs.model, role));
}

std::optional<Arithmetic> arithmetic_of(const Inputs& inputs, const NumberFormat& weights) {
    const NumberFormat& activations = inputs.workload.activations;
    const Accelerator& accelerator = inputs.machine.accelerator;
    // The fastest that kernels can use: the weights' own arithmetic, one that they are requantised
    // to, or the activations', to which narrower weights expand.
    std::optional<Arithmetic> best;
    const auto consider = [&](const std::optional<Arithmetic>& wanted) {
        if (!wanted) return;
        const auto found = usable(accelerator, *wanted);
        const bool faster =
            found && (!best || peak(accelerator, *found) > peak(accelerator, *best));
        if (faster) best = found;
    };
    consider(weights.computes_in);
    consider(weights.also_computes_in);
    if (!weights.computes_in || bytes_per_weight(weights) <= bytes_per_weight(activations)) {
        consider(activations.computes_in.value_or(Arithmetic::bf16));
    }
    return best;
}

template <class R>
Operations<R> lower(const Block& block, const Inputs& inputs, Phase phase, const R& sequences) {
    Lowering<R> lowering(inputs, phase, sequences);
    lowering.of_block(block);
    const Tensors list = tensors(block, inputs.model);
    const double tp = inputs.layout.tp;
    const Sharding sharding{.ranks = tp, .kv_ranks = smaller(tp, cache(block, inputs.model).heads)};
    lowering.vectors(list, sharding);
    lowering.matmul(OperationKind::attention_projections, Role::attention, list, sharding);
    lowering.matmul(OperationKind::recurrence, Role::recurrence, list, sharding);
    std::visit(lowering, block.mixer);
    lowering.matmul(OperationKind::router, Role::router, list, sharding);
    lowering.matmul(OperationKind::feed_forward, Role::feed_forward, list, sharding);
    lowering.matmul(OperationKind::shared_experts, Role::shared_expert, list, sharding);
    if (const auto* mixture = std::get_if<Experts>(&block.feed_forward)) {
        lowering.experts(*mixture, list, sharding);
    }
    const bool mixes = !std::holds_alternative<NoMixer>(block.mixer);
    const bool feeds = !std::holds_alternative<NoFeedForward>(block.feed_forward);
    const double sums = (mixes ? 1 : 0) + (feeds ? 1 : 0);
    lowering.join(block.parallel ? smaller(sums, 1.0) : sums);
    return lowering.rows();
}

template <class R>
Operations<R> lower_outer(const Inputs& inputs, Phase phase, const R& sequences) {
    Lowering<R> lowering(inputs, phase, sequences);
    const Model& model = inputs.model;
    const Tensors list = outer_tensors(model);
    const Sharding sharding{.ranks = inputs.layout.tp, .kv_ranks = 1};
    const NumberFormat& table = format_of(model, Role::embedding);
    if (is_size(model)) {
        lowering.size();
        return lowering.rows();
    }
    Operation<R> lookup{.kind = OperationKind::embedding};
    lookup.activation_bytes =
        named(Bytes<R>(lowering.tokens() * R(model.hidden) * R(bytes_per_weight(table))),
              "embedding_row_bytes");
    lowering.push(lookup);
    lowering.vectors(list, sharding);
    // The head runs on the token to be generated only: one a sequence in either phase.
    const Role stored_as = model.tied ? Role::embedding : Role::head;
    Tensors head;
    const double width = model.embedding_width > 0 ? model.embedding_width : model.hidden;
    head.push({Role::head, "head", model.vocabulary, width, 1, Split::ranks, true,
               &format_of(model, stored_as)});
    lowering.head(head, sharding, sequences);
    return lowering.rows();
}

template Operations<double> lower<double>(const Block&, const Inputs&, Phase, const double&);
template Operations<Traced> lower<Traced>(const Block&, const Inputs&, Phase, const Traced&);
template Operations<double> lower_outer<double>(const Inputs&, Phase, const double&);
template Operations<Traced> lower_outer<Traced>(const Inputs&, Phase, const Traced&);

}  // namespace napkin
