// GGUF files that are no model, contradict themselves, or ask for more than there is.
#include <cstring>
#include <limits>

#include "tests/formats/gguf_model_file.hpp"
#include "tests/formats/gguf_refusal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/watchdog.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

std::vector<Problem> problems(const ModelFile& file) {
    try {
        (void)file.read();
    } catch (const Error& error) {
        return error.problems;
    }
    return {};
}

Problem problem(const ModelFile& file) {
    return outcome_of([&] { (void)file.read(); });
}

std::string double_bytes(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return little_endian(bits);
}

// One layer, with a key of any value instead of a good one.
ModelFile one_layer(std::string_view key, double value) {
    const LlamaSizes s{.layers = 1};
    ModelFile file("llama");
    file.builder.pair("llama." + std::string(key), gguf::f64, double_bytes(value));
    for (const auto& [name, good] : {std::pair{"block_count", 1.0},
                                     {"embedding_length", 256.0},
                                     {"attention.head_count", 4.0},
                                     {"attention.head_count_kv", 2.0}}) {
        if (key != name) file.number(name, good);
    }
    file.put("token_embd.weight", {256, 1000}, ggml::f16);
    attention(file, 0, s);
    gated(file, 0, s);
    return file;
}

}  // namespace

TEST_CASE("the model that the broken ones are made of is a good one", "[gguf][model][hostile]") {
    CHECK(problems(one_layer("block_count", 1)).empty());
}

TEST_CASE("counts are whole, finite and of this world", "[gguf][model][hostile]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const char* key : {"block_count", "embedding_length", "attention.head_count",
                            "attention.head_count_kv", "context_length", "attention.key_length",
                            "nextn_predict_layers", "feed_forward_length"}) {
        for (const double value :
             {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -1.0, 0.5, 1e300}) {
            CAPTURE(key, value);
            const Problem found = problem(one_layer(key, value));
            CHECK(found.id == "bad-count");
            CHECK(found.message.find(key) != std::string::npos);
            CHECK(found.where.file.ends_with("model.gguf"));
        }
    }
    CHECK(problem(one_layer("block_count", 0)).id == "bad-count");
    CHECK(problem(one_layer("attention.head_count", 0)).id == "tensor-mismatch");
    CHECK(problem(one_layer("attention.head_count_kv", 0)).id == "tensor-mismatch");
    CHECK(problem(one_layer("nextn_predict_layers", 1)).id == "bad-count");
}

TEST_CASE("more than 4,096 layers are refused before they are made", "[gguf][model][hostile]") {
    for (const double count : {4097.0, 1099511627776.0}) {
        const Problem found = problem(one_layer("block_count", count));
        CHECK(found.id == "bad-count");
    }
    CHECK(problem(one_layer("block_count", 4097)).expected == "at most 4,096");
    const Problem missing = problem(one_layer("block_count", 4096));
    CHECK(missing.id == "missing-layers");
    CHECK(missing.message.find("4,095 of 4,096 layers have no tensors, the first is 1") !=
          std::string::npos);
}

TEST_CASE("4,096 layers, all of them different, are read in a second", "[gguf][model][hostile]") {
    ModelFile file("llama");
    file.number("block_count", 4096).number("embedding_length", 2);
    file.number("attention.head_count", 1).number("attention.key_length", 2);
    file.put("token_embd.weight", {2, 2}, ggml::f16);
    for (std::size_t i = 0; i < 4096; ++i) {
        const auto width = static_cast<double>(i + 1);
        file.put(i, "attn_norm.weight", {2}, ggml::f32);
        for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
            file.put(i, std::string(name) + ".weight", {2, 2}, ggml::f16);
        }
        file.put(i, "ffn_up.weight", {2, width}, ggml::f16);
        file.put(i, "ffn_down.weight", {width, 2}, i % 2 == 0 ? ggml::f32 : ggml::f16);
    }
    const formats::GgufFile opened = file.open();
    const test::Watchdog bounded(10);  // with room for a busy machine
    const Model model = formats::read_gguf_model(opened, "test", Catalog()).model;
    CHECK(model.blocks.size() == 4096);
    CHECK(parameters(model) == file.elements);
}

