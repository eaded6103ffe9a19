// Machines: one accelerator, and how many of them are joined by which links.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "napkin/number_format.hpp"
#include "napkin/units.hpp"

namespace napkin {

/// Where a group of figures is from, and whether anyone could check it.
struct Provenance {
    std::string source{};
    std::string date{};
    bool unverified{};
};

enum class Topology { none, network_switch, mesh, torus, bridge };

struct DatedPrice {
    double low{}, high{};  // USD; equal where the source gives one figure
    std::string provider{};
    std::string date{};
    std::string source{};
};

/// One accelerator (or a CPU used as one). Peaks are dense; link bandwidths are per direction.
/// A figure that no source states is zero or absent, never guessed.
struct Accelerator {
    std::string id{};
    std::string name{};
    std::string vendor{};
    std::string kind{};
    std::string architecture{};
    std::string family{};  // generation: published MFU and failure rates are told apart by it
    double year{};
    std::string notes{};

    struct Compute {
        double units{};  // streaming multiprocessors, compute units, cores
        std::string unit{};
        Hertz<> boost_clock{};
        Hertz<> max_clock{};
        double flops_per_unit_clock{};
        std::array<FlopsPerSecond<>, arithmetic_count> peak{};  // zero: not supported
        double sparsity{1};  // what structured sparsity multiplies the dense peak with
        Provenance provenance{};
    } compute{};

    struct Memory {
        std::string type{};
        Bytes<> sold{};      // the smaller reading of the vendor's figure: "80 GB" = 80e9
        Bytes<> reported{};  // what the driver reports; zero where unknown
        Bytes<> usable{};    // what a GPU may take of unified memory; zero where unknown
        std::string usable_source{};
        std::string sold_as{};
        BytesPerSecond<> bandwidth{};
        Provenance provenance{};
    } memory{};

    struct Caches {
        Bytes<> level2{};
        Bytes<> shared_per_unit{};
        double bytes_per_unit_clock{};
        Provenance provenance{};
    } caches{};

    struct Links {
        std::string scale_up_name{};
        BytesPerSecond<> scale_up{};
        double domain{1};  // devices that one scale-up fabric joins
        Topology topology{Topology::none};
        BytesPerSecond<> pair{};  // what one pair of devices gets in a mesh or torus
        BytesPerSecond<> scale_out{};
        BytesPerSecond<> pcie{};
        Provenance provenance{};
    } links{};

    struct Power {
        Watts<> tdp{};
        Provenance provenance{};
    } power{};

    std::vector<DatedPrice> rent{};  // per device and hour
    std::vector<DatedPrice> buy{};   // per device
};

/// `devices` accelerators: whole scale-up domains joined by their NICs.
struct Machine {
    std::string id{};
    std::string name{};
    Accelerator accelerator{};
    double devices{1};
    double domain{1};              // devices per scale-up domain in this machine
    BytesPerSecond<> scale_up{};   // PCIe where there is no scale-up link
    BytesPerSecond<> scale_out{};  // zero: no known network
    Watts<> system_power{};        // wall power of the whole machine; zero where unknown
};

/// The same machine with another number of devices.
[[nodiscard]] Machine with_devices(Machine machine, double devices);

/// What a device can hold: of unified memory the share that its GPU may use, where it is known;
/// else the reported figure, else the smaller reading of the sold one.
[[nodiscard]] Bytes<> capacity(const Accelerator& accelerator);
[[nodiscard]] std::string_view capacity_source(const Accelerator& accelerator);

/// Bandwidth of shared memory and L1: units x bytes per clock x clock; zero where a factor is
/// unknown. This is the level that fused attention works in.
template <class R = double>
[[nodiscard]] BytesPerSecond<R> on_chip_bandwidth(const Accelerator& accelerator);
/// All shared memory of the chip together.
[[nodiscard]] Bytes<> on_chip_memory(const Accelerator& accelerator);

/// The data-sheet dense peak for an arithmetic. Where the part lacks it, that of the format that
/// its kernels fall back to (bf16 -> fp16 -> fp32); zero if none does.
[[nodiscard]] FlopsPerSecond<> peak(const Accelerator& accelerator, Arithmetic arithmetic);

/// The arithmetic that `peak` answered for: fp16 on a part without bf16.
[[nodiscard]] std::optional<Arithmetic> usable(const Accelerator& accelerator,
                                               Arithmetic arithmetic);

/// How far above the data-sheet peak the part may run: its highest clock / the clock that its peak
/// is stated at, at least 1. A ceiling must not be beaten by a part that boosts.
[[nodiscard]] double clock_headroom(const Accelerator& accelerator);

/// Arithmetic intensity above which a part is compute-bound: peak / memory bandwidth.
[[nodiscard]] Intensity<> ridge(const Accelerator& accelerator, Arithmetic arithmetic);

/// Median of the dated rents per device-hour (of the middles of ranges); empty if none is known.
[[nodiscard]] std::optional<double> median_rent(const Accelerator& accelerator);

}  // namespace napkin
