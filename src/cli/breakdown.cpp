#include "cli/breakdown.hpp"

#include <algorithm>

namespace napkin::cli {

using report::number;
using report::Value;
using report::word;

namespace {

template <class Q>
Value value(const Q& x, std::string unit, Style style) {
    return number(value_of(x), std::move(unit), style);
}

// "projections" are attention's; words are set apart by spaces.
std::string title_of(OperationKind kind) {
    std::string text(kind == OperationKind::attention_projections ? "projections" : name_of(kind));
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

// Of a share that would read as next to nothing, nothing is shown.
Value rounded(double share) {
    constexpr double least = 0.0005;
    return number(share < least ? 0 : share, "1", Style::percent);
}

std::vector<Value> row_of(const Work<Traced>& work) {
    const bool exchange = value_of(work.calls) > 0;
    const bool computes = value_of(work.step.flops) > 0;
    const Totals<Traced>& totals = work.totals;
    const std::string arithmetic(computes ? name_of(work.arithmetic) : "-");
    const auto bytes = [](const Bytes<Traced>& x) { return value(x, "B", Style::bytes); };
    return {word(title_of(work.kind)),
            word(std::string(name_of(work.kind))),
            computes ? word(arithmetic) : Value{},
            computes ? value(work.step.flops, "FLOP", Style::flops) : Value{},
            value(work.step.flops, "FLOP", Style::flops),
            bytes(exchange ? work.message : work.step.bytes),
            bytes(work.step.bytes),
            bytes(totals.weight_bytes),
            bytes(totals.kv_bytes),
            bytes(totals.activation_bytes),
            bytes(work.fused_bytes),
            bytes(totals.scale_up_bytes),
            bytes(totals.scale_out_bytes),
            bytes(work.message),
            number(work.calls.value(), "1", Style::plain),
            computes && value_of(work.step.bytes) > 0
                ? value(work.intensity, "FLOP/B", Style::plain)
                : Value{},
            computes ? value(work.attainable, "FLOP/s", Style::flop_rate) : Value{},
            value(work.time, "s", Style::duration),
            word(std::string(name_of(work.bound))),
            rounded(work.share.value()),
            number(work.share.value(), "1", Style::percent)};
}

// "1.06 times, scores in memory; +20.0 us"
std::string cost_of_unfused(const AttentionTraffic<Traced>& attention) {
    std::string text = "scores in memory";
    if (value_of(attention.fused) > 0) {
        text = to_text(value_of(attention.unfused) / value_of(attention.fused), Style::plain) +
               " times, scores in memory";
    }
    const double more = value_of(attention.unfused_time) - value_of(attention.fused_time);
    return text + "; +" + to_text(more, Style::duration);
}

}  // namespace

report::Table operations_table(const Breakdown<Traced>& parts) {
    report::Table table{.key = "operations",
                        .columns = {{"", "operation"},
                                    {"operation", ""},
                                    {"arithmetic", "in"},
                                    {"", "FLOPs"},
                                    {"flops", ""},
                                    {"", "bytes"},
                                    {"bytes", ""},
                                    {"weight_bytes", ""},
                                    {"kv_bytes", ""},
                                    {"activation_bytes", ""},
                                    {"score_bytes_on_chip", ""},
                                    {"scale_up_bytes", ""},
                                    {"scale_out_bytes", ""},
                                    {"message_bytes", ""},
                                    {"calls", ""},
                                    {"intensity", "FLOP/B"},
                                    {"attainable_flops", ""},
                                    {"time", "time"},
                                    {"bound", "bound"},
                                    {"", "share"},
                                    {"share", ""}},
                        .rows = {}};
    std::vector<const Work<Traced>*> longest_first;
    for (const Work<Traced>& work : parts.works) longest_first.push_back(&work);
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [](const auto* a, const auto* b) { return a->time > b->time; });
    for (const Work<Traced>* work : longest_first) table.rows.push_back(row_of(*work));
    return table;
}

std::vector<report::Result> breakdown_results(const Breakdown<Traced>& parts,
                                              const Inputs& inputs) {
    const Roofline<Traced>& roof = parts.roofline;
    const bool boosts = clock_headroom(inputs.machine.accelerator) > 1;
    std::vector<report::Result> results{
        plain_result("bound", word(std::string(name_of(roof.bound))), "bound by"),
        result("intensity", roof.intensity, Style::intensity, "intensity", "of the whole step"),
        result("ridge_intensity", roof.ridge, Style::intensity, "ridge point",
               std::string("of its arithmetic") + (boosts ? ", at the highest clock" : "")),
        ceiling_of(result("attainable_flops", roof.attainable, Style::flop_rate, "attainable")),
        result("headroom", roof.headroom, Style::plain, "headroom",
               roof.bound == Bound::compute ? "" : "times faster if it were compute-bound"),
        ceiling_of(result(
            "step_time", parts.step.time, Style::duration, "step time",
            "a ceiling; one after the other " + to_text(value_of(parts.in_turn), Style::duration))),
        result("time_in_turn", parts.in_turn, Style::duration)};
    results.back().explained = false;
    const AttentionTraffic<Traced>& attention = parts.attention;
    if (value_of(attention.scores) == 0) return results;
    results.push_back(result("attention_bytes_fused", attention.fused, Style::bytes, "attention",
                             "fused: keys and values alone"));
    results.push_back(result("attention_bytes_unfused", attention.unfused, Style::bytes, "unfused",
                             cost_of_unfused(attention)));
    results.push_back(result("attention_time_fused", attention.fused_time, Style::duration));
    results.push_back(result("attention_time_unfused", attention.unfused_time, Style::duration));
    if (value_of(attention.on_chip_time) > 0) {
        results.push_back(
            result("on_chip_time", attention.on_chip_time, Style::duration, "scores on chip",
                   to_text(value_of(attention.scores), Style::bytes) + " at " +
                       to_text(value_of(attention.on_chip_bandwidth), Style::byte_rate) +
                       " of shared memory"));
    }
    return results;
}

}  // namespace napkin::cli
