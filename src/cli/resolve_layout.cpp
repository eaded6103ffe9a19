#include "cli/resolve_layout.hpp"

#include <algorithm>

#include "napkin/partition.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

// Degrees given by flags. What they leave of the machine becomes replicas, or, where replicas are
// given, tensor parallelism.
std::optional<Layout> given_layout(Resolver& resolver, const Inputs& inputs) {
    const auto tp = resolver.optional("tp", read_whole);
    const auto pp = resolver.optional("pp", read_whole);
    const auto dp = resolver.optional("dp", read_whole);
    const auto ep = resolver.optional("ep", read_whole);
    if (!tp && !pp && !dp && !ep) return std::nullopt;
    Layout layout{.dp = dp.value_or(1),
                  .tp = tp.value_or(1),
                  .pp = pp.value_or(1),
                  .ep = ep.value_or(1),
                  .zero = 0,
                  .why = "as given"};
    const double devices = inputs.machine.devices;
    const double rest = round_down(devices / (layout.dp * layout.tp * layout.pp));
    if (rest > 1 && !dp) layout.dp = rest;
    if (rest > 1 && dp && !tp) layout.tp = rest;
    const double product = layout.dp * layout.tp * layout.pp;
    if (dp && product < devices && !inputs.machine.id.empty()) {
        resolver.problem(problem_of("--on", "layout-devices",
                                    "dp x tp x pp = " + shortest(product) + " leaves " +
                                        shortest(devices - product) + " of " + shortest(devices) +
                                        " devices without work",
                                    "degrees whose product is the number of devices"));
    }
    return layout;
}

}  // namespace

std::optional<Layout> read_layout(Resolver& resolver, const Inputs& inputs) {
    const std::optional<Layout> layout = given_layout(resolver, inputs);
    if (!layout || inputs.model.id.empty() || inputs.machine.id.empty()) return layout;
    if (resolver.any_count()) {
        resolver.problem(problem_of("--on", "layout-without-count",
                                    "a layout is for a number of devices, not for any",
                                    "a count instead of the n, or no --tp, --pp, --dp and --ep"));
        return layout;
    }
    for (const Violation& violation : violations(*layout, inputs.model, inputs.machine)) {
        std::string valid;
        for (const double degree : violation.valid) {
            valid += (valid.empty() ? "" : ", ") + shortest(degree);
        }
        resolver.problem(problem_of(violation.flag, violation.id, violation.message, valid));
    }
    return layout;
}

std::vector<std::pair<std::string, report::Value>> degrees_of(const Layout& layout) {
    return {{"dp", number(layout.dp, "1", Style::whole)},
            {"tp", number(layout.tp, "1", Style::whole)},
            {"pp", number(layout.pp, "1", Style::whole)},
            {"ep", number(layout.ep, "1", Style::whole)}};
}

void note_idle_devices(Resolver& resolver, const Machine& machine, const Layout& layout,
                       std::string_view devices) {
    const double idle = machine.devices - layout.dp * layout.tp * layout.pp;
    if (idle <= 0) return;
    std::string said = shortest(idle) + " of " + shortest(machine.devices) + " ";
    said.append(devices);
    resolver.note("idle-devices",
                  said + " stay idle: the model's rules allow no layout over all of them", true);
}

void add_layout(Resolver& resolver, const Question& question) {
    const Layout& layout = question.placement.layout;
    report::Input input{.key = "layout",
                        .value = {},
                        .from = question.layout_given ? "flag" : "default",
                        .members = {},
                        .flips_at = {}};
    input.members = degrees_of(layout);
    input.members.emplace_back("zero", number(layout.zero, "1", Style::whole));
    input.members.emplace_back("why", word(layout.why));
    if (layout.ep > 1) {
        double experts = 0;
        for (const Block& block : question.inputs.model.blocks) {
            const auto* mixture = std::get_if<Experts>(&block.feed_forward);
            if (mixture != nullptr) experts = larger(experts, mixture->experts);
        }
        input.members.emplace_back("experts_per_device",
                                   number(experts / layout.ep, "1", Style::whole));
    }
    resolver.inputs.push_back(std::move(input));
}

std::vector<Layout> one_replica(std::vector<Layout> candidates, const Inputs& inputs) {
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                    [](const Layout& layout) { return layout.dp > 1; }),
                     candidates.end());
    if (!candidates.empty()) return candidates;
    const double stages = smaller(inputs.machine.devices, layers(inputs.model));
    candidates.push_back({.pp = stages, .why = "one replica beside the host"});
    return candidates;
}

std::string layout_text(const Layout& layout) {
    std::string text;
    const auto add = [&](std::string_view name, double degree) {
        if (degree > 1) text += ", " + std::string(name) + " " + shortest(degree);
    };
    add("tp", layout.tp);
    add("pp", layout.pp);
    add("dp", layout.dp);
    add("ep", layout.ep);
    return text;
}

}  // namespace napkin::cli
