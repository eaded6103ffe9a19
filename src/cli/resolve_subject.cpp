// What a question is about: the model and the machine, by name, size or file.
#include <algorithm>
#include <array>
#include <cctype>

#include "cli/command.hpp"
#include "cli/resolve.hpp"
#include "napkin/formats.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

// A machine is a preset or a file of presets.
bool is_path(std::string_view text) {
    return text.starts_with('.') || text.starts_with('/') || text.ends_with(".json");
}

// The first preset of a kind in a file.
template <class Look>
auto from_file(const std::string& path, PresetKind kind, std::string_view what, Look look) {
    Catalog own;
    for (const auto& [found, id] : own.add_file(path)) {
        if (found == kind) return look(own, id);
    }
    throw Error(problem_of("", "no-preset", path + " holds no " + std::string(what)));
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

Model Resolver::look_up_model(const std::string& name) {
    if (formats::is_model_path(name)) return model_in_file(name);
    if (auto size = size_model(name); size && !catalog_.has(PresetKind::model, name)) return *size;
    return catalog_.model(name);
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
    const bool file = formats::is_model_path(name);
    Model model = attempt<Model>([&] { return look_up_model(name); }, "");
    if (const auto kv = optional("kv-per-token", read_bytes)) {
        model.size_kv_bytes_per_token = kv->value();
        add_input("kv_per_token", number(kv->value(), "B", Style::bytes), from("kv-per-token"));
    }
    apply_model_settings(model, settings_, *this);
    if (!model.id.empty() && parameters(model) == 0 && takes("on")) {
        problem(problem_of("", "no-parameters", model.id + " holds no parameters",
                           "a model with weights"));
    }
    describe(model, file ? "file" : is_size(model) ? "size" : "preset");
    return model;
}

Model Resolver::model_in_file(const std::string& path) {
    formats::ModelFileOptions options;
    options.weights_given = setting("weights").has_value() || setting("precision").has_value();
    for (const auto& [key, value] : settings_) {
        if (key.starts_with(config_prefix)) {
            options.overrides[key.substr(config_prefix.size())] = value;
        }
    }
    // A family without a recipe still has a size, if it is given one.
    const bool sized = settings_.contains("model.parameters");
    try {
        formats::ReadModel read = formats::read_model_file(path, catalog_, options);
        notes.insert(notes.end(), read.notes.begin(), read.notes.end());
        return std::move(read.model);
    } catch (const Error& error) {
        constexpr std::array<std::string_view, 3> unread{
            "unsupported-family", "unsupported-architecture", "unknown-parameters"};
        const bool size_will_do =
            std::find(unread.begin(), unread.end(), error.problems.front().id) != unread.end();
        if (!sized || !size_will_do) throw;
    }
    Model model = *size_model("1B");  // --set model.parameters says how large
    model.id = model.name = path;
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

Machine Resolver::other_machine(std::string_view flag) {
    const std::string text = *setting(flag);
    const MachineName parts = split_machine(text);
    if (!parts.count) {
        refuse(flag, text, "expected a count of at least 1, such as 8x" + parts.name);
        return {};
    }
    Machine machine = attempt<Machine>([&] { return machine_named(parts.name, *parts.count); },
                                       "--" + std::string(flag));
    if (!machine.id.empty()) describe(machine, flag);
    return machine;
}

Machine Resolver::machine_with(double count) const {
    return machine_named(machine_name_, count);
}

Machine Resolver::machine_named(const std::string& name, double count) const {
    if (is_path(name)) {
        return from_file(
            name, PresetKind::accelerator, "accelerator",
            [&](const Catalog& own, const std::string& id) { return own.machine(id, count); });
    }
    return catalog_.machine(name, count);
}

void Resolver::describe(const Machine& machine, std::string_view flag) {
    const Accelerator& part = machine.accelerator;
    report::Input input{.key = flag == "on" ? "machine" : "prefill_machine",
                        .value = {},
                        .from = from(flag),
                        .members = {},
                        .flips_at = {}};
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
    const bool known = part.memory.reported > Bytes<>(0) || part.memory.usable > Bytes<>(0);
    if (!known && part.memory.sold > Bytes<>(0)) {
        note("sold-memory", part.name + ": what the driver reports is unknown; " +
                                napkin::to_text(part.memory.sold.value(), Style::memory) +
                                " is the smaller reading of the " + part.memory.sold_as + " sold");
    }
}

void Resolver::refuse_any_count() {
    if (!any_count_) return;
    problem(problem_of("--on", "needs-count", "this question needs a number of devices",
                       "a count instead of the n, such as 8x" + machine_name_));
}

}  // namespace napkin::cli
