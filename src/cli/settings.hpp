// How --set overrides single figures, by the names of the contract's results: one source for each
// subject lists what of it can be set (settings_SUBJECT.cpp).
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/resolve.hpp"

namespace napkin::cli {

using Settings = std::map<std::string, std::string, std::less<>>;

/// A figure by its name in --set.
template <class Target>
struct Setting {
    std::string_view name{};
    // Reads the text into the target; returns what is wrong with it, or nothing.
    std::string (*apply)(Target&, std::string_view){};
};

/// Keeps a figure that was read, more than zero; returns what is wrong with it, or nothing.
template <class Q>
[[nodiscard]] std::string store(const Reading<Q>& reading, Q& into) {
    if (!reading.value) return reading.problem;
    if (*reading.value <= Q(0)) return "expected more than zero";
    into = *reading.value;
    return {};
}

/// As `store`, but nothing at all is a size too.
[[nodiscard]] std::string store_size(std::string_view text, Bytes<>& into);

/// Sets what of `known` is among `settings`; each becomes an input, or a problem.
template <class Target, std::size_t N>
void apply(const std::array<Setting<Target>, N>& known, Target& target, const Settings& settings,
           Resolver& resolver) {
    for (const Setting<Target>& setting : known) {
        const auto found = settings.find(setting.name);
        if (found == settings.end()) continue;
        const std::string wrong = setting.apply(target, found->second);
        if (!wrong.empty()) resolver.refuse(setting.name, found->second, wrong);
        resolver.add_input(std::string(setting.name), report::word(found->second), "set");
    }
}

template <class Target, std::size_t N>
[[nodiscard]] std::vector<std::string> names_of(const std::array<Setting<Target>, N>& known) {
    std::vector<std::string> names;
    for (const auto& setting : known) names.emplace_back(setting.name);
    return names;
}

[[nodiscard]] std::vector<std::string> machine_setting_names();
[[nodiscard]] std::vector<std::string> host_setting_names();
[[nodiscard]] std::vector<std::string> model_setting_names();
[[nodiscard]] std::vector<std::string> collective_setting_names();
[[nodiscard]] std::vector<std::string> engine_setting_names();
/// The peaks of an accelerator, one for each arithmetic.
[[nodiscard]] std::vector<std::string> peak_setting_names();

}  // namespace napkin::cli
