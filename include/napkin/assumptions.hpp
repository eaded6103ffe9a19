// What is assumed rather than known: reserves, failure rates, achieved utilisation. Data, not code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// How a collective is carried out, which decides how many bytes cross a device's link and in how
/// many steps one after the other.
enum class CollectiveAlgorithm {
    one_shot,       // each device reads the whole payload of all others: one kernel of an engine
    ring,           // 2(n-1) steps for a sum, n-1 to gather; point to point for the rest
    tree,           // up and down: 2 log2 n steps
    network_switch  // the switch adds (NVLink SHARP): one copy in, one out
};
[[nodiscard]] std::string_view name_of(CollectiveAlgorithm algorithm);

enum class LinkClass { scale_up, pcie, network };

/// One line of the law of collectives: time = latency + steps * step + (wire bytes + half_size) /
/// (fraction * link rate). At half_size bytes on the wire half of the bandwidth is reached, steps
/// apart. A library has several, each the fastest at some size.
struct CollectiveLaw {
    std::string id{};
    CollectiveAlgorithm algorithm{CollectiveAlgorithm::ring};
    LinkClass link{LinkClass::scale_up};
    std::vector<std::string> applies_to{};  // families, accelerators, systems; empty: all others
    Seconds<> latency{};
    Seconds<> step{};
    Bytes<> half_size{};
    double fraction{1};            // sustained of the link rate
    BytesPerSecond<> bandwidth{};  // given: bus bandwidth of the whole group, whatever the links
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
    std::vector<CollectiveLaw> collectives{};  // those of the machine: laws_of (collectives.hpp)
};

}  // namespace napkin
