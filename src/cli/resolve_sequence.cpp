#include "cli/resolve_sequence.hpp"

#include <algorithm>

#include "napkin/serving.hpp"

namespace napkin::cli {

using report::number;

void read_prompt(Resolver& resolver, Inputs& inputs) {
    Workload& workload = inputs.workload;
    workload.prompt = resolver.length("prompt", 2048);
    workload.prefix = resolver.length("prefix", 0);
    workload.context = workload.prompt;
    resolver.check_length(inputs.model, "prompt", workload.prompt);
    if (workload.prefix >= workload.prompt) {
        resolver.problem(problem_of("--prefix", "nothing-to-read",
                                    "the cached prefix leaves nothing of the prompt to read",
                                    "less than the prompt of " + with_separators(workload.prompt)));
    }
    if (!inputs.model.id.empty() && is_size(inputs.model)) {
        resolver.problem(problem_of("", "needs-architecture",
                                    "a size has no layers, so its attention is unknown",
                                    "a preset: `napkin model` lists them"));
    }
}

void read_request(Resolver& resolver, Inputs& inputs) {
    read_prompt(resolver, inputs);
    inputs.workload.output = resolver.length("output", 512);
    if (inputs.workload.output < 2) {
        resolver.problem(problem_of("--output", "nothing-to-generate",
                                    "the first token comes from the prompt, so one token takes no "
                                    "step",
                                    "2 tokens or more",
                                    "`napkin prefill` answers how fast prompts are read"));
    }
    inputs.workload.context = tokens_held(inputs);
    resolver.check_length(inputs.model, "prompt + output", inputs.workload.context);
    if (const auto batch = resolver.optional("batch", read_whole)) {
        inputs.workload.batch = *batch;
        resolver.add_input("batch", number(*batch, "1", Style::whole), resolver.from("batch"));
    }
}

void read_encoded_prompt(Resolver& resolver, Inputs& inputs) {
    if (has_encoder(inputs.model)) {
        inputs.workload.prompt = resolver.length("prompt", 2048);
    } else if (resolver.setting("prompt") && !inputs.model.id.empty()) {
        resolver.problem(problem_of("--prompt", "no-encoder",
                                    inputs.model.id + " has no encoder to read a prompt apart",
                                    "--context, which counts every token in the cache"));
    }
}

void read_skew(Resolver& resolver, Inputs& inputs) {
    const auto skew = resolver.optional("expert-skew", read_number);
    if (!skew) return;
    const bool routed = std::any_of(
        inputs.model.blocks.begin(), inputs.model.blocks.end(),
        [](const Block& block) { return std::holds_alternative<Experts>(block.feed_forward); });
    if (*skew < 0) {
        resolver.refuse("expert-skew", *resolver.setting("expert-skew"),
                        "expected 0 (uniform) or more: popularity falls as rank^-skew");
    } else if (!routed && !inputs.model.id.empty()) {
        resolver.problem(problem_of("--expert-skew", "no-experts",
                                    inputs.model.id + " has no experts to route to", ""));
    }
    inputs.workload.expert_skew = *skew;
    resolver.add_input("expert_skew", number(*skew, "1", Style::plain),
                       resolver.from("expert-skew"));
}

}  // namespace napkin::cli
