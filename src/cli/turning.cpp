#include "cli/turning.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;
using report::word;

// What an endless batch waits for, and above which context it does so.
std::string why_never(const Turning<Traced>& turning) {
    if (turning.bound == Bound::network) return "each sequence is exchanged longer than computed";
    if (!turning.context || turning.context->value() < 1) return "at any context";
    return "above " + with_separators(turning.context->value()) + " tokens of context";
}

// Only an explanation needs the way to a figure, and a trace costs as much as the figures.
Turning<Traced> turning_of(const Inputs& inputs, bool explained) {
    if (explained) return turning<Traced>(inputs);
    const Turning<> plain = turning(inputs);
    return {.compute = traced(plain.compute),
            .memory = traced(plain.memory),
            .network = traced(plain.network),
            .bound = plain.bound,
            .batch = plain.batch,
            .context = plain.context,
            .attention = traced(plain.attention),
            .attention_ridge = traced(plain.attention_ridge)};
}

Result for_scripts(Result row) {
    row.in_list = false;
    return row;
}

}  // namespace

void add_turning(std::vector<Result>& results, const Inputs& inputs, bool explained) {
    const Turning<Traced> turning = turning_of(inputs, explained);
    const std::optional<double> max_batch = napkin::max_batch(inputs, {&inputs.layout, 1});
    if (value_of(turning.attention) > 0) {
        results.push_back(for_scripts(
            result("attention_intensity", turning.attention, Style::intensity, "attention",
                   "at any batch; its ridge is " +
                       to_text(value_of(turning.attention_ridge), Style::intensity))));
    }
    const std::string holds = max_batch && *max_batch > 0
                                  ? "; memory holds " + with_separators(*max_batch)
                                  : std::string();
    if (turning.batch) {
        results.push_back(for_scripts(result("step_critical_batch", *turning.batch, Style::whole,
                                             "compute-bound", "the step from here" + holds)));
    } else {
        results.push_back(for_scripts(
            plain_result("", word("never"), "compute-bound", why_never(turning) + holds)));
        results.push_back(for_scripts(plain_result("step_critical_batch", {})));
    }
    if (turning.context) {
        results.push_back(for_scripts(result("turning_context",
                                             Quantity<dimension::token, Traced>(*turning.context),
                                             Style::whole)));
    } else {
        results.push_back(for_scripts(plain_result("turning_context", {})));
    }
    results.push_back(for_scripts(plain_result(
        "max_batch", max_batch ? number(*max_batch, "1", Style::whole) : report::Value{})));
}

}  // namespace napkin::cli
