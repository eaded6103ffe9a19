#include "formats/quantization.hpp"

#include <algorithm>
#include <map>

#include "formats/config.hpp"
#include "formats/module_names.hpp"
#include "formats/module_patterns.hpp"
#include "formats/quantization_scheme.hpp"

namespace napkin::formats {
namespace {

// A format and the modules that are in it.
struct Group {
    NumberFormat format{};
    ModulePatterns targets{};
    bool everything{};  // every linear layer
};

struct Scheme {
    std::vector<Group> groups{};
    ModulePatterns kept{};  // left as they were
    bool names_linear{};    // "Linear" includes the head, unless it is named among the kept
};

// The document that says how: the model's own configuration, or what stands beside it.
const json::Value* document(const ConfigKeys& keys, const json::Value* beside) {
    if (beside != nullptr) {
        const json::Value* inner = beside->find("quantization");
        return inner != nullptr ? inner : beside;
    }
    for (const json::Value* config : {&keys.outer(), &text_config(keys.outer())}) {
        for (const std::string_view name : {"quantization_config", "quantization"}) {
            const json::Value* found = config->find(name);
            if (found != nullptr && found->kind == json::Kind::object) return found;
        }
    }
    return nullptr;
}

void add_patterns(ModulePatterns& into, const json::Value& list, ConfigKeys& keys) {
    for (const json::Value& item : list.items) {
        if (item.kind != json::Kind::string || into.add(item.string)) continue;
        keys.note("unknown-pattern",
                  "quantization: the pattern " + json::quoted(item.string.substr(0, 100)) +
                      " is not understood and left out",
                  true);
    }
}

void add_groups(Scheme& scheme, const json::Value& groups, const Catalog& catalog,
                ConfigKeys& keys) {
    for (const auto& [name, group] : groups.members) {
        const auto format = group_format(group, catalog);
        if (!format) {
            keys.problem("unknown-quantization",
                         "quantization: the weights of " + json::quoted(name.substr(0, 100)) +
                             " are in no scheme that is known",
                         &group, "int or float weights of num_bits, by group, channel or tensor");
            continue;
        }
        Group one{.format = *format, .targets = {}, .everything = false};
        for (const json::Value& target : group.at("targets").items) {
            const bool linear = target.string == "Linear";
            one.everything = one.everything || linear;
            scheme.names_linear = scheme.names_linear || linear;
        }
        if (!one.everything) add_patterns(one.targets, group.at("targets"), keys);
        scheme.groups.push_back(std::move(one));
    }
}

// ModelOpt's mixed precision: a list of modules, each with its algorithm.
void add_listed(Scheme& scheme, const json::Value& listed, const Catalog& catalog,
                ConfigKeys& keys) {
    std::map<std::string, std::size_t> known;
    for (const auto& [module, how] : listed.members) {
        const std::string algorithm = how.text("quant_algo");
        auto found = known.find(algorithm);
        if (found == known.end()) {
            const auto format = scheme_format(how, catalog);
            if (!format) {
                keys.problem(
                    "unknown-quantization",
                    "quantization: unknown quant_algo " + json::quoted(algorithm.substr(0, 100)),
                    &how);
                return;
            }
            found = known.emplace(algorithm, scheme.groups.size()).first;
            scheme.groups.push_back({.format = *format, .targets = {}, .everything = false});
        }
        scheme.groups[found->second].targets.add(module);
    }
}

Scheme read_scheme(const json::Value& config, const Catalog& catalog, ConfigKeys& keys) {
    Scheme scheme;
    for (const std::string_view name : {"ignore", "exclude_modules", "modules_to_not_convert",
                                        "ignored_layers", "llm_int8_skip_modules"}) {
        add_patterns(scheme.kept, config.at(name), keys);
    }
    if (const json::Value& groups = config.at("config_groups"); !groups.members.empty()) {
        add_groups(scheme, groups, catalog, keys);
    } else if (const json::Value& listed = config.at("quantized_layers"); !listed.members.empty()) {
        add_listed(scheme, listed, catalog, keys);
    } else if (const auto format = scheme_format(config, catalog)) {
        scheme.groups.push_back({.format = *format, .targets = {}, .everything = true});
    } else {
        std::string method = config.text("quant_algo");
        if (method.empty()) method = config.text("quant_method");
        keys.problem("unknown-quantization",
                     "quantization by " + json::quoted(method.substr(0, 100)) + " is not known",
                     &config,
                     "fp8, gptq, awq, compressed-tensors, modelopt, bitsandbytes, mxfp4 or MLX",
                     "--weights FORMAT says what the weights are stored in");
    }
    return scheme;
}

// The format of a module of a layer; null where it stays as it was.
const NumberFormat* format_for(const Scheme& scheme, std::string_view tensor, std::size_t layer) {
    const auto names = std::find_if(module_names.begin(), module_names.end(),
                                    [&](const ModuleNames& one) { return one.tensor == tensor; });
    if (names == module_names.end()) return nullptr;
    const std::string below = "layers." + std::to_string(layer) + ".";
    const auto any = [&](const ModulePatterns& patterns) {
        return std::any_of(
            names->modules.begin(), names->modules.end(), [&](std::string_view module) {
                return !module.empty() && patterns.match(below + std::string(module));
            });
    };
    if (any(scheme.kept)) return nullptr;
    for (const Group& group : scheme.groups) {
        if (group.everything || any(group.targets)) return &group.format;
    }
    return nullptr;
}

struct Formats {
    std::vector<std::vector<TensorFormat>> layers{};                   // of each layer's matrices
    std::array<std::map<std::string, double>, role_count> elements{};  // by role and format
};

Formats formats_of(const Scheme& scheme, const Model& model) {
    Formats result;
    result.layers.resize(model.order.size());
    std::vector<Tensors> lists;
    for (const Block& block : model.blocks) lists.push_back(tensors(block, model));
    for (std::size_t layer = 0; layer < model.order.size(); ++layer) {
        for (const Tensor& tensor : lists[model.order[layer]]) {
            if (!tensor.matrix || tensor.role == Role::router) continue;
            const NumberFormat* own = format_for(scheme, tensor.name, layer);
            const NumberFormat& format = own != nullptr ? *own : *tensor.format;
            result.layers[layer].push_back({std::string(tensor.name), format});
            result.elements[static_cast<std::size_t>(tensor.role)][format.id] += elements(tensor);
        }
    }
    return result;
}

std::string most_of(const std::map<std::string, double>& elements) {
    const auto most =
        std::max_element(elements.begin(), elements.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == elements.end() ? "" : most->first;
}

// Roles take the format of most of their weights; layers that differ say so tensor by tensor.
void apply(const Formats& formats, Model& model) {
    for (std::size_t role = 0; role < role_count; ++role) {
        const std::string most = most_of(formats.elements[role]);
        for (std::size_t layer = 0; layer < formats.layers.size() && !most.empty(); ++layer) {
            const auto& list = formats.layers[layer];
            const auto found = std::find_if(list.begin(), list.end(), [&](const TensorFormat& one) {
                return one.format.id == most;
            });
            if (found == list.end()) continue;
            model.weights.of[role] = found->format;
            break;
        }
    }
    const Model before = model;
    model.blocks.clear();
    model.order.clear();
    for (std::size_t layer = 0; layer < before.order.size(); ++layer) {
        Block block = before.blocks[before.order[layer]];
        block.count = 1;
        for (const Tensor& tensor : tensors(block, before)) {
            const auto& list = formats.layers[layer];
            const auto own = std::find_if(list.begin(), list.end(), [&](const TensorFormat& one) {
                return one.tensor == tensor.name;
            });
            if (own == list.end() || own->format.id == tensor.format->id) continue;
            block.formats.push_back(*own);
        }
        add_layer(model, std::move(block));
    }
}

void apply_outside(const Scheme& scheme, Model& model) {
    for (const Group& group : scheme.groups) {
        const auto set = [&](Role role) {
            model.weights.of[static_cast<std::size_t>(role)] = group.format;
        };
        const bool everything = group.everything && !group.format.keeps_embedding;  // MLX
        if (everything) set(Role::embedding);
        const bool head = group.targets.match("lm_head") || everything ||
                          (group.everything && scheme.names_linear);
        if (head && !scheme.kept.match("lm_head")) set(Role::head);
    }
}

// "fp8-block", or "bf16, experts mxfp4" where the experts alone are narrow.
std::string summary(const Formats& formats, const std::string& original) {
    const auto most = [&](Role role) {
        return most_of(formats.elements[static_cast<std::size_t>(role)]);
    };
    const std::string experts = most(Role::expert);
    std::string rest;
    for (const Role role : {Role::feed_forward, Role::attention, Role::recurrence}) {
        const std::string own = most(role);
        if (rest.empty() || rest == original) rest = own.empty() ? rest : own;
    }
    if (rest.empty()) rest = original;
    return experts.empty() || experts == rest ? rest : rest + ", experts " + experts;
}

void read_cache_format(const json::Value& config, const Catalog& catalog, Model& model) {
    const json::Value& scheme = config.at("kv_cache_scheme");
    const bool narrow = scheme.count("num_bits") == 8 && scheme.text("type") == "float";
    if (narrow || config.text("kv_cache_quant_algo") == "FP8") {
        model.kv_format = catalog.format("fp8");
    }
}

}  // namespace

void read_quantization(ConfigKeys& keys, const json::Value* beside, const Catalog& catalog,
                       Model& model) {
    const json::Value* config = document(keys, beside);
    if (config == nullptr) return;
    const Scheme scheme = read_scheme(*config, catalog, keys);
    if (keys.failed()) return;
    const std::string original = format_of(model, Role::attention).id;
    const Formats formats = formats_of(scheme, model);
    apply(formats, model);
    apply_outside(scheme, model);
    model.weights_as = summary(formats, original);
    read_cache_format(*config, catalog, model);
}

}  // namespace napkin::formats
