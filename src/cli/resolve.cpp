#include "cli/resolve.hpp"

#include <algorithm>
#include <cctype>

#include "cli/command.hpp"
#include "cli/flags.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

// Paths are told from names by their looks, as the contract says.
bool is_path(std::string_view text) {
    return text.starts_with('.') || text.starts_with('/') || text.ends_with(".json");
}

bool is_model_file(std::string_view text) {
    return text == "-" || text.ends_with(".gguf") || text.ends_with(".safetensors") ||
           text.starts_with("./") || text.starts_with("../") || text.starts_with('/');
}

// The presets of a file, and the id of the first one of a kind among them.
template <class Look>
auto from_file(const std::string& path, PresetKind kind, std::string_view what, Look look) {
    Catalog own;
    const std::vector<std::string> before = own.ids(kind);
    own.add_file(path);
    for (const std::string& id : own.ids(kind)) {
        if (std::find(before.begin(), before.end(), id) == before.end()) return look(own, id);
    }
    throw Error({.id = "no-preset",
                 .message = path + " holds no " + std::string(what) + " of a new id",
                 .where = {.file = path},
                 .expected = {},
                 .suggestions = {},
                 .hint = {}});
}

}  // namespace

MachineName split_machine(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
        ++digits;
    }
    const auto is_times = [&](std::size_t at) {
        return at + 1 < text.size() && (text[at] == 'x' || text[at] == 'X');
    };
    if (digits > 0 && is_times(digits)) {
        return {.count = read_whole(text.substr(0, digits)).value,
                .any = false,
                .name = std::string(text.substr(digits + 1))};
    }
    if ((text.starts_with('n') || text.starts_with('N')) && is_times(1)) {
        return {.count = {}, .any = true, .name = std::string(text.substr(2))};
    }
    return {.count = 1, .any = false, .name = std::string(text)};
}

Resolver::Resolver(const Arguments& arguments, const Catalog& catalog)
    : arguments_(arguments), catalog_(catalog) {
    const std::vector<std::string> known = setting_names();
    for (const std::string& text : arguments.all("set")) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            refuse("set", text, "KEY=VALUE, such as gpu.memory_bandwidth=4TB/s");
            continue;
        }
        std::string key = text.substr(0, equals);
        const Flag* flag = find_flag(key);
        const bool is_setting = std::find(known.begin(), known.end(), key) != known.end();
        const bool is_input = flag != nullptr && !flag->value.empty() && flag->group != "Output";
        if (!is_setting && !is_input) {
            Problem unknown{.id = "unknown-input",
                            .message = "unknown input '" + key + "'",
                            .where = {.flag = "--set"},
                            .expected = {},
                            .suggestions = nearest(key, known),
                            .hint = {}};
            if (unknown.suggestions.empty()) {
                for (const std::string& name : known) {
                    unknown.expected +=
                        (unknown.expected.empty() ? "a flag's name, or " : ", ") + name;
                }
            }
            problem(std::move(unknown));
            continue;
        }
        settings_[key] = text.substr(equals + 1);
    }
}

std::optional<std::string> Resolver::setting(std::string_view flag) const {
    if (const auto found = settings_.find(flag); found != settings_.end()) return found->second;
    return arguments_.get(flag);
}

std::string Resolver::from(std::string_view flag) const {
    if (settings_.contains(flag)) return "set";
    const auto found = arguments_.from.find(flag);
    return found == arguments_.from.end() ? "default" : found->second;
}

void Resolver::add_input(std::string key, report::Value value, std::string origin) {
    inputs.push_back({.key = std::move(key),
                      .value = std::move(value),
                      .from = std::move(origin),
                      .members = {},
                      .flips_at = {}});
}

void Resolver::note(std::string id, std::string message, bool warning) {
    notes.push_back({std::move(id), std::move(message), warning});
}

void Resolver::refuse(std::string_view flag, const std::string& text, std::string expected) {
    const bool expects = expected.starts_with("expected ");
    const bool set = settings_.contains(flag);
    problem({.id = "bad-value",
             .message = "--" + (set ? "set " + std::string(flag) : std::string(flag)) +
                        " cannot be '" + text.substr(0, 100) + "'" +
                        (expects || flag == "set" ? "" : ": " + expected),
             .where = {.flag = set ? "--set" : "--" + std::string(flag)},
             .expected = expects         ? expected.substr(9)
                         : flag == "set" ? expected
                                         : "",
             .suggestions = {},
             .hint = {}});
}

void Resolver::take(const Error& error, std::string_view flag) {
    for (Problem found : error.problems) {
        if (found.where.flag.empty() && found.where.file.empty()) {
            found.where.flag = std::string(flag);
        }
        problems_.push_back(std::move(found));
    }
}

void Resolver::finish() {
    if (!problems_.empty()) throw Error(std::move(problems_));
}

