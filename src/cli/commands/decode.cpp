// How fast can it generate: the ceiling of a decode step, or of a round of speculation.
#include "cli/command.hpp"
#include "cli/speculation.hpp"
#include "cli/speed.hpp"
#include "cli/turning.hpp"

namespace napkin::cli {
namespace {

using report::Result;

Pace<Traced> unhindered(const Inputs& inputs) {
    return ceiling_pace<Traced>(inputs.machine);
}
Pace<Traced> exchanging(const Inputs& inputs) {
    return exchanging_pace<Traced>(inputs.machine);
}

}  // namespace

Documents decode(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    const Question question = inference_question(resolver);
    const Inputs& inputs = question.inputs;
    report::Document answer = document("decode", resolver, question);
    answer.primary = "tokens_per_second";
    std::vector<Result> rates;
    if (question.drafting) {
        const auto round = speculate(inputs, *question.drafting, unhindered(inputs));
        add_terms(answer, round.verify.step, round.verify.totals);
        rates = speculation_results(round, question, inputs.workload.batch > 1);
        add_host(answer, rates, round.verify.host, round.verify.step.time, inputs);
        const auto hindered = speculate(inputs, *question.drafting, exchanging(inputs));
        Decode<Traced> as_step = hindered.verify;
        as_step.step_time = hindered.round_time;
        as_step.tokens_per_second = hindered.tokens_per_second;
        add_exchange(rates, as_step);
    } else {
        const Decode<Traced> speed = napkin::decode<Traced>(inputs);
        add_terms(answer, speed.step, speed.totals);
        rates = decode_results(speed, inputs);
        if (!inputs.offload) {
            add_turning(rates, inputs, arguments.has("explain"));
        }
        add_host(answer, rates, speed.host, speed.step.time, inputs);
        add_exchange(rates, napkin::decode<Traced>(inputs, exchanging(inputs)));
    }
    add_rates(answer, question, std::move(rates));
    return {answer};
}

}  // namespace napkin::cli
