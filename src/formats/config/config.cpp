#include "formats/config/config.hpp"

#include <algorithm>

#include "formats/config/blocks.hpp"
#include "formats/config/parts.hpp"
#include "formats/quantization/quantization.hpp"
#include "formats/wording.hpp"
#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

constexpr double most_layers = 4096;

std::string model_type(const json::Value& config) {
    return config.text("model_type");
}

// The entry of data/families, by the language model's type, else by the whole's.
json::Value family_of(const json::Value& outer, const json::Value& text, const Catalog& catalog,
                      const json::Source& source, std::vector<Note>& notes) {
    for (const json::Value* config : {&text, &outer}) {
        const std::string type = model_type(*config);
        if (type.empty() || !catalog.has(PresetKind::family, type)) continue;
        const std::string entry = catalog.text(PresetKind::family, type);
        json::Value family = json::parse({"family " + type, entry});
        if (const std::string why = family.text("refused"); !why.empty()) {
            throw Error({.id = "unsupported-family",
                         .message = why + " (model_type " + json::quoted(type) + ")",
                         .where = json::where_in(source, config->at("model_type").offset),
                         .expected = "a family with a recipe",
                         .suggestions = {},
                         .hint = "--set model.parameters=SIZE answers what a size can"});
        }
        return family;
    }
    std::string type = model_type(text).empty() ? model_type(outer) : model_type(text);
    notes.push_back({"unknown-family",
                     type.empty()
                         ? "the configuration names no model_type: read as if it were Llama"
                         : "unknown model_type " + shown(type) +
                               ": read as if it were Llama; biases, norms and tying of "
                               "its class are not known",
                     true});
    return json::parse({"family llama", catalog.text(PresetKind::family, "llama")});
}

Norm norm_of(const json::Value& family) {
    const std::string name = family.text("norm");
    if (name == "layer") return Norm::layer;
    if (name == "layer-no-bias") return Norm::layer_no_bias;
    return name == "none" ? Norm::none : Norm::rms;
}

// It may stand only outside, only inside, or in neither: then the class decides.
bool tied(ConfigKeys& keys) {
    const bool by_class = keys.family().flag("tied");
    const json::Value* outside = keys.outer().find("tie_word_embeddings");
    const bool stated = outside != nullptr && outside->kind == json::Kind::boolean;
    return keys.flag("tie_word_embeddings", stated ? outside->boolean : by_class);
}

// Layers that differ from their kind's by where they stand.
void adjust(ConfigKeys& keys, Block& block, std::size_t layer, std::size_t layers) {
    const auto at = static_cast<double>(layer);
    const double shared = keys.get("num_kv_shared_layers", 0);
    if (auto* m = std::get_if<Attention>(&block.mixer);
        m != nullptr && at >= static_cast<double>(layers) - shared) {
        const bool own_keys = keys.family().flag("shared_layers_own_keys");
        (own_keys ? m->uncached : m->shares_cache) = true;
        auto* f = std::get_if<DenseFeedForward>(&block.feed_forward);
        if (f != nullptr && keys.flag("use_double_wide_mlp")) f->width *= 2;
    }
    if (auto* m = std::get_if<LatentAttention>(&block.mixer)) {
        const json::Value* types = keys.per_layer("indexer_types", layers);
        m->index_shared = types != nullptr && types->items[layer].string == "shared";
    }
}

double state_bytes_of(const ConfigKeys& keys) {
    std::string format = keys.text("mamba_ssm_dtype");
    if (format.empty()) format = keys.text("mamba_ssm_cache_dtype");
    if (format.empty()) format = keys.family().text("state_format");
    return format == "float32" || format == "fp32" ? 4 : 2;
}

Block block_of(ConfigKeys& keys, LayerKind kind) {
    Block block{.count = 1, .norms = norms_of(keys, kind)};
    block.mixer = mixer_of(keys, kind.mixer);
    block.feed_forward = feed_forward_of(keys, kind.feed_forward);
    block.state_bytes = state_bytes_of(keys);
    block.parallel = keys.trait("parallel");
    if (kind.mixer == MixerKind::cross) block.runs = Runs::on_image;
    return block;
}

