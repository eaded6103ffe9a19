// Collectives by hand: the law, what crosses the links, and which algorithm is the fastest.
#include "napkin/collectives.hpp"

#include <cmath>
#include <utility>

#include "napkin/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/explanation.hpp"
#include "tests/support/machines.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;

constexpr std::array kinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                           Kind::all_to_all, Kind::send};

// Links at their data-sheet rate, at once: what is left is the bytes.
CollectiveLaw plain(Algorithm algorithm = Algorithm::ring, LinkClass link = LinkClass::scale_up) {
    return {.id = "plain", .algorithm = algorithm, .link = link};
}

Assumptions with(std::vector<CollectiveLaw> laws) {
    Assumptions assumptions;
    assumptions.collectives = std::move(laws);
    return assumptions;
}

Assumptions plain_links() {
    return with({plain(), plain(Algorithm::ring, LinkClass::network)});
}

double seconds(Kind kind, double bytes, const Machine& machine, const Assumptions& assumptions) {
    return collective_time<double>(kind, Bytes<>(bytes), machine.devices, machine, assumptions)
        .time.value();
}

// 8 devices, each with a link of 64 GB/s to each other one: 7 x 64 = 448.
Machine mesh(double devices) {
    Machine machine = h100s(devices);
    machine.accelerator.links.topology = Topology::mesh;
    machine.accelerator.links.pair = BytesPerSecond<>(64e9);
    machine.accelerator.links.scale_up = BytesPerSecond<>(448e9);
    machine.scale_up = BytesPerSecond<>(448e9);
    return machine;
}

}  // namespace

TEST_CASE("bus bandwidth is 2(n-1)/n of algorithm bandwidth for a sum, (n-1)/n for the rest",
          "[collectives]") {
    CHECK(bus_factor<double>(Kind::all_reduce, 8) == 1.75);
    CHECK(bus_factor<double>(Kind::all_gather, 8) == 0.875);
    CHECK(bus_factor<double>(Kind::reduce_scatter, 8) == 0.875);
    CHECK(bus_factor<double>(Kind::all_to_all, 8) == 0.875);
    CHECK(bus_factor<double>(Kind::send, 8) == 1);
    CHECK(bus_factor<double>(Kind::all_reduce, 2) == 1);
}

TEST_CASE("latency, steps and bytes over a bandwidth that grows with the message",
          "[collectives]") {
    CollectiveLaw law = plain();
    law.latency = Seconds<>(10e-6);
    law.step = Seconds<>(1e-6);
    law.fraction = 0.8;
    law.half_size = Bytes<>(9e6);
    // 10 us + 14 steps of 1 us; (1.75 x 64 MB + 9 MB) / (0.8 x 450 GB/s) = 121 MB / 360 GB/s
    const Assumptions one = with({law});
    const auto eight = collective_time<double>(Kind::all_reduce, Bytes<>(64e6), 8, h100s(8), one);
    CHECK(eight.latency.value() == Approx(24e-6).epsilon(1e-12));
    CHECK(eight.transfer.value() == Approx(121e6 / 360e9).epsilon(1e-12));
    CHECK(eight.time.value() == Approx(24e-6 + 121e6 / 360e9).epsilon(1e-12));
    CHECK(eight.algorithm_bandwidth.value() == Approx(64e6 / eight.time.value()).epsilon(1e-12));
    CHECK(eight.bus_bandwidth.value() == Approx(112e6 / eight.time.value()).epsilon(1e-12));
    CHECK(eight.inside->id == "plain");
    CHECK(eight.across == nullptr);
    // Two devices: 2 steps, the payload once.
    CHECK(seconds(Kind::all_reduce, 64e6, h100s(2), with({law})) ==
          Approx(12e-6 + 73e6 / 360e9).epsilon(1e-12));
    // To gather takes half of the steps and half of the bytes; a message one step.
    CHECK(seconds(Kind::all_gather, 64e6, h100s(8), with({law})) ==
          Approx(17e-6 + 65e6 / 360e9).epsilon(1e-12));
    CHECK(seconds(Kind::send, 64e6, h100s(8), with({law})) ==
          Approx(11e-6 + 73e6 / 360e9).epsilon(1e-12));
}

