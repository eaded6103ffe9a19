// Speculative decoding: some tokens are drafted, and one pass of the model verifies them all.
#pragma once

#include <optional>

#include "napkin/inference.hpp"

namespace napkin {

/// How many tokens are drafted a round, and the chance that one of them is accepted given that all
/// before it were.
struct Drafting {
    double tokens{};
    double acceptance{};
};

/// Tokens that a pass over `drafted` of them brings on average, the model's own one among them:
/// (1 - a^(K+1)) / (1 - a), if each is accepted independently with probability a (Leviathan,
/// Kalman and Matias 2023, arXiv 2211.17192, equation 1); K + 1 at a = 1.
template <class R = double>
[[nodiscard]] R tokens_per_pass(const R& acceptance, const R& drafted);

/// Generation in rounds: K steps of the draft model, then one of the model over K + 1 tokens of
/// each sequence, which touches more experts and sees more keys than a step of one.
template <class R = double>
struct Speculation {
    Decode<R> verify{};
    Decode<R> plain{};         // without speculation
    Seconds<R> draft_step{};   // one token of the draft model; zero: drafting is free
    Seconds<R> draft_time{};   // of a round
    Seconds<R> verify_time{};  // of a round
    Seconds<R> round_time{};   // draft_time + verify_time
    R tokens_per_pass{};
    TokensPerSecond<R> tokens_per_second{};
    TokensPerSecond<R> tokens_per_second_per_user{};
    R speedup{};            // over plain decoding
    R break_even_tokens{};  // a pass has to bring on average to be worth it: round / plain step
    /// Acceptance from which speculation is no slower than plain decoding; empty if accepting all
    /// is not enough.
    std::optional<double> break_even_acceptance{};
};

/// Speculation with the draft model of `inputs`; without one drafting takes no time. Rounds are at
/// the given pace, one after the other: the draft model and the model share the devices.
template <class R = double>
[[nodiscard]] Speculation<R> speculate(const Inputs& inputs, const Drafting& drafting,
                                       const Pace<R>& pace);

}  // namespace napkin
