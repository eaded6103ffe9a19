#include "core/policy.hpp"

#include <algorithm>

namespace napkin {
namespace {

Bytes<> driver(const Engine& engine, const Inputs& inputs) {
    const bool own = inputs.machine.accelerator.vendor == engine.runtime.driver_of;
    return own ? engine.runtime.driver : Bytes<>(0);
}

}  // namespace

const Engine::CardClass& card_class(const Engine& engine, const Accelerator& part) {
    static const Engine::CardClass none;
    if (engine.cards.empty()) return none;
    const Bytes<> room = capacity(part);
    std::size_t at = 0;
    while (at + 1 < engine.cards.size() && engine.cards[at].below &&
           room >= *engine.cards[at].below) {
        ++at;
    }
    const auto excepted = [&](const Engine::CardClass& one) {
        return std::any_of(one.except.begin(), one.except.end(),
                           [&](const std::string& prefix) { return part.id.starts_with(prefix); });
    };
    while (at > 0 && excepted(engine.cards[at])) --at;
    return engine.cards[at];
}

template <class R>
Bytes<R> reported(const Inputs& inputs) {
    const Accelerator& part = inputs.machine.accelerator;
    return given<R>(capacity(part), "capacity", capacity_source(part));
}

template <class R>
Bytes<R> card(const Engine& engine, const Inputs& inputs) {
    const Bytes<> kept = driver(engine, inputs);
    if (kept <= Bytes<>(0)) return reported<R>(inputs);
    return named(reported<R>(inputs) - given<R>(kept, "driver", engine.runtime.source), "card");
}

template <class R>
Bytes<R> margin_left(const Engine& engine, const Inputs& inputs) {
    const Bytes<> each = engine.leaves_per_device * (inputs.layout.tp * inputs.layout.pp);
    return given<R>(card_class(engine, inputs.machine.accelerator).leaves + each, "left_alone",
                    engine.cards_source);
}

template Bytes<double> reported<double>(const Inputs&);
template Bytes<Traced> reported<Traced>(const Inputs&);
template Bytes<double> card<double>(const Engine&, const Inputs&);
template Bytes<Traced> card<Traced>(const Engine&, const Inputs&);
template Bytes<double> margin_left<double>(const Engine&, const Inputs&);
template Bytes<Traced> margin_left<Traced>(const Engine&, const Inputs&);

}  // namespace napkin