TEST_CASE("all missing keys are reported together", "[gguf][model][hostile]") {
    const LlamaSizes s{.layers = 1};
    ModelFile file("llama");
    attention(file, 0, s);
    const auto found = problems(file);
    REQUIRE(found.size() == 3);
    CHECK(found[0].message.ends_with("the key \"llama.block_count\" is missing"));
    CHECK(found[1].message.ends_with("the key \"llama.embedding_length\" is missing"));
    CHECK(found[2].message.ends_with("the key \"llama.attention.head_count\" is missing"));
    const formats::GgufFile nameless{};
    const Problem none =
        outcome_of([&] { (void)formats::read_gguf_model(nameless, "x", Catalog()); });
    CHECK(none.id == "missing-key");
    CHECK(none.expected.find("general.architecture") != std::string::npos);
}

TEST_CASE("tensors of no architecture have a size, a part of a model none",
          "[gguf][model][hostile]") {
    formats::GgufFile file;
    file.tensors = {{.name = "a", .type = "F16", .extents = {3}, .elements = 3, .bytes = 6},
                    {.name = "b", .type = "F32", .extents = {5}, .elements = 5, .bytes = 20}};
    const formats::ReadModel read = formats::read_gguf_model(file, "x", Catalog());
    CHECK(is_size(read.model));
    CHECK(parameters(read.model) == 8);
    CHECK(weight_bytes(read.model).value() == 26);
    CHECK(read.model.weights_as == "mixed types");
    REQUIRE(read.notes.size() == 1);
    CHECK(read.notes[0].id == "no-architecture");
    file.metadata["general.type"] = std::string("imatrix");
    const Problem side = outcome_of([&] { (void)formats::read_gguf_model(file, "x", Catalog()); });
    CHECK(side.id == "missing-key");
}

TEST_CASE("lists by layers have an item for each layer", "[gguf][model][hostile]") {
    for (const std::size_t length : {0u, 1u, 3u}) {
        CAPTURE(length);
        ModelFile file("llama");
        file.number("block_count", 2).number("embedding_length", 256);
        file.numbers("attention.head_count", std::vector<double>(length, 4));
        file.put("token_embd.weight", {256, 1000}, ggml::f16);
        for (std::size_t i = 0; i < 2; ++i) {
            attention(file, i, {.kv_heads = 4});
            gated(file, i, {});
        }
        const Problem found = problem(file);
        CHECK(found.id == "wrong-length");
        CHECK(found.message.find("\"llama.attention.head_count\" lists") != std::string::npos);
        CHECK(found.expected == "one number for each of 2 layers");
    }
    ModelFile windows = llama();
    windows.number("attention.sliding_window", 8);
    windows.flags("attention.sliding_window_pattern", {true});
    CHECK(problem(windows).id == "wrong-length");
    // Without an item for the layer of multi-token prediction, as newer files have them.
    ModelFile predicting = llama();
    predicting.number("nextn_predict_layers", 1).number("attention.sliding_window", 8);
    predicting.flags("attention.sliding_window_pattern", {true});
    CHECK(std::get<Attention>(predicting.read().model.blocks[0].mixer).window == 8);
}

TEST_CASE("tensors that contradict the metadata are named with both", "[gguf][model][hostile]") {
    const Problem heads = problem(one_layer("attention.head_count", 8));
    CHECK(heads.id == "tensor-mismatch");  // 8 heads of 256 / 8; K has 128 outputs, not 2 * 32
    CHECK(heads.message.find("\"blk.0.attn_k.weight\" is 256 x 128") != std::string::npos);
    CHECK(heads.expected.find("256 x 64") != std::string::npos);
    CHECK(problem(one_layer("attention.head_count", 3)).id == "no-head-size");
    const Problem width = problem(one_layer("embedding_length", 128));
    CHECK(width.message.find("\"token_embd.weight\" is 256 x 1,000") != std::string::npos);
    CHECK(width.message.find("\"llama.embedding_length\" is 128") != std::string::npos);
    const Problem keys = problem(one_layer("attention.key_length", 100));
    CHECK(keys.message.find("\"blk.0.attn_q.weight\" is 256 x 256") != std::string::npos);
    CHECK(keys.expected.find("400 outputs") != std::string::npos);
    const Problem wide = problem(one_layer("feed_forward_length", 500));
    CHECK(wide.message.find("\"blk.0.ffn_down.weight\" has 512 inputs") != std::string::npos);
    CHECK(wide.expected.find("500") != std::string::npos);
}

