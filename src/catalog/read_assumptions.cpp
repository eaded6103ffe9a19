#include "catalog/read.hpp"
#include "napkin/text.hpp"

namespace napkin::catalog {
namespace {

CollectiveAlgorithm algorithm_named(std::string_view name) {
    for (const auto algorithm : {CollectiveAlgorithm::one_shot, CollectiveAlgorithm::tree,
                                 CollectiveAlgorithm::network_switch}) {
        if (name_of(algorithm) == name) return algorithm;
    }
    return CollectiveAlgorithm::ring;
}

LinkClass link_named(std::string_view name) {
    if (name == "pcie") return LinkClass::pcie;
    return name == "network" ? LinkClass::network : LinkClass::scale_up;
}

}  // namespace

Reserve read_reserve(const json::Value& file) {
    return {.fraction = file.count("reserve_fraction"), .size = {}, .source = file.text("why")};
}

std::vector<PublishedRun> read_runs(const json::Value& file) {
    std::vector<PublishedRun> runs;
    for (const json::Value& row : file.at("runs").items) {
        runs.push_back({.id = row.text("id"),
                        .model = row.text("model"),
                        .family = row.text("family"),
                        .accelerator = row.text("accelerator"),
                        .devices = row.count("devices"),
                        .mfu = row.count("mfu"),
                        .convention = row.text("convention"),
                        .peak = row.text("peak"),
                        .source = row.text("source"),
                        .date = row.text("date"),
                        .unverified = row.flag("unverified")});
    }
    return runs;
}

std::vector<FailureRecord> read_failures(const json::Value& file) {
    std::vector<FailureRecord> records;
    for (const json::Value& row : file.at("records").items) {
        records.push_back({.id = row.text("id"),
                           .family = row.text("family"),
                           .devices = row.count("devices"),
                           .duration = Seconds<>(row.count("days") * unit::day),
                           .interruptions = row.count("interruptions"),
                           .source = row.text("source"),
                           .date = row.text("date"),
                           .unverified = row.flag("approximate")});
    }
    return records;
}

std::vector<CollectiveLaw> read_collectives(const json::Value& file) {
    std::vector<CollectiveLaw> laws;
    for (const json::Value& row : file.at("laws").items) {
        CollectiveLaw law{.id = row.text("id"),
                          .algorithm = algorithm_named(row.text("algorithm")),
                          .link = link_named(row.text("link")),
                          .latency = quantity<Seconds<>>(row, "latency", read_duration),
                          .step = quantity<Seconds<>>(row, "step", read_duration),
                          .half_size = quantity<Bytes<>>(row, "half_size", read_bytes),
                          .fraction = row.count("fraction"),
                          .source = row.text("source"),
                          .date = row.text("date"),
                          .unverified = row.flag("unverified")};
        for (const json::Value& name : row.at("applies_to").items) {
            law.applies_to.push_back(name.string);
        }
        laws.push_back(std::move(law));
    }
    return laws;
}

}  // namespace napkin::catalog
