// Figures of an inference engine that --set overrides.
#include "cli/settings.hpp"

namespace napkin::cli {
namespace {

constexpr std::array engine_settings{
    Setting<Engine>{"engine.activations",
                    [](Engine& e, std::string_view text) {
                        return store_size(text, e.activations.size.emplace());
                    }},
    Setting<Engine>{"engine.runtime",
                    [](Engine& e, std::string_view text) {
                        std::string wrong = store_size(text, e.runtime.one);
                        e.runtime.parallel = e.runtime.one;
                        return wrong;
                    }},
    Setting<Engine>{
        "engine.graphs",
        [](Engine& e, std::string_view text) { return store_size(text, e.runtime.graphs); }},
    Setting<Engine>{
        "engine.driver",
        [](Engine& e, std::string_view text) { return store_size(text, e.runtime.driver); }},
    Setting<Engine>{"engine.block",
                    [](Engine& e, std::string_view text) {
                        const auto block = read_whole(text);
                        if (block.value) e.block = *block.value;
                        return block.problem;
                    }},
    Setting<Engine>{"engine.tokens",
                    [](Engine& e, std::string_view text) {
                        const auto tokens = read_length(text);
                        if (!tokens.value) return tokens.problem;
                        for (auto& card : e.cards) card.tokens = *tokens.value;
                        e.context_up_to = 0;
                        return std::string();
                    }},
    Setting<Engine>{"engine.sequences", [](Engine& e, std::string_view text) {
                        const auto sequences = read_whole(text);
                        if (!sequences.value) return sequences.problem;
                        for (auto& card : e.cards) card.sequences = *sequences.value;
                        return std::string();
                    }}};

}  // namespace

void apply_engine_settings(Engine& engine, const Settings& settings, Resolver& resolver) {
    apply(engine_settings, engine, settings, resolver);
}

std::vector<std::string> engine_setting_names() {
    return names_of(engine_settings);
}

}  // namespace napkin::cli
