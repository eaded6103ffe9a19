#include "cli/question.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "napkin/partition.hpp"
#include "napkin/serving.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

// Degrees given by flags. What they leave of the machine becomes replicas, or, where replicas are
// given, tensor parallelism.
std::optional<Layout> given_layout(Resolver& resolver, const Inputs& inputs) {
    const auto tp = resolver.optional("tp", read_whole);
    const auto pp = resolver.optional("pp", read_whole);
    const auto dp = resolver.optional("dp", read_whole);
    const auto ep = resolver.optional("ep", read_whole);
    if (!tp && !pp && !dp && !ep) return std::nullopt;
    Layout layout{.dp = dp.value_or(1),
                  .tp = tp.value_or(1),
                  .pp = pp.value_or(1),
                  .ep = ep.value_or(1),
                  .zero = 0,
                  .why = "as given"};
    const double devices = inputs.machine.devices;
    const double rest = round_down(devices / (layout.dp * layout.tp * layout.pp));
    if (rest > 1 && !dp) layout.dp = rest;
    if (rest > 1 && dp && !tp) layout.tp = rest;
    const double product = layout.dp * layout.tp * layout.pp;
    if (dp && product < devices && !inputs.machine.id.empty()) {
        resolver.problem(problem_of("--on", "layout-devices",
                                    "dp x tp x pp = " + shortest(product) + " leaves " +
                                        shortest(devices - product) + " of " + shortest(devices) +
                                        " devices without work",
                                    "degrees whose product is the number of devices"));
    }
    return layout;
}

void add_layout(Resolver& resolver, const Question& question) {
    const Layout& layout = question.placement.layout;
    report::Input input{.key = "layout",
                        .value = {},
                        .from = question.layout_given ? "flag" : "default",
                        .members = {},
                        .flips_at = {}};
    input.members = {{"dp", number(layout.dp, "1", Style::whole)},
                     {"tp", number(layout.tp, "1", Style::whole)},
                     {"pp", number(layout.pp, "1", Style::whole)},
                     {"ep", number(layout.ep, "1", Style::whole)},
                     {"zero", number(layout.zero, "1", Style::whole)},
                     {"why", word(layout.why)}};
    if (layout.ep > 1) {
        double experts = 0;
        for (const Block& block : question.inputs.model.blocks) {
            const auto* mixture = std::get_if<Experts>(&block.feed_forward);
            if (mixture != nullptr) experts = larger(experts, mixture->experts);
        }
        input.members.emplace_back("experts_per_device",
                                   number(experts / layout.ep, "1", Style::whole));
    }
    resolver.inputs.push_back(std::move(input));
}

// The layout of the flags, if there is one, held to the rules of the model and machine.
std::optional<Layout> read_layout(Resolver& resolver, const Inputs& inputs) {
    const std::optional<Layout> layout = given_layout(resolver, inputs);
    if (!layout || inputs.model.id.empty() || inputs.machine.id.empty()) return layout;
    if (resolver.any_count()) {
        resolver.problem(problem_of("--on", "layout-without-count",
                                    "a layout is for a number of devices, not for any",
                                    "a count instead of the n, or no --tp, --pp, --dp and --ep"));
        return layout;
    }
    for (const Violation& violation : violations(*layout, inputs.model, inputs.machine)) {
        std::string valid;
        for (const double degree : violation.valid) {
            valid += (valid.empty() ? "" : ", ") + shortest(degree);
        }
        resolver.problem(problem_of(violation.flag, violation.id, violation.message, valid));
    }
    return layout;
}

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

void check_capacity(Resolver& resolver, const Accelerator& part) {
    if (part.id.empty() || capacity(part) > Bytes<>(0)) return;
    resolver.problem(problem_of("--on", "unknown-capacity",
                                "the memory of " + part.name + " is not known",
                                "--set gpu.memory_capacity=BYTES"));
}

// What the figures of a plan leave out, where it matters.
void note_limits(Resolver& resolver, const Inputs& inputs) {
    const Machine& machine = inputs.machine;
    const Layout& layout = inputs.layout;
    const double idle = machine.devices - layout.dp * layout.tp * layout.pp;
    if (idle > 0) {
        resolver.note("idle-devices",
                      shortest(idle) + " of " + shortest(machine.devices) +
                          " devices stay idle: the model's rules allow no layout "
                          "over all of them",
                      true);
    }
    const bool across =
        layout.tp > machine.domain || (layout.pp > 1 && layout.tp * layout.pp > machine.domain);
    if (across && machine.scale_out <= BytesPerSecond<>(0)) {
        resolver.note("unknown-network",
                      "the network between nodes of " + machine.accelerator.name +
                          " is not known: its time is not counted",
                      true);
    }
    const Accelerator& part = machine.accelerator;
    if (part.kind == "apu" && part.memory.usable > Bytes<>(0)) {
        resolver.note("unified-memory", "of the " + part.memory.sold_as + " that " + part.name +
                                            " shares with the system its GPU may use " +
                                            to_text(part.memory.usable.value(), Style::memory) +
                                            ": --set gpu.usable_memory says otherwise");
    } else if (part.kind == "apu") {
        resolver.note("unified-memory",
                      "the memory of " + part.name +
                          " is shared with the system, which keeps part of it: --set "
                          "gpu.usable_memory or --reserve says how much");
    }
}

// nxh100: the smallest count of it (of systems: of whole ones) for which the answer is yes.
void settle_count(Resolver& resolver, Inputs& inputs, const std::optional<double>& devices) {
    const double each = inputs.machine.devices;
    const double count = round_up(devices.value_or(each) / each);
    const std::string name = inputs.machine.name;
    const std::string id = inputs.machine.id;
    inputs.machine = with_devices(inputs.machine, count * each);
    if (count > 1) {
        inputs.machine.name = shortest(count) + " x " + name;
        inputs.machine.id = shortest(count) + "x" + id;
    }
    resolver.describe(inputs.machine);
}