TEST_CASE("half of the bandwidth is reached with half_size bytes on the wire", "[collectives]") {
    CollectiveLaw law = plain();
    law.half_size = Bytes<>(9e6);
    const auto half = collective_time<double>(Kind::send, Bytes<>(9e6), 2, h100s(2), with({law}));
    CHECK(half.bus_bandwidth.value() == Approx(225e9).epsilon(1e-12));
}

TEST_CASE("one device exchanges nothing, and no payload takes the latency", "[collectives]") {
    for (const Kind kind : kinds) {
        const auto alone = collective_time<double>(kind, Bytes<>(1e9), 1, h100s(1), plain_links());
        CHECK(alone.time.value() == 0);
        CHECK(alone.bus_bandwidth.value() == 0);
        CHECK(collective_floor<double>(kind, Bytes<>(1e9), 1, h100s(1)).value() == 0);
        CHECK(seconds(kind, 0, h100s(8), plain_links()) == 0);
    }
    CHECK(seconds(Kind::none, 1e9, h100s(8), plain_links()) == 0);
}

TEST_CASE("a switch that adds moves (n+1)/n of the payload: bus bandwidth above the link's",
          "[collectives]") {
    // 9/8 of 8 GB at 450 GB/s = 20 ms; 14 GB / 20 ms = 700 GB/s
    const Assumptions laws = with({plain(Algorithm::network_switch), plain()});
    const auto time = collective_time<double>(Kind::all_reduce, Bytes<>(8e9), 8, h100s(8), laws);
    CHECK(time.time.value() == Approx(0.02).epsilon(1e-12));
    CHECK(time.bus_bandwidth.value() == Approx(700e9).epsilon(1e-12));
    CHECK(time.inside->algorithm == Algorithm::network_switch);
    // It cannot in a mesh, and it can only add.
    CHECK(seconds(Kind::all_reduce, 8e9, mesh(8), laws) == Approx(14e9 / 448e9).epsilon(1e-12));
    CHECK(seconds(Kind::all_gather, 8e9, h100s(8), laws) == Approx(7e9 / 450e9).epsilon(1e-12));
}

TEST_CASE("in a mesh a pair has one link, all together have all", "[collectives]") {
    CHECK(seconds(Kind::send, 64e9, mesh(8), plain_links()) == Approx(1).epsilon(1e-12));
    CHECK(seconds(Kind::all_to_all, 64e9, mesh(8), plain_links()) ==
          Approx(56e9 / 448e9).epsilon(1e-12));
    // Two of the eight: 64 GB/s, not 448. Four: 3 x 64.
    const auto of = [](double devices) {
        return collective_time<double>(Kind::all_reduce, Bytes<>(64e9), devices, mesh(8),
                                       plain_links())
            .time.value();
    };
    CHECK(of(2) == Approx(1).epsilon(1e-12));
    CHECK(of(4) == Approx(96e9 / 192e9).epsilon(1e-12));
    CHECK(seconds(Kind::send, 64e9, h100s(8), plain_links()) ==
          Approx(64e9 / 450e9).epsilon(1e-12));
}

TEST_CASE("across domains each device carries its share, and the slower level sets the pace",
          "[collectives]") {
    const Machine two = h100s(16);  // 2 x 8, 450 inside, 50 across
    // Inside 1.75 x 8 GB / 450 GB/s = 31.1 ms; across 2 (1/2) x 8 GB / 8 / 50 GB/s = 20 ms
    CHECK(seconds(Kind::all_reduce, 8e9, two, plain_links()) ==
          Approx(14e9 / 450e9).epsilon(1e-12));
    // Four domains: 2 (3/4) x 8 GB / 8 / 50 GB/s = 30 ms; and with 25 GB/s twice that
    Machine slower = h100s(32);
    slower.scale_out = BytesPerSecond<>(25e9);
    CHECK(seconds(Kind::all_reduce, 8e9, slower, plain_links()) == Approx(0.06).epsilon(1e-12));
    // Gathered: (1/2) / 8 of it by NIC = 10 ms, 7/8 inside = 15.6 ms
    CHECK(seconds(Kind::all_gather, 8e9, two, plain_links()) == Approx(7e9 / 450e9).epsilon(1e-12));
    // All to all: half of it is for the other domain = 4 GB / 50 GB/s
    CHECK(seconds(Kind::all_to_all, 8e9, two, plain_links()) == Approx(0.08).epsilon(1e-12));
    CHECK(seconds(Kind::send, 8e9, two, plain_links()) == Approx(0.16).epsilon(1e-12));
}

