// 254 configurations and what is known of their totals: models.json. `expected` was computed
// elsewhere from the same files; `published` is the total of the checkpoint, with what it counts
// beside the parameters in `named`.
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "formats/config/config.hpp"
#include "napkin/inference.hpp"
#include "napkin/text.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

const std::string folder = NAPKIN_SOURCE_DIR "/tests/formats/";

const nlohmann::json& rows() {
    static const nlohmann::json all = nlohmann::json::parse(std::ifstream(folder + "models.json"));
    return all;
}

formats::ReadModel read(const nlohmann::json& row) {
    std::ifstream in(folder + "configs/" + row.at("file").get<std::string>());
    std::stringstream text;
    text << in.rdbuf();
    nlohmann::json config = nlohmann::json::parse(text.str());
    // Keys that a stripped copy lacks.
    const nlohmann::json added = row.value("adds", nlohmann::json::object());
    for (const auto& [key, value] : added.items()) config[key] = value;
    const std::string whole = row.contains("adds") ? config.dump() : text.str();
    const json::Source source{row.at("file"), whole};
    static const Catalog catalog;
    return formats::read_config(json::parse(source), source, row.at("id"), catalog);
}

double parts(const Model& model, std::string_view name = {}) {
    double sum = 0;
    for (const Part& part : model.parts) {
        if (name.empty() || part.name == name) sum += part.parameters;
    }
    return sum;
}

double tiles(const Tensors& list) {
    double sum = 0;
    for (const Tensor& tensor : list) {
        if (!tensor.matrix || tensor.format->tile_bytes == 0) continue;
        sum += std::ceil(tensor.rows / tensor.format->tile_rows) *
               std::ceil(tensor.columns / tensor.format->tile_columns) * tensor.copies;
    }
    return sum;
}

// One scale for each tile of 128 x 128; a module of multi-token prediction has those of a layer.
double fp8_scales(const Model& model) {
    double sum = 0;
    for (const Block& block : model.blocks) sum += block.count * tiles(tensors(block, model));
    if (!model.parts.empty()) sum += tiles(tensors(model.blocks.back(), model));
    return sum;
}

double named_elements(const nlohmann::json& row, const Model& model) {
    double sum = 0;
    for (const auto& one : row.value("named", nlohmann::json::array())) {
        if (one.contains("elements")) {
            sum += one.at("elements").get<double>();
        } else if (one.at("computed") == "tied head") {
            CHECK(model.tied);
            sum += model.vocabulary * model.hidden;
        } else if (one.at("computed") == "fp8 scales") {
            sum += fp8_scales(model);
        } else {
            FAIL("what is " << one);
        }
    }
    return sum;
}

// KV bytes a token at 16 bit of layers that keep everything, or of those with a window.
double kv(const Model& model, bool windowed) {
    double sum = 0;
    for (const Block& block : model.blocks) {
        const Cache kept = cache(block, model);
        if (kept.over_prompt || (kept.window > 0) != windowed) continue;
        sum += block.count * kept.per_token * 2;
    }
    return sum;
}

struct Outcome {
    std::string status{};
    std::string text{};
};

// Against the published total.
Outcome judge(const nlohmann::json& row, const Model& model) {
    const std::string status = row.at("status");
    if (!row.contains("published")) return {status, "no published total"};
    const double published = row.at("published").at("parameters").get<double>();
    const double ours = parameters(model);
    const double rest = published - ours - parts(model) - named_elements(row, model);
    if (status == "exact") return {rest == 0 ? "exact" : "WORSE", "left over " + shortest(rest)};
    if (status == "differs") {
        if (rest == 0) return {"differs, explained", "by named parts"};
        return {row.contains("unexplained") ? "differs" : "WORSE", "left over " + shortest(rest)};
    }
    if (status == "rounded") {
        const double off = (ours + parts(model)) / published - 1;
        return {std::abs(off) < 0.006 ? "rounded" : "WORSE", shortest(100 * off) + " %"};
    }
    return {rest == 0 ? status : "WORSE", "left over " + shortest(rest)};
}

}  // namespace