TEST_CASE("tensors of layers that are not there are refused", "[gguf][model][hostile]") {
    ModelFile beyond = llama();
    beyond.put("blk.2.attn_norm.weight", {256}, ggml::f32);
    CHECK(problem(beyond).message.find("\"blk.2.attn_norm.weight\" is of a layer beyond") !=
          std::string::npos);
    // No number of a layer: weights like any others.
    for (const char* name : {"blk.x.w", "blk.", "blk..w", "blk.-1.w", "blk.1", "blk.007.w",
                             "blk.99999999999999999999.w"}) {
        ModelFile odd = llama();
        odd.put(name, {5}, ggml::f32);
        CAPTURE(name);
        const Model model = odd.read().model;
        CHECK(model.extra_parameters == 5);
        CHECK(parameters(model) == odd.elements);
    }
}

TEST_CASE("a layer of no known kind is refused with its tensors", "[gguf][model][hostile]") {
    const LlamaSizes s{.layers = 1};
    ModelFile file = outside("rwkv7", s);
    file.put(0, "attn_norm.weight", {256}, ggml::f32);
    file.put(0, "time_mix_key.weight", {256, 256}, ggml::f16);
    file.put(0, "channel_mix_key.weight", {256, 1024}, ggml::f16);
    const Problem found = problem(file);
    CHECK(found.id == "unsupported-architecture");
    CHECK(found.message.find("\"rwkv7\"") != std::string::npos);
    CHECK(found.message.find("time_mix_key.weight") != std::string::npos);
    CHECK(found.hint == "--set model.parameters=SIZE answers what a size can");
}

TEST_CASE("encoders with decoders are refused as what they are", "[gguf][model][hostile]") {
    ModelFile file = outside("t5", {.layers = 1});
    file.put("enc.blk.0.attn_q.weight", {256, 256}, ggml::f16);
    file.put("dec.blk.0.attn_q.weight", {256, 256}, ggml::f16);
    const Problem found = problem(file);
    CHECK(found.id == "unsupported-architecture");
    CHECK(found.message.find("an encoder and a decoder") != std::string::npos);
}

TEST_CASE("side files are told from models", "[gguf][model][hostile]") {
    ModelFile clip("clip");
    CHECK(problem(clip).id == "not-a-language-model");
    CHECK(problem(clip).message.find("mmproj") != std::string::npos);
    ModelFile adapter = llama();
    adapter.builder.text("general.type", "adapter");
    CHECK(problem(adapter).message.find("LoRA") != std::string::npos);
    ModelFile model = llama();
    model.builder.text("general.type", "model");
    CHECK(problems(model).empty());
}

TEST_CASE("experts agree with their router and their number", "[gguf][model][hostile]") {
    const auto build = [](double said, double used, double routed, bool router) {
        const LlamaSizes s{.layers = 1};
        ModelFile file = outside("qwen3moe", s);
        file.number("expert_count", said).number("expert_used_count", used);
        attention(file, 0, s);
        if (router) file.put(0, "ffn_gate_inp.weight", {256, routed}, ggml::f32);
        file.put(0, "ffn_gate_exps.weight", {256, 96, 8}, ggml::f16);
        file.put(0, "ffn_up_exps.weight", {256, 96, 8}, ggml::f16);
        file.put(0, "ffn_down_exps.weight", {96, 256, 8}, ggml::f16);
        return file;
    };
    CHECK(problems(build(8, 2, 8, true)).empty());
    CHECK(problem(build(9, 2, 8, true)).message.find("holds 8 experts") != std::string::npos);
    CHECK(problem(build(8, 0, 8, true)).id == "bad-count");
    CHECK(problem(build(8, 9, 8, true)).id == "bad-count");
    CHECK(problem(build(8, 2, 7, true)).id == "tensor-mismatch");
    CHECK(problem(build(8, 2, 8, false)).id == "unsupported-architecture");
}
