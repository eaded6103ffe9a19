#include "napkin/capacity.hpp"
#include "napkin/allocation.hpp"

#include <algorithm>
#include <cmath>

namespace napkin {
namespace {

constexpr double longest_context = 1099511627776.0;  // 2^40 tokens: beyond any use
constexpr double most_sequences = 1099511627776.0;
constexpr double most_devices = 1048576;

// `trial` is the caller's to change: a copy holds texts, and searches ask often.
bool any_fits(Inputs& trial, std::span<const Layout> candidates) {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Layout& layout) {
        trial.layout = layout;
        return inference_fit<double>(trial).fits;
    });
}

// Of a number that `set` puts into the inputs: the largest one that still fits.
template <class Set>
std::optional<double> largest_fitting(const Inputs& inputs, std::span<const Layout> candidates,
                                      double most, Set set) {
    Inputs trial = inputs;
    const auto fits = [&](double n) {
        set(trial, n);
        return any_fits(trial, candidates);
    };
    const double found = largest_that(fits, most);
    if (found == most) return std::nullopt;
    return found;
}

}  // namespace

Placement place(const Inputs& inputs, std::span<const Layout> candidates) {
    Placement best;
    bool first = true;
    for (const Layout& layout : candidates) {
        Inputs trial = inputs;
        trial.layout = layout;
        const Fit<> outcome = inference_fit<double>(trial);
        if (outcome.fits) return {layout, outcome};
        if (first || outcome.margin > best.fit.margin) best = {layout, outcome};
        first = false;
    }
    return best;
}

std::optional<double> max_context(const Inputs& inputs, std::span<const Layout> candidates) {
    return largest_fitting(inputs, candidates, longest_context,
                           [](Inputs& trial, double n) { trial.workload.context = n; });
}

std::optional<double> max_batch(const Inputs& inputs, std::span<const Layout> candidates) {
    return largest_fitting(inputs, candidates, most_sequences,
                           [](Inputs& trial, double n) { trial.workload.batch = n; });
}

double max_gpu_layers(const Inputs& inputs, std::span<const Layout> candidates) {
    Inputs trial = inputs;
    if (!trial.offload) trial.offload.emplace();
    trial.offload->host = {};  // it is the devices' memory that is asked about
    const double all = layers(inputs.model);
    const auto fits = [&](double n) {
        trial.offload->layers = all - n;
        return any_fits(trial, candidates);
    };
    return all > 1 ? largest_that(fits, all - 1) : 0;
}

std::optional<double> min_devices(const Inputs& inputs) {
    Inputs trial = inputs;
    trial.offload.reset();
    if (capacity(inputs.machine.accelerator) <= Bytes<>(0)) return std::nullopt;
    // Devices can stay idle, so whatever fits on n fits on n + 1.
    const auto fails = [&](double n) {
        trial.machine = with_devices(inputs.machine, n);
        return !any_fits(trial, layouts_of(trial));
    };
    if (!fails(1)) return 1;
    if (fails(most_devices)) return std::nullopt;
    return largest_that(fails, most_devices) + 1;
}

std::optional<double> min_training_devices(const Inputs& inputs) {
    Inputs trial = inputs;
    const auto fails = [&](double n) {
        trial.machine = with_devices(inputs.machine, n);
        return !fit(training_residents<double>(trial), trial.machine.accelerator).fits;
    };
    if (!fails(1)) return 1;
    if (fails(most_devices)) return std::nullopt;
    return largest_that(fails, most_devices) + 1;
}

}  // namespace napkin
