#include "cli/commands/fit_training.hpp"

#include "cli/limits.hpp"
#include "cli/question.hpp"
#include "cli/residents_rows.hpp"
#include "cli/speed.hpp"
#include "napkin/training.hpp"

namespace napkin::cli {

using report::number;

report::Document fit_training(Resolver& resolver) {
    const Question question = training_question(resolver);
    const Inputs& inputs = question.inputs;
    const Fit<Traced> outcome = fit(training_residents<Traced>(inputs), inputs.machine.accelerator);
    report::Document answer = document("fit", resolver, question);
    answer.title = inputs.model.id + ", training on " + inputs.machine.name +
                   (inputs.machine.devices > 1 ? ", ZeRO 3" : "");
    judge(answer, outcome);
    answer.bytes = Style::memory;
    add_residents(answer, outcome, resolver, inputs, true);
    Bytes<Traced> states(Traced(0));
    for (const Resident<Traced>& resident : outcome.residents) {
        const bool state = resident.kind <= ResidentKind::second_moment;
        if (state) states = states + resident.bytes;
    }
    answer.results.push_back(result("states", named(states, "states"), Style::memory));
    const double count = inputs.machine.devices;
    answer.results.push_back(
        plain_result("total_states", number(value_of(states) * count, "B", Style::bytes)));
    const auto devices = min_training_devices(inputs);
    add_limit(answer, "min_devices", devices, "1");
    answer.footer.push_back(
        "16 bytes a parameter: 2 weights, 2 gradients, 4 master weights, 4 + 4 "
        "Adam moments: " +
        to_text(value_of(states) * count, Style::bytes) + " in all");
    if (!outcome.fits) {
        answer.footer.push_back(devices ? "fits on " + with_separators(*devices) +
                                              " devices at the least, with ZeRO 3"
                                        : "fits on no number of devices");
    }
    return answer;
}

}  // namespace napkin::cli
