#include "napkin/inference.hpp"

#include "core/stage.hpp"
#include "napkin/critical_batch.hpp"
#include "napkin/derivation.hpp"
#include "napkin/offload.hpp"

namespace napkin {
namespace {

template <class R>
R utilization(const Flops<R>& flops, const Seconds<R>& time, const Inputs& inputs) {
    const Arithmetic arithmetic =
        arithmetic_of(inputs, Role::feed_forward).value_or(Arithmetic::bf16);
    const Accelerator& part = inputs.machine.accelerator;
    const auto top = given<R>(peak(part, arithmetic), std::string(name_of(arithmetic)) + "_peak",
                              part.compute.provenance.source);
    return named(flops / (time * top), "compute_utilization");
}

// What the host does in a step.
template <class R>
HostPart<R> host_step(const Inputs& inputs, Phase phase, const Load<R>& load) {
    HostPart<R> host;
    const Inputs whole_layers = host_part(inputs, Portion::host_layers);
    const Pace<R> pace = ceiling_pace<R>(whole_layers.machine);
    host.totals = stage_totals<R>(whole_layers, phase, load, pace);
    if (inputs.offload->expert_layers > 0) {
        const Inputs experts = host_part(inputs, Portion::host_experts);
        for_each_rows(experts, phase, load, [&](const Operations<R>& rows, double count) {
            add(host.totals, rows, count);
        });
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
InstanceStep<R> instance_step(const Inputs& inputs, const R& sequences, const Pace<R>& pace) {
    const Layout& layout = inputs.layout;
    InstanceStep<R> instance;
    const Load<R> all = load_of(sequences, layout);
    instance.groups = groups_in_flight(all, layout);
    const Load<R> load = load_of_group(all, layout);
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
