#include "formats/quantization/quantization.hpp"

#include <algorithm>

#include "formats/quantization/formats.hpp"
#include "formats/wording.hpp"
#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

// How often patterns may be tried, about: some seconds.
constexpr std::size_t most_trials = 300'000;

const json::Value* document_in(const json::Value& outer) {
    for (const json::Value* config : {&outer, &text_config(outer)}) {
        for (const std::string_view name : {"quantization_config", "quantization"}) {
            const json::Value* found = config->find(name);
            if (found != nullptr && found->kind != json::Kind::null) return found;
        }
    }
    return nullptr;
}

// Embedding and head: MLX packs both; "Linear" means the head too.
void apply_outside(const QuantizationRules& rules, Model& model) {
    const auto set = [&](Role role, std::string_view module, const QuantizedGroup& group) {
        if (rules.kept.match(module)) return;
        model.weights.of[static_cast<std::size_t>(role)] = group.format;
    };
    for (const QuantizedGroup& group : rules.groups) {
        if (!group.everything) continue;
        const bool packs_all = !group.format.keeps_embedding;
        if (packs_all) set(Role::embedding, "embed_tokens", group);
        if (packs_all || rules.head) set(Role::head, "lm_head", group);
    }
    for (const QuantizedGroup& group : rules.groups) {
        if (group.targets.match("embed_tokens")) set(Role::embedding, "embed_tokens", group);
        if (group.targets.match("lm_head")) set(Role::head, "lm_head", group);
    }
}

// "fp8-block", or "bf16, experts mxfp4" where the experts alone are narrow.
std::string summary(const RoleElements& elements, const std::string& original) {
    const auto most = [&](Role role) { return most_of(elements[static_cast<std::size_t>(role)]); };
    const std::string experts = most(Role::expert);
    std::string rest;
    for (const Role role : {Role::feed_forward, Role::attention, Role::recurrence}) {
        const std::string own = most(role);
        if (rest.empty() || rest == original) rest = own.empty() ? rest : own;
    }
    if (rest.empty()) rest = original;
    return experts.empty() || experts == rest ? rest : rest + ", experts " + experts;
}

// What a checkpoint wants its KV cache in; formats that are not known get a note.
void read_cache_format(const json::Value& document, const Catalog& catalog, ConfigKeys& keys,
                       Model& model) {
    const json::Value& scheme = document.at("kv_cache_scheme");
    const std::string algorithm = document.text("kv_cache_quant_algo");
    const bool narrow = scheme.count("num_bits") == 8 && scheme.text("type") == "float";
    if (narrow || algorithm == "FP8") {
        model.kv_format = catalog.format("fp8");
    } else if (scheme.kind == json::Kind::object || !algorithm.empty()) {
        const std::string bits =
            shown(scheme.text("type")) + " of " + shortest(scheme.count("num_bits")) + " bits";
        keys.note("unknown-kv-format",
                  "quantization: a KV cache in " + (algorithm.empty() ? bits : shown(algorithm)) +
                      " is not known; --kv FORMAT says what it is kept in",
                  true);
    }
}

void apply_document(const json::Value& document, const Catalog& catalog, ConfigKeys& keys,
                    Model& model) {
    read_cache_format(document, catalog, keys, model);
    // ModelOpt with a narrow cache and weights that are left alone.
    const json::Value* algorithm = document.find("quant_algo");
    if (algorithm != nullptr && algorithm->kind == json::Kind::null) return;
    const QuantizationRules rules = read_rules(document, catalog, keys);
    if (rules.tried() * std::max(model.order.size(), model.blocks.size()) > most_trials) {
        keys.problem("too-many-patterns",
                     "quantization: more patterns of modules than are tried on a model", &document,
                     "names of modules, or fewer patterns with *");
    }
    if (keys.failed()) return;
    const std::string original = format_of(model, Role::attention).id;
    const RoleElements elements = apply_to_layers(rules, model);
    apply_outside(rules, model);
    model.weights_as = summary(elements, original);
}

}  // namespace

void read_quantization(ConfigKeys& keys, const QuantizationFile* beside, const Catalog& catalog,
                       Model& model) {
    if (beside == nullptr) {
        const json::Value* document = document_in(keys.outer());
        if (document != nullptr) apply_document(*document, catalog, keys, model);
        return;
    }
    ConfigKeys own(beside->tree, beside->tree, keys.family(), beside->source);
    const json::Value* inner = beside->tree.find("quantization");
    apply_document(inner != nullptr ? *inner : beside->tree, catalog, own, model);
    own.finish();
    for (const Note& note : own.notes) keys.notes.push_back(note);
}

}  // namespace napkin::formats
