#include "napkin/machine.hpp"

#include <algorithm>

#include "napkin/derivation.hpp"

namespace napkin {

Machine with_devices(Machine machine, double devices) {
    const auto& links = machine.accelerator.links;
    if (links.topology == Topology::mesh && links.pair > BytesPerSecond<>(0)) {
        // In a mesh a device reaches each other one over their own link only.
        const double peers = larger(1.0, smaller(devices, links.domain) - 1);
        machine.scale_up = smaller(links.scale_up, links.pair * peers);
    }
    machine.system_power = machine.system_power * (devices / machine.devices);
    machine.devices = devices;
    return machine;
}

Bytes<> capacity(const Accelerator& accelerator) {
    return accelerator.memory.reported > Bytes<>(0) ? accelerator.memory.reported
                                                    : accelerator.memory.sold;
}

template <class R>
BytesPerSecond<R> on_chip_bandwidth(const Accelerator& accelerator) {
    const auto& compute = accelerator.compute;
    const auto& caches = accelerator.caches;
    const R units = given<R>(compute.units, "compute_units", compute.provenance.source);
    const R width = given<R>(caches.bytes_per_unit_clock, "bytes_per_unit_and_clock",
                             caches.provenance.source, "B");
    const auto clock = given<R>(compute.boost_clock, "boost_clock", compute.provenance.source);
    return named(BytesPerSecond<R>(units * width * clock.value()), "on_chip_bandwidth");
}
template BytesPerSecond<double> on_chip_bandwidth<double>(const Accelerator&);
template BytesPerSecond<Traced> on_chip_bandwidth<Traced>(const Accelerator&);

Bytes<> on_chip_memory(const Accelerator& accelerator) {
    return accelerator.caches.shared_per_unit * accelerator.compute.units;
}

std::optional<Arithmetic> usable(const Accelerator& accelerator, Arithmetic arithmetic) {
    const auto has = [&](Arithmetic a) {
        return accelerator.compute.peak[static_cast<std::size_t>(a)] > FlopsPerSecond<>(0);
    };
    if (has(arithmetic)) return arithmetic;
    const bool narrow = arithmetic == Arithmetic::bf16 || arithmetic == Arithmetic::fp16;
    if (narrow || arithmetic == Arithmetic::tf32) {
        if (arithmetic == Arithmetic::bf16 && has(Arithmetic::fp16)) return Arithmetic::fp16;
        if (arithmetic == Arithmetic::fp16 && has(Arithmetic::bf16)) return Arithmetic::bf16;
        if (has(Arithmetic::fp32)) return Arithmetic::fp32;
    }
    return std::nullopt;
}

FlopsPerSecond<> peak(const Accelerator& accelerator, Arithmetic arithmetic) {
    const std::optional<Arithmetic> found = usable(accelerator, arithmetic);
    return found ? accelerator.compute.peak[static_cast<std::size_t>(*found)] : FlopsPerSecond<>(0);
}

double clock_headroom(const Accelerator& accelerator) {
    const auto& compute = accelerator.compute;
    const Hertz<> highest = larger(compute.max_clock, compute.boost_clock);
    Hertz<> rated = compute.boost_clock;
    const double per_clock = compute.units * compute.flops_per_unit_clock;
    const FlopsPerSecond<> half = compute.peak[static_cast<std::size_t>(Arithmetic::fp16)];
    if (per_clock > 0 && half > FlopsPerSecond<>(0)) rated = Hertz<>(half.value() / per_clock);
    return rated > Hertz<>(0) ? larger(1.0, highest / rated) : 1;
}

Intensity<> ridge(const Accelerator& accelerator, Arithmetic arithmetic) {
    return peak(accelerator, arithmetic) / accelerator.memory.bandwidth;
}

std::optional<double> median_rent(const Accelerator& accelerator) {
    std::vector<double> middles;
    for (const DatedPrice& price : accelerator.rent) {
        middles.push_back((price.low + price.high) / 2);
    }
    if (middles.empty()) return std::nullopt;
    std::sort(middles.begin(), middles.end());
    const std::size_t half = middles.size() / 2;
    return middles.size() % 2 == 1 ? middles[half] : (middles[half - 1] + middles[half]) / 2;
}

}  // namespace napkin
