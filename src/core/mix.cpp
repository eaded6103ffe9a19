// The rules are those of llama_tensor_get_type in github:ggml-org/llama.cpp src/llama-quant.cpp
// (@059325d9b4bf, @007dbbf3fd17). data/formats/gguf-mixes.json holds them; here they are read.
#include "napkin/mix.hpp"

#include <algorithm>
#include <cmath>

#include "core/mix_place.hpp"
#include "napkin/text.hpp"

namespace napkin {
namespace {

using mix_rules::Facts;
using mix_rules::holds;

constexpr double most_layers = 10'000;  // beyond any model: bounds the list of layers

NumberFormat& slot_of(Model& model, Role role) {
    return model.weights.of[static_cast<std::size_t>(role)];
}

bool fills(const NumberFormat& type, double row) {
    return std::fmod(row, type.elements) == 0;
}

// Two types in what we count as one tensor and the file keeps as two.
NumberFormat blend(const NumberFormat& a, double share, const NumberFormat& b) {
    if (a.id == b.id) return a;
    NumberFormat both = a;
    both.id = a.id + "+" + b.id;
    both.name = a.name + " and " + b.name;
    both.elements = 1;
    both.bytes = share * bytes_per_weight(a) + (1 - share) * bytes_per_weight(b);
    return both;
}

// The types of one model's tensors. Layers are asked for in their order.
class Types {
  public:
    Types(const Mix& mix, const Model& model)
        : mix_(mix), facts_(mix_rules::facts_of(mix, model)), walk_(facts_) {
        const auto& kept = mix.kept_experts;
        for (const Block& block : model.blocks) {
            for (const Tensor& tensor : tensors(block, model)) {
                const std::string& stored = tensor.format->id;
                const bool stays = std::find(kept.begin(), kept.end(), stored) != kept.end();
                if (tensor.role == Role::expert && stays) kept_expert = *tensor.format;
            }
        }
    }

    void enter(const Block& block) { walk_.enter(block); }

    NumberFormat of(const Tensor& tensor, const Block& block) {
        const std::string_view kind = mix_rules::kind_of(tensor, fused_attention(facts_));
        const NumberFormat chosen = fitting(ruled(tensor, kind), tensor.columns, tensor.name);
        const auto* delta = std::get_if<DeltaNet>(&block.mixer);
        if (delta == nullptr || tensor.name != "delta_qkvz") return chosen;
        // The file keeps queries, keys and values in one tensor, the gate in another.
        const double keys = 2 * delta->key_heads * delta->key_dim;
        const double values = delta->value_heads * delta->value_dim;
        return blend(chosen, (keys + values) / (keys + 2 * values),
                     fitting(mix_.type, tensor.columns, tensor.name));
    }

    NumberFormat head(double row) {
        if (mix_.type.elements == 1) return mix_.head;
        if (facts_.layout != nullptr && facts_.layout->head) {
            return fitting(*facts_.layout->head, row, "head");
        }
        return fitting(fills(mix_.type, row) ? mix_.head : mix_.head_fallback, row, "head");
    }

    NumberFormat fitting(const NumberFormat& type, double row, std::string_view name) {
        if (fills(type, row)) return type;
        for (const MixFallback& fallback : mix_.fallbacks) {
            if (fallback.type != type.id) continue;
            return fills(fallback.instead, row) ? fallback.instead : mix_.last_fallback;
        }
        const std::string misfit = std::string(name) + ": rows of " + with_separators(row) +
                                   " are no whole blocks of " + type.id;
        if (std::find(misfits.begin(), misfits.end(), misfit) == misfits.end()) {
            misfits.push_back(misfit);
        }
        return mix_.last_fallback;
    }

    std::vector<std::string> misfits{};
    std::optional<NumberFormat> kept_expert{};  // as the checkpoint stores them