// Does not stop at what is wrong or missing: one run names it all.
void add_layers(ConfigKeys& keys, Model& model, std::size_t layers) {
    if (layers == 0) {
        const bool experts = keys.get("experts", 0) > 0;
        LayerKind usual;
        if (experts) usual.feed_forward = FeedForwardKind::experts;
        if (keys.family().find("mixer") == nullptr) (void)block_of(keys, usual);
        return;
    }
    const std::vector<LayerKind> kinds = layer_kinds(keys, layers);
    std::vector<std::pair<LayerKind, Block>> known;
    for (std::size_t i = 0; i < layers; ++i) {
        auto one = std::find_if(known.begin(), known.end(),
                                [&](const auto& pair) { return pair.first == kinds[i]; });
        if (one == known.end()) one = known.insert(one, {kinds[i], block_of(keys, kinds[i])});
        Block block = one->second;
        adjust(keys, block, i, layers);
        add_layer(model, std::move(block));
    }
}

void add_outside(ConfigKeys& keys, Model& model) {
    const json::Value& family = keys.family();
    model.hidden = keys.need("hidden");
    model.vocabulary = keys.need("vocabulary");
    model.max_context = keys.get("max_context", 0);
    model.norm = norm_of(family);
    model.tied = tied(keys);
    model.embedding_norm = family.flag("embedding_norm");
    model.head_bias = keys.trait("head_bias");
    const std::string positions = family.text("positions");
    if (positions.starts_with("learned")) {
        model.positions = keys.need("max_context") + (positions == "learned-plus-2" ? 2 : 0);
    } else if (positions == "relative") {
        model.extra_parameters = keys.get("layers", 0) * model.hidden * model.hidden;
    }
    // OPT-350m: a narrower embedding, projected in and out, and no norm at the end.
    const double narrow = keys.get("word_embed_proj_dim", model.hidden);
    if (narrow != model.hidden) {
        model.embedding_width = narrow;
        model.final_norm = false;
    }
}

// Number format of the checkpoint, without quantization.
void add_format(const ConfigKeys& keys, Model& model, const Catalog& catalog) {
    std::string format;
    for (const std::string_view key : {"torch_dtype", "dtype"}) {
        if (format.empty()) format = keys.text(key);
        if (format.empty()) format = keys.outer().text(key);
    }
    if (format.starts_with("torch.")) format.erase(0, 6);
    const bool known = !format.empty() && catalog.has(PresetKind::format, format);
    set_weights(model, known ? catalog.format(format) : bfloat16());
    if (!known) model.weights_as.clear();  // whoever asks is told what is assumed
}

}  // namespace

void add_layer(Model& model, Block layer) {
    const double count = layer.count;
    const auto equal =
        std::find_if(model.blocks.begin(), model.blocks.end(), [&](const Block& one) {
            layer.count = one.count;  // all but the count
            return one == layer;
        });
    layer.count = count;
    model.order.push_back(static_cast<std::uint16_t>(equal - model.blocks.begin()));
    if (equal != model.blocks.end()) {
        equal->count += count;
    } else {
        model.blocks.push_back(std::move(layer));
    }
}

ReadModel read_config(const json::Value& config, const json::Source& source, std::string name,
                      const Catalog& catalog, const QuantizationFile* quantization,
                      bool weights_given) {
    if (config.kind != json::Kind::object) {
        throw Error({.id = "not-a-config",
                     .message = "a configuration is a JSON object, this is a " +
                                std::string(json::name_of(config.kind)),
                     .where = json::where_in(source, config.offset),
                     .expected = {},
                     .suggestions = {},
                     .hint = {}});
    }
    ReadModel result;
    const json::Value& text = text_config(config);
    const json::Value family = family_of(config, text, catalog, source, result.notes);
    ConfigKeys keys(config, text, family, source);
    Model& model = result.model;
    model.id = name;
    model.name = std::move(name);
    model.source = source.name;
    add_outside(keys, model);
    const double layers = layers_of(keys);
    if (layers > most_layers) {
        keys.problem("bad-count", "more than " + shortest(most_layers) + " layers",
                     keys.value("num_hidden_layers"));
    } else if (family.text("stack") == "t5") {
        add_encoder_decoder(keys, model);
    } else if (!add_listed_blocks(keys, model, static_cast<std::size_t>(layers))) {
        add_layers(keys, model, static_cast<std::size_t>(layers));
    }
    keys.finish();
    add_format(keys, model, catalog);
    add_parts(keys, model);
    if (!weights_given) read_quantization(keys, quantization, catalog, model);
    keys.finish();
    result.notes.insert(result.notes.end(), keys.notes.begin(), keys.notes.end());
    return result;
}

}  // namespace napkin::formats
