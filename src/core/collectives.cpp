#include "napkin/collectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace napkin {
namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;

// What the lines of an explanation call the figures of a kind of link.
struct Symbols {
    std::string_view members{}, bandwidth{}, sustained{}, wire{}, least{};
};
constexpr std::array<Symbols, 3> symbols{
    Symbols{"scale_up_members", "scale_up_bandwidth", "scale_up_sustained", "scale_up_wire_bytes",
            "scale_up_least_bytes"},
    Symbols{"pcie_members", "pcie_bandwidth", "pcie_sustained", "pcie_wire_bytes",
            "pcie_least_bytes"},
    Symbols{"domains", "scale_out_bandwidth", "scale_out_sustained", "scale_out_wire_bytes",
            "scale_out_least_bytes"}};

// One level of links: inside a scale-up domain, or between domains.
struct Level {
    LinkClass link{};
    double members{1};  // devices, or domains
    double part{1};     // of the payload that each link of this level deals with
    BytesPerSecond<> rate{};
    bool adds{};  // a switch that can sum
    const Provenance* provenance{};
};

const Symbols& symbols_of(const Level& level) {
    return symbols[static_cast<std::size_t>(level.link)];
}

bool moves(const Level& level) {
    return level.members > 1 && level.rate > BytesPerSecond<>(0);
}

// In a mesh two devices share one link; all the others add theirs as the group grows.
BytesPerSecond<> inside_rate(Kind kind, double members, const Machine& machine) {
    const auto& links = machine.accelerator.links;
    const bool own_links = links.topology == Topology::mesh || links.topology == Topology::torus;
    if (!own_links || links.pair <= BytesPerSecond<>(0)) return machine.scale_up;
    if (kind == Kind::send) return smaller(machine.scale_up, links.pair);
    if (links.topology == Topology::torus) return machine.scale_up;
    return smaller(machine.scale_up, links.pair * (members - 1));
}

std::array<Level, 2> levels_of(Kind kind, double devices, const Machine& machine) {
    const auto& links = machine.accelerator.links;
    const bool linked = links.scale_up > BytesPerSecond<>(0);
    const double domain = larger(1.0, smaller(machine.domain, devices));
    Level inside{.link = linked ? LinkClass::scale_up : LinkClass::pcie,
                 .members = domain,
                 .part = 1,
                 .rate = inside_rate(kind, domain, machine),
                 .adds = links.topology == Topology::network_switch,
                 .provenance = &links.provenance};
    // Cards joined in pairs by a bridge meet on the PCIe of their host.
    const bool host =
        machine.scale_out <= BytesPerSecond<>(0) && linked && links.topology == Topology::bridge;
    Level across{.link = host ? LinkClass::pcie : LinkClass::network,
                 .members = round_up(devices / domain),
                 .part = 1 / domain,
                 .rate = host ? links.pcie : machine.scale_out,
                 .adds = false,
                 .provenance = &links.provenance};
    if (across.members > 1 && kind == Kind::send) {
        inside.members = 1;  // the NIC alone
        across.part = 1;
    }
    if (across.members > 1 && kind == Kind::all_to_all) {
        inside.part = 1 / across.members;  // the rest is for other domains
        across.part = 1;
    }
    return {inside, across};
}

bool serves(const CollectiveLaw& law, Kind kind, const Level& level, bool one_level) {
    if (law.link != level.link) return false;
    if (law.algorithm == Algorithm::ring) return true;
    if (kind != Kind::all_reduce) return false;
    if (law.algorithm == Algorithm::one_shot) return one_level;  // within a domain only
    return law.algorithm == Algorithm::tree || level.adds;
}

double steps(Algorithm algorithm, Kind kind, double members) {
    if (algorithm == Algorithm::tree) return 2 * std::ceil(std::log2(members));
    if (algorithm != Algorithm::ring) return 0;
    if (kind == Kind::all_reduce) return 2 * (members - 1);
    return kind == Kind::all_to_all || kind == Kind::send ? 1 : members - 1;
}

// Bytes that leave a device for each byte of the payload.
template <class R>
R wire_factor(Algorithm algorithm, Kind kind, const R& members) {
    switch (algorithm) {
        case Algorithm::one_shot:
            return members - R(1);
        case Algorithm::tree:
            return R(2);
        case Algorithm::network_switch:
            // All is read once by the switch, and each device hands its summed n-th back.
            return (members + R(1)) / members;
        case Algorithm::ring:
            break;
    }
    return bus_factor(kind, members);
}

template <class R>
struct Cost {
    Seconds<R> latency{};
    Seconds<R> transfer{};
};

