#include "catalog/preset_file.hpp"

#include <array>

namespace napkin::catalog {
namespace {

struct List {
    std::string_view member{};
    PresetKind kind{};
};
constexpr std::array lists{List{"accelerators", PresetKind::accelerator},
                           List{"systems", PresetKind::system},
                           List{"models", PresetKind::model},
                           List{"formats", PresetKind::format},
                           List{"families", PresetKind::family},
                           List{"engines", PresetKind::engine}};

std::string suffix_of(std::string_view size) {  // "64 GB" -> "-64gb"
    return std::string("-").append(normalized(size));
}

Preset preset(PresetKind kind, const json::Value& entry) {
    Preset result{.kind = kind, .id = entry.text("id"), .names = {}, .choices = {}, .entry = entry};
    result.names = entry.texts("aliases");
    result.names.insert(result.names.begin(), result.id);
    result.choices = entry.texts("choice_of");
    return result;
}

void expand(std::vector<Preset>& into, const Preset& base) {
    const json::Value& options = base.entry.at("memory").at("options");
    if (options.items.empty()) {
        into.push_back(base);
        return;
    }
    for (const json::Value& option : options.items) {
        const std::string suffix = suffix_of(option.string);
        Preset one = base;
        one.id += suffix;
        one.choices.insert(one.choices.end(), base.names.begin(), base.names.end());
        for (std::string& name : one.names) name += suffix;
        one.entry.find("id")->string = one.id;
        one.entry.find("name")->string += " " + option.string;
        json::Value& memory = *one.entry.find("memory");
        json::Value sold = option;
        std::erase_if(memory.members, [](const auto& m) { return m.first == "options"; });
        memory.members.emplace_back("sold", std::move(sold));
        into.push_back(std::move(one));
    }
}

// "key; more words" -> "citation; more words".
std::string cited(const std::string& text, const json::Value& sources) {
    const std::size_t end = text.find(';');
    const std::string citation = sources.text(text.substr(0, end));
    if (citation.empty()) return text;
    return citation + (end == std::string::npos ? "" : text.substr(end));
}

}  // namespace

std::string schema_name(const json::Value& file) {
    const std::string schema = file.text("schema");
    constexpr std::string_view prefix = "napkin/";
    constexpr std::string_view version = "/1";
    if (!schema.starts_with(prefix) || !schema.ends_with(version)) return {};
    return schema.substr(prefix.size(), schema.size() - prefix.size() - version.size());
}

std::vector<Preset> presets_of(const json::Value& file, std::string_view stem) {
    std::vector<Preset> presets;
    bool listed = false;
    for (const List& list : lists) {
        const json::Value* entries = file.find(list.member);
        if (entries == nullptr) continue;
        listed = true;
        for (const json::Value& entry : entries->items) {
            expand(presets, preset(list.kind, entry));
        }
    }
    if (!listed) {
        Preset whole{.kind = PresetKind::assumptions,
                     .id = std::string(stem),
                     .names = {std::string(stem)},
                     .choices = {},
                     .entry = file};
        presets.push_back(std::move(whole));
    }
    return presets;
}

void resolve_sources(json::Value& entry, const json::Value& sources) {
    for (auto& [name, member] : entry.members) {
        if (name == "sources") continue;
        if (name == "source" && member.kind == json::Kind::array) {
            std::string all;
            for (const json::Value& key : member.items) {
                all += (all.empty() ? "" : "; ") + cited(key.string, sources);
            }
            member = {};
            member.kind = json::Kind::string;
            member.string = std::move(all);
        } else if (name == "source" && member.kind == json::Kind::string) {
            member.string = cited(member.string, sources);
        } else {
            resolve_sources(member, sources);
        }
    }
    for (json::Value& item : entry.items) resolve_sources(item, sources);
}

}  // namespace napkin::catalog
