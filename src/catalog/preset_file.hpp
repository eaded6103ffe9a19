// The shape of preset files: which schema a file follows, which presets it holds, their names.
#pragma once

#include <string>
#include <vector>

#include "json/json.hpp"
#include "napkin/catalog.hpp"

namespace napkin::catalog {

struct Preset {
    PresetKind kind{};
    std::string id{};
    std::vector<std::string> names{};    // id and aliases
    std::vector<std::string> choices{};  // names under which the user must choose
    json::Value entry{};
};

/// "models" for a file that says "schema": "napkin/models/1"; empty if it says nothing of ours.
[[nodiscard]] std::string schema_name(const json::Value& file);

/// The presets of a file that has passed its schema. A part sold with several memory sizes becomes
/// one preset for each ("m4-max" -> "m4-max-64gb"), its bare name a choice among them.
[[nodiscard]] std::vector<Preset> presets_of(const json::Value& file, std::string_view stem);

/// Replaces the keys of every "source" below `entry` by the citations they stand for.
void resolve_sources(json::Value& entry, const json::Value& sources);

}  // namespace napkin::catalog
