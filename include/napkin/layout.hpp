// How the work is split over devices.
#pragma once

#include <string>

namespace napkin {

/// Degrees of parallelism; dp x tp x pp is at most the number of devices. Experts spread over `ep`
/// of the same devices: up to tp inside each replica, beyond it over ep / tp replicas that share
/// one set of experts and keep attention to themselves (data-parallel attention).
struct Layout {
    double dp{1};   // replicas (inference), data parallel (training)
    double tp{1};   // tensor parallel: every matrix cut over tp devices
    double pp{1};   // pipeline parallel: layers cut into pp stages
    double ep{1};   // expert parallel: whole experts spread over ep devices
    double zero{};  // training: 0 replicates all states, 3 shards weights, gradients and optimizer
    std::string why{};  // how a default came about, in words
};

/// Replicas that share one set of experts: ep / tp, at least 1.
[[nodiscard]] inline double attention_groups(const Layout& layout) {
    return layout.ep > layout.tp ? layout.ep / layout.tp : 1;
}
/// Sets of replicas that share experts; each replica by itself where none do.
[[nodiscard]] inline double instances(const Layout& layout) {
    return layout.dp / attention_groups(layout);
}
/// Devices that hold one set of a layer's experts between them: the larger of tp and ep.
[[nodiscard]] inline double expert_devices(const Layout& layout) {
    return layout.ep > layout.tp ? layout.ep : layout.tp;
}
/// Devices that each expert is cut over: those that hold the experts / ep.
[[nodiscard]] inline double expert_tensor_parallel(const Layout& layout) {
    return expert_devices(layout) / layout.ep;
}

}  // namespace napkin
