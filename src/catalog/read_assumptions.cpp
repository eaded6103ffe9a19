#include "catalog/read.hpp"

namespace napkin::catalog {

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

}  // namespace napkin::catalog
