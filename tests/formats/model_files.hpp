// Files of a small model, opened by their path.
#pragma once

#include "napkin/formats.hpp"
#include "tests/support/configs.hpp"
#include "tests/support/safetensors_builder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace napkin::test {

using formats::ModelFileOptions;

inline formats::ReadModel open(const std::string& path, const ModelFileOptions& options = {}) {
    return formats::read_model_file(path, presets(), options);
}
inline Problem refusal(const std::string& path) {
    return problem_of([&] { return open(path); });
}

inline std::string shape(std::initializer_list<int> extents) {
    std::string text = "[";
    for (const int extent : extents) {
        if (text.size() > 1) text += ',';
        text += std::to_string(extent);
    }
    text += ']';
    return text;
}

// The weights of `small_llama`, tensor by tensor: 128,064 elements.
inline SafetensorsBuilder& add_small_llama(SafetensorsBuilder& builder, const std::string& type,
                                           std::uint64_t bytes, bool head = true) {
    const auto matrix = [&](const std::string& name, int rows, int columns) {
        builder.add(name + ".weight", type, shape({rows, columns}),
                    static_cast<std::uint64_t>(rows * columns) * bytes);
    };
    const auto norm = [&](const std::string& name) {
        builder.add(name + ".weight", type, "[64]", 64 * bytes);
    };
    matrix("model.embed_tokens", 100, 64);
    for (int i = 0; i < 4; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        matrix(layer + "self_attn.q_proj", 64, 64);
        matrix(layer + "self_attn.k_proj", 16, 64);
        matrix(layer + "self_attn.v_proj", 16, 64);
        matrix(layer + "self_attn.o_proj", 64, 64);
        matrix(layer + "mlp.gate_proj", 96, 64);
        matrix(layer + "mlp.up_proj", 96, 64);
        matrix(layer + "mlp.down_proj", 64, 96);
        norm(layer + "input_layernorm");
        norm(layer + "post_attention_layernorm");
    }
    norm("model.norm");
    if (head) matrix("lm_head", 100, 64);
    return builder;
}

inline std::string small_llama_file(const std::string& type = "BF16", std::uint64_t bytes = 2) {
    SafetensorsBuilder builder;
    return add_small_llama(builder, type, bytes).bytes();
}

inline void write_config(const TemporaryFolder& folder, const Json& config) {
    folder.write("config.json", config.dump(2));
}

inline bool warned(const formats::ReadModel& read) {
    for (const Note& note : read.notes) {
        if (note.warning) return true;
    }
    return false;
}

}  // namespace napkin::test
