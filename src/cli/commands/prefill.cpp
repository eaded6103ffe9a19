// How fast is the prompt read: the ceiling of prefill.
#include "cli/command.hpp"
#include "cli/speed.hpp"

namespace napkin::cli {

Documents prefill(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    const Question question = inference_question(resolver, Sequence::prompt);
    const Prefill<Traced> speed = napkin::prefill<Traced>(question.inputs);
    report::Document answer = document("prefill", resolver, question);
    answer.primary = "time_to_first_token";
    add_terms(answer, speed.step, speed.totals);
    std::vector<report::Result> rates = prefill_results(speed, question.inputs);
    add_host(answer, rates, speed.host, speed.step.time, question.inputs);
    add_exchange_of(rates, question.inputs, arguments.has("explain"),
                    [&](const auto& pace) { return napkin::prefill(question.inputs, pace); });
    add_rates(answer, question, std::move(rates));
    return {answer};
}

}  // namespace napkin::cli
