// Small configurations for tests, written as their publishers would.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "formats/config/config.hpp"
#include "tests/support/problems.hpp"

namespace napkin::test {

using Json = nlohmann::json;

inline const Catalog& presets() {
    static const Catalog catalog;
    return catalog;
}

/// Reads the text of a config.json.
inline formats::ReadModel read_text(const std::string& text) {
    const json::Source source{"config.json", text};
    return formats::read_config(json::parse(source), source, "test", presets());
}
inline formats::ReadModel read(const Json& config) {
    return read_text(config.dump());
}
inline Model model_of(const Json& config) {
    return read(config).model;
}
/// The one problem with a configuration.
inline Problem problem_with(const Json& config) {
    return problem_of([&] { return read(config); });
}

/// Four layers, 64 wide; 128,064 parameters:
/// a layer has 64 x 64 for q and for o, 64 x 16 for k and for v, 3 x 64 x 96, and two norms of 64:
/// 10,240 + 18,432 + 128 = 28,800. Embedding and head 100 x 64 each, and a norm.
inline Json small_llama() {
    return {{"model_type", "llama"},    {"hidden_size", 64},
            {"num_hidden_layers", 4},   {"num_attention_heads", 8},
            {"num_key_value_heads", 2}, {"intermediate_size", 96},
            {"vocab_size", 100},        {"max_position_embeddings", 1024},
            {"torch_dtype", "bfloat16"}};
}
inline constexpr double small_llama_layer = 28800;
inline constexpr double small_llama_parameters = 4 * small_llama_layer + 2 * 6400 + 64;

/// `base` with the keys of `changes` in place of its own.
inline Json with(Json base, const Json& changes) {
    base.update(changes);
    return base;
}
inline Json without(Json base, const std::string& key) {
    base.erase(key);
    return base;
}

/// The note of that id; empty where there is none.
inline Note note_in(const formats::ReadModel& read, const std::string& id) {
    for (const Note& note : read.notes) {
        if (note.id == id) return note;
    }
    return {};
}

/// Numbers of the layers for which `holds(block)`.
template <class Holds>
std::vector<int> layers_where(const Model& model, Holds holds) {
    std::vector<int> layers;
    for (std::size_t i = 0; i < model.order.size(); ++i) {
        if (holds(model.blocks[model.order[i]])) layers.push_back(static_cast<int>(i));
    }
    return layers;
}

inline std::vector<int> windowed(const Model& model) {
    return layers_where(model, [](const Block& block) {
        const auto* m = std::get_if<Attention>(&block.mixer);
        return m != nullptr && m->window > 0;
    });
}
inline std::vector<int> with_experts(const Model& model) {
    return layers_where(model, [](const Block& block) {
        return std::holds_alternative<Experts>(block.feed_forward);
    });
}
template <class M>
std::vector<int> mixed_by(const Model& model) {
    return layers_where(model,
                        [](const Block& block) { return std::holds_alternative<M>(block.mixer); });
}

}  // namespace napkin::test