  private:
    [[nodiscard]] const NumberFormat& ruled(const Tensor& tensor, std::string_view kind) {
        const mix_rules::Place place = walk_.place(kind);
        for (const MixRule& rule : mix_.rules) {
            const bool named =
                rule.tensor == kind || (rule.tensor == "experts" && tensor.role == Role::expert);
            if (named && holds(rule.when, facts_) && holds(rule.layers, place)) return rule.type;
        }
        return mix_.type;
    }

    const Mix& mix_;
    Facts facts_;
    mix_rules::Walk walk_;
};

// What the tensors outside the layers take, and those inside that no rule is for.
void set_roles(Model& model, const Mix& mix, Types& types) {
    model.weights.of.fill(mix.type);
    for (const Role role : {Role::positions, Role::router, Role::expert_bias, Role::norm}) {
        slot_of(model, role) = float32();
    }
    const NumberFormat head = types.head(model.hidden);
    slot_of(model, Role::head) = head;
    slot_of(model, Role::embedding) =
        model.tied ? head : types.fitting(mix.embedding, model.hidden, "token_embedding");
    // Tables of embeddings of each layer go with the token embedding.
    if (model.lookup_parameters > 0) {
        slot_of(model, Role::positions) = model.tied ? mix.head : mix.embedding;
    }
    if (types.kept_expert) slot_of(model, Role::expert) = *types.kept_expert;
}

// The layers of a model by their blocks, first to last.
std::vector<std::uint16_t> order_of(const Model& model) {
    if (!model.order.empty()) return model.order;
    std::vector<std::uint16_t> order;
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
        order.insert(order.end(), static_cast<std::size_t>(model.blocks[i].count),
                     static_cast<std::uint16_t>(i));
    }
    return order;
}

bool equal(const std::vector<TensorFormat>& a, const std::vector<TensorFormat>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const TensorFormat& x, const TensorFormat& y) {
                          return x.tensor == y.tensor && x.format.id == y.format.id;
                      });
}

// Formats of the tensors of one layer that differ from their role's.
std::vector<TensorFormat> formats_of(const Block& block, const Model& model, Types& types) {
    std::vector<TensorFormat> formats;
    types.enter(block);
    for (const Tensor& tensor : tensors(block, model)) {
        if (!tensor.matrix || tensor.role == Role::router) continue;
        NumberFormat type = types.of(tensor, block);
        if (tensor.role == Role::expert && types.kept_expert) continue;
        if (type.id != tensor.format->id) {
            formats.push_back({std::string(tensor.name), std::move(type)});
        }
    }
    return formats;
}

// Layers that come from one block and are kept alike become one block.
void split_blocks(Model& model, Types& types) {
    const std::vector<std::uint16_t> order = order_of(model);
    std::vector<Block> blocks = std::move(model.blocks);
    std::vector<std::uint16_t> from;  // the old block of each new one
    model.blocks.clear();
    model.order.clear();
    for (const std::uint16_t old : order) {
        blocks[old].formats.clear();
        std::vector<TensorFormat> formats = formats_of(blocks[old], model, types);
        std::size_t at = 0;
        while (at < from.size() && (from[at] != old || !equal(model.blocks[at].formats, formats))) {
            ++at;
        }
        if (at == from.size()) {
            from.push_back(old);
            model.blocks.push_back(blocks[old]);
            model.blocks.back().count = 0;
            model.blocks.back().formats = std::move(formats);
        }
        ++model.blocks[at].count;
        model.order.push_back(static_cast<std::uint16_t>(at));
    }
}

}  // namespace

Mixed mixed(const Mix& mix, Model model) {
    double all = 0;
    for (const Block& block : model.blocks) all += block.count;
    if (all > most_layers) {
        return {std::move(model), {with_separators(all) + " layers, more than a file may have"}};
    }
    model.weights_as = mix.id;
    Types types(mix, model);
    set_roles(model, mix, types);
    split_blocks(model, types);
    return {std::move(model), std::move(types.misfits)};
}

}  // namespace napkin
