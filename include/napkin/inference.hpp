// Folds over the operations: how fast a prompt is read and tokens are generated, at most.
#pragma once

#include "napkin/roofline.hpp"

namespace napkin {

/// What the host does of a step where layers or experts are offloaded to it.
template <class R = double>
struct HostPart {
    Step<R> step{};
    Seconds<R> streaming{};  // of prompts: its bytes over the link to the devices; zero: unknown
    bool streams{};          // which is sooner than computing there
    Totals<R> totals{};
};

/// Generation at a steady batch: every sequence gains a token each step. Where a step passes
/// several tokens of each (`step_tokens`), the rates still count the steps: how many tokens they
/// bring is speculation's.
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
    HostPart<R> host{};  // in turns with the devices: step_time = theirs + its own
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
    /// In turns with the devices, or, where that is sooner, streamed to devices that compute all:
    /// the larger of their time for everything and the host's bytes / link, once for all prompts.
    HostPart<R> host{};
};
template <class R = double>
[[nodiscard]] Prefill<R> prefill(const Inputs& inputs);
template <class R = double>
[[nodiscard]] Prefill<R> prefill(const Inputs& inputs, const Pace<R>& pace);

}  // namespace napkin