Model Resolver::model() {
    if (arguments_.positionals.empty()) {
        problem(
            problem_of("", "missing-model", "no model given",
                       "napkin " + std::string(arguments_.command->synopsis),
                       "`napkin model` lists them; a size such as 70B will do for some questions"));
        return {};
    }
    const std::string& name = arguments_.positionals[0];
    Model model = attempt<Model>(
        [&]() -> Model {
            if (is_path(name) && name.ends_with(".json")) {
                return from_file(
                    name, PresetKind::model, "model",
                    [](const Catalog& own, const std::string& id) { return own.model(id); });
            }
            if (is_model_file(name)) {
                throw Error(problem_of("", "unsupported-model-file",
                                       "cannot read a model from '" + name + "'",
                                       "a preset, a size such as 70B, or a preset file",
                                       "`napkin model` lists the presets"));
            }
            if (auto size = size_model(name); size && !catalog_.has(PresetKind::model, name)) {
                return *size;
            }
            return catalog_.model(name);
        },
        "");
    if (const auto kv = optional("kv-per-token", read_bytes)) {
        model.size_kv_bytes_per_token = kv->value();
        add_input("kv_per_token", number(kv->value(), "B", Style::bytes), from("kv-per-token"));
    }
    apply_model_settings(model, settings_, *this);
    describe(model, is_size(model) ? "size" : "preset");
    return model;
}

void Resolver::describe(const Model& model, std::string origin) {
    report::Input input{
        .key = "model", .value = {}, .from = std::move(origin), .members = {}, .flips_at = {}};
    input.members = {{"id", word(model.id)},
                     {"name", word(model.name)},
                     {"parameters", number(parameters(model), "1", Style::count)}};
    if (!model.source.empty()) input.members.emplace_back("source", word(model.source));
    inputs.push_back(std::move(input));
    if (model.unverified) {
        note("unverified-model", "the configuration of " + model.name +
                                     " could not be checked against its publisher's file");
    }
}

Machine Resolver::machine() {
    const auto text = setting("on");
    if (!text) {
        problem(problem_of("--on", "missing-machine", "no machine given",
                           "--on MACHINE, such as --on 8xh100", "`napkin gpu` lists accelerators"));
        return {};
    }
    const MachineName parts = split_machine(*text);
    machine_name_ = parts.name;
    any_count_ = parts.any;
    if (!parts.count && !any_count_) {
        refuse("on", *text, "expected a count of at least 1");
        return {};
    }
    Machine machine =
        attempt<Machine>([&] { return machine_with(parts.count.value_or(1)); }, "--on");
    apply_settings(machine.accelerator);
    if (settings_.contains("gpu.scale_up_bandwidth")) {
        machine.scale_up = machine.accelerator.links.scale_up;
    }
    if (settings_.contains("gpu.scale_out_bandwidth")) {
        machine.scale_out = machine.accelerator.links.scale_out;
    }
    if (!any_count_) describe(machine);
    return machine;
}

void Resolver::apply_settings(Accelerator& part) {
    apply_machine_settings(part, settings_, *this);
}

Machine Resolver::machine_with(double count) const {
    if (is_path(machine_name_)) {
        return from_file(
            machine_name_, PresetKind::accelerator, "accelerator",
            [&](const Catalog& own, const std::string& id) { return own.machine(id, count); });
    }
    return catalog_.machine(machine_name_, count);
}

void Resolver::describe(const Machine& machine) {
    const Accelerator& part = machine.accelerator;
    report::Input input{
        .key = "machine", .value = {}, .from = from("on"), .members = {}, .flips_at = {}};
    input.members = {{"id", word(machine.id)},
                     {"name", word(machine.name)},
                     {"accelerator", word(part.id)},
                     {"devices", number(machine.devices, "1", Style::whole)}};
    inputs.push_back(std::move(input));
    const auto doubt = [&](const Provenance& group, std::string_view what) {
        if (group.unverified) {
            note("unverified-" + std::string(what),
                 "the " + std::string(what) + " figures of " + part.name + " are unverified");
        }
    };
    doubt(part.compute.provenance, "compute");
    doubt(part.memory.provenance, "memory");
    if (machine.devices > 1) doubt(part.links.provenance, "links");
    if (part.memory.reported <= Bytes<>(0) && part.memory.sold > Bytes<>(0)) {
        note("sold-memory", part.name + ": what the driver reports is unknown; " +
                                napkin::to_text(part.memory.sold.value(), Style::memory) +
                                " is the smaller reading of the " + part.memory.sold_as + " sold");
    }
}

double Resolver::whole(std::string_view flag, double otherwise) {
    const double value = optional(flag, read_whole).value_or(otherwise);
    std::string key(flag);
    std::replace(key.begin(), key.end(), '-', '_');
    add_input(key, number(value, "1", Style::whole), from(flag));
    return value;
}

double Resolver::length(std::string_view flag, double otherwise) {
    const double value = optional(flag, read_length).value_or(otherwise);
    std::string key(flag);
    std::replace(key.begin(), key.end(), '-', '_');
    add_input(key, number(value, "token", Style::whole), from(flag));
    return value;
}

