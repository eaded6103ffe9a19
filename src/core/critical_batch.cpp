#include "napkin/critical_batch.hpp"

#include "core/stage.hpp"
#include "napkin/derivation.hpp"

namespace napkin {
namespace {

constexpr double longest_context = 1099511627776.0;  // 2^40 tokens: beyond any use

Inputs at_context(const Inputs& inputs, double context) {
    Inputs other = inputs;
    other.workload.context = context;
    return other;
}

// One sequence for each replica. All that grows with their number grows in proportion to it; the
// weights, which do not, are left out.
template <class R>
Step<R> of_one_sequence(const Inputs& inputs, const Pace<R>& pace) {
    const Load<R> load{R(1), R(attention_groups(inputs.layout))};
    Totals<R> totals = stage_totals<R>(inputs, Phase::decode, load, pace);
    totals.weight_bytes = Bytes<R>(R(0));
    return step(totals, pace);
}

bool turns(const Step<>& sequence) {
    return sequence.compute > larger(sequence.memory, sequence.network);
}

Totals<> totals_with(double sequences, const Inputs& inputs, const Pace<>& pace) {
    const Load<> load = load_of_group(load_of(sequences, inputs.layout), inputs.layout);
    return stage_totals<double>(inputs, Phase::decode, load, pace);
}

// The smallest number of sequences of an instance from which on its step is compute-bound. What
// they gain on the memory is linear, what experts still cost is concave, so there is one such
// number among the even loads, and one between two of them.
double sequences_that_turn(const Inputs& inputs, const Pace<>& pace, const Step<>& sequence) {
    const double groups = attention_groups(inputs.layout);
    const auto bound = [&](double sequences) {
        return step(totals_with(sequences, inputs, pace), pace).bound == Bound::compute;
    };
    const auto evenly = [&](double own) { return bound(own * groups); };
    // weights / bandwidth = sequences * (compute - memory), all experts touched
    const Totals<> full = totals_with(longest_context, inputs, pace);
    const Seconds<> gained = sequence.compute - larger(sequence.memory, sequence.network);
    double own =
        larger(1.0, round_up(full.weight_bytes / pace.rates.memory / gained * inputs.layout.pp));
    while (!evenly(own)) own = round_up(own * 1.01);
    if (own > 1 && evenly(own - 1)) {
        double below = 0;
        while (own - below > 1) {
            const double middle = round_down((own + below) / 2);
            (evenly(middle) ? own : below) = middle;
        }
    }
    double most = own * groups;
    double least = most - groups;
    while (most - least > 1) {
        const double middle = round_down((most + least) / 2);
        (bound(middle) ? most : least) = middle;
    }
    return most;
}

// The formula behind it, where no layout rounds: it must agree with the search.
template <class R>
R explained_batch(const Inputs& inputs, const Pace<R>& pace, const Turning<R>& found,
                  double batch) {
    const Load<R> load = load_of(R(batch), inputs.layout);
    const Seconds<R> weights =
        named(stage_totals<R>(inputs, Phase::decode, load, pace).weight_bytes / pace.rates.memory,
              "time_to_read_weights");
    const Seconds<R> gained =
        named(found.compute - found.memory, "compute_time_beyond_memory_per_sequence");
    const R formula = round_down(weights / gained) + R(1);
    return value_of(formula) == batch ? formula : given<R>(batch, "smallest_compute_bound_batch");
}

double context_that_turns(const Inputs& inputs, const Pace<>& pace, double most) {
    Inputs trial = inputs;  // one copy for all trials: it holds texts
    const auto gained = [&](double context) {
        trial.workload.context = context;
        const Step<> one = of_one_sequence(trial, pace);
        return (one.compute - larger(one.memory, one.network)).value();
    };
    if (gained(0) <= 0) return 0;
    // Each token of context costs as much as the one before it, but for windows, which end: a few
    // tangents lead to where nothing is gained any more.
    double context = 0;
    for (int i = 0; i < 8; ++i) {
        const double here = gained(context);
        const double slope = gained(context + 1) - here;
        if (slope >= 0 || here <= 0) break;
        const double next = smaller(most, round_down(context - here / slope));
        if (next <= context) break;
        context = next;
    }
    if (gained(context) > 0 && gained(context + 1) <= 0) return context;
    const auto some = [&](double tokens) { return gained(tokens) > 0; };
    double low = 0;
    double high = most;
    while (high - low > 1) {
        const double middle = round_down((low + high) / 2);
        (some(middle) ? low : high) = middle;
    }
    return low;
}

template <class R>
std::optional<R> longest_turning_context(const Inputs& inputs, const Pace<R>& pace,
                                         const Pace<>& plain) {
    const double most = inputs.model.max_context > 0 ? inputs.model.max_context : longest_context;
    if (is_size(inputs.model) && inputs.model.size_kv_bytes_per_token <= 0) return std::nullopt;
    if (turns(of_one_sequence(at_context(inputs, most), plain))) return std::nullopt;
    const double found = context_that_turns(inputs, plain, most);
    const Step<R> here = of_one_sequence(at_context(inputs, found), pace);
    const Step<R> next = of_one_sequence(at_context(inputs, found + 1), pace);
    const bool by_memory = next.memory > next.network && next.memory > next.compute;
    if (found == 0 || !by_memory) return R(found);
    return named(
        largest_whole(found, here.memory.value(), here.compute.value(), next.memory.value()),
        "turning_context", "token");
}

}  // namespace

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

template <class R>
Turning<R> turning(const Inputs& inputs) {
    const Pace<R> pace = ceiling_pace<R>(inputs.machine);
    const Pace<> plain = ceiling_pace<double>(inputs.machine);
    Turning<R> result;
    const Step<R> sequence = of_one_sequence(inputs, pace);
    result.compute = named(sequence.compute, "compute_time_per_sequence");
    result.memory = named(sequence.memory, "memory_time_per_sequence");
    result.network = sequence.network;
    result.bound = sequence.bound;
    const Step<> one = of_one_sequence(inputs, plain);
    if (turns(one)) {
        const double sequences = sequences_that_turn(inputs, plain, one);
        const double copies = instances(inputs.layout);
        const bool simple = copies == 1 && inputs.layout.pp == 1 && inputs.layout.ep == 1;
        const double batch = (sequences - 1) * copies + 1;
        result.batch = named(simple ? explained_batch(inputs, pace, result, batch) : R(batch),
                             "step_critical_batch");
    }
    result.context = longest_turning_context(inputs, pace, plain);
    Totals<R> attention;
    for_each_rows(inputs, Phase::decode, Load<R>{R(1), R(1)},
                  [&](const Operations<R>& rows, double count) {
                      for (const Operation<R>& row : rows) {
                          if (row.kind == OperationKind::attention) add(attention, row, count);
                      }
                  });
    const Step<R> seen = step(attention, pace);
    if (value_of(seen.bytes) > 0 && value_of(seen.compute) > 0) {
        result.attention = named(seen.flops / seen.bytes, "attention_intensity");
        result.attention_ridge =
            named(seen.flops / seen.compute / pace.rates.memory, "attention_ridge");
    }
    return result;
}

template double critical_batch<double>(const Inputs&);
template Traced critical_batch<Traced>(const Inputs&);
template Turning<double> turning<double>(const Inputs&);
template Turning<Traced> turning<Traced>(const Inputs&);

}  // namespace napkin
