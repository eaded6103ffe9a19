#include "napkin/inference.hpp"

#include "napkin/derivation.hpp"

namespace napkin {
namespace {

// The rows of the busiest stage: its layers, and the head with the embedding lookup.
template <class R>
Totals<R> stage_totals(const Inputs& inputs, Phase phase, const R& sequences) {
    Totals<R> totals;
    for (const Block& block : inputs.model.blocks) {
        add(totals, lower<R>(block, inputs, phase, sequences),
            layers_on_stage(block, inputs.model, inputs.layout.pp));
    }
    add(totals, lower_outer<R>(inputs, phase, sequences), 1);
    if (inputs.layout.pp > 1) {
        const double width = bytes_per_weight(inputs.workload.activations);
        const double tokens =
            phase == Phase::prefill ? inputs.workload.prompt - inputs.workload.prefix : 1;
        Operation<R> send{.kind = OperationKind::stage_send};
        // A boundary inside a scale-up domain is no tighter than one across it.
        const bool across = inputs.layout.tp * inputs.layout.pp > inputs.machine.domain;
        send.link = across ? Link::scale_out : Link::scale_up;
        send.link_bytes =
            named(Bytes<R>(sequences * R(tokens * inputs.model.hidden * width / inputs.layout.tp)),
                  "stage_send_bytes");
        Operations<R> rows;
        rows.push(send);
        add(totals, rows, 1);
    }
    return totals;
}

template <class R>
R utilization(const Flops<R>& flops, const Seconds<R>& time, const Inputs& inputs) {
    const Arithmetic arithmetic =
        arithmetic_of(inputs, Role::feed_forward).value_or(Arithmetic::bf16);
    const Accelerator& part = inputs.machine.accelerator;
    const auto top = given<R>(peak(part, arithmetic), std::string(name_of(arithmetic)) + "_peak",
                              part.compute.provenance.source);
    return named(flops / (time * top), "compute_utilization");
}

// Linear layers: FLOPs / bytes = 2 B active / (bytes of all), so B = ridge * bytes / (2 active).
template <class R>
R critical_batch(const Inputs& inputs) {
    double spread = 1;  // experts / active experts
    Role role = Role::feed_forward;
    for (const Block& block : inputs.model.blocks) {
        if (const auto* experts = std::get_if<Experts>(&block.feed_forward)) {
            spread = larger(spread, experts->experts / experts->active);
            role = Role::expert;
        }
    }
    const Arithmetic arithmetic = arithmetic_of(inputs, role).value_or(Arithmetic::bf16);
    const Accelerator& part = inputs.machine.accelerator;
    const auto top = given<R>(peak(part, arithmetic), std::string(name_of(arithmetic)) + "_peak",
                              part.compute.provenance.source);
    const auto bandwidth =
        given<R>(part.memory.bandwidth, "memory_bandwidth", part.memory.provenance.source);
    const NumberFormat& format = inputs.model.weights.of[static_cast<std::size_t>(role)];
    const Bytes<R> weight =
        given<R>(Bytes<>(bytes_per_weight(format)), format.id + "_bytes_per_weight", format.source);
    R batch = (named(top / bandwidth, "ridge_intensity") * weight / Flops<R>(R(2)));
    if (spread > 1) {
        batch = batch * given<R>(spread, "experts_over_active_experts", inputs.model.source);
    }
    return named(batch, "critical_batch");
}

}  // namespace

template <class R>
Decode<R> decode(const Inputs& inputs) {
    const Layout& layout = inputs.layout;
    const R batch = given<R>(inputs.workload.batch, "batch", "--batch");
    R sequences = batch;
    if (layout.dp > 1) {
        sequences = named(round_up(batch / given<R>(layout.dp, "dp")), "sequences_per_replica");
    }
    // Stages work on different sequences at once, as far as there are enough of them.
    const double micro_batches = smaller(layout.pp, value_of(sequences));
    R at_once = sequences;
    if (micro_batches > 1) {
        at_once = named(round_up(sequences / R(micro_batches)), "sequences_per_stage");
    }
    Decode<R> result;
    result.totals = stage_totals<R>(inputs, Phase::decode, at_once);
    result.step = ceiling(result.totals, ceiling_rates<R>(inputs.machine));
    result.step_time =
        layout.pp > 1 ? result.step.time * given<R>(layout.pp, "pp") : result.step.time;
    result.step_time = named(result.step_time, "step_time");
    const Tokens<R> each(R(1));
    result.tokens_per_second_per_user =
        named(each / result.step_time, "tokens_per_second_per_user");
    result.tokens_per_second = named(Tokens<R>(batch) / result.step_time, "tokens_per_second");
    result.intensity = named(result.step.flops / result.step.bytes, "intensity");
    result.compute_utilization =
        utilization<R>(result.step.flops * R(micro_batches), result.step_time, inputs);
    result.critical_batch = critical_batch<R>(inputs);
    return result;
}

template <class R>
Prefill<R> prefill(const Inputs& inputs) {
    const R batch = given<R>(inputs.workload.batch, "batch", "--batch");
    R sequences = batch;
    if (inputs.layout.dp > 1) {
        sequences =
            named(round_up(batch / given<R>(inputs.layout.dp, "dp")), "sequences_per_replica");
    }
    Prefill<R> result;
    result.totals = stage_totals<R>(inputs, Phase::prefill, sequences);
    result.step = ceiling(result.totals, ceiling_rates<R>(inputs.machine));
    // Cut into ever smaller chunks, a prompt keeps all stages busy: no pipeline fill in a ceiling.
    result.time_to_first_token = named(result.step.time, "time_to_first_token");
    const R fresh = given<R>(inputs.workload.prompt - inputs.workload.prefix, "new_tokens",
                             "--prompt, --prefix");
    result.tokens_per_second =
        named(Tokens<R>(batch * fresh) / result.time_to_first_token, "tokens_per_second");
    result.intensity = named(result.step.flops / result.step.bytes, "intensity");
    result.compute_utilization =
        utilization<R>(result.step.flops, result.time_to_first_token, inputs);
    return result;
}

template Decode<double> decode<double>(const Inputs&);
template Decode<Traced> decode<Traced>(const Inputs&);
template Prefill<double> prefill<double>(const Inputs&);
template Prefill<Traced> prefill<Traced>(const Inputs&);

}  // namespace napkin
