#include "napkin/roofline.hpp"

#include "napkin/derivation.hpp"

namespace napkin {
namespace {

constexpr std::array<std::string_view, 4> names{"compute", "memory", "network", "overhead"};

template <class Q>
void accumulate(Q& sum, const Q& more, double count) {
    if (value_of(more) == 0) return;
    const Q part = count == 1 ? more : Q(more * count);
    sum = value_of(sum) == 0 ? part : sum + part;
}

std::string peak_symbol(Arithmetic arithmetic) {
    return std::string(name_of(arithmetic)) + "_peak";
}

}  // namespace

std::string_view name_of(Bound bound) {
    return names[static_cast<std::size_t>(bound)];
}

template <class R>
Roofline<R> roofline(const Intensity<R>& intensity, const Accelerator& accelerator,
                     Arithmetic arithmetic) {
    const Arithmetic found = usable(accelerator, arithmetic).value_or(arithmetic);
    const auto top = given<R>(peak(accelerator, arithmetic), peak_symbol(found),
                              accelerator.compute.provenance.source);
    const auto bandwidth = given<R>(accelerator.memory.bandwidth, "memory_bandwidth",
                                    accelerator.memory.provenance.source);
    Roofline<R> result{.intensity = intensity};
    result.ridge = named(top / bandwidth, "ridge_intensity");
    result.attainable = named(smaller(top, intensity * bandwidth), "attainable_flops");
    result.headroom = named(top / result.attainable, "headroom");
    result.bound = value_of(intensity) < value_of(result.ridge) ? Bound::memory : Bound::compute;
    return result;
}

template <class R>
Intensity<R> intensity_of(const Gemm& gemm, const NumberFormat& format) {
    const R m = given<R>(gemm.m, "m", "--gemm");
    const R n = given<R>(gemm.n, "n", "--gemm");
    const R k = given<R>(gemm.k, "k", "--gemm");
    const R width = given<R>(bytes_per_weight(format), "bytes_per_element", format.source, "B");
    const Flops<R> work = named(Flops<R>(R(2) * m * n * k), "gemm_flops");
    const Bytes<R> moved = named(Bytes<R>((m * k + k * n + m * n) * width), "gemm_bytes");
    return named(work / moved, "intensity");
}

template <class R>
Rates<R> ceiling_rates(const Machine& machine) {
    const Accelerator& part = machine.accelerator;
    Rates<R> rates;
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        if (part.compute.peak[i] <= FlopsPerSecond<>(0)) continue;
        const auto arithmetic = static_cast<Arithmetic>(i);
        rates.flops[i] =
            given<R>(part.compute.peak[i], peak_symbol(arithmetic), part.compute.provenance.source);
        if (clock_headroom(part) > 1) {
            const R highest = given<R>(clock_headroom(part), "highest_clock_over_rated",
                                       part.compute.provenance.source);
            rates.flops[i] = named(rates.flops[i] * highest,
                                   std::string(name_of(arithmetic)) + "_peak_at_highest_clock");
        }
    }
    rates.memory =
        given<R>(part.memory.bandwidth, "memory_bandwidth", part.memory.provenance.source);
    rates.scale_up = given<R>(machine.scale_up, "scale_up_bandwidth", part.links.provenance.source);
    rates.scale_out =
        given<R>(machine.scale_out, "scale_out_bandwidth", part.links.provenance.source);
    return rates;
}

template <class R>
void add(Totals<R>& totals, const Operation<R>& row, double count) {
    const double times = count * row.times;
    accumulate(totals.flops[static_cast<std::size_t>(row.arithmetic)], row.flops, times);
    accumulate(totals.weights, row.weights, times);
    if (row.kind == OperationKind::experts) totals.expert_passes = row.tokens;
    accumulate(totals.weight_bytes, row.weight_bytes, times);
    accumulate(totals.kv_bytes, row.kv_bytes, times);
    accumulate(totals.activation_bytes, row.activation_bytes, times);
    if (row.link == Link::scale_up) accumulate(totals.scale_up_bytes, row.link_bytes, times);
    if (row.link == Link::scale_out) accumulate(totals.scale_out_bytes, row.link_bytes, times);
}

template <class R>
void add(Totals<R>& totals, const Operations<R>& rows, double count) {
    for (const Operation<R>& row : rows) add(totals, row, count);
}

template <class R>
Pace<R> ceiling_pace(const Machine& machine) {
    return {.rates = ceiling_rates<R>(machine)};
}

template <class R>
Pace<R> exchanging_pace(const Machine& machine) {
    return {.rates = ceiling_rates<R>(machine), .collective_law = true, .network_overlap = 0};
}

template <class R>
Step<R> ceiling(const Totals<R>& totals, const Rates<R>& rates) {
    return step(totals, Pace<R>{.rates = rates});
}

