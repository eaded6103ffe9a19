#include "formats/config/parts.hpp"

#include <algorithm>

#include "formats/config/blocks.hpp"

namespace napkin::formats {
namespace {

double parameters_of(const Block& block, const Model& model) {
    double sum = 0;
    for (const Tensor& tensor : tensors(block, model)) sum += elements(tensor);
    return sum;
}

// Gemma 3n and 4: an embedding of its own for each layer. h hidden, p its width, L layers.
void add_layer_embeddings(ConfigKeys& keys, Model& model) {
    const double p = keys.get("hidden_size_per_layer_input", 0);
    if (p <= 0) return;
    const double h = model.hidden;
    const double count = layers(model);
    model.lookup_parameters += keys.need("vocab_size_per_layer_input") * count * p;
    model.extra_parameters += h * count * p + p;        // projected from the main embedding
    model.extra_parameters += count * (2 * h * p + h);  // gate and projection in each layer
}

void add_layer_extras(ConfigKeys& keys, Model& model) {
    const std::string kind = keys.family().text("layer_extras");
    const double h = model.hidden;
    const double count = layers(model);
    if (kind == "gemma3n" || kind == "gemma4") add_layer_embeddings(keys, model);
    if (kind == "gemma3n") {
        const double n = keys.need("altup_num_inputs");
        const double r = keys.need("laurel_rank");
        model.extra_parameters += 2 * (n - 1) * h * h;                          // AltUp, once
        model.extra_parameters += count * (n * n + n * n * n + n * h + 2 * h);  // AltUp, each
        model.extra_parameters += count * (2 * h * r + h);                      // Laurel
    }
    if (kind == "mllama") {
        constexpr double image_tokens = 8;
        model.lookup_parameters += image_tokens * h;
        for (const Block& block : model.blocks) {  // two gates each
            const auto* m = std::get_if<Attention>(&block.mixer);
            if (m != nullptr && m->uncached) model.extra_parameters += 2 * block.count;
        }
    }
}

// One module: a decoder layer like the last, the projection of two hidden states, three norms.
double prediction_module(ConfigKeys& keys, const Model& model) {
    const double joins = 2 * model.hidden * model.hidden + 3 * model.hidden;
    if (keys.family().flag("mtp_dense")) {
        Block dense{.norms = 2, .mixer = mixer_of(keys, MixerKind::sliding)};
        dense.feed_forward = feed_forward_of(keys, FeedForwardKind::dense);
        return parameters_of(dense, model) + joins;
    }
    if (const std::string letters = keys.text("mtp_hybrid_override_pattern"); !letters.empty()) {
        double sum = joins;
        for (const Block& block : model.blocks) {
            const bool mixes = std::holds_alternative<Attention>(block.mixer);
            const bool routes = std::holds_alternative<Experts>(block.feed_forward);
            const char letter = mixes ? '*' : routes ? 'E' : ' ';
            const auto times = std::count(letters.begin(), letters.end(), letter);
            sum += static_cast<double>(times) * parameters_of(block, model);
        }
        return sum;
    }
    // Of the last kind, but with attention over everything and an indexer of its own.
    Block block{.norms = 2, .mixer = mixer_of(keys, MixerKind::full)};
    const bool routed = keys.get("experts", 0) > 0;
    block.feed_forward =
        feed_forward_of(keys, routed ? FeedForwardKind::experts : FeedForwardKind::dense);
    return parameters_of(block, model) + joins;
}

void add_prediction(ConfigKeys& keys, Model& model) {
    const double modules = keys.get("mtp", 0);
    if (modules <= 0) return;
    model.parts.push_back(
        {.name = "multi-token prediction", .parameters = modules * prediction_module(keys, model)});
    if (!keys.family().flag("mtp_copies")) return;
    model.parts.push_back({.name = "copies of embedding and head for multi-token prediction",
                           .parameters = modules * 2 * model.vocabulary * model.hidden});
}

}  // namespace

void add_encoder_decoder(ConfigKeys& keys, Model& model) {
    const double encoders = keys.need("layers");
    const double decoders = keys.get("num_decoder_layers", encoders);
    const bool gated = keys.text("feed_forward_proj").starts_with("gated");
    Attention attention;
    attention.heads = attention.kv_heads = keys.need("heads");
    attention.head_dim = keys.need("head_dim");
    const DenseFeedForward wide{.width = keys.need("width"), .gated = gated};
    Block encoder{.count = encoders, .norms = 2, .mixer = attention, .feed_forward = wide};
    encoder.runs = Runs::on_prompt;
    std::get<Attention>(encoder.mixer).uncached = true;
    const Block over_output{.count = decoders, .norms = 1, .mixer = attention};
    Block over_prompt{.count = decoders, .norms = 2, .mixer = attention, .feed_forward = wide};
    over_prompt.continues = true;
    std::get<Attention>(over_prompt.mixer).over_prompt = true;
    model.blocks = {encoder, over_output, over_prompt};
    // Relative positions of both stacks, and the second stack's final norm.
    model.extra_parameters =
        2 * keys.get("relative_attention_num_buckets", 32) * attention.heads + model.hidden;
}

void add_parts(ConfigKeys& keys, Model& model) {
    add_layer_extras(keys, model);
    add_prediction(keys, model);
    if (const auto vision = vision_parameters(keys, model.hidden)) {
        model.parts.push_back({.name = "vision", .parameters = *vision});
    }
}

}  // namespace napkin::formats