double Resolver::context(const Model& model) {
    constexpr double usual = 8192;
    const double most = model.max_context > 0 ? model.max_context : usual;
    const double value = length("context", smaller(usual, most));
    if (model.max_context > 0 && value > model.max_context) {
        note("context-above-maximum",
             "context " + with_separators(value) + " is above the model's own maximum of " +
                 with_separators(model.max_context),
             true);
        if (strict()) {
            problem(problem_of(
                "--context", "context-above-maximum",
                "context " + with_separators(value) + " is above the maximum of " + model.name,
                "at most " + with_separators(model.max_context)));
        }
    }
    if (is_size(model) && value > 0 && model.size_kv_bytes_per_token < 0) {
        problem(problem_of("--context", "needs-architecture",
                           "a size has no layers, so its KV cache at context " +
                               with_separators(value) + " is unknown",
                           "--kv-per-token BYTES, or --context 0 for the weights alone",
                           "a preset (`napkin model`) knows its layers"));
    }
    return value;
}

void Resolver::formats(Model& model, Workload& workload, const Accelerator& accelerator) {
    const auto read = [&](std::string_view flag) -> std::optional<NumberFormat> {
        const auto text = setting(flag);
        if (!text) return std::nullopt;
        return attempt<NumberFormat>([&] { return catalog_.format(*text); },
                                     "--" + std::string(flag));
    };
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
    const auto weights = read("weights");
    const auto kv = read("kv");
    const auto activations = read("activations");
    arithmetic_only(activations, "activations");

    const std::string all_from = all ? from("precision") : "";
    if (weights || all) {
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
    const auto own = model.weights.of[static_cast<std::size_t>(Role::attention)].computes_in;
    if (own && !accelerator.id.empty() && !usable(accelerator, *own)) {
        note("no-native-arithmetic", accelerator.name + " has no " + std::string(name_of(*own)) +
                                         " units: weights are stored in it and computed in " +
                                         workload.activations.id);
    }
}

void Resolver::require_peak(const Accelerator& part, Arithmetic arithmetic) {
    if (part.id.empty() || usable(part, arithmetic)) return;
    std::string has;
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        if (part.compute.peak[i] > FlopsPerSecond<>(0)) {
            has += (has.empty() ? "" : ", ") + std::string(name_of(static_cast<Arithmetic>(i)));
        }
    }
    problem({.id = "unsupported-arithmetic",
             .message =
                 part.name + " has no peak for " + std::string(name_of(arithmetic)) + " arithmetic",
             .where = {},
             .expected = has.empty() ? "no compute figures are known for this part" : has,
             .suggestions = {},
             .hint = {}});
}

std::optional<double> Resolver::mfu() {
    const auto share = optional("mfu", read_fraction);
    if (!share) return std::nullopt;
    if (*share <= 0 || *share > 1) {
        const bool percent = *share > 1 && *share <= 100 && !setting("mfu")->ends_with('%');
        refuse("mfu", *setting("mfu"),
               "expected a share above 0 and up to 100 %" +
                   (percent ? ", such as " + *setting("mfu") + "%" : std::string()));
    }
    add_input("mfu", number(*share, "1", Style::percent), from("mfu"));
    return share;
}

Arithmetic Resolver::mfu_peak() {
    const std::string text = setting("mfu-peak").value_or("bf16");
    const auto arithmetic = arithmetic_named(text);
    if (!arithmetic) refuse("mfu-peak", text, "expected an arithmetic format such as bf16 or fp8");
    add_input("mfu_peak", word(text), from("mfu-peak"));
    return arithmetic.value_or(Arithmetic::bf16);
}

void Resolver::refuse_any_count() {
    if (!any_count_) return;
    problem(problem_of("--on", "needs-count", "this question needs a number of devices",
                       "a count instead of the n, such as 8x" + machine_name_));
}

void Resolver::convention() {
    const std::string text = setting("convention").value_or("6n");
    if (text != "6n") refuse("convention", text, "expected 6n, the only one so far");
    add_input("convention", word("6n"), from("convention"));
}

void Resolver::expect(std::string_view flag, std::string what) {
    if (setting(flag)) return;
    problem(problem_of("--" + std::string(flag), "missing-flag",
                       "--" + std::string(flag) + " is missing", std::move(what)));
}

Reading<Seconds<>> read_days(std::string_view text) {
    if (const auto days = read_number(text); days.value) {
        constexpr double day = 86400;
        return {Seconds<>(*days.value * day), {}};
    }
    return read_duration(text);
}

void Resolver::reserve(Assumptions& assumptions) {
    assumptions.reserve = catalog_.reserve();
    if (const auto size = optional("reserve", read_bytes)) {
        assumptions.reserve.size = *size;
        add_input("reserve", number(size->value(), "B", Style::memory), from("reserve"));
        return;
    }
    add_input("reserve", number(assumptions.reserve.fraction, "1", Style::percent), "default");
}

}  // namespace napkin::cli