// An encoder's prompt stays in a cache of its own; elsewhere it is part of the context.
void read_encoded_prompt(Resolver& resolver, Inputs& inputs) {
    if (has_encoder(inputs.model)) {
        inputs.workload.prompt = resolver.length("prompt", 2048);
    } else if (resolver.setting("prompt") && !inputs.model.id.empty()) {
        resolver.problem(problem_of("--prompt", "no-encoder",
                                    inputs.model.id + " has no encoder to read a prompt apart",
                                    "--context, which counts every token in the cache"));
    }
}

// How unevenly tokens choose their experts: a ceiling assumes that they do not.
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

std::optional<BytesPerSecond<>> read_load_rate(Resolver& resolver) {
    const auto rate = resolver.optional("load-from", read_byte_rate);
    if (!rate) return std::nullopt;
    if (*rate <= BytesPerSecond<>(0)) {
        resolver.refuse("load-from", *resolver.setting("load-from"), "expected more than zero");
    }
    resolver.add_input("load_from", number(rate->value(), "B/s", Style::byte_rate),
                       resolver.from("load-from"));
    return rate;
}

// The host serves one replica.
void keep_one_replica(std::vector<Layout>& candidates, const Inputs& inputs) {
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                    [](const Layout& layout) { return layout.dp > 1; }),
                     candidates.end());
    if (!candidates.empty()) return;
    const double stages = smaller(inputs.machine.devices, layers(inputs.model));
    candidates.push_back({.pp = stages, .why = "one replica beside the host"});
}

}  // namespace

Question inference_question(Resolver& resolver, Sequence sequence) {
    Question question;
    Inputs& inputs = question.inputs;
    inputs.model = resolver.model();
    inputs.machine = resolver.machine();
    if (sequence == Sequence::request) {
        read_request(resolver, inputs);
    } else if (sequence == Sequence::prompt) {
        read_prompt(resolver, inputs);
    } else if (!inputs.model.id.empty()) {
        inputs.workload.context = resolver.context(inputs.model);
    } else {
        (void)resolver.optional("context", read_length);  // its problems are reported all the same
    }
    if (sequence == Sequence::context) read_encoded_prompt(resolver, inputs);
    if (sequence != Sequence::request) inputs.workload.batch = resolver.whole("batch", 1);
    read_skew(resolver, inputs);
    resolver.formats(inputs.model, inputs.workload, inputs.machine.accelerator);
    inputs.draft = resolver.draft(inputs);
    if (resolver.takes("draft-tokens")) question.drafting = resolver.drafting(inputs);
    if (resolver.takes("load-from")) question.load_from = read_load_rate(resolver);
    if (resolver.takes("gpu-layers")) inputs.offload = resolver.offload(inputs);
    check_capacity(resolver, inputs.machine.accelerator);
    resolver.engine(inputs.assumptions);
    resolver.reserve(inputs.assumptions);
    const std::optional<Layout> layout = read_layout(resolver, inputs);
    if (inputs.offload && layout && layout->dp > 1) {
        resolver.problem(problem_of("--dp", "offload-replicas",
                                    "replicas would share the one host: not modelled",
                                    "--tp or --pp over the devices"));
    }
    const bool several = inputs.machine.devices > 1 || resolver.any_count();
    if (several && !inputs.machine.id.empty()) {
        resolver.collectives(inputs.machine, inputs.assumptions);
    }
    resolver.finish();
    if (resolver.any_count()) settle_count(resolver, inputs, min_devices(inputs));
    question.layout_given = layout.has_value();
    question.candidates = layout ? std::vector<Layout>{*layout} : layouts_of(inputs);
    if (inputs.offload && !layout) keep_one_replica(question.candidates, inputs);
    question.placement = place(inputs, question.candidates);
    inputs.layout = question.placement.layout;
    add_layout(resolver, question);
    resolver.describe_engine(inputs);
    note_limits(resolver, inputs);
    return question;
}

Question training_question(Resolver& resolver) {
    Question question;
    Inputs& inputs = question.inputs;
    inputs.model = resolver.model();
    inputs.machine = resolver.machine();
    constexpr double usual = 8192;
    const double most = inputs.model.max_context > 0 ? inputs.model.max_context : usual;
    if (!is_size(inputs.model)) {
        inputs.workload.sequence = resolver.length("seq", smaller(usual, most));
        resolver.check_length(inputs.model, "seq", inputs.workload.sequence);
        inputs.workload.micro_batch = resolver.whole("micro-batch", 1);
    }
    resolver.reserve(inputs.assumptions);
    resolver.finish();
    if (resolver.any_count()) settle_count(resolver, inputs, min_training_devices(inputs));
    question.placement.layout = {.dp = inputs.machine.devices,
                                 .tp = 1,
                                 .pp = 1,
                                 .zero = 3,
                                 .why = "ZeRO 3 over all devices, full recompute"};
    inputs.layout = question.placement.layout;
    add_layout(resolver, question);
    if (is_size(inputs.model)) {
        resolver.note("states-only",
                      "a size has no layers: states only, activations are not counted");
    }
    return question;
}

std::string layout_text(const Layout& layout) {
    std::string text;
    const auto add = [&](std::string_view name, double degree) {
        if (degree > 1) text += ", " + std::string(name) + " " + shortest(degree);
    };
    add("tp", layout.tp);
    add("pp", layout.pp);
    add("dp", layout.dp);
    add("ep", layout.ep);
    return text;
}

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
