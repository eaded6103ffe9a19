// Folds over the operations: how fast a prompt is read and tokens are generated, at most.
#pragma once

#include "napkin/roofline.hpp"

namespace napkin {

/// Generation at a steady batch: every sequence gains a token each step.
template <class R = double>
struct Decode {
    Step<R> step{};          // of the slowest device
    Seconds<R> step_time{};  // until every sequence has its next token
    TokensPerSecond<R> tokens_per_second{};
    TokensPerSecond<R> tokens_per_second_per_user{};
    Intensity<R> intensity{};
    R compute_utilization{};  // of the data-sheet peak
    R critical_batch{};       // from here the linear layers are compute-bound
    Totals<R> totals{};
};
/// The ceiling, and the same fold at another pace.
template <class R = double>
[[nodiscard]] Decode<R> decode(const Inputs& inputs);
template <class R = double>
[[nodiscard]] Decode<R> decode(const Inputs& inputs, const Pace<R>& pace);

/// Reading the prompts of the whole batch.
template <class R = double>
struct Prefill {
    Step<R> step{};
    Seconds<R> time_to_first_token{};
    TokensPerSecond<R> tokens_per_second{};
    Intensity<R> intensity{};
    R compute_utilization{};
    Totals<R> totals{};
};
template <class R = double>
[[nodiscard]] Prefill<R> prefill(const Inputs& inputs);
template <class R = double>
[[nodiscard]] Prefill<R> prefill(const Inputs& inputs, const Pace<R>& pace);

}  // namespace napkin
