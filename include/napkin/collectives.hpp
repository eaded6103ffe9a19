// Collectives: how long a group of devices takes to exchange bytes, and what bounds it.
#pragma once

#include <string_view>
#include <vector>

#include "napkin/assumptions.hpp"
#include "napkin/derivation.hpp"
#include "napkin/machine.hpp"
#include "napkin/operations.hpp"

namespace napkin {

/// The laws that hold on a machine. One that names its family, accelerator or system takes the
/// place of the general ones of the same link and sort (kernel of an engine, or library).
[[nodiscard]] std::vector<CollectiveLaw> laws_of(const Machine& machine,
                                                 const std::vector<CollectiveLaw>& all);

/// Those of libraries such as NCCL: without the kernels that inference engines bring along.
[[nodiscard]] std::vector<CollectiveLaw> of_libraries(std::vector<CollectiveLaw> laws);

/// What n devices move over how much of a payload: the factor between algorithm and bus bandwidth
/// of nccl-tests. All-reduce 2(n-1)/n, all-gather, reduce-scatter and all-to-all (n-1)/n, send 1.
template <class R = double>
[[nodiscard]] R bus_factor(CollectiveKind kind, const R& devices);

/// Bytes that must cross the busiest link of a device at least, inside its scale-up domain and
/// between domains: of an all-reduce the payload itself, even where a switch adds; of the others
/// what a device lacks. Between domains each device carries its share on its own NIC.
template <class R = double>
struct LinkBytes {
    Bytes<R> inside{};
    Bytes<R> across{};
};
template <class R = double>
[[nodiscard]] LinkBytes<R> least_link_bytes(CollectiveKind kind, const Bytes<R>& bytes,
                                            double devices, const Machine& machine);
/// Those bytes over the data-sheet rates: no run is faster.
template <class R = double>
[[nodiscard]] Seconds<R> collective_floor(CollectiveKind kind, const Bytes<R>& bytes,
                                          double devices, const Machine& machine);

/// Time of one collective. `bytes` is the payload as nccl-tests counts it: what a device holds
/// before an all-reduce, a reduce-scatter, an all-to-all or a send, and after an all-gather.
/// time = latency + transfer: the law that is fastest at this size, on each level of links;
/// between domains the latencies add up, and the slower level carries the bytes (they are
/// pipelined). One device exchanges nothing. `devices` fill the domains one after the other.
template <class R = double>
struct CollectiveTime {
    Seconds<R> time{};
    Seconds<R> latency{};
    Seconds<R> transfer{};
    BytesPerSecond<R> algorithm_bandwidth{};  // payload / time
    BytesPerSecond<R> bus_bandwidth{};  // times bus_factor; above the link rate if a switch adds
    // The laws taken, which belong to the assumptions. Null: no such level, or no law for it.
    const CollectiveLaw* inside{};
    const CollectiveLaw* across{};
};
template <class R = double>
[[nodiscard]] CollectiveTime<R> collective_time(CollectiveKind kind, const Bytes<R>& bytes,
                                                double devices, const Machine& machine,
                                                const Assumptions& assumptions);

}  // namespace napkin
