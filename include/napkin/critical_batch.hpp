// From how many sequences on a decode step waits for compute: its linear layers, and all of it.
#pragma once

#include <optional>

#include "napkin/roofline.hpp"

namespace napkin {

/// Sequences, over the whole machine, from which the linear layers are compute-bound: ridge * bytes
/// per weight / 2, for experts times experts / active ones; at data-sheet rates.
template <class R = double>
[[nodiscard]] R critical_batch(const Inputs& inputs);

/// What one sequence more adds to a step of the busiest device, at its highest rates. Weights are
/// read once for all of them, so only the work and the cache of each decide whether a large enough
/// batch turns the step compute-bound: compute > memory and compute > network.
template <class R = double>
struct Turning {
    Seconds<R> compute{};  // its linear layers and its attention
    Seconds<R> memory{};   // its cache, read and written
    Seconds<R> network{};
    Bound bound{};  // the largest of them: what an endless batch waits for
    /// The smallest batch of the whole machine whose step is compute-bound; empty: none is.
    std::optional<R> batch{};
    /// The longest context at which some batch is; empty: every one that the model takes. Zero:
    /// none.
    std::optional<R> context{};
    Intensity<R> attention{};        // FLOPs / bytes of attention, at any batch; zero: none
    Intensity<R> attention_ridge{};  // peak of its arithmetic / bandwidth
};
template <class R = double>
[[nodiscard]] Turning<R> turning(const Inputs& inputs);

}  // namespace napkin
