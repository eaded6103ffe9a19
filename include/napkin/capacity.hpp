// Questions put the other way round: which layout fits, how long a context, how many devices.
#pragma once

#include <optional>
#include <span>

#include "napkin/residents.hpp"

namespace napkin {

/// A layout and how its fullest device fares.
struct Placement {
    Layout layout{};
    Fit<> fit{};
};

/// The first of `candidates` whose residents fit, else the one that misses by least.
[[nodiscard]] Placement place(const Inputs& inputs, std::span<const Layout> candidates);

/// The largest context that fits with one of `candidates`; empty if memory does not limit it.
[[nodiscard]] std::optional<double> max_context(const Inputs& inputs,
                                                std::span<const Layout> candidates);
/// The most sequences that fit at the given context; empty if memory does not limit them.
[[nodiscard]] std::optional<double> max_batch(const Inputs& inputs,
                                              std::span<const Layout> candidates);
/// The most layers that the devices hold if the host keeps the others, at least one; 0 if they hold
/// none.
[[nodiscard]] double max_gpu_layers(const Inputs& inputs, std::span<const Layout> candidates);
/// The fewest devices on which a default layout fits; empty if none up to a million does.
[[nodiscard]] std::optional<double> min_devices(const Inputs& inputs);
/// The fewest devices for training with states sharded over all of them.
[[nodiscard]] std::optional<double> min_training_devices(const Inputs& inputs);

}  // namespace napkin
