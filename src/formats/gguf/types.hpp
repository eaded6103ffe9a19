// The tensor types of GGUF files: blocks of so many elements in so many bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "catalog/embedded.hpp"

namespace napkin::formats {

using catalog::GgmlType;

/// The type of that number in ggml, or null: never given out, or removed.
[[nodiscard]] const GgmlType* ggml_type(std::uint32_t number);
/// The type that ggml calls by that name ("Q4_K"), or null. Its `format` names the number format;
/// the name itself may mean another one (ggml's NVFP4 has no scalars outside its blocks).
[[nodiscard]] const GgmlType* ggml_type_named(std::string_view name);

/// "99", or "31 (Q4_0_4_4, removed from ggml)": a type that cannot be read, for messages.
[[nodiscard]] std::string unknown_ggml_type(std::uint32_t number);

}  // namespace napkin::formats
