// How fast can it generate: the ceiling of a decode step, or of a round of speculation.
#include "cli/command.hpp"
#include "cli/speculation.hpp"
#include "cli/speed.hpp"
#include "cli/turning.hpp"

namespace napkin::cli {
namespace {

using report::Result;

// A round of speculation as if it were a step.
template <class R>
Decode<R> as_step(const Speculation<R>& round) {
    Decode<R> step = round.verify;
    step.step_time = round.round_time;
    step.tokens_per_second = round.tokens_per_second;
    return step;
}

}  // namespace

Documents decode(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    const Question question = inference_question(resolver);
    const Inputs& inputs = question.inputs;
    report::Document answer = document("decode", resolver, question);
    answer.primary = "tokens_per_second";
    std::vector<Result> rates;
    const bool explained = arguments.has("explain");
    if (question.drafting) {
        const Drafting& drafting = *question.drafting;
        const auto round = speculate(inputs, drafting, ceiling_pace<Traced>(inputs.machine));
        add_terms(answer, round.verify.step, round.verify.totals);
        rates = speculation_results(round, question, inputs.workload.batch > 1);
        add_host(answer, rates, round.verify.host, round.verify.step.time, inputs);
        add_exchange_of(rates, inputs, explained, [&](const auto& pace) {
            return as_step(speculate(inputs, drafting, pace));
        });
    } else {
        const Decode<Traced> speed = napkin::decode<Traced>(inputs);
        add_terms(answer, speed.step, speed.totals);
        rates = decode_results(speed, inputs);
        if (!inputs.offload) add_turning(rates, inputs, explained);
        add_host(answer, rates, speed.host, speed.step.time, inputs);
        add_exchange_of(rates, inputs, explained,
                        [&](const auto& pace) { return napkin::decode(inputs, pace); });
    }
    add_rates(answer, question, std::move(rates));
    return {answer};
}

}  // namespace napkin::cli
