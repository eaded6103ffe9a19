// Machines built by hand, for tests that must not depend on the presets.
#pragma once

#include "napkin/machine.hpp"

namespace napkin::test {

inline std::size_t index_of(Arithmetic arithmetic) {
    return static_cast<std::size_t>(arithmetic);
}

/// H100 SXM 80GB: NVIDIA data sheet, dense peaks; 81,559 MiB as nvidia-smi reports; NVLink 4 with
/// 450 GB/s per direction among 8; 400 Gbit/s of network. No clocks, so that ceilings equal the
/// data sheet.
inline Accelerator h100() {
    Accelerator part{.id = "h100-sxm", .name = "H100 SXM 80GB", .family = "hopper"};
    part.compute.peak[index_of(Arithmetic::fp32)] = FlopsPerSecond<>(67e12);
    part.compute.peak[index_of(Arithmetic::tf32)] = FlopsPerSecond<>(494.7e12);
    part.compute.peak[index_of(Arithmetic::fp16)] = FlopsPerSecond<>(989.4e12);
    part.compute.peak[index_of(Arithmetic::bf16)] = FlopsPerSecond<>(989.4e12);
    part.compute.peak[index_of(Arithmetic::fp8)] = FlopsPerSecond<>(1978.9e12);
    part.memory.sold = Bytes<>(80e9);
    part.memory.reported = Bytes<>(81559.0 * 1048576.0);
    part.memory.bandwidth = BytesPerSecond<>(3.35e12);
    part.links.scale_up = BytesPerSecond<>(450e9);
    part.links.domain = 8;
    part.links.topology = Topology::network_switch;
    part.links.scale_out = BytesPerSecond<>(50e9);
    return part;
}

/// The H100 with its clocks: 132 SMs of 4,096 FLOP per clock, rated at 1,830 MHz, up to 1,980 MHz;
/// 228 KiB of shared memory and 128 B per clock in each.
inline Accelerator h100_with_clocks() {
    Accelerator part = h100();
    part.compute.units = 132;
    part.compute.flops_per_unit_clock = 4096;
    part.compute.boost_clock = Hertz<>(1830e6);
    part.compute.max_clock = Hertz<>(1980e6);
    part.caches.shared_per_unit = Bytes<>(233472);
    part.caches.bytes_per_unit_clock = 128;
    return part;
}

inline Machine h100s(double devices) {
    Machine machine{.id = "h100s", .name = "H100s", .accelerator = h100(), .devices = devices};
    machine.domain = devices < 8 ? devices : 8;
    machine.scale_up = machine.accelerator.links.scale_up;
    machine.scale_out = machine.accelerator.links.scale_out;
    return machine;
}

}  // namespace napkin::test
