#include "napkin/inference.hpp"

#include "napkin/collectives.hpp"
#include "napkin/derivation.hpp"
#include "napkin/offload.hpp"
#include "napkin/partition.hpp"

namespace napkin {
namespace {

// The collectives among `rows`, one after the other, `count` times.
template <class R>
void add_collectives(Totals<R>& totals, const Operations<R>& rows, double count,
                     const Inputs& inputs) {
    for (const Operation<R>& row : rows) {
        if (row.collective == CollectiveKind::none || row.group <= 1) continue;
        const Seconds<R> one = named(collective_time(row.collective, row.message, row.group,
                                                     inputs.machine, inputs.assumptions)
                                         .time,
                                     std::string(name_of(row.kind)).append("_time"));
        const R times = given<R>(count * row.times, std::string(name_of(row.kind)).append("s"));
        const bool first = value_of(totals.collective_calls) == 0;
        totals.collectives = first ? one * times : totals.collectives + one * times;
        totals.collective_calls = first ? times : totals.collective_calls + times;
    }
}

// The rows of a stage: as even a part of the whole as there is, since the slowest stage cannot be
// faster than that. What it sends on comes on top.
template <class R>
Totals<R> stage_totals(const Inputs& inputs, Phase phase, const Load<R>& load, const Pace<R>& pace,
                       Totals<R> totals = {}) {
    const double part = 1 / inputs.layout.pp;
    const bool encoded = has_encoder(inputs.model);
    for (const Block& block : inputs.model.blocks) {
        // An encoder reads the prompt; the layers after it generate.
        const bool encodes = block.runs == Runs::on_prompt;
        if (encoded && encodes != (phase == Phase::prefill)) continue;
        if (block.runs == Runs::on_image || block.count == 0) continue;
        const Operations<R> rows = lower<R>(block, inputs, phase, load);
        add(totals, rows, block.count * part);
        if (pace.collective_law) add_collectives(totals, rows, block.count * part, inputs);
    }
    add(totals, lower_outer<R>(inputs, phase, load), part);
    if (inputs.layout.pp > 1) {
        const double width = bytes_per_weight(inputs.workload.activations);
        const Workload& workload = inputs.workload;
        const double tokens =
            phase == Phase::prefill ? workload.prompt - workload.prefix : workload.step_tokens;
        Operation<R> send{.kind = OperationKind::stage_send};
        // A boundary inside a scale-up domain is no tighter than one across it.
        const bool across = inputs.layout.tp * inputs.layout.pp > inputs.machine.domain;
        send.link = across ? Link::scale_out : Link::scale_up;
        send.link_bytes =
            named(Bytes<R>(load.own * R(tokens * inputs.model.hidden * width / inputs.layout.tp)),
                  "stage_send_bytes");
        send.collective = CollectiveKind::send;
        send.group = across ? inputs.machine.domain + 1 : 2;
        send.message = send.link_bytes;
        Operations<R> rows;
        rows.push(send);
        add(totals, rows, 1);
        if (pace.collective_law) add_collectives(totals, rows, 1, inputs);
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
    const NumberFormat& format = format_of(inputs.model, role);
    const Bytes<R> weight =
        given<R>(Bytes<>(bytes_per_weight(format)), format.id + "_bytes_per_weight", format.source);
    R batch = (named(top / bandwidth, "ridge_intensity") * weight / Flops<R>(R(2)));
    if (spread > 1) {
        batch = batch * given<R>(spread, "experts_over_active_experts", inputs.model.source);
    }
    // Of the whole machine: each replica, and each group in a pipeline, has its own.
    const double replicas = spread > 1 ? instances(inputs.layout) : inputs.layout.dp;
    const double copies = replicas * inputs.layout.pp;
    if (copies > 1) batch = batch * given<R>(copies, "replicas_and_groups");
    const double width = inputs.workload.step_tokens;
    if (width > 1) batch = batch / given<R>(width, "tokens_per_step", "--draft-tokens", "token");
    return named(batch, "critical_batch");
}

// The sequences of one instance (the replicas that share one set of experts) as its busiest replica
// sees them.
template <class R>
Load<R> load_of(const R& sequences, const Layout& layout) {
    const double groups = attention_groups(layout);
    if (groups <= 1) return {sequences, sequences};
    const R own = round_up(sequences / given<R>(groups, "replicas_sharing_experts"));
    return {named(own, "sequences_per_replica"), sequences};
}

template <class R>
R sequences_per_instance(const R& batch, const Layout& layout) {
    if (instances(layout) <= 1) return batch;
    const bool shared = attention_groups(layout) > 1;
    return named(round_up(batch / given<R>(instances(layout), shared ? "instances" : "dp")),
                 shared ? "sequences_per_instance" : "sequences_per_replica");
}

// What the host does in a step.
template <class R>
HostPart<R> host_step(const Inputs& inputs, Phase phase, const Load<R>& load) {
    HostPart<R> host;
    const Inputs whole_layers = host_part(inputs, Portion::host_layers);
    const Pace<R> pace = ceiling_pace<R>(whole_layers.machine);
    host.totals = stage_totals<R>(whole_layers, phase, load, pace);
    if (inputs.offload->expert_layers > 0) {
        host.totals = stage_totals<R>(host_part(inputs, Portion::host_experts), phase, load, pace,
                                      host.totals);
    }
    host.step = step(host.totals, pace);
    host.step.time = named(host.step.time, "host_time");
    return host;
}

// One instance with `sequences` of them: its slowest device, and how long a step of all takes.
template <class R>
struct InstanceStep {
    Totals<R> totals{};
    Step<R> slowest{};
    Seconds<R> through{};  // of one group through all stages
    Seconds<R> time{};
    double groups{1};
    HostPart<R> host{};
};

template <class R>
Load<R> load_of_group(const R& sequences, const Layout& layout, double groups) {
    Load<R> load = load_of(sequences, layout);
    if (groups <= 1) return load;
    load.own = named(load.own / R(groups), "sequences_per_group");
    load.together = attention_groups(layout) > 1 ? load.together / R(groups) : load.own;
    return load;
}

template <class R>
InstanceStep<R> instance_step(const Inputs& inputs, const R& sequences, const Pace<R>& pace) {
    const Layout& layout = inputs.layout;
    InstanceStep<R> instance;
    // Stages work on different groups of sequences at once, as far as there are enough of them.
    instance.groups = smaller(layout.pp, value_of(load_of(sequences, layout).own));
    const Load<R> load = load_of_group(sequences, layout, instance.groups);
    if (inputs.offload) {
        const double groups = instance.groups;
        instance = instance_step(device_part(inputs), sequences, pace);
        instance.host = host_step<R>(inputs, Phase::decode, load);
        const Seconds<R> host = instance.host.step.time;
        Seconds<R> turns = instance.through + host;
        if (groups > 1) turns = larger(turns, larger(instance.time, host * R(groups)));
        instance.time = turns;
        return instance;
    }
    instance.totals = stage_totals<R>(inputs, Phase::decode, load, pace);
    instance.slowest = step(instance.totals, pace);
    instance.time = instance.through = instance.slowest.time;
    if (layout.pp > 1) {
        // A token passes every stage once, and no stage serves two groups at the same time.
        Inputs unstaged = inputs;
        unstaged.layout.pp = 1;
        const Step<R> through = step(stage_totals<R>(unstaged, Phase::decode, load, pace), pace);
        instance.through = named(through.time, "time_through_all_stages");
        instance.time = larger(instance.through, instance.slowest.time *
                                                     given<R>(instance.groups, "groups_in_flight"));
    }
    return instance;
}

template <class R>
Intensity<R> intensity_of(const Step<R>& step, const HostPart<R>& host, const Inputs& inputs) {
    if (!inputs.offload) return named(step.flops / step.bytes, "intensity");
    return named((step.flops + host.step.flops) / (step.bytes + host.step.bytes), "intensity");
}

template <class R>
void add_host(Prefill<R>& result, const Inputs& inputs, const Load<R>& load, const Pace<R>& pace) {
    result.host = host_step<R>(inputs, Phase::prefill, load);
    const Seconds<R> turns = result.time_to_first_token + result.host.step.time;
    result.time_to_first_token = turns;
    const BytesPerSecond<> link = streaming_bandwidth(inputs);
    if (link <= BytesPerSecond<>(0)) return;
    result.host.streaming =
        named(result.host.step.bytes /
                  given<R>(link, "streaming_bandwidth", "the lower of host memory and PCIe"),
              "streaming_time");
    Inputs everything = inputs;
    everything.offload.reset();
    const Seconds<R> streamed =
        larger(prefill(everything, pace).time_to_first_token, result.host.streaming);
    result.host.streams = value_of(streamed) < value_of(turns);
    result.time_to_first_token = smaller(turns, streamed);
}

}  // namespace

template <class R>
Decode<R> decode(const Inputs& inputs) {
    return decode(inputs, ceiling_pace<R>(inputs.machine));
}

template <class R>
Decode<R> decode(const Inputs& inputs, const Pace<R>& pace) {
    const double count = instances(inputs.layout);
    const R batch = given<R>(inputs.workload.batch, "batch", "--batch");
    const R busiest = sequences_per_instance(batch, inputs.layout);
    const InstanceStep<R> instance = instance_step<R>(inputs, busiest, pace);
    Decode<R> result;
    result.totals = instance.totals;
    result.step = instance.slowest;
    result.host = instance.host;
    result.step_time = named(instance.time, "step_time");
    // Where the batch does not split evenly, the other instances run with one sequence less.
    const double least = round_down(inputs.workload.batch / count);
    Tokens<R> one(R(1));
    if (least > 0 && least < value_of(busiest)) {
        const double full = inputs.workload.batch - count * least;
        const R others = named(busiest - R(1), "sequences_of_other_replicas");
        const Seconds<R> faster =
            named(instance_step<R>(inputs, others, pace).time, "step_time_of_other_replicas");
        result.tokens_per_second = named(Tokens<R>(R(full) * busiest) / result.step_time +
                                             Tokens<R>(R(count - full) * others) / faster,
                                         "tokens_per_second");
        result.tokens_per_second_per_user =
            named(result.tokens_per_second / batch, "tokens_per_second_per_user");
    } else {
        result.tokens_per_second = named(Tokens<R>(batch) / result.step_time, "tokens_per_second");
        result.tokens_per_second_per_user =
            named(one / result.step_time, "tokens_per_second_per_user");
    }
    result.intensity = intensity_of(result.step, result.host, inputs);
    result.compute_utilization =
        utilization<R>(result.step.flops * R(instance.groups), result.step_time, inputs);
    result.critical_batch = critical_batch<R>(inputs);
    return result;
}

template <class R>
Prefill<R> prefill(const Inputs& inputs) {
    return prefill(inputs, ceiling_pace<R>(inputs.machine));
}

template <class R>
Prefill<R> prefill(const Inputs& inputs, const Pace<R>& pace) {
    const R batch = given<R>(inputs.workload.batch, "batch", "--batch");
    const Load<R> load = load_of(sequences_per_instance(batch, inputs.layout), inputs.layout);
    Prefill<R> result;
    const Inputs own = inputs.offload ? device_part(inputs) : inputs;
    result.totals = stage_totals<R>(own, Phase::prefill, load, pace);
    result.step = step(result.totals, pace);
    result.time_to_first_token = result.step.time;
    if (inputs.layout.pp > 1) {
        // Cut into ever smaller chunks a prompt keeps all stages busy, but its last token still
        // passes each of them, and each reads its weights for it.
        Inputs last = own;
        last.layout.pp = 1;
        last.workload.context = 0;
        const Load<R> one{R(1), R(1)};
        const Step<R> through = step(stage_totals<R>(last, Phase::decode, one, pace), pace);
        result.time_to_first_token = larger(result.time_to_first_token,
                                            named(through.time, "last_token_through_all_stages"));
    }
    if (inputs.offload) add_host(result, inputs, load, pace);
    result.time_to_first_token = named(result.time_to_first_token, "time_to_first_token");
    const R fresh = given<R>(inputs.workload.prompt - inputs.workload.prefix, "new_tokens",
                             "--prompt, --prefix");
    result.tokens_per_second =
        named(Tokens<R>(batch * fresh) / result.time_to_first_token, "tokens_per_second");
    result.intensity = intensity_of(result.step, result.host, inputs);
    result.compute_utilization =
        utilization<R>(result.step.flops, result.time_to_first_token, inputs);
    return result;
}

template Decode<double> decode<double>(const Inputs&, const Pace<double>&);
template Decode<Traced> decode<Traced>(const Inputs&, const Pace<Traced>&);
template Prefill<double> prefill<double>(const Inputs&, const Pace<double>&);
template Prefill<Traced> prefill<Traced>(const Inputs&, const Pace<Traced>&);
template Decode<double> decode<double>(const Inputs&);
template Decode<Traced> decode<Traced>(const Inputs&);
template Prefill<double> prefill<double>(const Inputs&);
template Prefill<Traced> prefill<Traced>(const Inputs&);

}  // namespace napkin
