// Figures of the machine and model that --set overrides, by the names of the contract's results.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/resolve.hpp"
#include "napkin/collectives.hpp"

namespace napkin::cli {
namespace {

using Settings = std::map<std::string, std::string, std::less<>>;

template <class Target>
struct Setting {
    std::string_view name{};
    // Reads the text into the target; returns what is wrong with it, or nothing.
    std::string (*apply)(Target&, std::string_view){};
};

template <class Q>
std::string store(const Reading<Q>& reading, Q& into) {
    if (!reading.value) return reading.problem;
    if (*reading.value <= Q(0)) return "expected more than zero";
    into = *reading.value;
    return {};
}

// As above, but nothing at all is a size too.
std::string store_size(std::string_view text, Bytes<>& into) {
    const Reading<Bytes<>> reading = read_bytes(text);
    if (reading.value) into = *reading.value;
    return reading.problem;
}

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

// What an engine keeps of latent attention (llama.cpp: -mla 2 or 3, 1, 0).
std::string keep_latent(Model& model, LatentCache keeps) {
    bool any = false;
    for (Block& block : model.blocks) {
        if (auto* m = std::get_if<LatentAttention>(&block.mixer)) {
            m->keeps = keeps;
            any = true;
        }
    }
    return any ? "" : "the model has no latent attention";
}

// What the files hold, they hold in however many weights are said to be in them.
void keep_stored_bytes(Model& model) {
    if (model.stored_bytes <= 0 || model.size_total <= 0) return;
    NumberFormat stored = format_of(model, Role::feed_forward);
    stored.elements = model.size_total;
    stored.bytes = model.stored_bytes;
    set_weights(model, stored);
}

constexpr std::array model_settings{
    Setting<Model>{
        "model.max_context",
        [](Model& m, std::string_view text) { return store(read_length(text), m.max_context); }},
    Setting<Model>{"model.parameters",
                   [](Model& m, std::string_view text) {
                       // The layers no longer describe it: only the size is left.
                       const auto count = read_count(text);
                       if (!count.value) return count.problem;
                       const double kv = m.size_kv_bytes_per_token;
                       m.blocks.clear();
                       m.size_total = m.size_active = *count.value;
                       m.size_kv_bytes_per_token = kv;
                       keep_stored_bytes(m);
                       return std::string();
                   }},
    Setting<Model>{"model.latent_cache",
                   [](Model& m, std::string_view text) {
                       for (const LatentCache keeps :
                            {LatentCache::latent, LatentCache::latent_and_values,
                             LatentCache::expanded}) {
                           if (text == name_of(keeps)) return keep_latent(m, keeps);
                       }
                       return std::string("expected latent, latent-and-values or expanded");
                   }},
    Setting<Model>{"model.active_parameters", [](Model& m, std::string_view text) {
                       const auto count = read_count(text);
                       if (!count.value) return count.problem;
                       if (!is_size(m)) return std::string("only a size can be given active ones");
                       if (*count.value > m.size_total) return std::string("more than there are");
                       m.size_active = *count.value;
                       return std::string();
                   }}};

// Figures of every law of collectives at once.
using Laws = std::vector<CollectiveLaw>;

template <class Q>
std::string store_in_all(const Reading<Q>& reading, Laws& laws, void (*into)(CollectiveLaw&, Q)) {
    if (!reading.value) return reading.problem;
    for (CollectiveLaw& law : laws) {
        into(law, *reading.value);
        law.source = "--set";
    }
    return {};
}

// Only the laws of one algorithm, or all but the kernels of engines; links that have none of it
// keep theirs.
std::string keep_algorithm(Laws& laws, std::string_view text) {
    const Laws libraries = of_libraries(laws);
    if (text == "library") {
        laws = libraries;
        return {};
    }
    bool any = false;
    Laws kept;
    const auto named = [&](const CollectiveLaw& law) { return name_of(law.algorithm) == text; };
    for (const CollectiveLaw& law : laws) {
        any = any || named(law);
        const bool alone = std::none_of(laws.begin(), laws.end(), [&](const auto& other) {
            return other.link == law.link && named(other);
        });
        if (alone || named(law)) kept.push_back(law);
    }
    if (!any) return "expected one-shot, ring, tree, switch or library, of those that apply here";
    laws = std::move(kept);
    return {};
}

constexpr std::array collective_settings{
    Setting<Laws>{"collective.algorithm", keep_algorithm},
    Setting<Laws>{"collective.latency",
                  [](Laws& laws, std::string_view text) {
                      return store_in_all<Seconds<>>(read_duration(text), laws,
                                                     [](CollectiveLaw& law, Seconds<> latency) {
                                                         law.latency = latency;
                                                         law.step = Seconds<>(0);
                                                     });
                  }},
    Setting<Laws>{"collective.half_size",
                  [](Laws& laws, std::string_view text) {
                      return store_in_all<Bytes<>>(
                          read_bytes(text), laws,
                          [](CollectiveLaw& law, Bytes<> size) { law.half_size = size; });
                  }},
    Setting<Laws>{"collective.bandwidth", [](Laws& laws, std::string_view text) {
                      BytesPerSecond<> positive;
                      const auto reading = read_byte_rate(text);
                      std::string wrong = store(reading, positive);
                      if (!wrong.empty()) return wrong;
                      return store_in_all<BytesPerSecond<>>(
                          reading, laws, [](CollectiveLaw& law, BytesPerSecond<> bandwidth) {
                              law.bandwidth = bandwidth;
                          });
                  }}};

constexpr std::array engine_settings{
    Setting<Engine>{"engine.activations",
                    [](Engine& e, std::string_view text) {
                        return store_size(text, e.activations.size.emplace());
                    }},
    Setting<Engine>{"engine.runtime",
                    [](Engine& e, std::string_view text) {
                        std::string wrong = store_size(text, e.runtime.one);
                        e.runtime.parallel = e.runtime.one;
                        return wrong;
                    }},
    Setting<Engine>{
        "engine.graphs",
        [](Engine& e, std::string_view text) { return store_size(text, e.runtime.graphs); }},
    Setting<Engine>{
        "engine.driver",
        [](Engine& e, std::string_view text) { return store_size(text, e.runtime.driver); }},
    Setting<Engine>{"engine.block",
                    [](Engine& e, std::string_view text) {
                        const auto block = read_whole(text);
                        if (block.value) e.block = *block.value;
                        return block.problem;
                    }},
    Setting<Engine>{"engine.tokens",
                    [](Engine& e, std::string_view text) {
                        const auto tokens = read_length(text);
                        if (!tokens.value) return tokens.problem;
                        for (auto& card : e.cards) card.tokens = *tokens.value;
                        e.context_up_to = 0;
                        return std::string();
                    }},
    Setting<Engine>{"engine.sequences", [](Engine& e, std::string_view text) {
                        const auto sequences = read_whole(text);
                        if (!sequences.value) return sequences.problem;
                        for (auto& card : e.cards) card.sequences = *sequences.value;
                        return std::string();
                    }}};

constexpr std::string_view peak_prefix = "gpu.peak_flops_";

template <class Target, std::size_t N>
void apply(const std::array<Setting<Target>, N>& known, Target& target, const Settings& settings,
           Resolver& resolver) {
    for (const Setting<Target>& setting : known) {
        const auto found = settings.find(setting.name);
        if (found == settings.end()) continue;
        const std::string wrong = setting.apply(target, found->second);
        if (!wrong.empty()) resolver.refuse(setting.name, found->second, wrong);
        resolver.add_input(std::string(setting.name), report::word(found->second), "set");
    }
}

}  // namespace

void apply_machine_settings(Accelerator& accelerator, const Settings& settings,
                            Resolver& resolver) {
    apply(machine_settings, accelerator, settings, resolver);
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        const std::string name =
            std::string(peak_prefix) + std::string(name_of(static_cast<Arithmetic>(i)));
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

void apply_model_settings(Model& model, const Settings& settings, Resolver& resolver) {
    double held = parameters(model);
    for (const Part& part : model.parts) held += part.parameters;
    apply(model_settings, model, settings, resolver);
    const bool replaced = settings.contains("model.parameters") && model.size_total > 0;
    if (!replaced || model.stored_elements <= 0 || model.size_total == held) return;
    const auto bits = [&](double weights) {
        return shortest(std::round(800 * model.stored_bytes / weights) / 100);
    };
    resolver.note("parameters-differ",
                  "the files hold " + with_separators(held) + " parameters of " + bits(held) +
                      " bits; " + with_separators(model.size_total) + " would be of " +
                      bits(model.size_total),
                  true);
}

void apply_collective_settings(Laws& laws, const Settings& settings, Resolver& resolver) {
    apply(collective_settings, laws, settings, resolver);
}

void apply_engine_settings(Engine& engine, const Settings& settings, Resolver& resolver) {
    apply(engine_settings, engine, settings, resolver);
}

std::vector<std::string> setting_names() {
    std::vector<std::string> names;
    for (const auto& setting : machine_settings) names.emplace_back(setting.name);
    for (const auto& setting : engine_settings) names.emplace_back(setting.name);
    for (const auto& setting : host_settings) names.emplace_back(setting.name);
    for (const auto& setting : model_settings) names.emplace_back(setting.name);
    for (const auto& setting : collective_settings) names.emplace_back(setting.name);
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        names.push_back(std::string(peak_prefix) +
                        std::string(name_of(static_cast<Arithmetic>(i))));
    }
    return names;
}

}  // namespace napkin::cli
