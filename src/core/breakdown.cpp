#include "napkin/breakdown.hpp"

#include "core/stage.hpp"
#include "napkin/collectives.hpp"
#include "napkin/derivation.hpp"

namespace napkin {
namespace {

template <class Q>
Q sum(const Q& a, const Q& b) {
    if (value_of(a) == 0) return b;
    return value_of(b) == 0 ? a : a + b;
}

// The work that a row belongs to; collectives compute nothing, so they are told apart by kind.
template <class R>
Work<R>& work_of(Works<R>& works, const Operation<R>& row) {
    for (std::size_t i = 0; i < works.count; ++i) {
        Work<R>& known = works.at[i];
        if (known.kind == row.kind && known.arithmetic == row.arithmetic) return known;
    }
    works.push({.kind = row.kind, .arithmetic = row.arithmetic});
    return works.at[works.count - 1];
}

template <class R>
struct Exchange {
    Seconds<R> latency{};
    Seconds<R> transfer{};
};

template <class R>
void exchange(Work<R>& work, Exchange<R>& spent, const Operation<R>& row, double times,
              const Inputs& inputs) {
    if (row.collective == CollectiveKind::none || row.group <= 1) return;
    const CollectiveTime<R> one =
        collective_time(row.collective, row.message, row.group, inputs.machine, inputs.assumptions);
    work.calls = sum(work.calls, R(times));
    work.message = sum(work.message, row.message * R(times));
    spent.latency = sum(spent.latency, one.latency * R(times));
    spent.transfer = sum(spent.transfer, one.transfer * R(times));
}

template <class R>
Load<R> load_for(const Inputs& inputs, Phase phase) {
    const R batch = given<R>(inputs.workload.batch, "batch", "--batch");
    const Load<R> all = load_of(sequences_per_instance(batch, inputs.layout), inputs.layout);
    return phase == Phase::decode ? load_of_group(all, inputs.layout) : all;
}

template <class R>
AttentionTraffic<R> traffic_of(const Works<R>& works, const Inputs& inputs, const Rates<R>& rates) {
    AttentionTraffic<R> result;
    Seconds<R> compute;
    for (const Work<R>& work : works) {
        if (work.kind != OperationKind::attention) continue;
        result.fused = sum(result.fused, work.totals.kv_bytes);
        result.scores = sum(result.scores, work.fused_bytes);
        compute = sum(compute, work.step.compute);
    }
    if (value_of(result.scores) == 0) return result;
    result.fused = named(result.fused, "attention_bytes_fused");
    result.scores = named(result.scores, "scores_kept_on_chip");
    result.unfused = named(result.fused + result.scores, "attention_bytes_unfused");
    compute = named(compute, "attention_compute_time");
    result.fused_time = named(larger(compute, result.fused / rates.memory), "attention_time_fused");
    result.unfused_time =
        named(larger(compute, result.unfused / rates.memory), "attention_time_unfused");
    if (on_chip_bandwidth<double>(inputs.machine.accelerator) <= BytesPerSecond<>(0)) return result;
    result.on_chip_bandwidth = on_chip_bandwidth<R>(inputs.machine.accelerator);
    result.on_chip_time = named(result.scores / result.on_chip_bandwidth, "on_chip_time");
    return result;
}

// Of the whole step, at the rates of its ceiling.
template <class R>
Roofline<R> roofline_of(const Step<R>& step, const Rates<R>& rates) {
    Roofline<R> result;
    const FlopsPerSecond<R> top = named(step.flops / step.compute, "peak_of_its_arithmetic");
    result.intensity = named(step.flops / step.bytes, "intensity");
    result.ridge = named(top / rates.memory, "ridge_intensity");
    result.attainable = named(step.flops / step.time, "attainable_flops");
    result.headroom = named(top / result.attainable, "headroom");
    result.bound = step.bound;
    return result;
}

}  // namespace

template <class R>
Breakdown<R> breakdown(const Inputs& inputs, Phase phase) {
    Breakdown<R> result;
    std::array<Exchange<R>, std::tuple_size_v<decltype(result.works.at)>> exchanges{};
    const auto visit = [&](const Operations<R>& rows, double count) {
        add(result.totals, rows, count);
        for (const Operation<R>& row : rows) {
            Work<R>& work = work_of(result.works, row);
            const double times = count * row.times;
            add(work.totals, row, count);
            work.fused_bytes = sum(work.fused_bytes, row.fused_bytes * R(times));
            exchange(work, exchanges[static_cast<std::size_t>(&work - result.works.at.data())], row,
                     times, inputs);
        }
    };
    for_each_rows(inputs, phase, load_for<R>(inputs, phase), visit);
    const Pace<R> pace = ceiling_pace<R>(inputs.machine);
    for (std::size_t i = 0; i < result.works.count; ++i) {
        Work<R>& work = result.works.at[i];
        work.step = step(work.totals, pace);
        work.time = work.step.time;
        work.bound = work.step.bound;
        if (value_of(work.calls) > 0) {
            const Exchange<R>& spent = exchanges[i];
            work.time = spent.latency + spent.transfer;
            work.bound = spent.latency > spent.transfer ? Bound::overhead : Bound::network;
        } else {
            if (value_of(work.step.bytes) > 0) work.intensity = work.step.flops / work.step.bytes;
            if (value_of(work.time) > 0) work.attainable = work.step.flops / work.time;
        }
        result.in_turn = sum(result.in_turn, work.time);
    }
    for (std::size_t i = 0; i < result.works.count; ++i) {
        result.works.at[i].share = result.works.at[i].time / result.in_turn;
    }
    result.in_turn = named(result.in_turn, "time_in_turn");
    result.step = step(result.totals, pace);
    result.roofline = roofline_of(result.step, pace.rates);
    result.attention = traffic_of(result.works, inputs, pace.rates);
    return result;
}

template Breakdown<double> breakdown<double>(const Inputs&, Phase);
template Breakdown<Traced> breakdown<Traced>(const Inputs&, Phase);

}  // namespace napkin
