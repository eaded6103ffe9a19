// Vision towers: stored beside the language model, read only where there is an image.
// Checked against the totals of the checkpoints that have them.
#include <cmath>

#include "formats/config/parts.hpp"

namespace napkin::formats {
namespace {

// A transformer layer with two LayerNorms and biases everywhere: w wide, f its inner width.
double encoder_layer(double w, double f) {
    return 4 * w * w + 4 * w + 2 * w * f + f + w + 4 * w;
}

// SigLIP so400m as in Gemma 3: 27 layers of 1,152, patches of 14, 64 x 64 positions; its
// projector ends in the language model's width h.
double gemma3_tower(double h) {
    constexpr double w = 1152;
    constexpr double f = 4304;
    constexpr double patch = 3 * 14 * 14 * w + w;
    constexpr double positions = 64 * 64 * w;
    constexpr double last_norm = 2 * w;
    const double projector = w * h + w;
    return patch + positions + 27 * encoder_layer(w, f) + last_norm + projector;
}

struct Tower {
    double depth{}, width{}, inner{}, patch{}, merge{}, frames{}, channels{};
};

Tower tower(const json::Value& vision) {
    Tower t;
    t.depth = vision.count("depth");
    t.width = vision.count("embed_dim", vision.count("hidden_size"));
    t.inner = vision.count("intermediate_size", vision.count("mlp_ratio") * t.width);
    t.patch = vision.count("patch_size");
    t.merge = vision.count("spatial_merge_size");
    t.frames = vision.count("temporal_patch_size");
    t.channels = vision.count("in_channels", vision.count("in_chans", 3));
    return t;
}

// Joins merge x merge patches and projects them to h, behind a norm `norm` wide.
double merger(const Tower& t, double h, double norm) {
    const double joined = t.width * t.merge * t.merge;
    return 2 * norm + joined * joined + joined + joined * h + h;
}

// Qwen2-VL: patches without a bias, no learned positions.
double qwen2_tower(const Tower& t, double h) {
    const double patches = t.channels * t.frames * t.patch * t.patch * t.width;
    return patches + t.depth * encoder_layer(t.width, t.inner) + merger(t, h, t.width);
}

// Qwen3-VL adds learned positions, and a merger for each level that is fed into the language
// model ("deepstack"), whose norm comes after joining.
double qwen3_tower(const json::Value& vision, const Tower& t, double h) {
    const double patches = t.channels * t.frames * t.patch * t.patch * t.width + t.width;
    const double positions = vision.count("num_position_embeddings") * t.width;
    const auto levels = static_cast<double>(vision.at("deepstack_visual_indexes").items.size());
    return patches + positions + t.depth * encoder_layer(t.width, t.inner) + merger(t, h, t.width) +
           levels * merger(t, h, t.width * t.merge * t.merge);
}

// Llama 3.2 Vision: local layers without attention biases, gated global layers, positions of tiles.
double mllama_tower(const json::Value& vision, double h) {
    const double w = vision.count("hidden_size");
    const double f = vision.count("intermediate_size");
    const double patch = vision.count("patch_size");
    const double tiles = vision.count("max_num_tiles");
    const double side = vision.count("image_size", 560) / patch;
    const double patches = side * side + 1;  // and the class
    double shapes = 1;                       // none, and each way to lay the tiles out
    for (double rows = 1; rows <= tiles && tiles <= 64; ++rows) shapes += std::floor(tiles / rows);
    const double layer = 4 * w * w + 2 * w * f + f + w + 4 * w;
    const double positions = patches * w + shapes * tiles * patches * w + 1;
    const double tile_positions = 2 * (shapes * tiles * w + 1);
    const double projector = vision.count("vision_output_dim") * h + h;
    return vision.count("num_channels", 3) * patch * patch * w + w + positions + tile_positions +
           4 * w + vision.count("num_hidden_layers") * layer +
           vision.count("num_global_layers") * (layer + 2) + projector;
}

// Sizes that are no counts are problems: a tower of -16 layers would have weights all the same.
bool has_sizes(ConfigKeys& keys, const json::Value& vision) {
    constexpr double largest = 1e6;
    bool good = true;
    for (const std::string_view key :
         {"depth", "embed_dim", "hidden_size", "image_size", "in_channels", "in_chans",
          "intermediate_size", "max_num_tiles", "mlp_ratio", "num_channels", "num_global_layers",
          "num_hidden_layers", "num_position_embeddings", "patch_size", "spatial_merge_size",
          "temporal_patch_size", "vision_output_dim"}) {
        const json::Value& size = vision.at(key);
        const bool number = size.kind == json::Kind::number;
        if (size.kind == json::Kind::null || (number && size.number >= 0 && size.number <= largest))
            continue;
        keys.problem("bad-count", "vision_config." + std::string(key) + " is no count", &size,
                     "a number up to a million");
        good = false;
    }
    return good;
}

}  // namespace

std::optional<double> vision_parameters(ConfigKeys& keys, double hidden) {
    const json::Value& outer = keys.outer();
    const json::Value& vision = outer.at("vision_config");
    const bool nested = &text_config(outer) != &outer;
    const std::string kind = keys.family().text("vision");
    if (kind == "gemma3" && nested) return gemma3_tower(hidden);
    if (vision.kind != json::Kind::object || vision.members.empty()) return std::nullopt;
    if (!kind.empty() && !has_sizes(keys, vision)) return std::nullopt;
    if (kind == "qwen2_vl" && vision.count("embed_dim") > 0) {
        return qwen2_tower(tower(vision), hidden);
    }
    if (kind == "qwen3_vl" || kind == "qwen3_5") return qwen3_tower(vision, tower(vision), hidden);
    if (kind == "mllama") return mllama_tower(vision, hidden);
    keys.note("vision-not-counted",
              "the configuration describes a vision tower that has no recipe here: its parameters "
              "are not counted",
              true);
    return std::nullopt;
}

}  // namespace napkin::formats