template <class R>
Step<R> step(const Totals<R>& totals, const Pace<R>& pace) {
    const Rates<R>& rates = pace.rates;
    Step<R> step;
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        if (value_of(totals.flops[i]) == 0) continue;
        const Flops<R> work =
            named(totals.flops[i], std::string(name_of(static_cast<Arithmetic>(i))) + "_flops");
        accumulate(step.flops, work, 1);
        if (value_of(rates.flops[i]) > 0) accumulate(step.compute, work / rates.flops[i], 1);
    }
    step.flops = named(step.flops, "flops");
    step.compute = named(step.compute, "compute_time");
    Bytes<R> bytes;
    accumulate(bytes, named(totals.weight_bytes, "weight_bytes_read"), 1);
    accumulate(bytes, named(totals.kv_bytes, "kv_bytes_moved"), 1);
    accumulate(bytes, named(totals.activation_bytes, "activation_bytes"), 1);
    step.bytes = named(bytes, "bytes_moved");
    step.memory = named(step.bytes / rates.memory, "memory_time");
    step.time = larger(step.compute, step.memory);
    step.bound = value_of(step.compute) > value_of(step.memory) ? Bound::compute : Bound::memory;
    if (value_of(totals.scale_up_bytes) > 0 && value_of(rates.scale_up) > 0) {
        accumulate(step.network, named(totals.scale_up_bytes, "scale_up_bytes") / rates.scale_up,
                   1);
    }
    if (value_of(totals.scale_out_bytes) > 0 && value_of(rates.scale_out) > 0) {
        const Seconds<R> out = named(totals.scale_out_bytes, "scale_out_bytes") / rates.scale_out;
        step.network = value_of(step.network) > 0 ? larger(step.network, out) : out;
    }
    if (value_of(totals.collectives) > 0) {
        const Seconds<R> lawful = named(totals.collectives, "collectives_time");
        step.network = value_of(step.network) > 0 ? larger(step.network, lawful) : lawful;
    }
    if (value_of(step.network) > 0) {
        step.network = named(step.network, "network_time");
        const Seconds<R> work = step.time;
        if (value_of(step.network) > value_of(work)) step.bound = Bound::network;
        step.time = larger(work, step.network);
        if (pace.network_overlap == 0) step.time = work + step.network;
        if (pace.network_overlap > 0 && pace.network_overlap < 1) {
            const R shown = given<R>(1 - pace.network_overlap, "share_not_overlapped");
            step.time = step.time + smaller(work, step.network) * shown;
        }
    }
    step.time = named(step.time, "device_step_time");
    return step;
}

template <class R>
LeastBandwidth<R> least_bandwidth(const Totals<R>& totals, const Step<R>& step) {
    LeastBandwidth<R> least;
    if (value_of(step.compute) > 0) {
        least.memory = named(step.bytes / step.compute, "least_memory_bandwidth");
    }
    const Seconds<R> work = larger(step.compute, step.memory);
    if (value_of(work) == 0) return least;
    if (value_of(totals.scale_up_bytes) > 0) {
        least.scale_up = named(totals.scale_up_bytes / work, "least_scale_up_bandwidth");
    }
    if (value_of(totals.scale_out_bytes) > 0) {
        least.scale_out = named(totals.scale_out_bytes / work, "least_scale_out_bandwidth");
    }
    return least;
}

template LeastBandwidth<double> least_bandwidth<double>(const Totals<double>&, const Step<double>&);
template LeastBandwidth<Traced> least_bandwidth<Traced>(const Totals<Traced>&, const Step<Traced>&);
template Roofline<double> roofline<double>(const Intensity<double>&, const Accelerator&,
                                           Arithmetic);
template Roofline<Traced> roofline<Traced>(const Intensity<Traced>&, const Accelerator&,
                                           Arithmetic);
template Intensity<double> intensity_of<double>(const Gemm&, const NumberFormat&);
template Intensity<Traced> intensity_of<Traced>(const Gemm&, const NumberFormat&);
template Rates<double> ceiling_rates<double>(const Machine&);
template Rates<Traced> ceiling_rates<Traced>(const Machine&);
template void add<double>(Totals<double>&, const Operation<double>&, double);
template void add<Traced>(Totals<Traced>&, const Operation<Traced>&, double);
template void add<double>(Totals<double>&, const Operations<double>&, double);
template void add<Traced>(Totals<Traced>&, const Operations<Traced>&, double);
template Pace<double> ceiling_pace<double>(const Machine&);
template Pace<Traced> ceiling_pace<Traced>(const Machine&);
template Pace<double> exchanging_pace<double>(const Machine&);
template Pace<Traced> exchanging_pace<Traced>(const Machine&);
template Step<double> step<double>(const Totals<double>&, const Pace<double>&);
template Step<Traced> step<Traced>(const Totals<Traced>&, const Pace<Traced>&);
template Step<double> ceiling<double>(const Totals<double>&, const Rates<double>&);
template Step<Traced> ceiling<Traced>(const Totals<Traced>&, const Rates<Traced>&);

}  // namespace napkin
