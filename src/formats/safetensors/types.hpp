// The element types of safetensors.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace napkin::formats {

struct SafetensorsType {
    std::string_view name{};
    unsigned bits{};
};

// Source: github:huggingface/safetensors safetensors/src/tensor.rs, enum Dtype
inline constexpr std::array<SafetensorsType, 22> safetensors_types{{
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64},
}};

/// Bits of one element; nothing for a type that safetensors does not have.
[[nodiscard]] constexpr std::optional<unsigned> safetensors_bits(std::string_view name) {
    for (const SafetensorsType& type : safetensors_types) {
        if (type.name == name) return type.bits;
    }
    return std::nullopt;
}

}  // namespace napkin::formats
