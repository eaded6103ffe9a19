// Which layers slide, where nothing lists them layer by layer.
#include <algorithm>

#include "formats/config/layers.hpp"

namespace napkin::formats {
namespace {

// Qwen names a window and then, in a key of its own, that it is not used; Phi never uses it.
bool uses_windows(ConfigKeys& keys) {
    const double window = keys.get("window", 0);
    const double longest = keys.get("max_context", 0);
    if (window <= 0 || (longest > 0 && window >= longest)) return false;  // never full
    const json::Value& family = keys.family();
    if (family.find("slides") != nullptr && !family.flag("slides")) return false;
    const json::Value* condition = family.find("slides_if");
    return condition == nullptr || keys.flag(condition->string);
}

// "LLLG": local and global layers, again and again.
std::vector<bool> by_letters(ConfigKeys& keys, const json::Value& pattern, std::size_t layers) {
    const std::string& letters = pattern.string;
    if (letters.empty() || letters.find_first_not_of("LG") != std::string::npos) {
        keys.problem("unknown-layer-type", "sliding_window_pattern is no pattern of L and G",
                     &pattern, "a number, or letters such as LLLG");
        return std::vector<bool>(layers);
    }
    std::vector<bool> slides(layers);
    for (std::size_t i = 0; i < layers; ++i) slides[i] = letters[i % letters.size()] == 'L';
    return slides;
}

}  // namespace

std::vector<bool> sliding_layers(ConfigKeys& keys, std::size_t layers) {
    if (!uses_windows(keys)) return std::vector<bool>(layers);
    const json::Value* pattern = keys.value("sliding_window_pattern");
    if (pattern != nullptr && pattern->kind == json::Kind::string) {
        return by_letters(keys, *pattern, layers);
    }
    // Each n-th layer sees everything; 0: none does.
    auto every = static_cast<std::size_t>(keys.get("sliding_window_pattern", 0));
    if (pattern == nullptr) {
        every = static_cast<std::size_t>(keys.family().count("full_every"));
        if (every > 0) {
            keys.note("class-default", "which layers slide is not stated: in its class every " +
                                           std::to_string(every) + "th does not");
        }
    }
    const bool late = keys.family().find("slides_if") != nullptr;  // Qwen: from a layer on
    const double first = late ? keys.get("max_window_layers", 0) : 0;
    std::vector<bool> slides(layers);
    for (std::size_t i = 0; i < layers; ++i) {
        const bool whole = every > 0 && (i + 1) % every == 0;
        slides[i] = static_cast<double>(i) >= first && !whole;
    }
    return slides;
}

}  // namespace napkin::formats
