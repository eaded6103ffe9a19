// Figures of the laws of collectives that --set overrides.
#include <algorithm>

#include "cli/settings.hpp"
#include "napkin/collectives.hpp"

namespace napkin::cli {
namespace {

// Figures of every law of collectives at once.
using Laws = std::vector<CollectiveLaw>;

template <class Q>
std::string store_in_all(const Reading<Q>& reading, Laws& laws, void (*into)(CollectiveLaw&, Q)) {
    if (!reading.value) return reading.problem;
    for (CollectiveLaw& law : laws) {
        into(law, *reading.value);
        law.source = "--set";
    }
    return {};
}

// Only the laws of one algorithm, or all but the kernels of engines; links that have none of it
// keep theirs.
std::string keep_algorithm(Laws& laws, std::string_view text) {
    const Laws libraries = of_libraries(laws);
    if (text == "library") {
        laws = libraries;
        return {};
    }
    bool any = false;
    Laws kept;
    const auto named = [&](const CollectiveLaw& law) { return name_of(law.algorithm) == text; };
    for (const CollectiveLaw& law : laws) {
        any = any || named(law);
        const bool alone = std::none_of(laws.begin(), laws.end(), [&](const auto& other) {
            return other.link == law.link && named(other);
        });
        if (alone || named(law)) kept.push_back(law);
    }
    if (!any) return "expected one-shot, ring, tree, switch or library, of those that apply here";
    laws = std::move(kept);
    return {};
}

constexpr std::array collective_settings{
    Setting<Laws>{"collective.algorithm", keep_algorithm},
    Setting<Laws>{"collective.latency",
                  [](Laws& laws, std::string_view text) {
                      return store_in_all<Seconds<>>(read_duration(text), laws,
                                                     [](CollectiveLaw& law, Seconds<> latency) {
                                                         law.latency = latency;
                                                         law.step = Seconds<>(0);
                                                     });
                  }},
    Setting<Laws>{"collective.half_size",
                  [](Laws& laws, std::string_view text) {
                      return store_in_all<Bytes<>>(
                          read_bytes(text), laws,
                          [](CollectiveLaw& law, Bytes<> size) { law.half_size = size; });
                  }},
    Setting<Laws>{"collective.bandwidth", [](Laws& laws, std::string_view text) {
                      BytesPerSecond<> positive;
                      const auto reading = read_byte_rate(text);
                      std::string wrong = store(reading, positive);
                      if (!wrong.empty()) return wrong;
                      return store_in_all<BytesPerSecond<>>(
                          reading, laws, [](CollectiveLaw& law, BytesPerSecond<> bandwidth) {
                              law.bandwidth = bandwidth;
                          });
                  }}};

}  // namespace

void apply_collective_settings(Laws& laws, const Settings& settings, Resolver& resolver) {
    apply(collective_settings, laws, settings, resolver);
}

std::vector<std::string> collective_setting_names() {
    return names_of(collective_settings);
}

}  // namespace napkin::cli
