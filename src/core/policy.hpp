// What the folds over an engine's policy share.
#pragma once

#include "napkin/allocation.hpp"
#include "napkin/derivation.hpp"

namespace napkin {

/// Null without an engine.
[[nodiscard]] inline const Engine* engine_of(const Inputs& inputs) {
    return inputs.assumptions.engine ? &*inputs.assumptions.engine : nullptr;
}

/// The defaults of an engine on a card of this size.
[[nodiscard]] const Engine::CardClass& card_class(const Engine& engine, const Accelerator& part);

/// What the device reports.
template <class R = double>
[[nodiscard]] Bytes<R> reported(const Inputs& inputs);
/// What the engine takes for the whole card: what is reported, less what the driver keeps.
template <class R = double>
[[nodiscard]] Bytes<R> card(const Engine& engine, const Inputs& inputs);
/// What the class of the card leaves alone.
template <class R = double>
[[nodiscard]] Bytes<R> margin_left(const Engine& engine, const Inputs& inputs);

template <class R>
[[nodiscard]] Bytes<R> or_zero(const Bytes<R>& bytes) {
    return larger(bytes, Bytes<R>(R(0)));
}

template <class R>
[[nodiscard]] Bytes<R> sum_but_cache(const Residents<R>& list) {
    Bytes<R> sum(R(0));
    for (const Resident<R>& one : list) {
        if (one.kind != ResidentKind::kv_cache) sum = sum + one.bytes;
    }
    return sum;
}

}  // namespace napkin
