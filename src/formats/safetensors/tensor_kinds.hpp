// What a stored tensor is for, by its name: not everything in a file of weights is a parameter.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "formats/stored_tensors.hpp"

namespace napkin::formats {

enum class TensorKind {
    weight,  // one parameter an element
    packed,  // words that hold several quantised weights each
    scale,   // what unpacking needs: scales, zero points, group indices, code books
    buffer   // neither: causal masks, rotary frequencies, position numbers
};

struct TensorSuffix {
    std::string_view suffix{};
    TensorKind kind{TensorKind::weight};
    std::size_t least_dimensions{};  // with fewer it is a weight after all
};

/// The end of a name, from a dot on unless it begins with "_".
/// Sources: github:AutoGPTQ/AutoGPTQ and github:casper-hansen/AutoAWQ (qweight, qzeros, scales,
/// g_idx), github:vllm-project/compressed-tensors (weight_packed, weight_shape,
/// weight_zero_point, weight_global_scale), github:NVIDIA/TensorRT-Model-Optimizer (weight_scale_2,
/// input_scale, k_scale, v_scale), github:deepseek-ai/DeepSeek-V3 (weight_scale_inv),
/// github:openai/gpt-oss (_blocks, _scales), github:bitsandbytes-foundation/bitsandbytes (absmax,
/// quant_map, nested_*, quant_state.*, SCB), github:huggingface/transformers (attn.bias and
/// masked_bias of GPT-2 and GPT-NeoX, inv_freq of Llama).
inline constexpr std::array<TensorSuffix, 36> tensor_suffixes{{
    {"qweight", TensorKind::packed},
    {"weight_packed", TensorKind::packed},
    {"_blocks", TensorKind::packed},
    {"qzeros", TensorKind::scale},
    {"scales", TensorKind::scale},
    {"_scales", TensorKind::scale},
    {"g_idx", TensorKind::scale},
    {"weight_g_idx", TensorKind::scale},
    {"weight_scale", TensorKind::scale},
    {"weight_scale_inv", TensorKind::scale},
    {"weight_scale_2", TensorKind::scale},
    {"weight_global_scale", TensorKind::scale},
    {"weight_shape", TensorKind::scale},
    {"weight_zero_point", TensorKind::scale},
    {"input_scale", TensorKind::scale},
    {"input_global_scale", TensorKind::scale},
    {"input_zero_point", TensorKind::scale},
    {"output_scale", TensorKind::scale},
    {"q_scale", TensorKind::scale},
    {"k_scale", TensorKind::scale},
    {"v_scale", TensorKind::scale},
    {"weight.absmax", TensorKind::scale},
    {"weight.quant_map", TensorKind::scale},
    {"weight.nested_absmax", TensorKind::scale},
    {"weight.nested_quant_map", TensorKind::scale},
    {"weight.quant_state.bitsandbytes__nf4", TensorKind::scale},
    {"weight.quant_state.bitsandbytes__fp4", TensorKind::scale},
    {"SCB", TensorKind::scale},
    {"weight_format", TensorKind::scale},
    {"rotary_emb.inv_freq", TensorKind::buffer},
    {"attn.bias", TensorKind::buffer, 3},
    {"attention.bias", TensorKind::buffer, 3},
    {"attn.masked_bias", TensorKind::buffer},
    {"attention.masked_bias", TensorKind::buffer},
    {"embeddings.position_ids", TensorKind::buffer},
    {"position_ids", TensorKind::buffer},
}};

/// By the end of its name; and by type, where a name does not tell: a matrix called "weight" of U8
/// holds packed 4-bit weights (bitsandbytes, NVFP4), F8_E8M0 has no mantissa and is a scale.
[[nodiscard]] TensorKind kind_of(const StoredTensor& tensor);

/// Stored elements by what they are for.
struct ElementsByKind {
    std::uint64_t weights{};
    std::uint64_t packed{};
    std::uint64_t scales{};
    std::uint64_t buffers{};
};
[[nodiscard]] ElementsByKind elements_by_kind(std::span<const StoredTensor> tensors);

}  // namespace napkin::formats
