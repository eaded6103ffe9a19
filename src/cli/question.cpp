#include "cli/question.hpp"

#include "cli/resolve_layout.hpp"
#include "cli/resolve_sequence.hpp"

namespace napkin::cli {
namespace {

using report::number;

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
    note_idle_devices(resolver, machine, layout, "devices");
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
    if (inputs.offload && !layout) {
        question.candidates = one_replica(std::move(question.candidates), inputs);
    }
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

}  // namespace napkin::cli
