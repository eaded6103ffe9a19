// Layers that were found by architecture search, each with sizes of its own (Nemotron-NAS).
// Source: the modelling code of nvidia/Llama-3_3-Nemotron-Super-49B-v1.
#include <cmath>

#include "formats/config/blocks.hpp"
#include "formats/config/config.hpp"
#include "formats/config/parts.hpp"

namespace napkin::formats {
namespace {

// Keys and values for groups of query heads, as in the layers that are not listed otherwise.
Mixer attention_of(ConfigKeys& keys, const json::Value& attention) {
    Mixer mixer = mixer_of(keys, MixerKind::full);
    auto* const m = std::get_if<Attention>(&mixer);
    const double group = attention.count("n_heads_in_group");
    if (m == nullptr || m->heads <= 0) return mixer;
    if (!(group >= 1 && group <= m->heads && std::fmod(m->heads, group) == 0)) {
        keys.problem("bad-count", "n_heads_in_group is no divisor of the heads", &attention,
                     "how many heads share keys and values");
        return mixer;
    }
    m->kv_heads = m->heads / group;
    return mixer;
}

// Two thirds of a multiple of hidden, in whole steps of 256.
FeedForward feed_forward_of(ConfigKeys& keys, const json::Value& wide, double hidden) {
    constexpr double step = 256;
    const double times = wide.count("ffn_mult");
    if (!(times > 0 && times <= 1000)) {
        keys.problem("bad-count", "ffn_mult is no multiple of the hidden size", &wide,
                     "a number above 0, or no_op");
    }
    const double width = std::ceil(std::floor(2 * times * hidden / 3) / step) * step;
    return DenseFeedForward{.width = width, .gated = true, .bias = keys.trait("ffn_bias")};
}

}  // namespace

bool add_listed_blocks(ConfigKeys& keys, Model& model, std::size_t layers) {
    const json::Value* list = keys.per_layer("block_configs", layers);
    if (list == nullptr) return false;
    for (const json::Value& item : list->items) {
        const json::Value& attention = item.at("attention");
        const json::Value& wide = item.at("ffn");
        if (attention.flag("replace_with_linear") || wide.flag("replace_with_linear")) {
            keys.problem("unsupported-block", "a layer is replaced by a linear one", &item,
                         "attention and feed-forward layers");
            return true;
        }
        Block block{.count = 1, .norms = 0};
        if (!attention.flag("no_op")) {
            block.mixer = attention_of(keys, attention);
            ++block.norms;
        }
        if (!wide.flag("no_op")) {
            block.feed_forward = feed_forward_of(keys, wide, model.hidden);
            ++block.norms;
        }
        add_layer(model, block);
    }
    return true;
}

}  // namespace napkin::formats
