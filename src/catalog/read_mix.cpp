// From the file of mixes, valid by its schema, to one mix.
#include <algorithm>
#include <array>

#include "catalog/read.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::catalog {
namespace {

template <class Value>
struct Word {
    std::string_view text{};
    Value value{};
};

constexpr std::array layer_words{
    Word<MixLayers>{"more-bits", MixLayers::more_bits},
    Word<MixLayers>{"first-two", MixLayers::first_two},
    Word<MixLayers>{"first-four", MixLayers::first_four},
    Word<MixLayers>{"first-sixteenth", MixLayers::first_sixteenth},
    Word<MixLayers>{"first-eighth", MixLayers::first_eighth},
    Word<MixLayers>{"first-eighth-of-tensors", MixLayers::first_eighth_of_tensors},
    Word<MixLayers>{"middle", MixLayers::middle},
};
constexpr std::array when_words{
    Word<MixWhen>{"grouped", MixWhen::grouped},
    Word<MixWhen>{"grouped-or-experts", MixWhen::grouped_or_experts},
    Word<MixWhen>{"eight-experts", MixWhen::eight_experts},
    Word<MixWhen>{"70b-class", MixWhen::class_70b},
    Word<MixWhen>{"falcon", MixWhen::falcon},
};

// The value of a word that the schema has made sure of; the default where it is absent.
template <class Value, std::size_t N>
Value meaning(const std::array<Word<Value>, N>& words, const std::string& text) {
    for (const Word<Value>& word : words) {
        if (word.text == text) return word.value;
    }
    return {};
}

std::vector<std::string> names_of(const json::Value& mix) {
    std::vector<std::string> names = mix.texts("aliases");
    names.insert(names.begin(), mix.text("id"));
    return names;
}

const json::Value* find_mix(const json::Value& file, std::string_view name) {
    const std::string plain = normalized(name);
    for (const json::Value& mix : file.at("mixes").items) {
        for (const std::string& one : names_of(mix)) {
            if (normalized(one) == plain) return &mix;
        }
    }
    return nullptr;
}

std::vector<MixRule> read_rules(const json::Value& mix, const FormatNamed& format) {
    std::vector<MixRule> rules;
    for (const json::Value& rule : mix.at("rules").items) {
        rules.push_back({.tensor = rule.text("tensor"),
                         .layers = meaning(layer_words, rule.text("layers")),
                         .when = meaning(when_words, rule.text("when")),
                         .type = format(rule.text("type"))});
    }
    return rules;
}

std::vector<MixLayout> read_layouts(const json::Value& file, const FormatNamed& format) {
    std::vector<MixLayout> layouts;
    for (const json::Value& entry : file.at("layouts").items) {
        MixLayout layout{.id = entry.text("id"),
                         .fused_attention = entry.flag("fused_attention"),
                         .head = {},
                         .models = entry.texts("models")};
        if (const std::string head = entry.text("head"); !head.empty()) layout.head = format(head);
        layouts.push_back(std::move(layout));
    }
    return layouts;
}

}  // namespace

std::optional<Mix> read_mix(const json::Value& file, std::string_view name,
                            const FormatNamed& format) {
    const json::Value* entry = find_mix(file, name);
    if (entry == nullptr) return std::nullopt;
    const json::Value& fallbacks = file.at("fallbacks");
    Mix mix;
    mix.id = entry->text("id");
    mix.name = entry->text("name");
    mix.type = format(entry->text("type"));
    mix.head = format(entry->text("head"));
    const std::string embedding = entry->text("embedding");
    mix.embedding = embedding.empty() ? mix.type : format(embedding);
    mix.rules = read_rules(*entry, format);
    for (const auto& [type, instead] : fallbacks.at("types").members) {
        mix.fallbacks.push_back({.type = type, .instead = format(instead.string)});
    }
    mix.head_fallback = format(fallbacks.text("head"));
    mix.last_fallback = format(fallbacks.text("last"));
    mix.kept_experts = file.at("kept").texts("experts");
    mix.layouts = read_layouts(file, format);
    mix.source = entry->text("source");
    return mix;
}

std::vector<std::string> mix_names(const json::Value& file) {
    std::vector<std::string> all;
    for (const json::Value& mix : file.at("mixes").items) {
        const std::vector<std::string> names = names_of(mix);
        all.insert(all.end(), names.begin(), names.end());
    }
    return all;
}

}  // namespace napkin::catalog
