#include "cli/results.hpp"

#include "cli/question.hpp"

namespace napkin::cli {

using report::number;

std::string title(const Question& question) {
    const Inputs& inputs = question.inputs;
    const Model& model = inputs.model;
    std::string text = model.id + " (";
    if (!is_size(model)) text += to_text(parameters(model), Style::count) + ", ";
    text += (model.weights_as.empty() ? "bf16" : model.weights_as) + ") on " + inputs.machine.name;
    if (inputs.layout.zero == 0) text += layout_text(inputs.layout);
    if (!inputs.offload) return text;
    const double all = layers(model);
    if (inputs.offload->layers > 0) {
        text += ", " + shortest(all - inputs.offload->layers) + " of " + shortest(all) + " layers";
    }
    return text + (inputs.offload->expert_layers > 0 ? ", CPU experts" : "");
}

report::Document document(std::string command, const Resolver& resolver, const Question& question) {
    report::Document result;
    result.command = std::move(command);
    result.title = title(question);
    result.inputs = resolver.inputs;
    result.notes = resolver.notes;
    return result;
}

report::Result result(std::string key, const Traced& value, Style style, std::string label,
                      std::string remark) {
    return {.key = std::move(key),
            .value = number(value.value(), "1", style),
            .kind = {},
            .expected = {},
            .label = std::move(label),
            .remark = std::move(remark),
            .share = {},
            .trace = value};
}

report::Result plain_result(std::string key, report::Value value, std::string label,
                            std::string remark) {
    return {.key = std::move(key),
            .value = std::move(value),
            .kind = {},
            .expected = {},
            .label = std::move(label),
            .remark = std::move(remark),
            .share = {},
            .trace = {}};
}

report::Result ceiling_of(report::Result result) {
    result.kind = "ceiling";
    return result;
}

report::Term term(std::string name, const Bytes<Traced>& bytes) {
    return {.name = std::move(name), .value = number(value_of(bytes), "B", Style::bytes)};
}

}  // namespace napkin::cli
