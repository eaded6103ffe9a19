// Figures of an accelerator and of the host beside it that --set overrides.
#include "cli/settings.hpp"

namespace napkin::cli {
namespace {

constexpr std::array machine_settings{
    Setting<Accelerator>{"gpu.memory_bandwidth",
                         [](Accelerator& a, std::string_view text) {
                             return store(read_byte_rate(text), a.memory.bandwidth);
                         }},
    Setting<Accelerator>{"gpu.memory_capacity",
                         [](Accelerator& a, std::string_view text) {
                             // What is given is what there is to use.
                             a.memory.usable = Bytes<>(0);
                             return store(read_bytes(text), a.memory.reported);
                         }},
    Setting<Accelerator>{"gpu.usable_memory",
                         [](Accelerator& a, std::string_view text) {
                             const Bytes<> whole = larger(a.memory.reported, a.memory.sold);
                             a.memory.usable_source = "--set gpu.usable_memory";
                             std::string wrong = store(read_bytes(text), a.memory.usable);
                             if (wrong.empty() && a.memory.usable > whole && whole > Bytes<>(0)) {
                                 wrong = "more than the part has";
                             }
                             return wrong;
                         }},
    Setting<Accelerator>{"gpu.scale_up_bandwidth",
                         [](Accelerator& a, std::string_view text) {
                             return store(read_byte_rate(text), a.links.scale_up);
                         }},
    Setting<Accelerator>{"gpu.scale_out_bandwidth",
                         [](Accelerator& a, std::string_view text) {
                             return store(read_byte_rate(text), a.links.scale_out);
                         }},
    Setting<Accelerator>{"gpu.power", [](Accelerator& a, std::string_view text) {
                             return store(read_power(text), a.power.tdp);
                         }}};

constexpr std::array host_settings{
    Setting<Accelerator>{"host.memory_bandwidth",
                         [](Accelerator& a, std::string_view text) {
                             return store(read_byte_rate(text), a.memory.bandwidth);
                         }},
    Setting<Accelerator>{"host.memory_capacity", [](Accelerator& a, std::string_view text) {
                             return store(read_bytes(text), a.memory.reported);
                         }}};

constexpr std::string_view peak_prefix = "gpu.peak_flops_";

std::string peak_name(std::size_t arithmetic) {
    return std::string(peak_prefix) + std::string(name_of(static_cast<Arithmetic>(arithmetic)));
}

}  // namespace

void apply_machine_settings(Accelerator& accelerator, const Settings& settings,
                            Resolver& resolver) {
    apply(machine_settings, accelerator, settings, resolver);
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        const std::string name = peak_name(i);
        const auto found = settings.find(name);
        if (found == settings.end()) continue;
        const std::string wrong = store(read_flop_rate(found->second), accelerator.compute.peak[i]);
        if (!wrong.empty()) resolver.refuse(name, found->second, wrong);
        resolver.add_input(name, report::word(found->second), "set");
    }
}

void apply_host_settings(Accelerator& host, const Settings& settings, Resolver& resolver) {
    apply(host_settings, host, settings, resolver);
}

std::vector<std::string> machine_setting_names() {
    return names_of(machine_settings);
}

std::vector<std::string> host_setting_names() {
    return names_of(host_settings);
}

std::vector<std::string> peak_setting_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < arithmetic_count; ++i) names.push_back(peak_name(i));
    return names;
}

}  // namespace napkin::cli
