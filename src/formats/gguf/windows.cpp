#include "formats/gguf/windows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

constexpr std::string_view window_key = "attention.sliding_window";
constexpr std::string_view pattern_key = "attention.sliding_window_pattern";

// What llama.cpp knows by architecture where the file does not say it.
struct Rule {
    std::string_view architecture{};
    double period{1};       // every so many layers one sees everything; 1: all of them do
    bool full_first{};      // the first of a period does, not the last
    double window{};        // where the file names none
    bool fixed{};           // whatever the file names, unless it is 0
    double only_layers{};   // holds for models of so many layers alone
    double own_caches{-1};  // later layers read the caches of earlier ones
};

// Source: github:ggml-org/llama.cpp src/models/*.cpp, load_arch_hparams (swa_period, n_swa,
// set_swa_pattern, n_layer_kv_from_start); phi3 switches its windows off (pull request 13676).
constexpr std::array<Rule, 18> rules{{
    {.architecture = "afmoe", .period = 4},
    {.architecture = "cohere2", .period = 4},
    {.architecture = "cohere2moe", .period = 4},
    {.architecture = "exaone-moe", .period = 4},
    {.architecture = "exaone4", .period = 4, .window = 4096, .only_layers = 64},
    {.architecture = "gemma-embedding", .period = 6},
    {.architecture = "gemma2", .period = 2, .window = 4096},
    {.architecture = "gemma3", .period = 6},
    {.architecture = "gemma3n", .period = 5, .own_caches = 20},
    {.architecture = "gpt-oss", .period = 2},
    {.architecture = "laguna", .period = 4, .full_first = true},
    {.architecture = "llama4", .period = 4, .window = 8192, .fixed = true},
    {.architecture = "mellum", .period = 4},
    {.architecture = "modern-bert", .period = 3, .full_first = true},
    {.architecture = "olmo2", .period = 4},
    {.architecture = "phi3", .period = 1},
    {.architecture = "plamo3", .period = 8},
    {.architecture = "smallthinker", .period = 4, .full_first = true},
}};

Rule rule_of(const GgufKeys& keys, std::size_t layers) {
    for (const Rule& rule : rules) {
        if (rule.architecture != keys.architecture()) continue;
        if (rule.only_layers > 0 && rule.only_layers != static_cast<double>(layers)) break;
        return rule;
    }
    return {};
}

bool has_rule(const GgufKeys& keys) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const Rule& rule) { return rule.architecture == keys.architecture(); });
}

// Source: github:ggml-org/llama.cpp src/llama-hparams.cpp, set_swa_pattern.
bool slides(const Rule& rule, double period, std::size_t layer) {
    if (period == 0) return true;
    const double place = std::fmod(static_cast<double>(layer), period);
    return rule.full_first ? place != 0 : place < period - 1;
}

}  // namespace

GgufWindows gguf_windows(GgufKeys& keys, std::size_t layers) {
    GgufWindows windows;
    windows.of.assign(layers, 0);
    const Rule rule = rule_of(keys, layers);
    const auto count = static_cast<double>(layers);
    windows.own_caches = rule.own_caches < 0 ? count : std::min(rule.own_caches, count);
    if (keys.has("attention.shared_kv_layers")) {
        windows.own_caches = std::max(0.0, count - keys.get("attention.shared_kv_layers", 0));
    }
    const double named = keys.at_layer(window_key, 0, rule.window);
    const double window = rule.fixed && named > 0 ? rule.window : named;
    const bool listed = keys.list(pattern_key) != nullptr;
    const bool off = rule.architecture == "phi3";
    if (window == 0 || off) return windows;
    if (!listed && !keys.has(pattern_key) && !has_rule(keys)) {
        windows.notes.push_back(
            {"window-not-used",
             "the file names a window of " + shortest(window) +
                 " tokens and no layers that have it: every layer is taken to see all tokens, as "
                 "llama.cpp does",
             false});
        return windows;
    }
    const double period = listed ? 0 : keys.get(pattern_key, rule.period);
    for (std::size_t i = 0; i < layers; ++i) {
        const bool local = listed ? keys.at_layer(pattern_key, i, 0) != 0 : slides(rule, period, i);
        if (local) windows.of[i] = window;
    }
    return windows;
}

}  // namespace napkin::formats
