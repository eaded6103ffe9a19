#include "napkin/serving.hpp"

#include <algorithm>
#include <array>

#include "napkin/capacity.hpp"
#include "napkin/derivation.hpp"

namespace napkin {
namespace {

// An encoder keeps the prompt in a cache of its own.
double prompt_in_context(const Inputs& inputs) {
    return has_encoder(inputs.model) ? 0 : inputs.workload.prompt;
}

double sequences_in_busiest(const Inputs& inputs) {
    return round_up(inputs.workload.batch / instances(inputs.layout));
}

// Prompts are read in turns: all replicas of an instance, which share their experts, at once.
template <class R>
Prefill<R> turn_of(const Inputs& inputs, double sequences, const Pace<R>& pace) {
    Inputs reading = inputs;
    reading.workload.batch = sequences * instances(inputs.layout);
    return prefill<R>(reading, pace);
}

// No resource works faster than its peak, however prompts and steps are mixed.
template <class R>
Hertz<R> mixed_bound(const Serving<R>& point, const Decode<R>& step, const Prefill<R>& prompt,
                     const R& steps, const R& turns, const Inputs& inputs, const Pace<R>& pace) {
    const double own = round_up(inputs.workload.batch / inputs.layout.dp);
    const R groups(smaller(inputs.layout.pp, own));  // a step of each passes every stage
    const R passes = named(steps * groups, "passes");
    const Bytes<R> fresh = prompt.totals.kv_bytes + prompt.totals.activation_bytes;
    const auto compute =
        named(passes * step.step.compute + turns * prompt.step.compute, "compute_of_both");
    const auto memory =
        named(passes * step.step.memory + turns * (fresh / pace.rates.memory), "memory_of_both");
    const auto links =
        named(passes * step.step.network + turns * prompt.step.network, "network_of_both");
    const auto busy = larger(larger(compute, memory), larger(links, point.generating));
    return named(point.batch / named(busy, "request_time_mixed"), "requests_per_second_mixed");
}

// One instance's round with its busiest replica in step.
template <class R>
Serving<R> even_serving(const Inputs& inputs, const Pace<R>& pace) {
    const Workload& workload = inputs.workload;
    const double groups = attention_groups(inputs.layout);
    Serving<R> point;
    point.batch = given<R>(workload.batch, "batch", "--batch");

    Inputs generating = inputs;
    generating.workload.context = mean_context(inputs);
    const Decode<R> step = decode<R>(generating, pace);
    const Prefill<R> alone = turn_of<R>(inputs, 1, pace);
    const double together = smaller(groups, sequences_in_busiest(inputs));
    const Prefill<R> turn = together > 1 ? turn_of<R>(inputs, together, pace) : alone;

    R turns = point.batch;
    if (inputs.layout.dp > 1) {
        turns = named(round_up(point.batch / given<R>(inputs.layout.dp, "replicas")),
                      "prompts_of_a_replica");
    }
    const R output = given<R>(workload.output, "output", "--output", "token");
    const R steps = named(output - R(1), "steps");  // the first token comes from the prompt
    point.time_to_first_token = alone.time_to_first_token;
    point.step_time = step.step_time;
    point.bound = step.step.bound;
    // In a pipeline the stages work on different prompts.
    point.prefill_time = named(turn.step.time, "prefill_time");
    point.generating = named(steps * point.step_time, "generating");
    point.reading = named(turns * point.prefill_time, "reading");
    point.request_time = named(point.generating + point.reading, "request_time");
    point.time_per_output_token = named(
        point.step_time + point.prefill_time * ((turns - R(1)) / steps), "time_per_output_token");
    point.requests_per_second = named(point.batch / point.request_time, "requests_per_second");
    point.requests_per_second_mixed = mixed_bound(point, step, turn, steps, turns, inputs, pace);
    return point;
}

template <class R>
void add_token_rates(Serving<R>& point, const Workload& workload) {
    const Tokens<R> output(given<R>(workload.output, "output", "--output", "token"));
    const Tokens<R> fresh(
        given<R>(workload.prompt - workload.prefix, "new_tokens", "--prompt, --prefix", "token"));
    point.tokens_per_second = named(point.requests_per_second * output, "tokens_per_second");
    point.input_tokens_per_second =
        named(point.requests_per_second * fresh, "input_tokens_per_second");
}

}  // namespace

double tokens_held(const Inputs& inputs) {
    return prompt_in_context(inputs) + inputs.workload.output;
}

double mean_context(const Inputs& inputs) {
    return prompt_in_context(inputs) + inputs.workload.output / 2 - 1;
}

double most_sequences(const Inputs& inputs) {
    Inputs full = inputs;
    full.workload.context = tokens_held(inputs);
    constexpr double unlimited = 1048576;  // no cache at all: any number
    return max_batch(full, std::array{full.layout}).value_or(unlimited);
}

template <class R>
Serving<R> serve(const Inputs& inputs) {
    return serve(inputs, ceiling_pace<R>(inputs.machine));
}

template <class R>
Serving<R> serve(const Inputs& inputs, const Pace<R>& pace) {
    Serving<R> point = even_serving<R>(inputs, pace);
    // Where the batch does not split evenly, the other instances have one sequence less.
    const double count = instances(inputs.layout);
    const double busiest = sequences_in_busiest(inputs);
    const double full = inputs.workload.batch - count * (busiest - 1);
    if (full < count && busiest > 1) {
        Inputs others = inputs;
        others.workload.batch = count * (busiest - 1);
        const Serving<R> less = even_serving<R>(others, pace);
        const auto both = [&](const Hertz<R>& less_each, const Seconds<R>& time) {
            return R(full * busiest) / time + less_each * R((count - full) / count);
        };
        const Hertz<R> mixed =
            both(less.requests_per_second_mixed, point.batch / point.requests_per_second_mixed);
        point.requests_per_second_mixed = named(mixed, "requests_per_second_mixed");
        point.requests_per_second =
            named(both(less.requests_per_second, point.request_time), "requests_per_second");
    }
    add_token_rates(point, inputs.workload);
    return point;
}

bool meets(const Seconds<>& first, const Seconds<>& each, const Limits& limits) {
    const auto within = [](const Seconds<>& time, const std::optional<Seconds<>>& limit) {
        return !limit || time <= *limit;
    };
    return within(first, limits.time_to_first_token) && within(each, limits.time_per_output_token);
}

bool meets(const Serving<>& point, const Limits& limits) {
    return meets(point.time_to_first_token, point.time_per_output_token, limits);
}

double best_batch(const Inputs& inputs, double most, const Limits& limits) {
    const auto point = [&](double batch) {
        Inputs trial = inputs;
        trial.workload.batch = batch;
        return serve<double>(trial);
    };
    return best_of(
        most, inputs.layout.dp, [&](double batch) { return meets(point(batch), limits); },
        [&](double batch) { return point(batch).requests_per_second; });
}

std::vector<Serving<>> frontier(const Inputs& inputs, double most, double also) {
    constexpr std::size_t dozen = 12;
    std::vector<double> batches;
    for (double factor = 2; batches.empty() || batches.size() > dozen - 2; factor *= 2) {
        batches.clear();
        for (double batch = 1; batch < most; batch *= factor) batches.push_back(batch);
        if (batches.empty()) break;
    }
    batches.push_back(most);
    batches.push_back(also);
    std::sort(batches.begin(), batches.end());
    batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
    std::vector<Serving<>> points;
    for (const double batch : batches) {
        Inputs trial = inputs;
        trial.workload.batch = batch;
        const Serving<> point = serve<double>(trial);
        const bool better =
            points.empty() || point.requests_per_second > points.back().requests_per_second;
        if (better) points.push_back(point);
    }
    return points;
}

template Serving<double> serve<double>(const Inputs&);
template Serving<Traced> serve<Traced>(const Inputs&);
template Serving<double> serve<double>(const Inputs&, const Pace<double>&);
template Serving<Traced> serve<Traced>(const Inputs&, const Pace<Traced>&);

}  // namespace napkin