TEST_CASE("totals of 254 configurations, to the last digit where they are published") {
    REQUIRE(rows().size() == 254);
    std::map<std::string, int> counts;
    std::ostringstream table;
    for (const auto& row : rows()) {
        const std::string id = row.at("id");
        CAPTURE(id);
        if (row.at("status") == "no formula") {
            CHECK_THROWS_AS(read(row), Error);
            ++counts["refused by name"];
            continue;
        }
        const Model model = read(row).model;
        const Outcome outcome = judge(row, model);
        ++counts[outcome.status];
        CHECK(outcome.status != "WORSE");
        table << "  " << outcome.status << "  " << id << "  " << with_separators(parameters(model));
        for (const Part& part : model.parts) {
            table << " + " << with_separators(part.parameters) << " " << part.name;
        }
        for (const auto& one : row.value("named", nlohmann::json::array())) {
            const std::string what = one.contains("name") ? "name" : "computed";
            table << " + " << one.at(what).get<std::string>();
        }
        table << "  (" << outcome.text << ")\n";
    }
    std::cout << "Totals of tests/formats/configs:\n" << table.str();
    for (const auto& [status, count] : counts) std::cout << "  " << count << " " << status << "\n";
    CHECK(counts["exact"] == 139);
    CHECK(counts["remembered"] == 24);
    CHECK(counts["rounded"] == 9);
    CHECK(counts["differs, explained"] == 4);
    CHECK(counts["differs"] == 3);
    CHECK(counts["refused by name"] == 11);
    CHECK(counts["no total"] == 64);
}

TEST_CASE("active parameters, KV cache and parts of every configuration with a recipe") {
    for (const auto& row : rows()) {
        if (row.at("status") == "no formula") continue;
        const std::string id = row.at("id");
        CAPTURE(id);
        const Model model = read(row).model;
        const auto& expected = row.at("expected");
        CHECK(parameters(model) == expected.at("total").get<double>());
        CHECK(active_parameters(model) == expected.at("active").get<double>());
        CHECK(active_without_embedding(model) ==
              expected.at("active_without_embedding").get<double>());
        // Where the reference is known to be wrong, the row says why.
        if (row.contains("differs_from_reference")) {
            CHECK((kv(model, false) != expected.value("kv_full", 0.0) ||
                   kv(model, true) != expected.value("kv_window", 0.0)));
            continue;
        }
        CHECK(kv(model, false) == expected.value("kv_full", 0.0));
        CHECK(kv(model, true) == expected.value("kv_window", 0.0));
    }
}

TEST_CASE("a preset is what its publisher's configuration describes") {
    const Catalog catalog;
    int compared = 0;
    for (const auto& row : rows()) {
        const std::string id = row.at("id");
        if (row.at("status") == "no formula" || !catalog.has(PresetKind::model, id)) continue;
        CAPTURE(id);
        const Model preset = catalog.model(id);
        const Model model = read(row).model;
        CHECK(parameters(preset) == parameters(model));
        CHECK(active_parameters(preset) == active_parameters(model));
        CHECK(kv_bytes_per_token(preset, bfloat16()).value() ==
              kv_bytes_per_token(model, bfloat16()).value());
        CHECK(state_bytes(preset).value() == state_bytes(model).value());
        CHECK(layers(preset) == layers(model));
        ++compared;
    }
    CHECK(compared > 180);
}

TEST_CASE("text passes no layer that attends to an image: Llama 3.2 Vision reads what 8B reads") {
    // 32 of its 40 layers and the head are those of Llama 3.1 8B: 7,504,924,672 weights a token;
    // two gates for each of the 8 other layers stand outside them.
    Model model;
    for (const auto& row : rows()) {
        if (row.at("id") == "meta-llama/Llama-3.2-11B-Vision-Instruct") model = read(row).model;
    }
    REQUIRE(layers(model) == 40);
    Inputs inputs{.machine = Catalog().machine("h100"), .model = model};
    CHECK(decode<double>(inputs).totals.weights == 7504924672 + 16);
}
