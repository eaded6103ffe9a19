// Which layers have experts. Sources: the decoder layers of DeepSeek, Qwen-MoE, Llama 4, ERNIE and
// Jamba in github:huggingface/transformers src/transformers/models.
#include <algorithm>

#include "formats/config/layers.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

// Every `step`-th layer of [first, last], counted from `offset`.
struct Every {
    double step{1};
    double offset{};
    double first{};
    double last{};
};

Every rule_of(ConfigKeys& keys, double layers) {
    Every rule{.step = 1, .offset = 0, .first = 0, .last = layers - 1};
    rule.first = keys.get("first_k_dense_replace", keys.get("moe_layer_num_skipped", 0));
    // ERNIE: both ends are in, -1 is the last layer.
    rule.first = std::max(rule.first, keys.get("moe_layer_start_index", 0));
    const json::Value* end = keys.value("moe_layer_end_index");
    const bool last_layer = end != nullptr && end->number == -1;
    if (!last_layer) rule.last = keys.get("moe_layer_end_index", rule.last);
    const json::Value* frequency = keys.value("moe_layer_freq");
    if (frequency != nullptr && frequency->kind == json::Kind::number) {
        rule.step = keys.get("moe_layer_freq", 1);
    }
    for (const std::string_view name :
         {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval"}) {
        if (const auto step = keys.find(name)) {
            rule.step = *step;
            rule.offset = *step - 1;
        }
    }
    if (const auto period = keys.find("expert_layer_period")) {
        rule.step = *period;
        rule.offset = keys.get("expert_layer_offset", 0);
    }
    return rule;
}

bool takes(const Every& rule, std::size_t layer) {
    const auto at = static_cast<double>(layer);
    if (rule.step <= 0 || at < rule.first || at > rule.last || at < rule.offset) return false;
    const auto steps = layer - static_cast<std::size_t>(rule.offset);
    return steps % static_cast<std::size_t>(rule.step) == 0;
}

// "sparse" and "dense", layer by layer.
std::optional<std::vector<bool>> from_words(ConfigKeys& keys, std::size_t layers) {
    const json::Value* types = keys.per_layer("mlp_layer_types", layers);
    if (types == nullptr) return std::nullopt;
    std::vector<bool> experts;
    for (const json::Value& item : types->items) {
        const bool sparse = item.string == "sparse";
        if (item.kind != json::Kind::string || (!sparse && item.string != "dense")) {
            keys.problem("unknown-layer-type",
                         "mlp_layer_types has an unknown type " + shown(item.string), &item,
                         "sparse or dense");
            return std::nullopt;
        }
        experts.push_back(sparse);
    }
    return experts;
}

std::optional<std::vector<bool>> from_flags(ConfigKeys& keys, std::size_t layers) {
    const json::Value* frequency = keys.value("moe_layer_freq");
    if (frequency == nullptr || frequency->kind == json::Kind::number) return std::nullopt;
    return keys.flag_per_layer("moe_layer_freq", layers);
}

}  // namespace

std::vector<bool> expert_layers(ConfigKeys& keys, std::size_t layers) {
    if (const auto listed = from_words(keys, layers)) return *listed;
    std::vector<bool> experts(layers);
    if (const auto listed = from_flags(keys, layers)) {
        experts = *listed;
    } else {
        const Every rule = rule_of(keys, static_cast<double>(layers));
        for (std::size_t i = 0; i < layers; ++i) experts[i] = takes(rule, i);
    }
    if (const auto dense = keys.listed_layers("mlp_only_layers", layers)) {
        for (std::size_t i = 0; i < layers; ++i) experts[i] = experts[i] && !(*dense)[i];
    }
    return experts;
}

}  // namespace napkin::formats
