// A small model and what its quantised copies weigh, for the tests of quantization.
#pragma once

#include <fstream>

#include "tests/support/configs.hpp"

namespace napkin::test {

// Two layers. Matrices of a layer, outputs x inputs: q and o 256 x 256, k and v 128 x 256, gate and
// up 512 x 256, down 256 x 512.
inline Json model() {
    return with(small_llama(), {{"hidden_size", 256},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"intermediate_size", 512},
                                {"vocab_size", 1000}});
}
inline constexpr double linear = 2 * (2 * 256 * 256 + 2 * 128 * 256 + 3 * 512 * 256);  // 1,179,648
inline constexpr double matrices = 14;
inline constexpr double rows = 2 * (2 * 256 + 2 * 128 + 2 * 512 + 256);  // outputs of all
inline constexpr double columns = 2 * (4 * 256 + 2 * 256 + 512);         // inputs of all
inline constexpr double tiles = 2 * (4 + 2 + 2 + 4 + 8 + 8 + 8);         // of 128 x 128
inline constexpr double rest = 2 * (2 * 256000 + 5 * 256);  // in 16 bit: 1,026,560 bytes

inline Json quantized(const Json& quantization) {
    return with(model(), {{"quantization_config", quantization}});
}

inline double bytes_of(const Json& config) {
    return weight_bytes(model_of(config)).value();
}
// Bytes of the linear layers, the rest in 16 bit.
inline double linear_bytes(const Json& quantization) {
    return bytes_of(quantized(quantization)) - rest;
}

inline Json group(const Json& weights, const Json& targets = {"Linear"}) {
    return {{"weights", weights}, {"targets", targets}};
}
inline Json compressed(const Json& groups, const Json& ignore = {"lm_head"}) {
    return {{"quant_method", "compressed-tensors"}, {"config_groups", groups}, {"ignore", ignore}};
}

inline Json published(const std::string& name) {
    std::ifstream in(NAPKIN_SOURCE_DIR "/tests/formats/configs/" + name + ".json");
    REQUIRE(in);
    return Json::parse(in);
}

inline std::string format_in(const Model& m, std::size_t layer, std::string_view name) {
    for (const Tensor& tensor : tensors(m.blocks[m.order[layer]], m)) {
        if (tensor.name == name) return tensor.format->id;
    }
    return "no such tensor";
}
inline std::string head_format(const Model& m) {
    return format_of(m, Role::head).id;
}

inline const Json fp8_block{
    {"quant_method", "fp8"}, {"fmt", "e4m3"}, {"weight_block_size", {128, 128}}};

}  // namespace napkin::test
