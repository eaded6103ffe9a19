// The roofline: what a device can attain, and which of compute, memory or network holds it back.
#pragma once

#include <string_view>

#include "napkin/operations.hpp"

namespace napkin {

enum class Bound { compute, memory, network, overhead };
[[nodiscard]] std::string_view name_of(Bound bound);

/// Upper bound of a kernel of some arithmetic intensity on one device (Williams, Waterman and
/// Patterson 2009): attainable = min(peak, intensity * bandwidth).
template <class R = double>
struct Roofline {
    Intensity<R> intensity{};
    Intensity<R> ridge{};
    FlopsPerSecond<R> attainable{};
    R headroom{};  // peak / attainable: how much faster a compute-bound kernel would run
    Bound bound{};
};
template <class R = double>
[[nodiscard]] Roofline<R> roofline(const Intensity<R>& intensity, const Accelerator& accelerator,
                                   Arithmetic arithmetic);

/// C = A B with A m x k, B k x n: 2 m n k FLOPs over the bytes of the three matrices, each moved
/// once, in one format.
struct Gemm {
    double m{}, n{}, k{};
};
template <class R = double>
[[nodiscard]] Intensity<R> intensity_of(const Gemm& gemm, const NumberFormat& format);

/// Rates that the rows are divided by: peaks for a ceiling.
template <class R = double>
struct Rates {
    std::array<FlopsPerSecond<R>, arithmetic_count> flops{};
    BytesPerSecond<R> memory{};
    BytesPerSecond<R> scale_up{};
    BytesPerSecond<R> scale_out{};
};
/// The highest rates the part may reach: peaks at its highest clock, data-sheet bandwidths.
template <class R = double>
[[nodiscard]] Rates<R> ceiling_rates(const Machine& machine);

/// The rows of one device in one step, added up.
template <class R = double>
struct Totals {
    R weights{};        // how many weights are read
    R expert_passes{};  // of one layer: tokens times experts that the device computes
    std::array<Flops<R>, arithmetic_count> flops{};
    Bytes<R> weight_bytes{};
    Bytes<R> kv_bytes{};
    Bytes<R> activation_bytes{};
    Bytes<R> scale_up_bytes{};
    Bytes<R> scale_out_bytes{};
    R collective_calls{};
    Seconds<R> collectives{};  // by their law, one after the other; zero: not asked for
};
/// Adds a row, or all rows, of `count` equal layers.
template <class R>
void add(Totals<R>& totals, const Operation<R>& row, double count);
template <class R>
void add(Totals<R>& totals, const Operations<R>& rows, double count);

/// How long a step takes when everything overlaps perfectly, and what it waits for.
template <class R = double>
struct Step {
    Seconds<R> compute{};
    Seconds<R> memory{};
    Seconds<R> network{};
    Seconds<R> time{};
    Bound bound{};
    Flops<R> flops{};
    Bytes<R> bytes{};
};

/// What the rows are divided by, and how the times of their parts add up.
template <class R = double>
struct Pace {
    Rates<R> rates{};
    bool collective_law{};      // collectives take what their law says, latency included
    double network_overlap{1};  // share of the shorter of work and exchange hidden by the longer
};
/// Peak rates, everything overlapping, nothing but bytes on the links: no run is faster.
template <class R = double>
[[nodiscard]] Pace<R> ceiling_pace(const Machine& machine);
/// Peak rates, but each collective takes its time and nothing hides it: what tensor parallelism of
/// a single decode step is up against.
template <class R = double>
[[nodiscard]] Pace<R> exchanging_pace(const Machine& machine);

/// Time of the rows of a device. work = larger of FLOPs / peak (summed over arithmetics) and
/// bytes / bandwidth; exchange = largest of link bytes / link rate, or by the law of collectives;
/// time = larger(work, exchange) + (1 - overlap) * smaller(work, exchange).
template <class R = double>
[[nodiscard]] Step<R> step(const Totals<R>& totals, const Pace<R>& pace);
/// Upper bound on the speed of a phase: no device can compute, move or exchange its rows faster
/// than its peak rates. time = largest of FLOPs / peak (by arithmetic), bytes / bandwidth, link
/// bytes / link rate.
template <class R = double>
[[nodiscard]] Step<R> ceiling(const Totals<R>& totals, const Rates<R>& rates);

/// The question put the other way round: from which rates on the memory and the links of a device
/// do not hold its step back. memory = bytes / time of its FLOPs; a link = its bytes / the larger
/// of both times. Zero where nothing is moved or computed.
template <class R = double>
struct LeastBandwidth {
    BytesPerSecond<R> memory{};
    BytesPerSecond<R> scale_up{};
    BytesPerSecond<R> scale_out{};
};
template <class R = double>
[[nodiscard]] LeastBandwidth<R> least_bandwidth(const Totals<R>& totals, const Step<R>& step);

}  // namespace napkin
