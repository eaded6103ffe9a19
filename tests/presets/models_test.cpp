// Every model preset against totals that were computed elsewhere, and against published ones.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "napkin/catalog.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

nlohmann::json expected() {
    std::ifstream in(NAPKIN_SOURCE_DIR "/tests/presets/expected.json");
    return nlohmann::json::parse(in).at("models");
}

// KV bytes a token at 16 bit of the layers that keep the whole context, or of those that do not.
double kv_of(const Model& model, bool windowed) {
    double sum = 0;
    for (const Block& block : model.blocks) {
        const Cache kept = cache(block, model);
        if ((kept.window > 0) == windowed) sum += block.count * kept.per_token * 2;
    }
    return sum;
}

}  // namespace

TEST_CASE("at least 80 model presets, each with the totals of its configuration") {
    const Catalog catalog;
    const auto rows = expected();
    REQUIRE(rows.size() >= 80);
    REQUIRE(catalog.ids(PresetKind::model).size() == rows.size());
    for (const auto& row : rows) {
        const std::string id = row.at("id");
        CAPTURE(id);
        const Model model = catalog.model(id);
        CHECK(parameters(model) == row.at("parameters").get<double>());
        CHECK(active_parameters(model) == row.at("active").get<double>());
        CHECK(active_without_embedding(model) ==
              row.at("active_without_input_embedding").get<double>());
        CHECK(kv_of(model, false) == row.at("kv_full").get<double>());
        CHECK(kv_of(model, true) == row.at("kv_window").get<double>());
    }
}

TEST_CASE("published totals are met exactly where nothing else is counted in them") {
    const Catalog catalog;
    std::size_t exact = 0;
    std::size_t named = 0;
    std::size_t rounded = 0;
    for (const std::string& id : catalog.ids(PresetKind::model)) {
        const Model model = catalog.model(id);
        if (model.published_parameters <= 0) continue;
        CAPTURE(id, model.published_parameters, model.published_source);
        double whole = parameters(model);
        for (const Part& part : model.parts) whole += part.parameters;
        if (!model.published_exact) {
            CHECK(std::abs(whole / model.published_parameters - 1) < 0.01);
            ++rounded;
        } else if (model.published_source.find("also counts") != std::string::npos ||
                   model.published_source.find("leaves out") != std::string::npos ||
                   whole != model.published_parameters) {
            // What the file counts beside the weights (scales, a second copy of a tied head, masks)
            // is named in the source.
            CHECK(model.published_source.find(';') != std::string::npos);
            ++named;
        } else {
            ++exact;
        }
    }
    std::cout << "published totals: " << exact << " exact, " << named
              << " with a named difference, " << rounded << " rounded by the publisher\n";
    CHECK(exact >= 130);
}

TEST_CASE("every model preset names its source") {
    const Catalog catalog;
    for (const std::string& id : catalog.ids(PresetKind::model)) {
        CAPTURE(id);
        CHECK_FALSE(catalog.model(id).source.empty());
    }
}

TEST_CASE("names find their model whatever their case and punctuation") {
    const Catalog catalog;
    CHECK(catalog.model("meta-llama/Llama-3.1-70B-Instruct").id == "llama-3.1-70b");
    CHECK(catalog.model("LLAMA 3.1 70b").id == "llama-3.1-70b");
    CHECK(catalog.model("deepseek-ai/DeepSeek-R1").id == "deepseek-v3");
    CHECK(catalog.model("gpt3").id == "gpt-3-175b");
    CHECK_THROWS_AS(catalog.model("llama-9"), Error);
}

TEST_CASE("a size is told from a name") {
    CHECK(parameters(*size_model("70B")) == 70e9);
    CHECK(active_parameters(*size_model("671B:37B")) == 37e9);
    CHECK_FALSE(size_model("gpt2"));
    CHECK_FALSE(size_model("37B:671B"));
    CHECK_FALSE(size_model("70"));
    CHECK_FALSE(size_model("0B"));
}