// The law itself. `devices` is the whole group: a given bus bandwidth speaks of all of it.
template <class R>
Cost<R> cost(const CollectiveLaw& law, const Level& level, Kind kind, const Bytes<R>& bytes,
             double devices) {
    Cost<R> result;
    const std::string_view source = law.source;
    result.latency = given<R>(law.latency, "start_up", source);
    if (law.step > Seconds<>(0)) {
        result.latency = result.latency + given<R>(law.step, "step", source) *
                                              R(steps(law.algorithm, kind, level.members));
    }
    Bytes<R> wire;
    BytesPerSecond<R> bandwidth;
    if (law.bandwidth > BytesPerSecond<>(0)) {
        wire = bytes * bus_factor(kind, given<R>(devices, "devices", "--on", "device"));
        bandwidth = given<R>(law.bandwidth, "bus_bandwidth_given", source);
    } else {
        const R members = given<R>(level.members, symbols_of(level).members, "--on");
        wire = bytes * wire_factor(law.algorithm, kind, members);
        if (level.part != 1) wire = wire * R(level.part);
        bandwidth = given<R>(level.rate, symbols_of(level).bandwidth, level.provenance->source) *
                    given<R>(law.fraction, "sustained_fraction", source);
        bandwidth = named(bandwidth, symbols_of(level).sustained);
    }
    wire = named(wire, symbols_of(level).wire);
    if (law.half_size > Bytes<>(0)) wire = wire + given<R>(law.half_size, "half_size", source);
    result.transfer = wire / bandwidth;
    return result;
}

// The law of whoever has no data: the link's own rate.
const CollectiveLaw& bare() {
    static const CollectiveLaw law{.id = "link-rate", .source = "no law: the link's own rate"};
    return law;
}

struct Choice {
    const CollectiveLaw* inside{};
    const CollectiveLaw* across{};
};

Choice choose(Kind kind, double bytes, double devices, const std::array<Level, 2>& levels,
              const std::vector<CollectiveLaw>& laws) {
    const bool both = moves(levels[0]) && moves(levels[1]);
    const Bytes<> payload(bytes);
    Choice best;
    double least = -1;
    const auto consider = [&](const Choice& choice, double time) {
        if (least >= 0 && time >= least) return;
        least = time;
        best = choice;
    };
    const std::size_t first = moves(levels[0]) ? 0 : 1;
    for (const CollectiveLaw& law : laws) {
        if (!serves(law, kind, levels[first], !both)) continue;
        const Cost<double> one = cost(law, levels[first], kind, payload, devices);
        if (!both) {
            const double time = one.latency.value() + one.transfer.value();
            consider(first == 0 ? Choice{&law, nullptr} : Choice{nullptr, &law}, time);
            continue;
        }
        for (const CollectiveLaw& other : laws) {
            if (!serves(other, kind, levels[1], false)) continue;
            const Cost<double> two = cost(other, levels[1], kind, payload, devices);
            consider({&law, &other}, one.latency.value() + two.latency.value() +
                                         larger(one.transfer.value(), two.transfer.value()));
        }
    }
    return best;
}

}  // namespace

