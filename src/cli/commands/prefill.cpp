// How fast is the prompt read: the ceiling of prefill.
#include "cli/command.hpp"
#include "cli/speed.hpp"

namespace napkin::cli {

Documents prefill(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    const Question question = inference_question(resolver, true);
    const Prefill<Traced> speed = napkin::prefill<Traced>(question.inputs);
    report::Document answer = document("prefill", resolver, question);
    answer.primary = "time_to_first_token";
    add_terms(answer, speed.step, speed.totals);
    add_rates(answer, question, prefill_results(speed, question.inputs));
    return {answer};
}

}  // namespace napkin::cli
