// What is assumed rather than known: reserves, failure rates, achieved utilisation. Data, not code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "napkin/engine.hpp"
#include "napkin/units.hpp"

namespace napkin {

/// Share of the device kept free for the runtime's context, communication buffers, fragmentation.
struct Reserve {
    double fraction{0.1};
    std::optional<Bytes<>> size{};  // given: replaces the fraction
    std::string source{};
};

/// Utilisation of a published training run. `mfu` counts 6ND, the convention that can be compared.
struct PublishedRun {
    std::string id{};
    std::string model{};
    std::string family{};
    std::string accelerator{};
    double devices{};
    double mfu{};
    std::string convention{};
    std::string peak{};
    std::string source{};
    std::string date{};
    bool unverified{};
};

/// Failures observed on a published run.
struct FailureRecord {
    std::string id{};
    std::string family{};
    double devices{};
    Seconds<> duration{};
    double interruptions{};
    std::string source{};
    std::string date{};
    bool unverified{};
};

struct Assumptions {
    Reserve reserve{};
    std::optional<Engine> engine{};  // its policy replaces the reserve's fraction
    Bytes<> in_use{};                // what other processes hold on each device
    std::vector<PublishedRun> runs{};
    std::vector<FailureRecord> failures{};
};

}  // namespace napkin
