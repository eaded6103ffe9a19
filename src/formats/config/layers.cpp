#include "formats/config/layers.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

using Kinds = std::vector<LayerKind>;

struct Word {
    std::string_view text{};
    LayerKind kind{};
};
// Entries of `layer_types` and of lists like it. Those of Nemotron-H name the only half of a layer.
constexpr std::array words{Word{"full_attention", {MixerKind::full}},
                           Word{"attention", {MixerKind::full}},
                           Word{"deepseek_sparse_attention", {MixerKind::full}},
                           Word{"sliding_attention", {MixerKind::sliding}},
                           Word{"chunked_attention", {MixerKind::sliding}},
                           Word{"linear_attention", {MixerKind::linear}},
                           Word{"mamba", {MixerKind::mamba}},
                           Word{"conv", {MixerKind::convolution}},
                           Word{"moe", {MixerKind::none, FeedForwardKind::experts}},
                           Word{"mlp", {MixerKind::none, FeedForwardKind::dense}}};

bool from_words(ConfigKeys& keys, Kinds& kinds) {
    const json::Value* types = keys.per_layer("layer_types", kinds.size());
    if (types == nullptr) types = keys.per_layer("layers_block_type", kinds.size());
    if (types == nullptr) return false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const json::Value& item = types->items[i];
        const auto word = std::find_if(words.begin(), words.end(), [&](const Word& one) {
            return item.kind == json::Kind::string && one.text == item.string;
        });
        if (word == words.end()) {
            keys.problem(
                "unknown-layer-type",
                "layer " + std::to_string(i) + " is of an unknown type " + shown(item.string),
                &item, "full_attention, sliding_attention, linear_attention, mamba, conv");
            return true;
        }
        kinds[i] = word->kind;
    }
    const bool halves = std::any_of(kinds.begin(), kinds.end(), [](const LayerKind& kind) {
        return kind.mixer == MixerKind::none;
    });
    for (LayerKind& kind : kinds) {
        if (halves && kind.mixer != MixerKind::none) kind.feed_forward = FeedForwardKind::none;
    }
    return true;
}

// Nemotron-H: M Mamba, * attention, - feed-forward, E experts; one of them a layer.
bool from_letters(ConfigKeys& keys, Kinds& kinds) {
    const json::Value* value = keys.value("hybrid_override_pattern");
    if (value == nullptr) return false;
    if (value->string.size() != kinds.size()) {
        keys.problem("bad-list",
                     "hybrid_override_pattern has " + std::to_string(value->string.size()) +
                         " letters for " + std::to_string(kinds.size()) + " layers",
                     value, "one letter for each layer");
        return true;
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const char letter = value->string[i];
        kinds[i] = {MixerKind::none, FeedForwardKind::none};
        if (letter == 'M') {
            kinds[i].mixer = MixerKind::mamba;
        } else if (letter == '*') {
            kinds[i].mixer = MixerKind::full;
        } else if (letter == '-') {
            kinds[i].feed_forward = FeedForwardKind::dense;
        } else if (letter == 'E') {
            kinds[i].feed_forward = FeedForwardKind::experts;
        } else {
            keys.problem("unknown-layer-type",
                         "hybrid_override_pattern has an unknown letter " +
                             json::quoted(std::string_view(&value->string[i], 1)),
                         value, "M, *, - or E");
            return true;
        }
    }
    return true;
}

// A list of 0 and 1 (MiniMax: 1 is attention; MiMo: 1 slides), or of layers' numbers.
bool from_flags(const std::optional<std::vector<bool>>& flags, Kinds& kinds, MixerKind off,
                MixerKind on) {
    if (!flags) return false;
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].mixer = (*flags)[i] ? on : off;
    return true;
}

bool from_periods(ConfigKeys& keys, Kinds& kinds) {
    const auto every = [&](double period, double offset, MixerKind hit, MixerKind others) {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const auto at = static_cast<std::size_t>(offset);
            kinds[i].mixer = i % static_cast<std::size_t>(period) == at ? hit : others;
        }
        return true;
    };
    if (const auto period = keys.find("attn_layer_period"); period && *period > 0) {  // Jamba
        return every(*period, keys.get("attn_layer_offset", 0), MixerKind::full, MixerKind::mamba);
    }
    if (const auto period = keys.find("full_attention_interval"); period && *period > 0) {
        return every(*period, *period - 1, MixerKind::full, MixerKind::linear);
    }
    return false;
}

}  // namespace

std::vector<LayerKind> layer_kinds(ConfigKeys& keys, std::size_t layers) {
    Kinds kinds(layers);
    if (from_letters(keys, kinds)) return kinds;
    const bool stated = from_words(keys, kinds) ||
                        from_flags(keys.flag_per_layer("attn_type_list", layers), kinds,
                                   MixerKind::linear, MixerKind::full) ||
                        from_flags(keys.flag_per_layer("hybrid_layer_pattern", layers), kinds,
                                   MixerKind::full, MixerKind::sliding) ||
                        from_flags(keys.listed_layers("full_attn_idxs", layers), kinds,
                                   MixerKind::convolution, MixerKind::full) ||
                        from_flags(keys.listed_layers("cross_attention_layers", layers), kinds,
                                   MixerKind::full, MixerKind::cross) ||
                        from_periods(keys, kinds);
    if (keys.family().find("mixer") != nullptr) {
        for (LayerKind& kind : kinds) kind = {MixerKind::mamba, FeedForwardKind::none};
    } else if (!stated) {
        from_flags(sliding_layers(keys, layers), kinds, MixerKind::full, MixerKind::sliding);
    }
    const bool halves = std::any_of(kinds.begin(), kinds.end(), [](const LayerKind& kind) {
        return kind.mixer == MixerKind::none;
    });
    if (halves || keys.get("experts", 0) <= 0) return kinds;
    const std::vector<bool> experts = expert_layers(keys, layers);
    for (std::size_t i = 0; i < layers; ++i) {
        if (experts[i]) kinds[i].feed_forward = FeedForwardKind::experts;
    }
    return kinds;
}

}  // namespace napkin::formats
