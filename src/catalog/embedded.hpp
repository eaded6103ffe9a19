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

[[nodiscard]] std::span<const EmbeddedEntry> embedded_entries();
[[nodiscard]] std::span<const EmbeddedName> embedded_names();

}  // namespace napkin::catalog
