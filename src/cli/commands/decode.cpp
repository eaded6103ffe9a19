// How fast can it generate: the ceiling of a decode step.
#include "cli/command.hpp"
#include "cli/speed.hpp"
#include "cli/turning.hpp"

namespace napkin::cli {

Documents decode(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    const Question question = inference_question(resolver);
    const Decode<Traced> speed = napkin::decode<Traced>(question.inputs);
    report::Document answer = document("decode", resolver, question);
    answer.primary = "tokens_per_second";
    add_terms(answer, speed.step, speed.totals);
    std::vector<report::Result> rates = decode_results(speed, question.inputs);
    add_turning(rates, turning<Traced>(question.inputs),
                max_batch(question.inputs, {&question.inputs.layout, 1}));
    add_exchange(rates, napkin::decode<Traced>(question.inputs,
                                               exchanging_pace<Traced>(question.inputs.machine)));
    add_rates(answer, question, std::move(rates));
    return {answer};
}

}  // namespace napkin::cli
