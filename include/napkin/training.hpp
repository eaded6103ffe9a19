// Training from the armchair: work, time and utilisation of a run.
#pragma once

#include <optional>

#include "napkin/inputs.hpp"

namespace napkin {

/// FLOPs of a training run: 6 N D, two for the forward and four for the backward pass, for each
/// of N active parameters (all matrices and the embedding) and D tokens. Attention's own FLOPs are
/// not in this convention (Kaplan 2020, arXiv 2001.08361).
template <class R = double>
[[nodiscard]] Flops<R> training_flops(const Model& model, const Tokens<R>& tokens);

/// A run on `machine`: any two of duration, utilisation and work give the third.
template <class R = double>
struct Run {
    Flops<R> flops{};
    Flops<R> flops_per_device{};
    R mfu{};  // model FLOPs utilisation of the dense peak: flops / (devices * peak * duration)
    Seconds<R> duration{};
    Seconds<R> device_time{};  // device-seconds
    TokensPerSecond<R> tokens_per_second_per_device{};
};

/// How long the work takes at a utilisation of the peak in `arithmetic`.
template <class R = double>
[[nodiscard]] Run<R> run_at(const Flops<R>& flops, const Machine& machine, Arithmetic arithmetic,
                            const R& mfu);
/// Which utilisation a claimed duration implies.
template <class R = double>
[[nodiscard]] Run<R> run_in(const Flops<R>& flops, const Machine& machine, Arithmetic arithmetic,
                            const Seconds<R>& duration);

/// The published range of utilisation for an accelerator family, with the runs at its ends. Runs
/// count only against the peak that they were stated against: 41 % of an fp8 peak is no 41 % of
/// the bf16 one.
struct PublishedRange {
    PublishedRun lowest{}, median{}, highest{};
    std::size_t count{};
};
[[nodiscard]] std::optional<PublishedRange> published_range(const std::vector<PublishedRun>& all,
                                                            const Accelerator& accelerator,
                                                            Arithmetic peak);

}  // namespace napkin
