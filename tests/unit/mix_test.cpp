#include "napkin/mix.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "napkin/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/models.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

const Catalog& presets() {
    static const Catalog catalog;
    return catalog;
}

Mixed mixed_as(const Model& model, std::string_view mix) {
    const auto found = presets().mix(mix);
    REQUIRE(found);
    return mixed(*found, model);
}

Mixed mixed_as(std::string_view model, std::string_view mix) {
    return mixed_as(presets().model(model), mix);
}

/// The ids of a tensor's formats, layer by layer.
std::vector<std::string> types_of(const Model& model, std::string_view tensor) {
    std::vector<std::string> types;
    for (const std::uint16_t block : model.order) {
        for (const Tensor& one : tensors(model.blocks[block], model)) {
            if (one.name == tensor) types.push_back(one.format->id);
        }
    }
    return types;
}

std::string type_of(const Model& model, std::string_view tensor) {
    const auto types = types_of(model, tensor);
    REQUIRE(!types.empty());
    for (const std::string& type : types) CHECK(type == types.front());
    return types.front();
}

std::vector<std::size_t> layers_in(const std::vector<std::string>& types, std::string_view type) {
    std::vector<std::size_t> layers;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i] == type) layers.push_back(i);
    }
    return layers;
}

std::string role_type(const Model& model, Role role) {
    return format_of(model, role).id;
}

/// Bytes of the halves of latent attention's up-projection, kept beside it: 128 wide (nope and
/// value), as DeepSeek and Kimi have it.
double halves(const Model& model, const nlohmann::json& types) {
    double bytes = 0;
    for (const Block& block : model.blocks) {
        const auto& m = std::get<LatentAttention>(block.mixer);
        REQUIRE(m.nope_dim == m.value_dim);
        const double half = block.count * m.heads * m.nope_dim * m.latent_rank;
        for (const std::string type : types) {
            bytes += half * bytes_per_weight(presets().format(type));
        }
    }
    return bytes;
}

double unit_of(const std::string& unit, double parameters) {
    if (unit == "bit") return parameters / 8;
    if (unit == "GB") return 1e9;
    if (unit == "MiB") return 1024. * 1024;
    if (unit == "GiB") return 1024. * 1024 * 1024;
    REQUIRE(unit == "B");
    return 1;
}

}  // namespace

TEST_CASE("files of llama.cpp have the sizes that it prints, to the last digit", "[mix]") {
    std::ifstream in(NAPKIN_SOURCE_DIR "/tests/data/gguf-sizes.json");
    const auto rows = nlohmann::json::parse(in).at("rows");
    REQUIRE(rows.size() > 50);
    for (const auto& row : rows) {
        const std::string id = row.at("id");
        CAPTURE(id);
        Model model = presets().model(row.at("model").get<std::string>());
        if (row.contains("order")) {
            const auto cycle = row.at("order").get<std::vector<std::uint16_t>>();
            for (std::size_t i = 0; i < static_cast<std::size_t>(layers(model)); ++i) {
                model.order.push_back(cycle[i % cycle.size()]);
            }
        }
        const Mixed file = mixed_as(model, row.at("mix").get<std::string>());
        REQUIRE(file.misfits.empty());
        double bytes = weight_bytes(file.model).value();
        if (row.contains("halves")) bytes += halves(model, row.at("halves"));
        if (row.contains("metadata")) bytes += row.at("metadata").get<double>();
        const std::string expected = row.at("expected");
        const std::size_t point = expected.find('.');
        const auto decimals = point == std::string::npos ? 0 : expected.size() - point - 1;
        const double printed = bytes / unit_of(row.at("unit"), parameters(model));
        const double half_a_digit = 0.5 * std::pow(10, -static_cast<double>(decimals));
        CHECK(std::abs(printed - std::stod(expected)) <= half_a_digit * 1.0001);
    }
}

