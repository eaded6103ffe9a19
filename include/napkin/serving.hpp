// Serving: a machine that reads prompts and generates tokens for many requests at once, without
// end.
#pragma once

#include <optional>
#include <vector>

#include "napkin/inference.hpp"
#include "napkin/residents.hpp"

namespace napkin {

/// Continuous batching at a steady number of sequences: each request's prompt is read by itself,
/// and while it is, the other sequences of its replica wait. Of a sequence that has O tokens to
/// generate, the first comes from its prompt and each of the others from a step:
///   request_time = (O - 1) t_step(B) + n t_prefill, n prompts read by its replica meanwhile
///   requests/s   = B / request_time
///   time/token   = t_step(B) + (n - 1) / (O - 1) t_prefill
/// Work is conserved: what a request waits is what the others are given. Each step counts the mean
/// context, prompt + O / 2 - 1. Times in seconds, B sequences over the whole machine.
template <class R = double>
struct Serving {
    R batch{};
    Seconds<R> time_to_first_token{};  // of a request that waits for no other
    Seconds<R> step_time{};
    Seconds<R> prefill_time{};  // a turn: one prompt by each replica of an instance
    Seconds<R> generating{};    // (O - 1) t_step
    Seconds<R> reading{};       // n t_prefill
    Seconds<R> request_time{};
    Seconds<R> time_per_output_token{};
    Hertz<R> requests_per_second{};
    TokensPerSecond<R> tokens_per_second{};        // generated
    TokensPerSecond<R> input_tokens_per_second{};  // read, cached prefixes not counted
    /// What a scheduler cannot beat that reads pieces of prompts inside the steps: compute, memory
    /// and links each busy all the time, weights read once for both.
    Hertz<R> requests_per_second_mixed{};
    Bound bound{};  // of a step
};
/// `batch` of the workload in flight. The output is at least 2 tokens.
template <class R = double>
[[nodiscard]] Serving<R> serve(const Inputs& inputs);
template <class R = double>
[[nodiscard]] Serving<R> serve(const Inputs& inputs, const Pace<R>& pace);

/// Tokens that a sequence holds at its end, prompt + output: what memory must have room for. (An
/// engine that pages its cache gets by with the mean until too many requests end late.)
[[nodiscard]] double tokens_held(const Inputs& inputs);
/// Tokens in the cache of a sequence when it generates, on average over its steps.
[[nodiscard]] double mean_context(const Inputs& inputs);
/// The most sequences that the layout of `inputs` has room for; 0 if not even one.
[[nodiscard]] double most_sequences(const Inputs& inputs);

/// What a user is promised; absent: nothing.
struct Limits {
    std::optional<Seconds<>> time_to_first_token{};
    std::optional<Seconds<>> time_per_output_token{};
};
[[nodiscard]] bool meets(const Seconds<>& first, const Seconds<>& each, const Limits& limits);
[[nodiscard]] bool meets(const Serving<>& point, const Limits& limits);

/// The largest batch up to `most` that is `good`, or the last one even over `dp` replicas below it
/// where `rate` says that it serves more; 0 if none is good.
template <class Good, class Rate>
[[nodiscard]] double best_of(double most, double dp, Good good, Rate rate) {
    if (most < 1) return 0;
    const double last = largest_that(good, most);
    // One sequence more than an even share makes a whole instance wait for it; the last even one
    // may do better. In between it is no better than at either end.
    const double even = round_down(last / dp) * dp;
    if (even < 1 || even == last) return last;
    return rate(even) > rate(last) ? even : last;
}

/// Of 1 to `most` sequences, the number that serves the most requests within the limits; 0 if none
/// does. The time per token never falls with the batch, so the limit is found by halving; requests
/// per second rise with it, but for replicas that share their experts and are not filled evenly.
[[nodiscard]] double best_batch(const Inputs& inputs, double most, const Limits& limits);

/// Throughput against time per token at 1, 2, 4, ... sequences up to `most`, `also` among them, at
/// most a dozen points; without those that another one beats on both.
[[nodiscard]] std::vector<Serving<>> frontier(const Inputs& inputs, double most, double also);

}  // namespace napkin
