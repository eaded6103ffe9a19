#include "cli/residents_rows.hpp"

#include "cli/pool.hpp"
#include "napkin/partition.hpp"

namespace napkin::cli {
namespace {

using report::Result;

std::string label_of(ResidentKind kind) {
    if (kind == ResidentKind::kv_cache) return "KV cache";
    if (kind == ResidentKind::draft_weights) return "draft model";
    std::string text(name_of(kind));
    for (char& c : text) {
        if (c == '_') c = ' ';
    }
    return text;
}

std::string plural(double n, std::string_view noun) {
    return with_separators(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string origin(const Resolver& resolver, std::string_view flag) {
    return resolver.from(flag) == "default" ? " (default)" : "";
}

std::string remark_of(ResidentKind kind, const Resolver& resolver, const Inputs& inputs,
                      bool training) {
    if (kind == ResidentKind::reserve) {
        const Accelerator& part = inputs.machine.accelerator;
        if (std::string policy = policy_remark(inputs); !policy.empty()) return policy;
        const bool reported = part.memory.reported > Bytes<>(0);
        const std::string whole = to_text(capacity(part).value(), Style::memory) +
                                  (part.memory.usable > Bytes<>(0) ? " usable"
                                   : reported                      ? " reported"
                                                                   : " sold, smaller reading");
        if (inputs.assumptions.reserve.size) return "as given, of " + whole;
        return to_text(inputs.assumptions.reserve.fraction, Style::percent, 2) + " of " + whole;
    }
    if (kind == ResidentKind::kv_cache) {
        return plural(inputs.workload.batch, "sequence") + " x " +
               plural(inputs.workload.context, "token") + origin(resolver, "context");
    }
    const auto& engine = inputs.assumptions.engine;
    const bool padded = engine && engine->padding &&
                        format_of(inputs.model, Role::expert).id == engine->padding->format;
    if (kind == ResidentKind::weights && padded) return "experts padded for its kernels";
    if (kind == ResidentKind::activations && !training) return "of the largest step";
    if (kind == ResidentKind::in_use) return "held by other processes";
    if (kind == ResidentKind::draft_weights) {
        const Layout layout = draft_layout(*inputs.draft, inputs.layout);
        const std::string split = layout_text({.tp = layout.tp, .pp = layout.pp});
        return inputs.draft->id + (split.empty() ? ", whole on each device" : split);
    }
    if (training && kind == ResidentKind::activations) {
        return plural(inputs.workload.micro_batch, "sequence") + " x " +
               plural(inputs.workload.sequence, "token") + ", full recompute";
    }
    return {};
}

}  // namespace

void add_residents(report::Document& document, const Fit<Traced>& fit, const Resolver& resolver,
                   const Inputs& inputs, bool training) {
    // Bars share the scale of the larger of what there is and what is asked.
    const double room = larger(value_of(fit.capacity), value_of(fit.required));
    for (const Resident<Traced>& resident : fit.residents) {
        Result row =
            result(std::string(name_of(resident.kind)), resident.bytes, Style::memory,
                   label_of(resident.kind), remark_of(resident.kind, resolver, inputs, training));
        row.share = value_of(resident.bytes) / room;
        document.results.push_back(std::move(row));
        document.terms.push_back(term(std::string(name_of(resident.kind)), resident.bytes));
    }
    const double margin = value_of(fit.margin);
    Result free = result("margin", fit.margin, Style::memory, margin < 0 ? "margin" : "free");
    free.share = margin < 0 ? 0 : margin / room;
    if (fit.tight) free.remark = "tight: under 5 %";
    if (!fit.fits && fit.fits_without_reserve) free.remark = "the bytes fit, the reserve does not";
    document.results.push_back(std::move(free));
    document.results.push_back(result("required", fit.required, Style::memory));
    document.results.push_back(result("capacity", fit.capacity, Style::memory));
}

}  // namespace napkin::cli
