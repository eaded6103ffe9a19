// The whole envelope on one screen: fit, largest context, decode, prefill, price.
#include "cli/command.hpp"
#include "cli/price.hpp"
#include "cli/speed.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;

// Rates of a plan that does not run stand apart, as everywhere.
void add(report::Document& answer, Result row, bool fits) {
    (fits ? answer.results : answer.if_it_fit).push_back(std::move(row));
}

void add_price(report::Document& answer, const Inputs& inputs, const Rent& rent,
               double tokens_per_second) {
    const auto all =
        named(rent.per_device_hour * given<Traced>(inputs.machine.devices, "devices", "--on"),
              "usd_per_hour");
    answer.results.push_back(
        result("usd_per_hour", all, Style::money, "rent an hour", rent.remark));
    if (!answer.yes) return;
    constexpr double million = 1e6;
    constexpr double usual_use = 0.4;  // the contract's second line beside full utilisation
    const double usd = value_of(all) / unit::hour / tokens_per_second * million;
    answer.results.push_back(plain_result(
        "usd_per_million_output_tokens", number(usd, "USD", Style::money), "per M tokens",
        "this batch at the ceiling, a floor; " + to_text(usd / usual_use, Style::money) +
            " at 40 % use"));
}

}  // namespace

Documents envelope(const Arguments& arguments, const Catalog& catalog) {
    Arguments asked = arguments;
    // A size has no layers: its envelope is the one at an empty context.
    const bool size = !arguments.positionals.empty() && size_model(arguments.positionals[0]) &&
                      !catalog.has(PresetKind::model, arguments.positionals[0]);
    if (size && !arguments.has("context") && !arguments.has("kv-per-token")) {
        asked.values["context"] = {"0"};
    }
    Resolver resolver(asked, catalog);
    Question question = inference_question(resolver);
    Inputs& inputs = question.inputs;
    if (!is_size(inputs.model)) {
        // The default prompt, or as much of it as the model takes.
        const double most = inputs.model.max_context;
        inputs.workload.prompt = most > 0 ? smaller(2048, most) : 2048;
        resolver.add_input("prompt", number(inputs.workload.prompt, "token", Style::whole),
                           "default");
    }
    const auto rent = rent_of(resolver, inputs.machine.accelerator);
    resolver.finish();
    report::Document answer = document("envelope", resolver, question);
    const Fit<Traced> outcome =
        napkin::fit(inference_residents<Traced>(inputs), inputs.machine.accelerator);
    judge(answer, outcome);

    const std::string context = with_separators(inputs.workload.context);
    answer.results.push_back(result("required", outcome.required, Style::memory, "memory",
                                    "of " + to_text(value_of(outcome.capacity), Style::memory) +
                                        " on each device, " + context + " tokens of context"));
    answer.results.push_back(
        result("margin", outcome.margin, Style::memory, outcome.fits ? "free" : "missing"));
    answer.results.push_back(result("capacity", outcome.capacity, Style::memory));
    if (const auto longest = max_context(inputs, question.candidates)) {
        answer.results.push_back(plain_result(
            "max_context", number(*longest, "token", Style::whole), "longest context",
            inputs.model.max_context > 0 && *longest > inputs.model.max_context
                ? "the model's own maximum is " + with_separators(inputs.model.max_context)
                : ""));
    }
    if (const auto devices = min_devices(inputs)) {
        answer.results.push_back(plain_result("min_devices", number(*devices, "1", Style::whole),
                                              outcome.fits ? "" : "fits on at least"));
    }
    const Decode<Traced> speed = napkin::decode<Traced>(inputs);
    add(answer,
        ceiling_of(result("tokens_per_second", speed.tokens_per_second, Style::token_rate, "decode",
                          std::string(name_of(speed.step.bound)) + "-bound, a ceiling")),
        outcome.fits);
    if (!is_size(inputs.model)) {
        Inputs reading = inputs;
        reading.workload.context = reading.workload.prompt;
        const Prefill<Traced> prompt = napkin::prefill<Traced>(reading);
        add(answer,
            ceiling_of(result("time_to_first_token", prompt.time_to_first_token, Style::duration,
                              "prefill",
                              with_separators(reading.workload.prompt) + " tokens, " +
                                  std::string(name_of(prompt.step.bound)) + "-bound, a floor")),
            outcome.fits);
    }
    if (rent) add_price(answer, inputs, *rent, value_of(speed.tokens_per_second));
    return {answer};
}

}  // namespace napkin::cli
