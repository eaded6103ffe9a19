// A training run from the armchair: work, duration, device-hours, dollars, and the memory beside.
#include "napkin/training.hpp"

#include "cli/command.hpp"
#include "cli/price.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;

std::string run_text(const PublishedRun& run) {
    return run.model + " at " + to_text(run.mfu, Style::percent);
}

// Without --mfu the answer is a range: what published runs of this accelerator family reached.
// `value` holds at 100 %; what takes time grows as utilisation falls.
Result banded(Result row, const std::optional<PublishedRange>& range, bool grows) {
    row = ceiling_of(std::move(row));
    if (!range) return row;
    const double full = *row.value.number();
    const auto at = [&](const PublishedRun& run) {
        return grows ? full / run.mfu : full * run.mfu;
    };
    row.expected = report::Band{
        .worst = at(range->lowest), .typical = at(range->median), .best = at(range->highest)};
    row.remark.clear();
    return row;
}

void add_memory(report::Document& answer, const Inputs& inputs) {
    const Fit<Traced> outcome =
        napkin::fit(training_residents<Traced>(inputs), inputs.machine.accelerator);
    const std::string room = to_text(value_of(outcome.capacity), Style::memory);
    answer.results.push_back(
        result("required", outcome.required, Style::memory, "memory a device",
               "of " + room + ", ZeRO 3, full recompute" + (outcome.fits ? "" : ": does not fit")));
    answer.results.push_back(result("margin", outcome.margin, Style::memory));
    if (outcome.tight) {
        answer.notes.push_back({"tight", "the margin is under 5 % of the device's capacity", true});
    }
}

Result energy_of(const Draw& draw, const Run<Traced>& run) {
    return result("energy", named(draw.watts * run.duration, "energy"), Style::energy, "energy",
                  draw.remark);
}

// Everything that follows from how long the run takes.
std::vector<Result> results_of(const Run<Traced>& run, const Inputs& inputs, double tokens,
                               const std::optional<Rent>& rent) {
    const Traced hours = named(run.device_time.value() / Traced(unit::hour), "device_hours");
    std::vector<Result> results{result("duration", run.duration, Style::duration, "duration"),
                                result("device_hours", hours, Style::count, "device-hours")};
    if (rent) {
        results.push_back(result("usd_total", named(rent->per_device_hour * hours, "usd_total"),
                                 Style::money, "cost", rent->remark));
    }
    const auto& machine = inputs.machine;
    if (const auto draw = power_of(machine)) results.push_back(energy_of(*draw, run));
    const Tokens<Traced> each(given<Traced>(tokens, "tokens", "--tokens", "token") /
                              given<Traced>(machine.devices, "devices", "--on"));
    results.push_back(result("tokens_per_second_per_device",
                             named(each / run.duration, "tokens_per_second_per_device"),
                             Style::token_rate, "each device"));
    return results;
}

}  // namespace

Documents train(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    resolver.expect("tokens", "how many tokens: --tokens 15.6T");
    const auto tokens = resolver.optional("tokens", read_count);
    const auto mfu = resolver.mfu();
    const Arithmetic against = resolver.mfu_peak();
    resolver.convention();
    const Question question = training_question(resolver);
    const Inputs& inputs = question.inputs;
    const auto rent = rent_of(resolver, inputs.machine.accelerator);
    resolver.require_peak(inputs.machine.accelerator, against);
    resolver.finish();
    resolver.add_input("tokens", number(*tokens, "token", Style::count), resolver.from("tokens"));

    const Flops<Traced> work = training_flops<Traced>(
        inputs.model, given<Traced>(Tokens<>(*tokens), "tokens", "--tokens"));
    const Traced reached = mfu ? given<Traced>(*mfu, "mfu", "--mfu") : Traced(1.0);
    const Run<Traced> run = run_at(work, inputs.machine, against, reached);

    report::Document answer = document("train", resolver, question);
    answer.primary = "duration";
    answer.title = inputs.model.id + " on " + inputs.machine.name + ", " +
                   to_text(*tokens, Style::count) + " tokens";
    answer.results.push_back(
        result("flops", run.flops, Style::flops, "work", "6 FLOP a parameter and token (6n)"));
    const std::string peak_text = "dense " + std::string(name_of(against)) + " peak, 6n";
    const auto range =
        published_range(catalog.published_runs(), inputs.machine.accelerator, against);
    for (Result& row : results_of(run, inputs, *tokens, rent)) {
        const bool grows = row.key != "tokens_per_second_per_device";
        if (row.key == "duration") {
            row.remark = mfu ? "at " + to_text(*mfu, Style::percent) + " of the " + peak_text
                             : "at 100 % of the " + peak_text + ": a floor";
        }
        answer.results.push_back(mfu ? std::move(row) : banded(std::move(row), range, grows));
    }
    if (mfu) answer.results.push_back(result("mfu", run.mfu, Style::percent));
    add_memory(answer, inputs);
    if (mfu) return {answer};
    if (range) {
        answer.footer = {
            "floor: 100 % of the " + peak_text + "; worst: " + run_text(range->lowest) +
            "; typical: the median of " + std::to_string(range->count) + " published runs, " +
            to_text(range->median.mfu, Style::percent) + "; best: " + run_text(range->highest)};
        if (rent) answer.footer.push_back("cost: " + rent->remark);
        if (answer.find("energy") != nullptr && inputs.machine.system_power <= Watts<>(0)) {
            answer.footer.push_back("energy: TDP, excludes host and cooling");
        }
    } else {
        answer.notes.push_back({"no-published-mfu",
                                "no published utilisation is known for this family: give --mfu",
                                false});
    }
    return {answer};
}

}  // namespace napkin::cli
