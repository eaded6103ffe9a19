// The number formats of weights, KV cache and activations, and mixes of them.
#include "cli/resolve.hpp"

namespace napkin::cli {

using report::word;

std::optional<NumberFormat> Resolver::format(std::string_view flag) {
    const auto text = setting(flag);
    if (!text) return std::nullopt;
    return attempt<NumberFormat>(
        [&] {
            if (!catalog_.has(PresetKind::format, *text) && catalog_.mix(*text)) {
                const std::string name = text->substr(0, 100);
                throw Error(problem_of(
                    "", "weights-only-mix", name + " is a mix of weight types in a GGUF file",
                    "one number format such as bf16, fp8 or q8_0", "give it as --weights " + name));
            }
            return catalog_.format(*text);
        },
        "--" + std::string(flag));
}

// Names of formats and of mixes, where --weights is neither.
std::optional<NumberFormat> Resolver::weight_format() {
    const auto text = setting("weights");
    if (!text || catalog_.has(PresetKind::format, *text)) return format("weights");
    try {
        return catalog_.format(*text);
    } catch (const Error& error) {
        Problem unknown = error.problems.front();
        std::vector<std::string> names = catalog_.mix_names();
        names.insert(names.begin(), unknown.suggestions.begin(), unknown.suggestions.end());
        unknown.suggestions = nearest(*text, names);
        take(Error(std::move(unknown)), "--weights");
    }
    return NumberFormat{};
}

// A block type of llama.cpp names the file of that name: its head may be of another type.
std::optional<Mix> Resolver::mix(const Model& model) {
    const auto text = setting("weights");
    if (!text) return std::nullopt;
    const bool is_format = catalog_.has(PresetKind::format, *text);
    if (is_format && (is_size(model) || !catalog_.format(*text).keeps_32_bit)) return std::nullopt;
    return catalog_.mix(*text);
}

void Resolver::apply(const Mix& mix, Model& model) {
    const std::string flag = "--weights";
    if (model.id.empty()) return;  // not found, and said so
    const std::string name = setting("weights")->substr(0, 100);
    if (is_size(model)) {
        problem(problem_of(flag, "needs-architecture",
                           name + " is a mix of types by tensor, and a size has no tensors",
                           "one type for all weights, such as --weights " + mix.type.id,
                           "a preset (`napkin model`) knows its tensors"));
        return;
    }
    Mixed result = mixed(mix, std::move(model));
    model = std::move(result.model);
    for (const std::string& misfit : result.misfits) {
        problem(problem_of(flag, "weights-do-not-fit",
                           "there is no " + name + " file of " + model.name + ": " + misfit));
    }
}

void Resolver::formats(Model& model, Workload& workload, const Accelerator& accelerator) {
    const auto read = [&](std::string_view flag) { return format(flag); };
    const auto arithmetic_only = [&](const std::optional<NumberFormat>& format,
                                     std::string_view flag) {
        if (!format || format->id.empty() || format->computes_in) return;
        problem(problem_of("--" + std::string(flag), "weight-only-format",
                           format->id + " is a weight-only format: nothing computes in it",
                           "an arithmetic format such as bf16 or fp8",
                           "give it as --weights " + format->id));
    };
    const auto all = read("precision");
    arithmetic_only(all, "precision");
    const auto mix_of_types = mix(model);
    const auto weights = mix_of_types ? std::nullopt : weight_format();
    const auto kv = read("kv");
    const auto activations = read("activations");
    arithmetic_only(activations, "activations");

    const std::string all_from = all ? from("precision") : "";
    if (mix_of_types) {
        apply(*mix_of_types, model);
        add_input("weights", word(mix_of_types->id), from("weights"));
    } else if (weights || all) {
        set_weights(model, weights ? *weights : *all);
        add_input("weights", word(model.weights_as), weights ? from("weights") : all_from);
    } else if (model.weights_as.empty()) {
        add_input("weights", word("bf16"), "default");
        if (!is_size(model)) {
            note("weights-unknown",
                 "the checkpoint of " + model.name + " states no format: bf16 is assumed", true);
        }
    } else {
        add_input("weights", word(model.weights_as), "checkpoint");
    }
    if (kv || all) {
        workload.kv_format = kv ? *kv : *all;
        add_input("kv", word(workload.kv_format.id), kv ? from("kv") : all_from);
    } else if (model.kv_format) {
        workload.kv_format = *model.kv_format;
        add_input("kv", word(workload.kv_format.id), "checkpoint");
    } else {
        workload.kv_format = attempt<NumberFormat>([&] { return catalog_.format("bf16"); }, "--kv");
        add_input("kv", word("bf16"), "default");
    }
    if (activations || all) {
        workload.activations = activations ? *activations : *all;
        add_input("activations", word(workload.activations.id),
                  activations ? from("activations") : all_from);
    } else {
        workload.activations = bfloat16();
        add_input("activations", word("bf16"), "default");
    }
    if (const auto runs_in = workload.activations.computes_in) {
        require_peak(accelerator, *runs_in);
    }
    const auto own = format_of(model, Role::attention).computes_in;
    if (own && !accelerator.id.empty() && !usable(accelerator, *own)) {
        note("no-native-arithmetic", accelerator.name + " has no " + std::string(name_of(*own)) +
                                         " units: weights are stored in it and computed in " +
                                         workload.activations.id);
    }
}

}  // namespace napkin::cli
