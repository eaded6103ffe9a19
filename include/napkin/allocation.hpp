// What a named engine takes of a device for the residents of an answer.
#pragma once

#include <optional>
#include <vector>

#include "napkin/residents.hpp"

namespace napkin {

/// Cells that a sequence of `tokens` takes: whole blocks of the engine.
template <class R = double>
[[nodiscard]] R cells(const R& tokens, const Inputs& inputs);
/// What the engine keeps of a layer that sees `tokens`: as `cache`, with the window that it keeps.
[[nodiscard]] Cache as_allocated(Cache cache, double tokens, const Inputs& inputs);

/// The weights of a layer as the engine loads them: experts with their widths padded.
[[nodiscard]] Tensors as_loaded(Tensors weights, const Inputs& inputs);

/// Share of the device kept free where no engine says otherwise: --reserve, or a fraction.
template <class R = double>
[[nodiscard]] Bytes<R> plain_reserve(const Inputs& inputs);

/// Adds what other processes hold, and what the engine takes beside weights and caches:
/// activations, runtime, graphs, and as reserve the memory that it leaves alone.
///     card           capacity - fraction x card, beside which others fit or not
///     static_memory  (1 - fraction) x free at the start, activations and graphs inside it
///     free_memory    (1 - fraction) x what all else leaves
///     rest           a margin
/// Without an engine: the plain reserve.
template <class R = double>
[[nodiscard]] Residents<R> with_policy(Residents<R> held, const Inputs& inputs);

/// What the engine gives the KV cache on a device.
template <class R = double>
struct Pool {
    Bytes<R> bytes{};      // never negative
    Bytes<R> shortfall{};  // what is missing before a single token is kept
    double blocks{};
    double tokens{};  // of one replica, over its tensor-parallel group
};
template <class R = double>
[[nodiscard]] Pool<R> kv_pool(const Fit<R>& fit, const Inputs& inputs);

/// The fraction in force: as given, or what the class of the card leaves.
[[nodiscard]] std::optional<double> memory_fraction(const Inputs& inputs);
/// The smallest fraction with which everything fits; empty if none does.
[[nodiscard]] std::optional<double> min_memory_fraction(const Inputs& inputs);
/// The largest one beside what other processes hold; empty if they do not limit it.
[[nodiscard]] std::optional<double> max_memory_fraction(const Inputs& inputs);

/// Layouts in the order of preference: layers split over devices where the engine does so, else
/// `inference_layouts`.
[[nodiscard]] std::vector<Layout> layouts_of(const Inputs& inputs);

}  // namespace napkin
