// Failures: how often a job stops, when to checkpoint, and how much of the time trains.
#include "napkin/reliability.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "cli/question.hpp"

namespace napkin::cli {
namespace {

using report::number;

std::optional<IntervalRule> read_rule(const std::string& text) {
    if (text == "young") return IntervalRule::young;
    if (text == "daly") return IntervalRule::daly;
    if (text == "saxena") return IntervalRule::saxena;
    return std::nullopt;
}

// The published record for the family, else the one with the most devices, with a warning.
const FailureRecord& record_for(const std::vector<FailureRecord>& records, const Accelerator& part,
                                Resolver& resolver) {
    for (const FailureRecord& record : records) {
        if (record.family == part.family) return record;
    }
    resolver.note("failures-of-another-family",
                  "no published failure rate is known for " + part.name + ": that of the " +
                      records.front().id + " run (" + records.front().family + ") is used",
                  true);
    return records.front();
}

}  // namespace

Documents goodput(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    const Machine machine = resolver.machine();
    const auto given_mtbf = resolver.optional("device-mtbf", read_duration);
    const auto stall = resolver.optional("checkpoint-stall", read_duration);
    const auto restart = resolver.optional("restart", read_duration);
    const std::string rule_text = resolver.setting("interval-rule").value_or("young");
    const auto rule = read_rule(rule_text);
    if (!rule) resolver.refuse("interval-rule", rule_text, "expected young, daly or saxena");
    resolver.refuse_any_count();
    const auto positive = [&](const std::optional<Seconds<>>& time, std::string_view flag) {
        if (time && *time <= Seconds<>(0)) {
            resolver.refuse(flag, *resolver.setting(flag), "expected more than zero");
        }
        if (time) {
            std::string key(flag);
            std::replace(key.begin(), key.end(), '-', '_');
            resolver.add_input(key, number(time->value(), "s", Style::duration),
                               resolver.from(flag));
        }
    };
    positive(given_mtbf, "device-mtbf");
    positive(stall, "checkpoint-stall");
    positive(restart, "restart");
    resolver.finish();
    resolver.add_input("interval_rule", report::word(rule_text), resolver.from("interval-rule"));

    const std::vector<FailureRecord> records = catalog.failures();
    Seconds<Traced> one;
    std::string basis = "as given";
    if (given_mtbf) {
        one = given<Traced>(*given_mtbf, "device_mtbf", "--device-mtbf");
    } else {
        const FailureRecord& record = record_for(records, machine.accelerator, resolver);
        one = device_mtbf<Traced>(record);
        basis = with_separators(record.interruptions) + " interruptions in " +
                to_text(record.duration.value(), Style::duration) + " on " +
                with_separators(record.devices) + " devices (" + record.id + ", " + record.date +
                ")";
        resolver.add_input("device_mtbf", number(value_of(one), "s", Style::duration), "default");
    }
    const Seconds<Traced> mtbf = job_mtbf(one, machine.devices);

    report::Document answer;
    answer.command = "goodput";
    answer.title = "interruptions of " + machine.name;
    answer.results = {result("mtbf", mtbf, Style::duration, "between stops", basis),
                      result("interruptions_per_day",
                             named(Traced(unit::day) / mtbf.value(), "interruptions_per_day"),
                             Style::plain, "stops a day"),
                      result("device_mtbf", one, Style::duration, "each device")};
    answer.primary = "goodput";
    if (stall && restart) {
        const auto pause = given<Traced>(*stall, "checkpoint_stall", "--checkpoint-stall");
        const auto back = given<Traced>(*restart, "restart", "--restart");
        const Seconds<Traced> interval = checkpoint_interval(*rule, pause, back, mtbf);
        answer.results.push_back(result("checkpoint_interval", interval, Style::duration,
                                        "checkpoint every", rule_text));
        answer.results.push_back(result("goodput", napkin::goodput(interval, pause, back, mtbf),
                                        Style::percent, "goodput", "share of time that trains"));
        if (value_of(interval) > value_of(mtbf)) {
            resolver.note(
                "interval-above-mtbf",
                "the checkpoint interval is longer than the time between stops: hardly any "
                "work survives",
                true);
        }
    } else {
        resolver.note(
            "goodput-needs-times",
            "goodput and the checkpoint interval need --checkpoint-stall and --restart: no "
            "figure for them is assumed");
    }
    answer.inputs = resolver.inputs;
    answer.notes = resolver.notes;
    return {answer};
}

}  // namespace napkin::cli
