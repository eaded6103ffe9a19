#include "napkin/speculation.hpp"

#include "napkin/derivation.hpp"
#include "napkin/residents.hpp"

namespace napkin {
namespace {

template <class R>
struct Round {
    Decode<R> verify{};
    Seconds<R> draft_step{};
    Seconds<R> draft_time{};
    Seconds<R> time{};
};

template <class R>
Round<R> round_of(const Inputs& inputs, const Drafting& drafting, const Pace<R>& pace) {
    Inputs verifying = inputs;
    verifying.workload.step_tokens = drafting.tokens + 1;
    Round<R> round;
    round.verify = decode(verifying, pace);
    round.time = named(round.verify.step_time, "verify_time");
    if (inputs.draft) {
        round.draft_step = named(decode(draft_inputs(inputs), pace).step_time, "draft_step_time");
        round.draft_time = named(round.draft_step * given<R>(drafting.tokens, "drafted_tokens",
                                                             "--draft-tokens", "token"),
                                 "draft_time");
        round.time = named(round.draft_time + round.time, "round_time");
    }
    return round;
}

// Rounds of all sequences a second. Where the batch does not split evenly, the other instances have
// one sequence less and run faster.
template <class R>
R passes_per_second(const Inputs& inputs, const Drafting& drafting, const Round<R>& busiest,
                    const Pace<R>& pace) {
    const double count = instances(inputs.layout);
    const double batch = inputs.workload.batch;
    const double least = round_down(batch / count);
    if (least == 0 || batch == least * count) {
        return named(given<R>(batch, "batch", "--batch") / busiest.time.value(),
                     "passes_per_second");
    }
    const double full = batch - count * least;
    Inputs others = inputs;
    others.workload.batch = least * count;
    const Seconds<R> faster =
        named(round_of<R>(others, drafting, pace).time, "round_time_of_other_replicas");
    return named(
        R(full * (least + 1)) / busiest.time.value() + R((count - full) * least) / faster.value(),
        "passes_per_second");
}

// By halves, to the last bit of a double.
std::optional<double> break_even(double drafted, double needed) {
    if (tokens_per_pass(1.0, drafted) < needed) return std::nullopt;
    double low = 0;
    double high = 1;
    if (tokens_per_pass(low, drafted) >= needed) return low;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle == low || middle == high) return high;
        (tokens_per_pass(middle, drafted) >= needed ? high : low) = middle;
    }
}

}  // namespace

template <class R>
R tokens_per_pass(const R& acceptance, const R& drafted) {
    const R most = drafted + R(1);
    if (value_of(acceptance) >= 1) return most;
    return (R(1) - power(acceptance, most)) / (R(1) - acceptance);
}

template <class R>
Speculation<R> speculate(const Inputs& inputs, const Drafting& drafting, const Pace<R>& pace) {
    const Round<R> round = round_of<R>(inputs, drafting, pace);
    Speculation<R> result;
    result.verify = round.verify;
    result.plain = decode(inputs, pace);
    result.draft_step = round.draft_step;
    result.draft_time = round.draft_time;
    result.verify_time = round.verify.step_time;
    result.round_time = round.time;
    const R accepted = given<R>(drafting.acceptance, "acceptance", "--acceptance");
    const R drafted = given<R>(drafting.tokens, "drafted_tokens", "--draft-tokens", "token");
    result.tokens_per_pass = named(tokens_per_pass(accepted, drafted), "tokens_per_pass", "token");
    const R passes = passes_per_second<R>(inputs, drafting, round, pace);
    result.tokens_per_second =
        named(TokensPerSecond<R>(passes * result.tokens_per_pass), "tokens_per_second");
    result.tokens_per_second_per_user =
        named(result.tokens_per_second / given<R>(inputs.workload.batch, "batch", "--batch"),
              "tokens_per_second_per_user");
    result.break_even_tokens =
        named(result.plain.tokens_per_second.value() / passes, "break_even_tokens", "token");
    result.speedup = named(result.tokens_per_second / result.plain.tokens_per_second, "speedup");
    result.break_even_acceptance = break_even(drafting.tokens, value_of(result.break_even_tokens));
    return result;
}

template double tokens_per_pass<double>(const double&, const double&);
template Traced tokens_per_pass<Traced>(const Traced&, const Traced&);
template Speculation<double> speculate<double>(const Inputs&, const Drafting&, const Pace<double>&);
template Speculation<Traced> speculate<Traced>(const Inputs&, const Drafting&, const Pace<Traced>&);

}  // namespace napkin
