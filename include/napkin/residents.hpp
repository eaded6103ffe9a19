// The second list: what has to stay in memory, and at which moment.
#pragma once

#include <string_view>

#include "napkin/inputs.hpp"

namespace napkin {

enum class ResidentKind {
    weights,
    gradients,
    master_weights,
    first_moment,
    second_moment,
    gathered_weights,  // ZeRO 3: layers unsharded while they run
    activations,
    logits,
    kv_cache,
    state,    // recurrent state of every sequence
    runtime,  // an engine's context and communication buffers
    graphs,   // captured launches
    in_use,   // what other processes hold
    draft_weights,
    draft_cache,  // keys and values, and state, of the draft model
    reserve
};
[[nodiscard]] std::string_view name_of(ResidentKind kind);

enum class Moment { decode, training_step };

/// One thing that stays in the memory of the fullest device.
template <class R = double>
struct Resident {
    ResidentKind kind{};
    Moment moment{};
    Bytes<R> bytes{};
};
template <class R = double>
using Residents = Rows<Resident<R>, 12>;

/// Residents of the fullest device while generating with `batch` sequences of `context` tokens.
template <class R = double>
[[nodiscard]] Residents<R> inference_residents(const Inputs& inputs);

/// What the host keeps, where layers or experts are offloaded to it; nothing is held in reserve.
template <class R = double>
[[nodiscard]] Residents<R> host_residents(const Inputs& inputs);

/// The draft model as the model of the same workload, in its own layout.
[[nodiscard]] Inputs draft_inputs(const Inputs& inputs);

/// Residents of one device in a mixed-precision training step with Adam: 16 bytes a parameter
/// (2 weights, 2 gradients, 4 master weights, 4 + 4 moments; Rajbhandari 2020, arXiv 1910.02054),
/// sharded over the devices by ZeRO 3; checkpointed activations of full recompute, the layer at
/// work, its gathered weights and the logits. A size alone has states only.
template <class R = double>
[[nodiscard]] Residents<R> training_residents(const Inputs& inputs);

/// Whether the residents fit: margin = capacity - required, per device, signed.
template <class R = double>
struct Fit {
    Residents<R> residents{};
    Bytes<R> required{};
    Bytes<R> capacity{};
    Bytes<R> margin{};
    bool fits{};
    bool fits_without_reserve{};
    bool tight{};           // a margin under 5 % of capacity
    bool host_holds{true};  // its part of the model, as far as its memory is known
};
template <class R = double>
[[nodiscard]] Fit<R> fit(const Residents<R>& residents, const Accelerator& accelerator);

/// The fit of inference: of the fullest device, and of the host where it keeps a part.
template <class R = double>
[[nodiscard]] Fit<R> inference_fit(const Inputs& inputs);

template <class R = double>
[[nodiscard]] Bytes<R> bytes_of(const Residents<R>& residents, ResidentKind kind);

/// The largest whole number for which `fits(n)` holds, given that it holds up to some number and
/// for none above it; 0 if it does not hold for 1.
template <class Predicate>
[[nodiscard]] double largest_that(Predicate fits, double most) {
    if (!fits(1.0)) return 0;
    double low = 1;
    double high = 2;
    while (high <= most && fits(high)) {
        low = high;
        high *= 2;
    }
    if (low >= most || (high > most && fits(most))) return most;
    high = smaller(high, most);
    while (high - low > 1) {
        const double middle = round_down((low + high) / 2);
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace napkin
