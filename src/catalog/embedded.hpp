// What the build embeds from data/: entries as JSON text, read when they are asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "napkin/catalog.hpp"

namespace napkin::catalog {

struct EmbeddedEntry {
    PresetKind kind{};
    std::string_view id{};
    std::string_view text{};
    std::string_view sources{};  // the citations of its file, as a JSON object
};

/// Sorted by `normalized`, then kind.
struct EmbeddedName {
    std::string_view normalized{};
    std::string_view written{};
    PresetKind kind{};
    std::uint16_t entry{};
    bool choice{};  // a name under which the user must choose
};

/// A tensor type of GGUF files: the number format that has its number. User files, which may
/// replace formats, do not reach it: how a file is laid out is not the user's to say.
struct GgmlType {
    std::uint32_t number{};
    std::string_view name{};    // in ggml: "F32", "Q4_K"
    std::string_view format{};  // id of the number format: "fp32", "q4_k"
    std::uint64_t elements{};   // of a block
    std::uint64_t bytes{};      // of a block
};

[[nodiscard]] std::span<const EmbeddedEntry> embedded_entries();
[[nodiscard]] std::span<const EmbeddedName> embedded_names();
[[nodiscard]] std::span<const GgmlType> ggml_types();  // by number

}  // namespace napkin::catalog