std::string_view name_of(CollectiveKind kind) {
    constexpr std::array<std::string_view, 6> names{"none",           "all-reduce", "all-gather",
                                                    "reduce-scatter", "all-to-all", "send"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(CollectiveAlgorithm algorithm) {
    constexpr std::array<std::string_view, 4> names{"one-shot", "ring", "tree", "switch"};
    return names[static_cast<std::size_t>(algorithm)];
}

std::vector<CollectiveLaw> laws_of(const Machine& machine, const std::vector<CollectiveLaw>& all) {
    const auto names_it = [&](const std::string& name) {
        return name == machine.accelerator.family || name == machine.accelerator.id ||
               name == machine.id || machine.id.ends_with("x" + name);
    };
    const auto own = [&](const CollectiveLaw& law) {
        return std::any_of(law.applies_to.begin(), law.applies_to.end(), names_it);
    };
    const auto alike = [](const CollectiveLaw& a, const CollectiveLaw& b) {
        return a.link == b.link && (a.algorithm == CollectiveAlgorithm::one_shot) ==
                                       (b.algorithm == CollectiveAlgorithm::one_shot);
    };
    std::vector<CollectiveLaw> laws;
    for (const CollectiveLaw& law : all) {
        const bool replaced =
            law.applies_to.empty() && std::any_of(all.begin(), all.end(), [&](const auto& other) {
                return alike(law, other) && own(other);
            });
        if (!replaced && (law.applies_to.empty() || own(law))) laws.push_back(law);
    }
    return laws;
}

std::vector<CollectiveLaw> of_libraries(std::vector<CollectiveLaw> laws) {
    laws.erase(std::remove_if(laws.begin(), laws.end(),
                              [](const CollectiveLaw& law) {
                                  return law.algorithm == CollectiveAlgorithm::one_shot;
                              }),
               laws.end());
    return laws;
}

template <class R>
R bus_factor(CollectiveKind kind, const R& devices) {
    if (kind == CollectiveKind::send) return R(1);
    const R others = (devices - R(1)) / devices;
    return kind == CollectiveKind::all_reduce ? R(2) * others : others;
}

template <class R>
LinkBytes<R> least_link_bytes(CollectiveKind kind, const Bytes<R>& bytes, double devices,
                              const Machine& machine) {
    LinkBytes<R> result;
    const auto levels = levels_of(kind, devices, machine);
    const auto on = [&](const Level& level) {
        if (level.members <= 1 || kind == CollectiveKind::none) return Bytes<R>(R(0));
        const double factor =
            kind == CollectiveKind::all_reduce ? 1 : bus_factor<double>(kind, level.members);
        return named(bytes * R(level.part * factor), symbols_of(level).least);
    };
    result.inside = on(levels[0]);
    result.across = on(levels[1]);
    return result;
}

template <class R>
Seconds<R> collective_floor(CollectiveKind kind, const Bytes<R>& bytes, double devices,
                            const Machine& machine) {
    const auto levels = levels_of(kind, devices, machine);
    const LinkBytes<R> least = least_link_bytes(kind, bytes, devices, machine);
    const auto on = [&](const Level& level, const Bytes<R>& crossing) {
        if (!moves(level)) return Seconds<R>(R(0));
        return crossing /
               given<R>(level.rate, symbols_of(level).bandwidth, level.provenance->source);
    };
    const Seconds<R> inside = on(levels[0], least.inside);
    const Seconds<R> across = on(levels[1], least.across);
    if (!moves(levels[1])) return named(inside, "floor");
    return named(moves(levels[0]) ? larger(inside, across) : across, "floor");
}

template <class R>
CollectiveTime<R> collective_time(CollectiveKind kind, const Bytes<R>& bytes, double devices,
                                  const Machine& machine, const Assumptions& assumptions) {
    CollectiveTime<R> result;
    const auto levels = levels_of(kind, devices, machine);
    const bool inside = moves(levels[0]);
    const bool across = moves(levels[1]);
    if (kind == CollectiveKind::none || (!inside && !across)) return result;
    const Choice choice = choose(kind, value_of(bytes), devices, levels, assumptions.collectives);
    result.inside = choice.inside;
    result.across = choice.across;
    const auto on = [&](const CollectiveLaw* law, const Level& level) {
        return cost<R>(law == nullptr ? bare() : *law, level, kind, bytes, devices);
    };
    Cost<R> total = on(inside ? choice.inside : choice.across, levels[inside ? 0 : 1]);
    if (inside && across) {
        const Cost<R> other = on(choice.across, levels[1]);
        total.latency = total.latency + other.latency;
        total.transfer = larger(total.transfer, other.transfer);
    }
    result.latency = named(total.latency, "latency");
    result.transfer = named(total.transfer, "transfer_time");
    result.time = named(result.latency + result.transfer, "time");
    if (value_of(result.time) <= 0) return result;
    result.algorithm_bandwidth = named(bytes / result.time, "algorithm_bandwidth");
    const R factor = bus_factor(kind, given<R>(devices, "devices", "--on", "device"));
    result.bus_bandwidth = named(result.algorithm_bandwidth * factor, "bus_bandwidth");
    return result;
}

template double bus_factor<double>(CollectiveKind, const double&);
template LinkBytes<double> least_link_bytes<double>(CollectiveKind, const Bytes<double>&, double,
                                                    const Machine&);
template Seconds<double> collective_floor<double>(CollectiveKind, const Bytes<double>&, double,
                                                  const Machine&);
template CollectiveTime<double> collective_time<double>(CollectiveKind, const Bytes<double>&,
                                                        double, const Machine&, const Assumptions&);
template Traced bus_factor<Traced>(CollectiveKind, const Traced&);
template LinkBytes<Traced> least_link_bytes<Traced>(CollectiveKind, const Bytes<Traced>&, double,
                                                    const Machine&);
template Seconds<Traced> collective_floor<Traced>(CollectiveKind, const Bytes<Traced>&, double,
                                                  const Machine&);
template CollectiveTime<Traced> collective_time<Traced>(CollectiveKind, const Bytes<Traced>&,
                                                        double, const Machine&, const Assumptions&);

}  // namespace napkin
