#include "formats/config_layers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "napkin/text.hpp"

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

bool lists_index(const json::Value& list, std::size_t layer) {
    return std::any_of(list.items.begin(), list.items.end(), [&](const json::Value& item) {
        return item.kind == json::Kind::number && item.number == static_cast<double>(layer);
    });
}

bool from_words(ConfigKeys& keys, Kinds& kinds) {
    const auto layers = static_cast<double>(kinds.size());
    const json::Value* types = keys.per_layer("layer_types", layers);
    if (types == nullptr) types = keys.per_layer("layers_block_type", layers);
    if (types == nullptr) return false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const json::Value& item = types->items[i];
        const auto word = std::find_if(words.begin(), words.end(), [&](const Word& one) {
            return item.kind == json::Kind::string && one.text == item.string;
        });
        if (word == words.end()) {
            keys.problem("unknown-layer-type",
                         "layer " + std::to_string(i) + " is of an unknown type " +
                             json::quoted(item.string.substr(0, 100)),
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

// A list of 0 and 1 (MiniMax: 1 is attention; MiMo: 1 slides).
bool from_bits(ConfigKeys& keys, Kinds& kinds, std::string_view name, MixerKind zero,
               MixerKind one) {
    const json::Value* list = keys.per_layer(name, static_cast<double>(kinds.size()));
    if (list == nullptr) return false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        kinds[i].mixer = list->items[i].number == 0 ? zero : one;
    }
    return true;
}

bool from_indices(ConfigKeys& keys, Kinds& kinds, std::string_view name, MixerKind listed,
                  MixerKind others) {
    const json::Value* list = keys.value(name);
    if (list == nullptr || list->kind != json::Kind::array) return false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        kinds[i].mixer = lists_index(*list, i) ? listed : others;
    }
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

// Windows: which layers do not see the whole context.
void slide(ConfigKeys& keys, Kinds& kinds) {
    const double window = keys.get("window", 0);
    const double longest = keys.get("max_context", 0);
    if (window <= 0 || (longest > 0 && window >= longest)) return;  // never full
    if (keys.family().find("slides") != nullptr && !keys.family().flag("slides")) return;
    const json::Value* condition = keys.family().find("slides_if");
    if (condition != nullptr && !keys.flag(condition->string)) return;
    std::size_t every = 0;  // each n-th layer sees everything
    const json::Value* pattern = keys.value("sliding_window_pattern");
    if (pattern != nullptr && pattern->kind == json::Kind::number) {
        every = static_cast<std::size_t>(keys.get("sliding_window_pattern", 0));
    } else if (pattern != nullptr && pattern->kind == json::Kind::string) {
        every = pattern->string.size();  // "LLLG"
    } else {
        every = static_cast<std::size_t>(keys.family().count("full_every"));
        if (every > 0) {
            keys.note("class-default", "which layers slide is not stated: in its class every " +
                                           std::to_string(every) + "th does not");
        }
    }
    const auto first = static_cast<std::size_t>(
        condition == nullptr ? 0 : keys.get("max_window_layers", 0));  // Qwen: from here on
    for (std::size_t i = first; i < kinds.size(); ++i) {
        const bool whole = every > 0 && (i + 1) % every == 0;
        if (kinds[i].mixer == MixerKind::full && !whole) kinds[i].mixer = MixerKind::sliding;
    }
}

// Which layers have experts; the key that says so differs from family to family.
void place_experts(ConfigKeys& keys, Kinds& kinds) {
    const auto layers = static_cast<double>(kinds.size());
    const json::Value* types = keys.per_layer("mlp_layer_types", layers);
    const json::Value* frequency = keys.value("moe_layer_freq");
    const bool listed = frequency != nullptr && frequency->kind == json::Kind::array;
    if (listed) frequency = keys.per_layer("moe_layer_freq", layers);
    const json::Value* dense_only = keys.value("mlp_only_layers");
    const double first = keys.get("first_k_dense_replace", keys.get("moe_layer_num_skipped", 0));
    const double begin = keys.get("moe_layer_start_index", 0);
    const double end = keys.get("moe_layer_end_index", layers - 1);
    double step = listed ? 1 : keys.get("moe_layer_freq", 1);
    double offset = -1;  // a layer has experts where (i - offset) is a multiple of the step
    for (const std::string_view name : {"decoder_sparse_step", "interleave_moe_layer_step"}) {
        if (const auto found = keys.find(name)) {
            step = *found;
            offset = *found - 1;
        }
    }
    if (const auto found = keys.find("moe_layer_interval")) step = *found;
    if (const auto found = keys.find("expert_layer_period")) {
        step = *found;
        offset = keys.get("expert_layer_offset", 0);
    }
    if (offset < 0) offset = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto at = static_cast<double>(i);
        bool experts = at >= first && at >= begin && at <= end && step > 0 && at >= offset &&
                       (i - static_cast<std::size_t>(offset)) % static_cast<std::size_t>(step) == 0;
        if (types != nullptr) experts = types->items[i].string == "sparse";
        if (listed && frequency != nullptr) experts = frequency->items[i].number != 0;
        if (dense_only != nullptr && lists_index(*dense_only, i)) experts = false;
        if (experts) kinds[i].feed_forward = FeedForwardKind::experts;
    }
}

}  // namespace

std::vector<LayerKind> layer_kinds(ConfigKeys& keys, std::size_t layers) {
    Kinds kinds(layers);
    if (from_letters(keys, kinds)) return kinds;
    const bool stated =
        from_words(keys, kinds) ||
        from_bits(keys, kinds, "attn_type_list", MixerKind::linear, MixerKind::full) ||
        from_bits(keys, kinds, "hybrid_layer_pattern", MixerKind::full, MixerKind::sliding) ||
        from_indices(keys, kinds, "full_attn_idxs", MixerKind::full, MixerKind::convolution) ||
        from_indices(keys, kinds, "cross_attention_layers", MixerKind::cross, MixerKind::full) ||
        from_periods(keys, kinds);
    if (keys.family().find("mixer") != nullptr) {
        for (LayerKind& kind : kinds) kind = {MixerKind::mamba, FeedForwardKind::none};
    } else if (!stated) {
        slide(keys, kinds);
    }
    const bool halves = std::any_of(kinds.begin(), kinds.end(), [](const LayerKind& kind) {
        return kind.mixer == MixerKind::none;
    });
    if (!halves && keys.get("experts", 0) > 0) place_experts(keys, kinds);
    return kinds;
}

}  // namespace napkin::formats
