// Layers and experts that the host keeps, and which host that is.
#include <algorithm>

#include "cli/resolve.hpp"

namespace napkin::cli {

using report::number;
using report::word;

namespace {

// Layers that run one after the other, each of them whole.
bool plainly_layered(const Model& model) {
    return std::all_of(model.blocks.begin(), model.blocks.end(), [](const Block& block) {
        return block.runs == Runs::always && !block.continues;
    });
}

double layers_with_experts(const Model& model) {
    double count = 0;
    for (const Block& block : model.blocks) {
        if (std::holds_alternative<Experts>(block.feed_forward)) count += block.count;
    }
    return count;
}

}  // namespace

Accelerator Resolver::host(std::string_view flag) {
    Accelerator host;
    if (const auto name = setting("host")) {
        host = attempt<Accelerator>([&] { return catalog_.accelerator(*name); }, "--host");
        if (!host.id.empty() && host.kind != "cpu") {
            problem(problem_of("--host", "not-a-host", host.name + " is not a CPU",
                               "a CPU such as epyc-9654; `napkin gpu` lists them"));
        }
    }
    apply_host_settings(host, settings_, *this);
    if (host.memory.bandwidth <= BytesPerSecond<>(0) && (host.id.empty() || host.kind == "cpu")) {
        problem(problem_of("--" + std::string(flag), "unknown-host",
                           "the memory bandwidth of the host is not known",
                           "--host NAME, or --set host.memory_bandwidth=50GB/s",
                           "`napkin gpu` lists CPUs with their memory"));
    }
    if (host.id.empty()) host.id = host.name = "host";
    return host;
}

std::optional<Offload> Resolver::offload(const Inputs& asked) {
    const auto on_device = optional("gpu-layers", read_whole);
    const auto experts = setting("cpu-experts");
    if (!on_device && !experts) return std::nullopt;
    const std::string flag = on_device ? "gpu-layers" : "cpu-experts";
    const Model& model = asked.model;
    const Accelerator& part = asked.machine.accelerator;
    Offload offload;
    if (any_count()) {
        problem(problem_of("--on", "offload-without-count",
                           "what the host keeps is asked of a number of devices, not of any",
                           "a count instead of the n"));
    }
    if (part.kind == "apu" || part.kind == "cpu") {
        problem(problem_of("--" + flag, "unified-memory",
                           "the memory of " + part.name +
                               " is the host's already: there is no second one to offload to",
                           "a smaller model or format, or a machine with more memory"));
    }
    offload.host = host(flag);
    if (model.id.empty()) return std::nullopt;
    if (is_size(model)) {
        problem(problem_of("--" + flag, "needs-architecture",
                           "a size has no layers to leave to the host", "a preset or a file"));
        return std::nullopt;
    }
    if (!plainly_layered(model)) {
        problem(problem_of("--" + flag, "unknown-placement",
                           "how the layers of " + model.id + " are left to a host is not known"));
        return std::nullopt;
    }
    const double all = layers(model);
    if (on_device) {
        offload.layers = larger(0.0, all - *on_device);
        add_input("gpu_layers", number(all - offload.layers, "1", Style::whole), from(flag));
    }
    if (experts) {
        const double mixtures = layers_with_experts(model);
        offload.expert_layers = mixtures;
        if (*experts != "all") {
            const auto reading = read_whole(*experts);
            if (!reading.value) refuse("cpu-experts", *experts, "expected a whole number or all");
            offload.expert_layers = smaller(mixtures, reading.value.value_or(0));
        }
        if (mixtures == 0) {
            problem(problem_of("--cpu-experts", "no-experts",
                               model.id + " has no experts to leave to the host",
                               "--gpu-layers N leaves whole layers to it"));
        }
        add_input("cpu_experts", number(offload.expert_layers, "1", Style::whole),
                  from("cpu-experts"));
    }
    report::Input input{
        .key = "host", .value = {}, .from = from("host"), .members = {}, .flips_at = {}};
    input.members = {{"id", word(offload.host.id)},
                     {"name", word(offload.host.name)},
                     {"memory_bandwidth",
                      number(offload.host.memory.bandwidth.value(), "B/s", Style::byte_rate)}};
    inputs.push_back(std::move(input));
    if (offload.host.memory.provenance.unverified) {
        note("unverified-host", "the memory figures of " + offload.host.name + " are unverified");
    }
    if (offload.layers == 0 && offload.expert_layers == 0) return std::nullopt;
    return offload;
}

}  // namespace napkin::cli
