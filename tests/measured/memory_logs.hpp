// Rows of memory-logs.json, the models they are of, and the table of what became of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "napkin/catalog.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {

inline const std::string measured_folder = NAPKIN_SOURCE_DIR "/tests/measured/";

inline const nlohmann::json& rows(const char* kind) {
    static const auto all =
        nlohmann::json::parse(std::ifstream(measured_folder + "memory-logs.json"));
    return all.at(kind);
}

/// The presets, and models that have none, from their logs.
inline const Catalog& catalog() {
    static const Catalog all = [] {
        Catalog with_models;
        with_models.add_file(measured_folder + "models.json");
        return with_models;
    }();
    return all;
}

inline Model model_of(const nlohmann::json& row) {
    return catalog().model(row.at("model").get<std::string>());
}

/// Whether the log can be of this model: what the loader prints of its architecture.
inline void check_architecture(const Model& model, const nlohmann::json& arch) {
    CHECK(layers(model) == arch.at("layers").get<double>());
    CHECK(model.hidden == arch.at("hidden").get<double>());
    CHECK(model.vocabulary == arch.at("vocabulary").get<double>());
    const auto* attention = std::get_if<Attention>(&model.blocks.front().mixer);
    if (attention != nullptr && arch.contains("kv_heads")) {
        CHECK(attention->heads == arch.at("heads").get<double>());
        CHECK(attention->kv_heads == arch.at("kv_heads").get<double>());
    }
    const std::string printed = arch.at("parameters");
    const double unit = printed.back() == 'T' ? 1e12 : 1e9;
    // Halves of an up-projection that some files store beside it are 0.15 % of DeepSeek-V3.
    CHECK(parameters(model) == Approx(std::stod(printed) * unit).epsilon(0.002));
}

/// The deviations of one kind of row, printed at its end.
class Table {
  public:
    explicit Table(const char* name) { std::printf("\n%s\n", name); }

    double add(const nlohmann::json& row, double measured, double ours) {
        const double deviation = ours / measured - 1;
        const std::string id = row.at("id");
        std::printf("%10.2f MiB %12.3f %+8.3f %%  %s%s\n", measured, ours, 100 * deviation,
                    row.contains("left_out") ? "(left out) " : "", id.c_str());
        if (!row.contains("left_out")) {
            ++decided_;
            worst_ = std::max(worst_, std::abs(deviation));
        }
        return deviation;
    }
    void leave_out(const nlohmann::json& row) {
        const std::string why = row.at("left_out");
        ++left_out_[why.substr(0, why.find(':'))];
    }
    /// Prints the counts and returns how many rows decided.
    [[nodiscard]] std::size_t close() const {
        std::printf("%5zu decide, worst deviation %.3f %%\n", decided_, 100 * worst_);
        for (const auto& [why, count] : left_out_) {
            std::printf("%5zu left out: %s\n", count, why.c_str());
        }
        return decided_;
    }

  private:
    std::size_t decided_{};
    double worst_{};
    std::map<std::string, std::size_t> left_out_{};
};

}  // namespace napkin::test
