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
    if (accelerator.memory.usable > Bytes<>(0)) return accelerator.memory.usable;
    return accelerator.memory.reported > Bytes<>(0) ? accelerator.memory.reported
                                                    : accelerator.memory.sold;
}

std::string_view capacity_source(const Accelerator& accelerator) {
    const auto& memory = accelerator.memory;
    return memory.usable > Bytes<>(0) ? memory.usable_source : memory.provenance.source;
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
    const auto rate = [&](Arithmetic a) {
        return accelerator.compute.peak[static_cast<std::size_t>(a)];
    };
    const FlopsPerSecond<> none(0);
    const bool half = arithmetic == Arithmetic::bf16 || arithmetic == Arithmetic::fp16;
    std::optional<Arithmetic> found;
    if (rate(arithmetic) > none) {
        found = arithmetic;
    } else if (half) {
        const Arithmetic other =
            arithmetic == Arithmetic::bf16 ? Arithmetic::fp16 : Arithmetic::bf16;
        if (rate(other) > none) found = other;
    }
    // Kernels for parts with a token fp16 rate (Pascal: 1/64) compute in fp32.
    const bool widens = half || arithmetic == Arithmetic::tf32;
    const bool wider = rate(Arithmetic::fp32) > (found ? rate(*found) : none);
    return widens && wider ? Arithmetic::fp32 : found;
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