TEST_CASE("Llama 3 8B in Q4_K_M: 281.81 MiB of embedding on the host, 4403.49 on the device",
          "[mix]") {
    // loader log of github:XiongjieDai/GPU-Benchmarks-on-LLM-Inference, RTX 3070
    const Model model = mixed_as("llama-3-8b", "Q4_K_M").model;
    const double mib = 1024. * 1024;
    const double host = bytes_of(outer_tensors(model), Role::embedding).value();
    CHECK(std::abs(host / mib - 281.81) < 0.005);
    CHECK(std::abs((weight_bytes(model).value() - host) / mib - 4403.49) < 0.005);
}

TEST_CASE("gpt-oss keeps its experts in MXFP4 in a Q8_0 file: 63.33 GB, not 124", "[mix]") {
    // github:AlexsJones/llmfit/pull/1059; 114,661,785,600 x 17/32 + 39,813,120 x 4 + 2,127,557,952
    // x 34/32 B; the routers, 13 M weights there in Q8_0, are F32
    const Model model = mixed_as("gpt-oss-120b", "Q8_0").model;
    const double routers = 36. * 128 * 2880;
    CHECK(role_type(model, Role::expert) == "mxfp4");
    CHECK(type_of(model, "expert_down") == "mxfp4");
    CHECK(std::abs(weight_bytes(model).value() - routers * (4 - 34. / 32) - 63'333'856'404.) <
          2'200'000);  // norms and biases in F32: 0.7 M weights
    CHECK(weight_bytes(model).value() ==
          weight_bytes(mixed_as("gpt-oss-120b", "MXFP4_MOE").model).value());
}

TEST_CASE("32 layers of Q4_K_M: more bits in the first and last four and every third", "[mix]") {
    const Model model = mixed_as(llama_3_1_8b(), "Q4_K_M").model;
    const std::vector<std::size_t> more{0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31};
    CHECK(layers_in(types_of(model, "attn_v"), "q6_k") == more);
    CHECK(layers_in(types_of(model, "ffn_down"), "q6_k") == more);
    CHECK(type_of(model, "attn_q") == "q4_k");
    CHECK(model.blocks.size() == 2);
    CHECK(role_type(model, Role::head) == "q6_k");
    CHECK(role_type(model, Role::embedding) == "q4_k");
    CHECK(role_type(model, Role::norm) == "fp32");
    CHECK(model.weights_as == "q4_k_m");
}

TEST_CASE("80 layers with few KV heads: attn_v of Q4_K is raised to Q5_K", "[mix]") {
    const auto types = types_of(mixed_as(llama_3_1_70b(), "Q4_K_M").model, "attn_v");
    CHECK(layers_in(types, "q6_k").size() == 40);  // 10 + 10 + 20
    CHECK(layers_in(types, "q5_k").size() == 40);
    CHECK(type_of(mixed_as(llama_3_1_70b(), "Q2_K").model, "attn_v") == "q5_k");
    CHECK(type_of(mixed_as(llama_3_1_8b(), "Q2_K").model, "attn_v") == "q4_k");
    CHECK(type_of(mixed_as("llama-2-7b", "Q2_K").model, "attn_v") ==
          "q3_k");  // 1 head to a KV head
}

TEST_CASE("8 experts: keys and values in Q8_0, the output in Q5_K", "[mix]") {
    const Model model = mixed_as("mixtral-8x7b", "Q4_K_M").model;
    CHECK(type_of(model, "attn_k") == "q8_0");
    CHECK(type_of(model, "attn_v") == "q8_0");
    CHECK(type_of(model, "attn_output") == "q5_k");
    CHECK(layers_in(types_of(model, "expert_down"), "q6_k").size() == 16);
    CHECK(role_type(model, Role::router) == "fp32");
}

TEST_CASE("a type whose blocks do not fill a row gives way", "[mix]") {
    // hidden 896 = 3.5 x 256: Q4_K -> Q5_0, Q6_K -> Q8_0; ffn_down has rows of 4864 = 19 x 256
    const Model qwen = mixed_as("qwen2.5-0.5b", "Q4_K_M").model;
    CHECK(type_of(qwen, "attn_q") == "q5_0");
    CHECK(layers_in(types_of(qwen, "attn_v"), "q8_0").size() == 12);
    CHECK(layers_in(types_of(qwen, "ffn_down"), "q6_k").size() == 12);
    CHECK(role_type(qwen, Role::embedding) == "q8_0");  // tied: the head's type
    CHECK(type_of(mixed_as("qwen2.5-0.5b", "Q5_K_S").model, "attn_q") == "q5_1");
    CHECK(type_of(mixed_as("qwen2.5-0.5b", "IQ4_XS").model, "attn_q") == "iq4_nl");
    CHECK(type_of(mixed_as("qwen2.5-0.5b", "Q2_K").model, "attn_q") == "q4_0");
}

TEST_CASE("rows that suit neither type stay in 16 bit, or there is no such file", "[mix]") {
    // ssm_dt of Mamba 130M has rows of 48: no whole blocks of 32 either
    CHECK(type_of(mixed_as("mamba-130m", "Q4_K_M").model, "ssm_dt") == "fp16");
    const Mixed none = mixed_as("mamba-130m", "Q8_0");
    REQUIRE(none.misfits.size() == 1);
    CHECK(none.misfits.front() == "ssm_dt: rows of 48 are no whole blocks of q8_0");
}

TEST_CASE("one tensor of queries, keys and values: Q5_K in Q4_K_M", "[mix]") {
    const Model phi = mixed_as("phi-3-mini", "Q4_K_M").model;
    for (const auto name : {"attn_q", "attn_k", "attn_v"}) CHECK(type_of(phi, name) == "q5_k");
    CHECK(role_type(mixed_as("falcon-40b", "Q4_K_M").model, Role::head) == "q8_0");
    CHECK(layers_in(types_of(mixed_as("falcon-40b", "Q4_K_M").model, "ffn_down"), "q6_k") ==
          std::vector<std::size_t>{0, 1, 2});  // 60 / 16
}

TEST_CASE("Q8_0 and Q6_K are a flat format wherever rows are whole blocks", "[mix]") {
    for (const std::string name : {"q8_0", "q6_k"}) {
        Model flat = presets().model("llama-3.1-70b");
        set_weights(flat, presets().format(name));
        CHECK(weight_bytes(flat).value() ==
              weight_bytes(mixed_as("llama-3.1-70b", name).model).value());
    }
}

TEST_CASE("a model of more layers than any has is refused, not listed", "[mix]") {
    Model model = llama_3_1_8b();
    model.blocks.front().count = 1e12;
    CHECK(mixed_as(model, "Q4_K_M").misfits.size() == 1);
}

TEST_CASE("coming apart leaves every layer, its place and its weights", "[mix]") {
    for (const std::string& id : presets().ids(PresetKind::model)) {
        const Model whole = presets().model(id);
        std::vector<const Block*> places;
        for (const Block& block : whole.blocks) {
            places.insert(places.end(), static_cast<std::size_t>(block.count), &block);
        }
        for (const auto* mix : {"Q4_K_M", "Q3_K_M", "IQ3_XS", "IQ2_XXS"}) {
            CAPTURE(id, mix);
            const Model model = mixed_as(whole, mix).model;
            CHECK(layers(model) == layers(whole));
            CHECK(parameters(model) == parameters(whole));
            REQUIRE(model.order.size() == places.size());
            std::vector<double> counts(model.blocks.size());
            for (std::size_t i = 0; i < places.size(); ++i) {
                ++counts[model.order[i]];
                const Tensors now = tensors(model.blocks[model.order[i]], model);
                const Tensors then = tensors(*places[i], whole);
                REQUIRE(now.count == then.count);
                for (std::size_t j = 0; j < now.count; ++j) {
                    REQUIRE(now.at[j].name == then.at[j].name);
                    REQUIRE(elements(now.at[j]) == elements(then.at[j]));
                }
            }
            for (std::size_t i = 0; i < counts.size(); ++i) {
                CHECK(counts[i] == model.blocks[i].count);
            }
        }
    }
}
