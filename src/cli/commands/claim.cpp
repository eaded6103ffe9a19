// Is a claimed run believable: which utilisation its duration implies, against published ones.
#include "napkin/training.hpp"

#include "cli/command.hpp"
#include "cli/question.hpp"

namespace napkin::cli {
namespace {

using report::number;

constexpr double tolerance = 1.05;  // the contract: highest published times this is believable

// The work: --flops, or a model and its tokens.
std::optional<Flops<Traced>> claimed_work(Resolver& resolver, Model& model) {
    const auto flops = resolver.optional("flops", read_flops);
    if (flops && *flops <= Flops<>(0)) {
        resolver.refuse("flops", *resolver.setting("flops"), "expected more than zero");
    }
    if (flops && !resolver.arguments().positionals.empty()) {
        resolver.problem(problem_of("--flops", "two-works",
                                    "a model and --flops are two statements of the work",
                                    "one of them"));
    }
    if (flops) {
        resolver.add_input("flops", number(flops->value(), "FLOP", Style::flops), "flag");
        return given<Traced>(*flops, "training_flops", "--flops");
    }
    if (resolver.arguments().positionals.empty()) {
        resolver.problem(problem_of("", "missing-work", "nothing says how much was computed",
                                    "a model with --tokens, or --flops"));
        return std::nullopt;
    }
    model = resolver.model();
    resolver.expect("tokens", "how many tokens: --tokens 15.6T");
    const auto tokens = resolver.optional("tokens", read_count);
    if (!tokens || model.id.empty()) return std::nullopt;
    resolver.add_input("tokens", number(*tokens, "token", Style::count), resolver.from("tokens"));
    return training_flops<Traced>(model, given<Traced>(Tokens<>(*tokens), "tokens", "--tokens"));
}

// How long it took: --days, or --device-hours over the devices.
std::optional<Seconds<Traced>> claimed_duration(Resolver& resolver, double devices) {
    const auto days = resolver.optional("days", read_days);
    const auto hours = resolver.optional("device-hours", read_count);
    if (days && hours) {
        resolver.problem(problem_of("--device-hours", "two-durations",
                                    "--days and --device-hours are two statements of the time",
                                    "one of them"));
    }
    if (days && *days <= Seconds<>(0)) {
        resolver.refuse("days", *resolver.setting("days"), "expected more than zero");
    }
    if (days) {
        resolver.add_input("days", number(days->value(), "s", Style::duration), "flag");
        return given<Traced>(*days, "duration", "--days");
    }
    if (hours && devices > 0) {
        resolver.add_input("device_hours", number(*hours, "1", Style::whole), "flag");
        const Traced each = given<Traced>(*hours, "device_hours", "--device-hours") /
                            given<Traced>(devices, "devices", "--on");
        return named(Seconds<Traced>(each * Traced(unit::hour)), "duration");
    }
    return std::nullopt;
}

void judge(report::Document& answer, double mfu, const std::optional<PublishedRange>& range,
           const Accelerator& part) {
    const auto reject = [&](const std::string& why) {
        answer.verdict = "not-believable";
        answer.verdict_text = "not believable";
        answer.yes = false;
        answer.footer.push_back(why);
        answer.notes.push_back({"not-believable", why, false, true});
    };
    if (mfu > 1) {
        reject(
            "an MFU above 100 % cannot be: check for a sparse peak, all parameters of a mixture "
            "of experts instead of the active ones, or other hardware");
        return;
    }
    if (!range) {
        answer.notes.push_back({"no-published-mfu",
                                "no published utilisation is known for " + part.name +
                                    ": only an MFU above 100 % can be refused",
                                false});
        answer.verdict = "believable";
        answer.verdict_text = "believable";
        return;
    }
    const PublishedRun& best = range->highest;
    const std::string against =
        "the highest published for this family is " + to_text(best.mfu, Style::percent) + " (" +
        best.model + (best.date.empty() ? "" : ", " + best.date) + "); believable up to " +
        to_text(best.mfu * tolerance, Style::percent);
    if (mfu > best.mfu * tolerance) {
        reject(against);
        return;
    }
    answer.verdict = "believable";
    answer.verdict_text = "believable";
    answer.footer.push_back(against);
    answer.notes.push_back({"published-mfu", against, false, true});
}

}  // namespace

Documents claim(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    Question question;
    Inputs& inputs = question.inputs;
    const auto work = claimed_work(resolver, inputs.model);
    inputs.machine = resolver.machine();
    resolver.refuse_any_count();
    const Arithmetic against = resolver.mfu_peak();
    resolver.convention();
    const auto duration = claimed_duration(resolver, inputs.machine.devices);
    const auto mfu = resolver.mfu();
    if (!duration && !mfu) {
        resolver.problem(problem_of("", "missing-claim", "nothing is claimed",
                                    "--days, --device-hours or --mfu"));
    }
    resolver.require_peak(inputs.machine.accelerator, against);
    resolver.finish();

    const Run<Traced> run =
        duration ? run_in(*work, inputs.machine, against, *duration)
                 : run_at(*work, inputs.machine, against, given<Traced>(*mfu, "mfu", "--mfu"));
    const auto range =
        published_range(catalog.published_runs(), inputs.machine.accelerator, against);
    report::Document answer;
    answer.command = "claim";
    answer.inputs = resolver.inputs;
    answer.notes = resolver.notes;
    answer.title =
        (inputs.model.id.empty() ? to_text(value_of(*work), Style::flops) : inputs.model.id) +
        " on " + inputs.machine.name;
    answer.results = {
        result("mfu", run.mfu, Style::percent, "MFU",
               "of the dense " + std::string(name_of(against)) + " peak, 6n"),
        result("flops", run.flops, Style::flops, "work"),
        result("flops_per_device", run.flops_per_device, Style::flops, "each device"),
        result("duration", run.duration, Style::duration, "duration"),
        result("device_hours", named(run.device_time.value() / Traced(unit::hour), "device_hours"),
               Style::whole, "device-hours")};
    judge(answer, value_of(run.mfu), range, inputs.machine.accelerator);
    if (duration && mfu && std::abs(*mfu / value_of(run.mfu) - 1) > tolerance - 1) {
        answer.notes.push_back({"claims-disagree",
                                "the claimed MFU of " + to_text(*mfu, Style::percent) +
                                    " and the claimed time do not agree",
                                true});
    }
    return {answer};
}

}  // namespace napkin::cli
