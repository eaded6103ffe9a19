// A step taken apart: what each kind of work of the busiest device costs, and what fusing saves.
#pragma once

#include "napkin/roofline.hpp"

namespace napkin {

/// One kind of work in one arithmetic, over all layers of the busiest device in one step. On its
/// own it takes time = larger(FLOPs / peak, bytes / bandwidth), at the highest rates that the part
/// may reach; a collective takes what its law says.
template <class R = double>
struct Work {
    OperationKind kind{};
    Arithmetic arithmetic{Arithmetic::bf16};
    Totals<R> totals{};
    Step<R> step{};  // FLOPs and bytes over the peak rates
    Bytes<R> fused_bytes{};
    Intensity<R> intensity{};        // zero for collectives
    FlopsPerSecond<R> attainable{};  // FLOPs / time
    R calls{};                       // of a collective
    Bytes<R> message{};              // what each device puts into all of them
    Seconds<R> time{};
    Bound bound{};  // a collective's: overhead where latencies take longer than transfers
    R share{};      // of the sum of all times
};
template <class R = double>
using Works = Rows<Work<R>, 32>;

/// Attention over a step, fused and not: the same FLOPs, and with the scores in memory their bytes.
template <class R = double>
struct AttentionTraffic {
    Bytes<R> fused{};    // keys and values alone
    Bytes<R> scores{};   // what stays on the chip
    Bytes<R> unfused{};  // both
    Seconds<R> fused_time{};
    Seconds<R> unfused_time{};
    Seconds<R> on_chip_time{};  // scores / on-chip bandwidth; zero where that is unknown
    BytesPerSecond<R> on_chip_bandwidth{};
};

template <class R = double>
struct Breakdown {
    Works<R> works{};
    Totals<R> totals{};    // the sum of all works: those of `decode` and `prefill`
    Step<R> step{};        // the ceiling: everything overlaps
    Seconds<R> in_turn{};  // one work after the other
    /// Of the whole step: ridge = FLOPs / compute time / bandwidth, of its own mix of arithmetics;
    /// attainable = FLOPs / step time.
    Roofline<R> roofline{};
    AttentionTraffic<R> attention{};
};
template <class R = double>
[[nodiscard]] Breakdown<R> breakdown(const Inputs& inputs, Phase phase);

}  // namespace napkin
