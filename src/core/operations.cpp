#include "napkin/operations.hpp"

#include <array>

#include "core/lowering.hpp"
#include "napkin/partition.hpp"

namespace napkin {
namespace {

constexpr std::array<std::string_view, 16> names{"embedding",
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
                                                 "all_gather",
                                                 "expert_dispatch",
                                                 "expert_combine",
                                                 "stage_send"};

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
Operations<R> lower(const Block& block, const Inputs& inputs, Phase phase, const Load<R>& load) {
    Lowering<R> lowering(inputs, phase, load);
    lowering.of_block(block);
    const Tensors list = tensors(block, inputs.model);
    const Sharding spread = sharding(block, inputs.model, inputs.layout);
    const auto* mixture = std::get_if<Experts>(&block.feed_forward);
    if (inputs.portion == Portion::host_experts) {
        if (mixture != nullptr) lowering.experts(*mixture, list, spread);
        return lowering.rows();
    }
    lowering.vectors(list, spread);
    lowering.matmul(OperationKind::attention_projections, Role::attention, list, spread);
    lowering.matmul(OperationKind::recurrence, Role::recurrence, list, spread);
    std::visit(lowering, block.mixer);
    lowering.matmul(OperationKind::router, Role::router, list, spread);
    lowering.matmul(OperationKind::feed_forward, Role::feed_forward, list, spread);
    lowering.matmul(OperationKind::shared_experts, Role::shared_expert, list, spread);
    if (mixture != nullptr) lowering.experts(*mixture, list, spread);
    const bool exchanged = mixture != nullptr && attention_groups(inputs.layout) > 1;
    const bool mixes = !std::holds_alternative<NoMixer>(block.mixer);
    const bool feeds = !std::holds_alternative<NoFeedForward>(block.feed_forward) && !exchanged;
    const double sums = (mixes ? 1 : 0) + (feeds ? 1 : 0);
    lowering.join(block.parallel ? smaller(sums, 1.0) : sums);
    if (exchanged) lowering.exchange(*mixture);
    return lowering.rows();
}

template <class R>
Operations<R> lower_outer(const Inputs& inputs, Phase phase, const Load<R>& load) {
    Lowering<R> lowering(inputs, phase, load);
    const Model& model = inputs.model;
    const Tensors list = outer_tensors(model);
    const Sharding spread{.ranks = inputs.layout.tp};
    const NumberFormat& table = format_of(model, Role::embedding);
    if (is_size(model)) {
        lowering.size();
        return lowering.rows();
    }
    if (inputs.portion == Portion::host_experts) return lowering.rows();
    Operation<R> lookup{.kind = OperationKind::embedding};
    lookup.activation_bytes =
        named(Bytes<R>(lowering.tokens() * R(model.hidden) * R(bytes_per_weight(table))),
              "embedding_row_bytes");
    if (inputs.portion != Portion::device) lowering.push(lookup);
    if (inputs.portion == Portion::host_layers) return lowering.rows();
    lowering.vectors(list, spread);
    // The head runs on the token to be generated only: one a sequence in either phase.
    const Role stored_as = model.tied ? Role::embedding : Role::head;
    Tensors head;
    const double width = model.embedding_width > 0 ? model.embedding_width : model.hidden;
    head.push({Role::head, "head", model.vocabulary, width, 1, Split::ranks, true,
               &format_of(model, stored_as)});
    const double verified = phase == Phase::decode ? inputs.workload.step_tokens : 1;
    lowering.head(head, spread, verified > 1 ? load.own * R(verified) : load.own);
    return lowering.rows();
}

template Operations<double> lower<double>(const Block&, const Inputs&, Phase, const Load<double>&);
template Operations<Traced> lower<Traced>(const Block&, const Inputs&, Phase, const Load<Traced>&);
template Operations<double> lower_outer<double>(const Inputs&, Phase, const Load<double>&);
template Operations<Traced> lower_outer<Traced>(const Inputs&, Phase, const Load<Traced>&);

}  // namespace napkin
