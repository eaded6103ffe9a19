// Collectives as others measured them, held against the laws of the presets. What is left out says
// why; the floor of physics holds for every row all the same.
#include "napkin/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "napkin/catalog.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

using nlohmann::json;

CollectiveKind kind_of(const std::string& name) {
    for (const auto kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
        if (name == name_of(kind)) return kind;
    }
    FAIL(name);
    return CollectiveKind::none;
}

Machine machine_of(const Catalog& presets, const std::string& name) {
    return presets.machine(name.substr(name.find('x') + 1), std::stod(name));
}

// All laws of libraries, or of the rings alone (NCCL_NVLS_ENABLE=0, and what a switch cannot add).
Assumptions assumptions_of(const Catalog& presets, const Machine& machine, const json& row) {
    Assumptions assumptions;
    assumptions.collectives = of_libraries(laws_of(machine, presets.collectives()));
    if (row.at("laws") == "ring") {
        auto& laws = assumptions.collectives;
        laws.erase(std::remove_if(laws.begin(), laws.end(),
                                  [](const CollectiveLaw& law) {
                                      return law.algorithm == CollectiveAlgorithm::network_switch;
                                  }),
                   laws.end());
    }
    return assumptions;
}

double measured_seconds(const json& row, CollectiveKind kind, double devices) {
    if (row.contains("time_us")) return row.at("time_us").get<double>() * 1e-6;
    const double part = (devices - 1) / devices * (kind == CollectiveKind::all_reduce ? 2 : 1);
    return row.at("bytes").get<double>() * part / (row.at("bus_gb_per_s").get<double>() * 1e9);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
}

}  // namespace

TEST_CASE("measured collectives are met within x1.25 in the median of each machine",
          "[collectives]") {
    const Catalog presets;
    const json file =
        json::parse(std::ifstream(NAPKIN_SOURCE_DIR "/tests/measured/collectives.json"));
    std::map<std::string, std::vector<double>>
        ratios;  // the larger of ours and theirs over the other
    std::vector<double> all;
    std::size_t left_out = 0;
    std::printf("\ncollectives: measured, ours, ratio\n");
    for (const json& row : file.at("rows")) {
        CAPTURE(row.at("id"));
        const std::string name = row.at("on");
        const Machine machine = machine_of(presets, name);
        const CollectiveKind kind = kind_of(row.at("kind"));
        const Bytes<> bytes(row.at("bytes").get<double>());
        const double measured = measured_seconds(row, kind, machine.devices);
        const double ours = collective_time<double>(kind, bytes, machine.devices, machine,
                                                    assumptions_of(presets, machine, row))
                                .time.value();
        const double floor =
            collective_floor<double>(kind, bytes, machine.devices, machine).value();
        CHECK(measured >= floor / 1.02);
        const bool decides = !row.contains("left_out");
        std::printf("%12.1f us %12.1f  x%.2f  %s%s\n", measured * 1e6, ours * 1e6, ours / measured,
                    decides ? "" : "(left out) ", row.at("id").get<std::string>().c_str());
        if (!decides) {
            ++left_out;
            continue;
        }
        ratios[name].push_back(std::max(ours / measured, measured / ours));
        all.push_back(ratios[name].back());
    }
    for (const auto& [name, values] : ratios) {
        CAPTURE(name);
        std::printf("%14s %3zu rows, median x%.2f, worst x%.2f\n", name.c_str(), values.size(),
                    median(values), *std::max_element(values.begin(), values.end()));
        CHECK(median(values) < 1.25);
    }
    const auto within = std::count_if(all.begin(), all.end(), [](double r) { return r < 1.25; });
    std::printf("%zu rows, median x%.2f, %ld within x1.25; %zu left out\n", all.size(), median(all),
                static_cast<long>(within), left_out);
    CHECK(all.size() >= 70);
    CHECK(median(all) < 1.1);
    CHECK(static_cast<double>(within) > 0.85 * static_cast<double>(all.size()));
}
