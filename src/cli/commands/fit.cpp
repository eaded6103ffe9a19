// Does it fit: the residents of the fullest device against what it reports.
#include <algorithm>

#include "cli/command.hpp"
#include "cli/pool.hpp"
#include "cli/speed.hpp"
#include "napkin/partition.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;
using report::word;

std::string label_of(ResidentKind kind) {
    if (kind == ResidentKind::kv_cache) return "KV cache";
    if (kind == ResidentKind::draft_weights) return "draft model";
    std::string text(name_of(kind));
    for (char& c : text) {
        if (c == '_') c = ' ';
    }
    return text;
}

std::string plural(double n, std::string_view noun) {
    return with_separators(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string origin(const Resolver& resolver, std::string_view flag) {
    return resolver.from(flag) == "default" ? " (default)" : "";
}

std::string remark_of(ResidentKind kind, const Resolver& resolver, const Inputs& inputs,
                      bool training) {
    if (kind == ResidentKind::reserve) {
        const Accelerator& part = inputs.machine.accelerator;
        if (std::string policy = policy_remark(inputs); !policy.empty()) return policy;
        const bool reported = part.memory.reported > Bytes<>(0);
        const std::string whole = to_text(capacity(part).value(), Style::memory) +
                                  (part.memory.usable > Bytes<>(0) ? " usable"
                                   : reported                      ? " reported"
                                                                   : " sold, smaller reading");
        if (inputs.assumptions.reserve.size) return "as given, of " + whole;
        return to_text(inputs.assumptions.reserve.fraction, Style::percent, 2) + " of " + whole;
    }
    if (kind == ResidentKind::kv_cache) {
        return plural(inputs.workload.batch, "sequence") + " x " +
               plural(inputs.workload.context, "token") + origin(resolver, "context");
    }
    if (kind == ResidentKind::activations && !training) return "of the largest step";
    if (kind == ResidentKind::in_use) return "held by other processes";
    if (kind == ResidentKind::draft_weights) {
        const Layout layout = draft_layout(*inputs.draft, inputs.layout);
        const std::string split = layout_text({.tp = layout.tp, .pp = layout.pp});
        return inputs.draft->id + (split.empty() ? ", whole on each device" : split);
    }
    if (training && kind == ResidentKind::activations) {
        return plural(inputs.workload.micro_batch, "sequence") + " x " +
               plural(inputs.workload.sequence, "token") + ", full recompute";
    }
    return {};
}

void add_residents(report::Document& document, const Fit<Traced>& fit, const Resolver& resolver,
                   const Inputs& inputs, bool training) {
    // Bars share the scale of the larger of what there is and what is asked.
    const double room = larger(value_of(fit.capacity), value_of(fit.required));
    for (const Resident<Traced>& resident : fit.residents) {
        Result row =
            result(std::string(name_of(resident.kind)), resident.bytes, Style::memory,
                   label_of(resident.kind), remark_of(resident.kind, resolver, inputs, training));
        row.share = value_of(resident.bytes) / room;
        document.results.push_back(std::move(row));
        document.terms.push_back(term(std::string(name_of(resident.kind)), resident.bytes));
    }
    const double margin = value_of(fit.margin);
    Result free = result("margin", fit.margin, Style::memory, margin < 0 ? "margin" : "free");
    free.share = margin < 0 ? 0 : margin / room;
    if (fit.tight) free.remark = "tight: under 5 %";
    if (!fit.fits && fit.fits_without_reserve) free.remark = "the bytes fit, the reserve does not";
    document.results.push_back(std::move(free));
    document.results.push_back(result("required", fit.required, Style::memory));
    document.results.push_back(result("capacity", fit.capacity, Style::memory));
}

// What else would be laid out otherwise at a limit: " (with tp 1, pp 64)".
std::string other_layout(Inputs inputs, const Question& question, double context, double batch) {
    inputs.workload.context = context;
    inputs.workload.batch = batch;
    const std::string layout = layout_text(place(inputs, question.candidates).layout);
    if (layout == layout_text(question.placement.layout)) return {};
    return " (with " + (layout.empty() ? std::string("no split") : layout.substr(2)) + ")";
}

// "flips above context 10,485, or a batch of 5": the defaults that the verdict hangs on.
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

void add_limit(report::Document& document, std::string key, std::optional<double> value,
               std::string unit) {
    const report::Value none;
    document.results.push_back(
        plain_result(std::move(key), value ? number(*value, std::move(unit), Style::whole) : none));
}

// The contract's sums over the machine, where each device is as full as the fullest.
void add_totals(report::Document& document, double devices) {
    for (const std::string key : {"required", "capacity", "margin", "weights", "kv_cache"}) {
        const Result* each = document.find(key);
        if (each == nullptr) continue;
        const double sum = *each->value.number() * devices;
        document.results.push_back(plain_result("total_" + key, number(sum, "B", Style::memory)));
    }
}

Traced required_at(Inputs inputs, const Question& question, double context, double batch) {
    inputs.workload.context = context;
    inputs.workload.batch = batch;
    inputs.layout = place(inputs, question.candidates).layout;
    return inference_fit<Traced>(inputs).required.value();
}

// N and N + 1: the largest number that still fits, with what is required on either side of it.
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

// Where the whole does not fit: how much of it does, beside a host that keeps the rest.
void add_way_out(report::Document& answer, const Question& question, bool fits) {
    const Inputs& inputs = question.inputs;
    const std::string& kind = inputs.machine.accelerator.kind;
    const bool separate = kind != "apu" && kind != "cpu" && !is_size(inputs.model);
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

// Each node reads what its devices keep, and the host's part; replicas read theirs again. Cards
// without a scale-up link share the storage of one host.
void add_load_time(report::Document& answer, const Fit<Traced>& outcome, const Question& question) {
    const Inputs& inputs = question.inputs;
    const auto rate = question.load_from;
    if (!rate) return;
    const Machine& machine = inputs.machine;
    const double devices = smaller(machine.devices, machine.domain);
    Bytes<Traced> bytes = bytes_of(outcome.residents, ResidentKind::weights);
    const auto draft = bytes_of(outcome.residents, ResidentKind::draft_weights);
    if (value_of(draft) > 0) bytes = bytes + draft;
    if (devices > 1) bytes = bytes * given<Traced>(devices, "devices_of_a_node", "--on");
    if (inputs.offload) {
        bytes = bytes + bytes_of(host_residents<Traced>(inputs), ResidentKind::weights);
    }
    const auto read = named(bytes, "bytes_loaded");
    answer.results.push_back(result(
        "load_time", named(read / given<Traced>(*rate, "storage_rate", "--load-from"), "load_time"),
        Style::duration, "loading",
        to_text(value_of(read), Style::bytes) + " read once" +
            (machine.devices > devices ? " by each node" : "") + ", a floor"));
}

report::Document fit_inference(Resolver& resolver) {
    const Question question = inference_question(resolver);
    const Inputs& inputs = question.inputs;
    const Fit<Traced> outcome = inference_fit<Traced>(inputs);
    report::Document answer = document("fit", resolver, question);
    judge(answer, outcome);
    answer.bytes = Style::memory;
    add_residents(answer, outcome, resolver, inputs, false);
    if (!is_size(inputs.model) && answer.find("kv_cache") == nullptr) {
        answer.results.push_back(plain_result("kv_cache", number(0, "B", Style::memory)));
    }
    add_pool(answer, question, outcome);
    const auto context = max_context(inputs, question.candidates);
    const auto batch = max_batch(inputs, question.candidates);
    add_limit(answer, "max_context", context, "token");
    const bool one_memory = !inputs.offload;  // that alone decides, as the proof shows it
    if (one_memory && context && *context > 0)
        answer.results.back().trace = proof(question, *context, true);
    add_limit(answer, "max_batch", batch, "1");
    if (one_memory && batch && *batch > 0)
        answer.results.back().trace = proof(question, *batch, false);
    const auto devices = min_devices(inputs);
    add_limit(answer, "min_devices", devices, "1");
    add_totals(answer, inputs.machine.devices);
    add_host_memory(answer, inputs, true);
    add_load_time(answer, outcome, question);
    add_flips(answer, resolver, question, context, batch);
    if (!outcome.fits) {
        const std::string other = question.layout_given ? ", laid out otherwise" : "";
        answer.footer.push_back(devices ? "fits on " + with_separators(*devices) +
                                              " devices at the least" + other
                                        : "fits on no number of devices");
    }
    add_way_out(answer, question, outcome.fits);
    return answer;
}

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

// Flags of the other kind of question would be ignored: they are refused instead.
void refuse_strangers(const Arguments& arguments) {
    const bool train = arguments.has("train");
    const std::vector<std::string_view> strangers =
        train ? std::vector<std::string_view>{"context",
                                              "batch",
                                              "kv-per-token",
                                              "weights",
                                              "kv",
                                              "activations",
                                              "precision",
                                              "tp",
                                              "pp",
                                              "dp",
                                              "ep",
                                              "expert-skew",
                                              "engine",
                                              "memory-fraction",
                                              "in-use",
                                              "draft",
                                              "draft-weights",
                                              "gpu-layers",
                                              "cpu-experts",
                                              "host",
                                              "load-from"}
              : std::vector<std::string_view>{"seq", "micro-batch"};
    std::vector<Problem> problems;
    for (const std::string_view flag : strangers) {
        const auto from = arguments.from.find(flag);
        if (from == arguments.from.end() || from->second != "flag") continue;
        problems.push_back(problem_of(
            "--" + std::string(flag), "flag-of-another-question",
            "--" + std::string(flag) + " says nothing about " + (train ? "training" : "inference"),
            "", train ? "" : "--train asks about training"));
    }
    if (!problems.empty()) throw Error(std::move(problems));
}

// Without a model: what fits this machine, largest first. Models that the question does not suit
// (a layout that they do not allow) are left out; a question that suits none is an error.
Documents all_that_fit(const Arguments& arguments, const Catalog& catalog) {
    Documents rows;
    std::vector<Error> refused;
    const std::vector<std::string> models = catalog.ids(PresetKind::model);
    for (const std::string& id : models) {
        Arguments one = arguments;
        one.positionals = {id};
        try {
            Resolver resolver(one, catalog);
            report::Document row =
                arguments.has("train") ? fit_training(resolver) : fit_inference(resolver);
            row.row = id;
            if (row.yes) rows.push_back(std::move(row));
        } catch (const Error& error) {
            refused.push_back(error);
        }
    }
    if (refused.size() == models.size()) throw Error(refused.front());
    const auto size = [](const report::Document& row) {
        return *row.find("weights")->value.number();
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto& a, const auto& b) { return size(a) > size(b); });
    if (!refused.empty() && !rows.empty()) {
        rows.front().notes.push_back(
            {"left-out",
             std::to_string(refused.size()) + " models do not suit the question and are left out",
             false});
    }
    return rows;
}

}  // namespace

Documents fit(const Arguments& arguments, const Catalog& catalog) {
    refuse_strangers(arguments);
    if (arguments.positionals.empty() && arguments.has("on"))
        return all_that_fit(arguments, catalog);
    Resolver resolver(arguments, catalog);
    return {arguments.has("train") ? fit_training(resolver) : fit_inference(resolver)};
}

}  // namespace napkin::cli
