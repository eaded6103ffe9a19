// Speculative decoding: the draft model, and how much of what it drafts is accepted.
#include "cli/resolve.hpp"

namespace napkin::cli {

using report::number;
using report::word;

std::optional<Model> Resolver::draft(const Inputs& asked) {
    const auto name = setting("draft");
    const auto format_name = setting("draft-weights");
    if (!name) {
        if (format_name) {
            problem(problem_of("--draft-weights", "no-draft", "there is no draft model",
                               "--draft MODEL"));
        }
        return std::nullopt;
    }
    Model model = attempt<Model>([&] { return look_up_model(*name); }, "--draft");
    if (model.id.empty()) return std::nullopt;
    if (is_size(model) && asked.workload.context > 0) {
        problem(problem_of("--draft", "needs-architecture",
                           "a size has no layers, so the KV cache of the draft is unknown",
                           "a preset (`napkin model` lists them), or --context 0"));
    }
    const auto of_types = format_name ? catalog_.mix(*format_name) : std::nullopt;
    if (of_types && !is_size(model)) {
        Mixed result = mixed(*of_types, std::move(model));
        model = std::move(result.model);
        for (const std::string& misfit : result.misfits) {
            problem(problem_of("--draft-weights", "weights-do-not-fit",
                               "there is no such file of " + model.name + ": " + misfit));
        }
    } else if (const auto weights = format("draft-weights")) {
        set_weights(model, *weights);
    }
    report::Input input{
        .key = "draft", .value = {}, .from = from("draft"), .members = {}, .flips_at = {}};
    input.members = {{"id", word(model.id)},
                     {"name", word(model.name)},
                     {"parameters", number(parameters(model), "1", Style::count)},
                     {"weights", word(model.weights_as.empty() ? "bf16" : model.weights_as)}};
    inputs.push_back(std::move(input));
    const double own = asked.model.vocabulary;
    if (own > 0 && model.vocabulary > 0 && own != model.vocabulary) {
        note("draft-vocabulary",
             "the vocabularies of " + asked.model.name + " (" + with_separators(own) + ") and " +
                 model.name + " (" + with_separators(model.vocabulary) +
                 ") differ in size: not every engine can draft across them",
             true);
    }
    return model;
}

std::optional<Drafting> Resolver::drafting(const Inputs& asked) {
    if (!setting("draft") && !setting("draft-tokens") && !setting("acceptance")) {
        return std::nullopt;
    }
    expect("draft-tokens", "how many tokens are drafted before each pass, such as 4");
    expect("acceptance", "the share of them that is accepted, such as 70%");
    Drafting drafting;
    drafting.tokens = optional("draft-tokens", read_whole).value_or(1);
    drafting.acceptance = optional("acceptance", read_fraction).value_or(0);
    if (drafting.acceptance < 0 || drafting.acceptance > 1) {
        refuse("acceptance", *setting("acceptance"), "expected a share from 0 to 100 %");
    }
    add_input("draft_tokens", number(drafting.tokens, "token", Style::whole), from("draft-tokens"));
    add_input("acceptance", number(drafting.acceptance, "1", Style::percent), from("acceptance"));
    if (!setting("draft") && !asked.model.id.empty()) {
        note("free-drafting",
             "no draft model: drafting takes no time and no memory, as with n-grams; the "
             "prediction layers of a model's own (MTP) are not counted");
    }
    return drafting;
}

}  // namespace napkin::cli