TEST_CASE("across domains latencies add up, and grow with the group", "[collectives]") {
    CollectiveLaw inside = plain();
    inside.step = Seconds<>(1e-6);
    CollectiveLaw ring = plain(Algorithm::ring, LinkClass::network);
    ring.step = Seconds<>(5e-6);
    CollectiveLaw tree = plain(Algorithm::tree, LinkClass::network);
    tree.step = Seconds<>(5e-6);
    // 14 steps of 1 us; 2 (32 - 1) of 5 us around, 2 log2 32 = 10 of 5 us up and down
    const Machine nodes = h100s(256);
    CHECK(seconds(Kind::all_reduce, 0, nodes, with({inside, ring})) ==
          Approx(14e-6 + 62 * 5e-6).epsilon(1e-12));
    const Assumptions both = with({inside, ring, tree});
    const auto fast = collective_time<double>(Kind::all_reduce, Bytes<>(0), 256, nodes, both);
    CHECK(fast.time.value() == Approx(14e-6 + 10 * 5e-6).epsilon(1e-12));
    CHECK(fast.across->algorithm == Algorithm::tree);
    // A kernel of an engine stays in its domain.
    CHECK(seconds(Kind::all_reduce, 0, nodes, with({plain(Algorithm::one_shot), inside, tree})) ==
          Approx(14e-6 + 10 * 5e-6).epsilon(1e-12));
}

TEST_CASE("the fastest algorithm at a size is taken: one shot, then the ring", "[collectives]") {
    CollectiveLaw shot = plain(Algorithm::one_shot);
    shot.latency = Seconds<>(7e-6);
    CollectiveLaw ring = plain();
    ring.latency = Seconds<>(15e-6);
    // 7 us + 7 B / 450 GB/s against 15 us + 1.75 B / 450 GB/s: equal at 685.7 kB
    const Assumptions both = with({shot, ring});
    CHECK(seconds(Kind::all_reduce, 685e3, h100s(8), both) ==
          Approx(7e-6 + 7 * 685e3 / 450e9).epsilon(1e-12));
    CHECK(seconds(Kind::all_reduce, 686e3, h100s(8), both) ==
          Approx(15e-6 + 1.75 * 686e3 / 450e9).epsilon(1e-12));
    CHECK(seconds(Kind::all_reduce, 16e3, h100s(8), with(of_libraries({shot, ring}))) > 15e-6);
}

TEST_CASE("a bus bandwidth of 360 GB/s moves 16 GB over 8 devices in 77.8 ms", "[collectives]") {
    // nccl-tests issue 326: algorithm bandwidth 360 / 1.75 = 205.7 GB/s, not 360 and not 900
    CollectiveLaw measured = plain();
    measured.bandwidth = BytesPerSecond<>(360e9);
    const auto time =
        collective_time<double>(Kind::all_reduce, Bytes<>(16e9), 8, h100s(8), with({measured}));
    CHECK(time.time.value() == Approx(28.0 / 360).epsilon(1e-12));
    CHECK(time.bus_bandwidth.value() == Approx(360e9).epsilon(1e-12));
    // It speaks of the whole group, whatever its links.
    CollectiveLaw network = measured;
    network.link = LinkClass::network;
    CHECK(seconds(Kind::all_reduce, 16e9, h100s(16), with({measured, network})) ==
          Approx(16e9 * 30 / 16 / 360e9).epsilon(1e-12));
}

