#include "core/mix_place.hpp"

#include <algorithm>
#include <cmath>

namespace napkin::mix_rules {
namespace {

constexpr std::array<std::string_view, 3> feed_forward_kinds{"ffn_gate", "ffn_up", "ffn_down"};

bool is_value(std::string_view kind) {
    return kind == "attn_v" || kind == "attn_qkv";
}

double share(double layers, double of) {
    return std::floor(layers / of);
}

double group_of(const Model& model) {
    const auto first = model.order.empty() ? std::size_t{0} : model.order.front();
    // A hybrid of attention and delta nets states its KV heads once for all layers.
    for (std::size_t i = first; i < model.blocks.size(); ++i) {
        const Mixer& mixer = model.blocks[i].mixer;
        if (const auto* m = std::get_if<Attention>(&mixer)) return m->heads / m->kv_heads;
        if (std::holds_alternative<LatentAttention>(mixer)) return 1;
        if (!std::holds_alternative<DeltaNet>(mixer)) return 0;
    }
    return 0;
}

}  // namespace

std::string_view kind_of(const Tensor& tensor, bool fused_attention) {
    const std::string_view name = tensor.name;
    const bool attends = name == "attn_q" || name == "attn_k" || name == "attn_v";
    if (fused_attention && attends) return "attn_qkv";
    if (name == "delta_qkvz") return "attn_v";  // so named and so treated since these models exist
    if (name == "indexer_k") return "attn_k";   // "indexer.attn_k.weight" holds that name
    constexpr std::array<std::string_view, 2> prefixes{"expert_", "shared_"};
    for (const std::string_view prefix : prefixes) {
        if (!name.starts_with(prefix)) continue;
        for (const std::string_view kind : feed_forward_kinds) {
            if (kind.substr(4) == name.substr(prefix.size())) return kind;
        }
    }
    return name;
}

Facts facts_of(const Mix& mix, const Model& model) {
    Facts facts;
    facts.layers = layers(model);
    facts.group = group_of(model);
    for (const MixLayout& layout : mix.layouts) {
        const auto& models = layout.models;
        if (std::find(models.begin(), models.end(), model.id) != models.end()) {
            facts.layout = &layout;
        }
    }
    for (const Block& block : model.blocks) {
        const Tensors list = tensors(block, model);
        const bool values = std::any_of(list.begin(), list.end(), [](const Tensor& tensor) {
            return is_value(kind_of(tensor, false));
        });
        if (values) facts.values += block.count;
        if (const auto* experts = std::get_if<Experts>(&block.feed_forward)) {
            facts.experts = std::max(facts.experts, experts->experts);
        }
    }
    // Which architectures it calls so: Llama, Qwen2 and their kin of 80 layers.
    facts.class_70b = facts.layers == 80 && facts.group > 1 && facts.experts == 0 &&
                      model.norm == Norm::rms && facts.layout == nullptr;
    return facts;
}

bool holds(MixWhen when, const Facts& facts) {
    switch (when) {
        case MixWhen::grouped:
            return facts.group >= 4;
        case MixWhen::grouped_or_experts:
            return facts.group >= 4 || facts.experts >= 4;
        case MixWhen::eight_experts:
            return facts.experts == 8;
        case MixWhen::class_70b:
            return facts.class_70b;
        case MixWhen::falcon:
            return facts.layout != nullptr && facts.layout->id == "falcon";
        case MixWhen::always:
            break;
    }
    return true;
}

bool fused_attention(const Facts& facts) {
    return facts.layout != nullptr && facts.layout->fused_attention;
}

bool holds(MixLayers layers, const Place& place) {
    const double eighth = share(place.all, 8);
    const double last = share(7 * place.all, 8);
    switch (layers) {
        case MixLayers::more_bits:
            return place.index < eighth || place.index >= last ||
                   std::fmod(place.index - eighth, 3) == 2;
        case MixLayers::first_two:
            return place.index < 2;
        case MixLayers::first_four:
            return place.index < 4;
        case MixLayers::first_sixteenth:
            return place.index < share(place.all, 16);
        case MixLayers::first_eighth:
            return place.index < eighth;
        case MixLayers::first_eighth_of_tensors:
            return place.tensor < eighth;
        case MixLayers::middle:
            return place.index >= eighth && place.index < last;
        case MixLayers::all:
            break;
    }
    return true;
}

void Walk::enter(const Block& block) {
    if (has_values_) ++values_;
    has_values_ = false;
    layer_ = block.continues ? continued_++ : begun_++;
}

Place Walk::place(std::string_view kind) {
    if (is_value(kind)) {
        has_values_ = true;
        return {values_, facts_.values, values_};
    }
    for (std::size_t i = 0; i < feed_forward_kinds.size(); ++i) {
        if (kind != feed_forward_kinds[i]) continue;
        const double seen = feed_forward_[i]++;
        return {facts_.experts > 1 ? layer_ : seen, facts_.layers, seen};
    }
    return {layer_, facts_.layers, layer_};
}

}  // namespace napkin::mix_rules
