#include "cli/limits.hpp"

namespace napkin::cli {
namespace {

using report::number;

// What else would be laid out otherwise at a limit: " (with tp 1, pp 64)".
std::string other_layout(Inputs inputs, const Question& question, double context, double batch) {
    inputs.workload.context = context;
    inputs.workload.batch = batch;
    const std::string layout = layout_text(place(inputs, question.candidates).layout);
    if (layout == layout_text(question.placement.layout)) return {};
    return " (with " + (layout.empty() ? std::string("no split") : layout.substr(2)) + ")";
}

Traced required_at(Inputs inputs, const Question& question, double context, double batch) {
    inputs.workload.context = context;
    inputs.workload.batch = batch;
    inputs.layout = place(inputs, question.candidates).layout;
    return inference_fit<Traced>(inputs).required.value();
}

}  // namespace

void add_limit(report::Document& document, std::string key, std::optional<double> value,
               std::string unit) {
    const report::Value none;
    document.results.push_back(
        plain_result(std::move(key), value ? number(*value, std::move(unit), Style::whole) : none));
}

void add_flips(report::Document& document, const Resolver& resolver, const Question& question,
               std::optional<double> context, std::optional<double> batch) {
    const Inputs& inputs = question.inputs;
    std::string text;
    const auto flips = [&](std::string_view key, std::optional<double> limit, double asked,
                           std::string_view what, const std::string& layout) {
        if (!limit || resolver.from(key) != "default") return;
        // The verdict flips between the limit and the next number, on whichever side we are.
        for (report::Input& input : document.inputs) {
            if (input.key == key) input.flips_at = asked <= *limit ? *limit + 1 : *limit;
        }
        if (asked > *limit && *limit == 0) return;
        text.append(!text.empty() ? ", or " : asked <= *limit ? "flips above " : "fits up to ");
        text.append(what).append(" ").append(with_separators(*limit)).append(layout);
    };
    const double batch_asked = inputs.workload.batch;
    const double context_asked = inputs.workload.context;
    flips("context", context, context_asked, "context",
          other_layout(inputs, question, context.value_or(0), batch_asked));
    flips("batch", batch, batch_asked, "a batch of",
          other_layout(inputs, question, context_asked, batch.value_or(1)));
    if (text.empty()) return;
    if (inputs.model.max_context > 0) {
        text += "; the model's own maximum is " + with_separators(inputs.model.max_context);
    }
    document.footer.push_back(text);
}

Traced proof(const Question& question, double n, bool is_context) {
    const Inputs& inputs = question.inputs;
    const auto at = [&](double value, std::string_view symbol) {
        const Traced required = is_context
                                    ? required_at(inputs, question, value, inputs.workload.batch)
                                    : required_at(inputs, question, inputs.workload.context, value);
        return named(required, symbol, "B");
    };
    const Traced limit = given<Traced>(capacity(inputs.machine.accelerator), "capacity",
                                       capacity_source(inputs.machine.accelerator))
                             .value();
    const std::string name = is_context ? "max_context" : "max_batch";
    return named(
        largest_whole(n, at(n, "required_at_" + name), limit, at(n + 1, "required_at_one_more")),
        name, is_context ? "token" : "1");
}

void add_way_out(report::Document& answer, const Question& question, bool fits) {
    const Inputs& inputs = question.inputs;
    const std::string& kind = inputs.machine.accelerator.kind;
    // Of the engines one leaves layers to the host.
    const auto& engine = inputs.assumptions.engine;
    const bool can = !engine || engine->splits_layers;
    const bool separate = can && kind != "apu" && kind != "cpu" && !is_size(inputs.model);
    if (!separate || (fits && !inputs.offload)) return;
    std::vector<Layout> one;
    for (const Layout& layout : question.candidates) {
        if (layout.dp == 1) one.push_back(layout);
    }
    if (one.empty()) return;
    const double most = max_gpu_layers(inputs, one);
    add_limit(answer, "max_gpu_layers", most, "1");
    if (fits || most == 0) return;
    const std::string where = inputs.machine.devices > 1 ? "devices" : "device";
    answer.footer.push_back("fits with " + shortest(most) + " of " +
                            shortest(layers(inputs.model)) + " layers on the " + where +
                            ", the rest in host memory (--gpu-layers)");
}

}  // namespace napkin::cli