TEST_CASE("the floor is the payload of a sum and what a device lacks of the rest",
          "[collectives]") {
    const auto least = [](Kind kind, const Machine& machine) {
        return least_link_bytes<double>(kind, Bytes<>(16e9), machine.devices, machine);
    };
    CHECK(least(Kind::all_reduce, h100s(8)).inside.value() == 16e9);
    CHECK(least(Kind::all_reduce, h100s(8)).across.value() == 0);
    CHECK(least(Kind::all_reduce, h100s(16)).across.value() == 2e9);
    CHECK(least(Kind::all_gather, h100s(8)).inside.value() == 14e9);
    CHECK(least(Kind::reduce_scatter, h100s(16)).across.value() == 1e9);
    CHECK(least(Kind::all_to_all, h100s(16)).inside.value() == 7e9);
    CHECK(least(Kind::all_to_all, h100s(16)).across.value() == 8e9);
    CHECK(least(Kind::send, h100s(16)).across.value() == 16e9);
    CHECK(least(Kind::send, h100s(16)).inside.value() == 0);
    CHECK(collective_floor<double>(Kind::all_reduce, Bytes<>(16e9), 8, h100s(8)).value() ==
          Approx(16.0 / 450).epsilon(1e-12));
    CHECK(collective_floor<double>(Kind::send, Bytes<>(16e9), 8, mesh(8)).value() == 0.25);
}

TEST_CASE("a law that names its family takes the place of the general ones of its link",
          "[collectives]") {
    CollectiveLaw general = plain();
    general.id = "general";
    CollectiveLaw hopper = plain();
    hopper.id = "hopper";
    hopper.applies_to = {"hopper"};
    CollectiveLaw other = plain();
    other.applies_to = {"ampere"};
    CollectiveLaw system = plain(Algorithm::ring, LinkClass::network);
    system.id = "system";
    system.applies_to = {"cloud"};
    CollectiveLaw network = plain(Algorithm::ring, LinkClass::network);
    network.id = "network";
    const std::vector<CollectiveLaw> all{
        plain(Algorithm::one_shot), general, hopper, other, system, network};
    Machine machine = h100s(16);
    const auto ids = [&] {
        std::string text;
        for (const CollectiveLaw& law : laws_of(machine, all)) text += law.id + " ";
        return text;
    };
    CHECK(ids() == "plain hopper network ");
    machine.id = "2xcloud";
    CHECK(ids() == "plain hopper system ");
    machine.accelerator.family = "unknown";
    CHECK(ids() == "plain general system ");
}

TEST_CASE("of every machine: no time below the floor, none that falls with bytes, each line holds",
          "[property]") {
    const Catalog presets;
    const std::vector<CollectiveLaw> all = presets.collectives();
    for (const std::string name : {"8xh100", "2xh100", "72xgb200", "8xa100", "16xdgx-h100",
                                   "8xmi300x", "3xmi300x", "8xrtx-4090", "4xrtx-3090", "64xtpu-v5p",
                                   "4xaws-p6-b200", "32xgaudi3", "8xv100-sxm-16gb"}) {
        CAPTURE(name);
        const auto [count, part] = std::pair(std::stod(name), name.substr(name.find('x') + 1));
        const Machine machine = presets.machine(part, count);
        const Assumptions assumptions = with(laws_of(machine, all));
        REQUIRE(!assumptions.collectives.empty());
        for (const Kind kind : kinds) {
            double before = 0;
            for (double bytes = 1; bytes < 1e12; bytes *= 3) {
                const Bytes<> payload(bytes);
                const double devices = machine.devices;
                const auto time =
                    collective_time<double>(kind, payload, devices, machine, assumptions);
                const double floor =
                    collective_floor<double>(kind, payload, devices, machine).value();
                REQUIRE(std::isfinite(time.time.value()));
                REQUIRE(time.time.value() >= floor);
                REQUIRE(time.time.value() >= before);
                before = time.time.value();
                if (bytes > 100) continue;  // the rest of the lines differ in numbers alone
                const auto told = collective_time<Traced>(kind, Bytes<Traced>(Traced(bytes)),
                                                          devices, machine, assumptions);
                REQUIRE(value_of(told.time) == time.time.value());
                REQUIRE(value_of(told.bus_bandwidth) == time.bus_bandwidth.value());
                check_lines(explain({told.time.value(), told.bus_bandwidth.value()}));
            }
        }
    }
}
