#include "napkin/inference.hpp"

#include "core/stage.hpp"
#include "napkin/critical_batch.hpp"
#include "napkin/derivation.hpp"

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

// One instance with `sequences` of them: its slowest device, and how long a step of all takes.
template <class R>
struct InstanceStep {
    Totals<R> totals{};
    Step<R> slowest{};
    Seconds<R> time{};
    double groups{1};
};

template <class R>
InstanceStep<R> instance_step(const Inputs& inputs, const R& sequences, const Pace<R>& pace) {
    const Layout& layout = inputs.layout;
    InstanceStep<R> instance;
    const Load<R> all = load_of(sequences, layout);
    instance.groups = groups_in_flight(all, layout);
    const Load<R> load = load_of_group(all, layout);
    instance.totals = stage_totals<R>(inputs, Phase::decode, load, pace);
    instance.slowest = step(instance.totals, pace);
    instance.time = instance.slowest.time;
    if (layout.pp > 1) {
        // A token passes every stage once, and no stage serves two groups at the same time.
        Inputs unstaged = inputs;
        unstaged.layout.pp = 1;
        const Step<R> through = step(stage_totals<R>(unstaged, Phase::decode, load, pace), pace);
        instance.time =
            larger(named(through.time, "time_through_all_stages"),
                   instance.slowest.time * given<R>(instance.groups, "groups_in_flight"));
    }
    return instance;
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
    result.intensity = named(result.step.flops / result.step.bytes, "intensity");
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
    result.totals = stage_totals<R>(inputs, Phase::prefill, load, pace);
    result.step = step(result.totals, pace);
    result.time_to_first_token = result.step.time;
    if (inputs.layout.pp > 1) {
        // Cut into ever smaller chunks a prompt keeps all stages busy, but its last token still
        // passes each of them, and each reads its weights for it.
        Inputs last = inputs;
        last.layout.pp = 1;
        last.workload.context = 0;
        const Load<R> one{R(1), R(1)};
        const Step<R> through = step(stage_totals<R>(last, Phase::decode, one, pace), pace);
        result.time_to_first_token = larger(result.time_to_first_token,
                                            named(through.time, "last_token_through_all_stages"));
    }
    result.time_to_first_token = named(result.time_to_first_token, "time_to_first_token");
    const R fresh = given<R>(inputs.workload.prompt - inputs.workload.prefix, "new_tokens",
                             "--prompt, --prefix");
    result.tokens_per_second =
        named(Tokens<R>(batch * fresh) / result.time_to_first_token, "tokens_per_second");
    result.intensity = named(result.step.flops / result.step.bytes, "intensity");
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
