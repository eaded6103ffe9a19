#include "napkin/training.hpp"

#include <algorithm>

#include "napkin/derivation.hpp"

namespace napkin {
namespace {

bool is_half(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::bf16 || arithmetic == Arithmetic::fp16;
}

template <class R>
FlopsPerSecond<R> cluster_peak(const Machine& machine, Arithmetic arithmetic) {
    const Accelerator& part = machine.accelerator;
    const auto one = given<R>(peak(part, arithmetic), std::string(name_of(arithmetic)) + "_peak",
                              part.compute.provenance.source);
    return named(one * given<R>(machine.devices, "devices", "--on"), "cluster_peak");
}

template <class R>
void complete(Run<R>& run, const Machine& machine) {
    const R devices = given<R>(machine.devices, "devices", "--on");
    run.flops_per_device = named(run.flops / devices, "flops_per_device");
    run.device_time = named(run.duration * devices, "device_time");
}

}  // namespace

template <class R>
Flops<R> training_flops(const Model& model, const Tokens<R>& tokens) {
    const Flops<R> per_token(R(6) * active_parameters<R>(model));
    return named(per_token * tokens.value(), "training_flops");
}

template <class R>
Run<R> run_at(const Flops<R>& flops, const Machine& machine, Arithmetic arithmetic, const R& mfu) {
    Run<R> run{.flops = flops};
    run.mfu = mfu;
    run.duration = named(flops / (cluster_peak<R>(machine, arithmetic) * mfu), "duration");
    complete(run, machine);
    return run;
}

template <class R>
Run<R> run_in(const Flops<R>& flops, const Machine& machine, Arithmetic arithmetic,
              const Seconds<R>& duration) {
    Run<R> run{.flops = flops};
    run.duration = duration;
    run.mfu = named(flops / (cluster_peak<R>(machine, arithmetic) * duration), "mfu");
    complete(run, machine);
    return run;
}

std::optional<PublishedRange> published_range(const std::vector<PublishedRun>& all,
                                              const Accelerator& accelerator, Arithmetic peak) {
    std::vector<PublishedRun> runs;
    std::copy_if(all.begin(), all.end(), std::back_inserter(runs), [&](const PublishedRun& run) {
        const auto stated = arithmetic_named(run.peak);
        const bool same = stated && (*stated == peak || (is_half(*stated) && is_half(peak)));
        return same && run.family == accelerator.family;
    });
    if (runs.empty()) return std::nullopt;
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto& a, const auto& b) { return a.mfu < b.mfu; });
    return PublishedRange{.lowest = runs.front(),
                          .median = runs[(runs.size() - 1) / 2],
                          .highest = runs.back(),
                          .count = runs.size()};
}

template Flops<double> training_flops<double>(const Model&, const Tokens<double>&);
template Flops<Traced> training_flops<Traced>(const Model&, const Tokens<Traced>&);
template Run<double> run_at<double>(const Flops<double>&, const Machine&, Arithmetic,
                                    const double&);
template Run<Traced> run_at<Traced>(const Flops<Traced>&, const Machine&, Arithmetic,
                                    const Traced&);
template Run<double> run_in<double>(const Flops<double>&, const Machine&, Arithmetic,
                                    const Seconds<double>&);
template Run<Traced> run_in<Traced>(const Flops<Traced>&, const Machine&, Arithmetic,
                                    const Seconds<Traced>&);

}  // namespace napkin
