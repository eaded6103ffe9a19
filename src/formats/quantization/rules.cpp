#include "formats/quantization/rules.hpp"

#include <algorithm>

#include "formats/quantization/scheme.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

constexpr std::size_t most_groups = 256;

// Collects the rules, and the patterns that are in no use.
class Reader {
  public:
    Reader(const Catalog& catalog, ConfigKeys& keys) : catalog_(catalog), keys_(keys) {}

    void keep(const json::Value& list) { add_patterns(rules.kept, list); }
    void add_groups(const json::Value& groups);
    void add_listed(const json::Value& listed);
    void add_exceptions(const json::Value& mlx);
    void add_whole(const json::Value& document);
    void finish(const json::Value& document);
    [[nodiscard]] bool full() const {
        return rules.kept.full() || rules.groups.size() > most_groups ||
               std::any_of(rules.groups.begin(), rules.groups.end(),
                           [](const QuantizedGroup& one) { return one.targets.full(); });
    }

    QuantizationRules rules{};

  private:
    void add_pattern(ModulePatterns& into, const std::string& pattern) {
        if (into.add(pattern)) return;
        if (left_out_++ == 0) first_left_out_ = pattern;
    }
    void add_patterns(ModulePatterns& into, const json::Value& list) {
        if (list.kind == json::Kind::string) add_pattern(into, list.string);
        for (const json::Value& item : list.items) add_pattern(into, item.string);
    }
    // The group of that format, which may be new.
    ModulePatterns& targets_in(const NumberFormat& format) {
        for (QuantizedGroup& group : rules.groups) {
            if (!group.everything && group.format == format) return group.targets;
        }
        rules.groups.push_back({.format = format, .targets = {}, .everything = false});
        return rules.groups.back().targets;
    }
    void unknown(const std::string& what, const json::Value& at, std::string expected) {
        keys_.problem("unknown-quantization", "quantization: " + what, &at, std::move(expected),
                      "--weights FORMAT says what the weights are stored in");
    }

    const Catalog& catalog_;
    ConfigKeys& keys_;
    std::size_t left_out_{};
    std::string first_left_out_{};
};

// compressed-tensors and ModelOpt: groups of formats, each for a list of modules.
void Reader::add_groups(const json::Value& groups) {
    for (const auto& [name, group] : groups.members) {
        if (full()) return;
        const auto format = group_format(group, catalog_);
        const json::Value& targets = group.at("targets");
        if (!format || targets.items.empty()) {
            const std::string what =
                format ? " have no targets" : " are in no scheme that is known";
            unknown("the weights of " + shown(name) + what, group,
                    format ? "a list of modules, or Linear"
                           : "int or float weights of num_bits, by group, channel or tensor");
            return;
        }
        const bool everything =
            std::any_of(targets.items.begin(), targets.items.end(),
                        [](const json::Value& one) { return one.string == "Linear"; });
        if (everything) {
            rules.groups.push_back({.format = *format, .targets = {}, .everything = true});
            rules.head = true;  // unless it is among the kept
        } else {
            add_patterns(targets_in(*format), targets);
        }
    }
}

// ModelOpt's mixed precision: a list of modules, each with its algorithm.
void Reader::add_listed(const json::Value& listed) {
    for (const auto& [module, how] : listed.members) {
        if (full()) return;
        const auto format = scheme_format(how, catalog_);
        if (!format) {
            unknown("unknown quant_algo " + shown(how.text("quant_algo")), how,
                    "FP8, NVFP4, W4A16_AWQ, MXFP4, MXFP8 or the like");
            return;
        }
        add_pattern(targets_in(*format), module);
    }
}

// MLX: modules by name, each with bits of its own, or false for one that is left alone.
void Reader::add_exceptions(const json::Value& mlx) {
    for (const auto& [module, how] : mlx.members) {
        if (full()) return;
        if (how.kind == json::Kind::boolean && !how.boolean) add_pattern(rules.kept, module);
        if (how.kind != json::Kind::object) continue;
        const auto format = scheme_format(how, catalog_);
        if (!format) {
            unknown("the bits of " + shown(module) + " are not known", how, "bits and group_size");
            return;
        }
        add_pattern(targets_in(*format), module);
    }
}

void Reader::add_whole(const json::Value& document) {
    const auto format = scheme_format(document, catalog_);
    if (!format) {
        std::string method = document.text("quant_algo");
        if (method.empty()) method = document.text("quant_method");
        unknown(method.empty() ? "nothing says how the weights are stored"
                               : "by " + shown(method) + " is not known, or not with these sizes",
                document,
                "fp8, gptq, awq, compressed-tensors, modelopt, bitsandbytes, mxfp4 or MLX");
        return;
    }
    rules.groups.push_back({.format = *format, .targets = {}, .everything = true});
    rules.head = document.flag("lm_head");  // GPTQ
    if (is_mlx(document)) add_exceptions(document);
}

void Reader::finish(const json::Value& document) {
    if (full()) {
        keys_.problem("too-many-patterns",
                      "quantization: more patterns of modules than are tried on a model", &document,
                      "names of modules, or fewer patterns with *");
    } else if (left_out_ > 0) {
        const std::string which = left_out_ == 1
                                      ? "the pattern " + shown(first_left_out_) + " is"
                                      : std::to_string(left_out_) + " patterns such as " +
                                            shown(first_left_out_) + " are";
        keys_.note("unknown-pattern", "quantization: " + which + " not understood and left out",
                   true);
    }
}

bool among(const ModulePatterns& patterns, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return patterns.match(name); });
}

}  // namespace

const NumberFormat* QuantizationRules::format_of(const std::vector<std::string>& names) const {
    if (among(kept, names)) return nullptr;
    const NumberFormat* result = nullptr;
    for (const QuantizedGroup& group : groups) {
        if (!group.everything && among(group.targets, names)) return &group.format;
        if (group.everything && result == nullptr) result = &group.format;
    }
    return result;
}

std::size_t QuantizationRules::tried() const {
    constexpr std::size_t lookups = 8;  // of names, about as costly as so many globs
    std::size_t sum = kept.globs() + lookups;
    for (const QuantizedGroup& group : groups) sum += group.targets.globs() + lookups;
    return sum;
}

QuantizationRules read_rules(const json::Value& document, const Catalog& catalog,
                             ConfigKeys& keys) {
    Reader reader(catalog, keys);
    for (const std::string_view name : {"ignore", "exclude_modules", "modules_to_not_convert",
                                        "ignored_layers", "llm_int8_skip_modules"}) {
        reader.keep(document.at(name));
    }
    const json::Value& groups = document.at("config_groups");
    const json::Value& listed = document.at("quantized_layers");
    if (!groups.members.empty()) {
        reader.add_groups(groups);
    } else if (!listed.members.empty()) {
        reader.add_listed(listed);
    } else {
        reader.add_whole(document);
    }
    reader.finish(document);
    return std::move(reader.rules);
}

}  // namespace napkin::formats
