// Whole models as GGUF files: what they weigh and remember, against published figures.
#include <cmath>

#include "napkin/operations.hpp"
#include "tests/formats/gguf_model_file.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

constexpr LlamaSizes llama_8b{.layers = 32,
                              .hidden = 4096,
                              .heads = 32,
                              .kv_heads = 8,
                              .head_dim = 128,
                              .width = 14336,
                              .vocabulary = 128256};
constexpr double gib = 1073741824;

// llama-quantize's recipe Q4_K_M: github:ggml-org/llama.cpp src/llama-quant.cpp.
ModelFile llama_q4_k_m(const LlamaSizes& s) {
    ModelFile file = outside("llama", s, ggml::q4_k, ggml::q6_k);
    const auto layers = static_cast<std::size_t>(s.layers);
    for (std::size_t i = 0; i < layers; ++i) {
        const bool more = i < layers / 8 || i >= 7 * layers / 8 || (i - layers / 8) % 3 == 2;
        file.put(i, "attn_norm.weight", {s.hidden}, ggml::f32);
        file.put(i, "attn_q.weight", {s.hidden, s.heads * s.head_dim}, ggml::q4_k);
        file.put(i, "attn_k.weight", {s.hidden, s.kv_heads * s.head_dim}, ggml::q4_k);
        file.put(i, "attn_v.weight", {s.hidden, s.kv_heads * s.head_dim},
                 more ? ggml::q6_k : ggml::q4_k);
        file.put(i, "attn_output.weight", {s.heads * s.head_dim, s.hidden}, ggml::q4_k);
        file.put(i, "ffn_norm.weight", {s.hidden}, ggml::f32);
        file.put(i, "ffn_gate.weight", {s.hidden, s.width}, ggml::q4_k);
        file.put(i, "ffn_up.weight", {s.hidden, s.width}, ggml::q4_k);
        file.put(i, "ffn_down.weight", {s.width, s.hidden}, more ? ggml::q6_k : ggml::q4_k);
    }
    return file;
}

}  // namespace

TEST_CASE("Llama 3.1 8B in F16: 8,030,261,248 weights, 16,061,054,976 bytes", "[gguf][model]") {
    ModelFile file = llama(llama_8b);
    file.builder.number("general.file_type", 1);
    const formats::ReadModel read = file.read();
    const Model& model = read.model;
    CHECK(parameters(model) == 8030261248);
    // Two bytes a weight, four for each of the 65 norms of 4,096: 14.96 GiB, 16.0005 bits a weight.
    CHECK(weight_bytes(model).value() == 2 * 8030261248.0 + 2 * 65 * 4096);
    CHECK(weight_bytes(model).value() / gib == Approx(14.96).epsilon(1e-3));
    CHECK(kv_bytes(model) == 131072);
    CHECK(model.weights_as == "F16");
    CHECK(model.max_context == 8192);
    CHECK_FALSE(model.tied);
    CHECK(read.notes.empty());
    REQUIRE(model.blocks.size() == 1);
    const Model preset = Catalog().model("llama-3.1-8b");
    CHECK((model.blocks[0].mixer == preset.blocks[0].mixer));
    CHECK((model.blocks[0].feed_forward == preset.blocks[0].feed_forward));
    CHECK(model.blocks[0].norms == preset.blocks[0].norms);
    check_exact(file, model);
}

TEST_CASE("Llama 3.1 8B in Q4_K_M: 4.58 GiB, 4.8944 bits a weight as published", "[gguf][model]") {
    ModelFile file = llama_q4_k_m(llama_8b);
    file.builder.number("general.file_type", 15);
    const Model model = file.read().model;
    check_exact(file, model);
    CHECK(parameters(model) == 8030261248);
    CHECK(model.weights_as == "Q4_K_M");
    const double bytes = weight_bytes(model).value();
    CHECK(std::abs(bytes / gib - 4.58) < 0.005);
    CHECK(std::abs(bytes * 8 / 8030261248 - 4.8944) < 0.00005);
    CHECK(format_of(model, Role::head).id == "q6_k");
    CHECK(format_of(model, Role::attention).id == "q4_k");
    // Layers with more bits and those without.
    CHECK(model.blocks.size() == 2);
    CHECK(model.order.size() == 32);
    CHECK(model.blocks[0].count == 16);
    REQUIRE(model.blocks[0].formats.size() == 2);
    CHECK(model.blocks[0].formats[0].format.id == "q6_k");
    CHECK(kv_bytes(model) == 131072);
}

TEST_CASE("a file without a head is tied, rope factors weigh what they do", "[gguf][model]") {
    const LlamaSizes s;
    ModelFile file("llama");
    file.number("block_count", 1).number("embedding_length", s.hidden);
    file.number("attention.head_count", s.heads).number("attention.head_count_kv", s.kv_heads);
    file.put("token_embd.weight", {s.hidden, s.vocabulary}, ggml::q6_k);
    file.put("output_norm.weight", {s.hidden}, ggml::f32);
    file.put("rope_freqs.weight", {32}, ggml::f32);
    attention(file, 0, s);
    gated(file, 0, s);
    const formats::ReadModel read = file.read();
    CHECK(read.model.tied);
    CHECK(format_of(read.model, Role::head).id == "q6_k");
    REQUIRE(read.model.parts.size() == 1);
    CHECK(read.model.parts.front().parameters == 32);
    CHECK(read.notes.empty());
    check_exact(file, read.model);
}

TEST_CASE("tensors without a place count, and are named", "[gguf][model]") {
    ModelFile file = llama();
    for (std::size_t i = 0; i < 2; ++i) file.put(i, "laurel_l.weight", {256, 64}, ggml::q4_k);
    file.put("altup_proj.weight", {256, 256, 3}, ggml::f16);
    const formats::ReadModel read = file.read();
    check_exact(file, read.model);
    CHECK(read.model.extra_parameters == 2 * 256 * 64 + 3 * 256 * 256);
    REQUIRE(read.notes.size() == 1);
    CHECK(read.notes[0].message ==
          "229,376 weights have no place in a layer here and count as read for each token: "
          "altup_proj.weight, laurel_l.weight (2)");
}

TEST_CASE("an architecture that no one knows is read by its tensors", "[gguf][model]") {
    const LlamaSizes s{.layers = 1};
    ModelFile file = outside("nonesuch", s);
    file.number("attention.sliding_window", 1024);
    attention(file, 0, s);
    gated(file, 0, s);
    const formats::ReadModel read = file.read();
    check_exact(file, read.model);
    CHECK(std::get<Attention>(read.model.blocks[0].mixer).window == 0);
    REQUIRE(read.notes.size() == 1);
    CHECK(read.notes[0].id == "window-not-used");
}

TEST_CASE("tensors with an extent of 0 weigh nothing and are no layer's", "[gguf][model]") {
    ModelFile file = llama();
    file.put("empty.weight", {0, 256}, ggml::f16);
    file.put(0, "attn_q.bias", {0}, ggml::f32);
    file.put("last.weight", {32, 0}, ggml::q4_0);
    const formats::GgufFile opened = file.open();
    CHECK(opened.tensors.back().elements == 0);
    CHECK(opened.tensors.back().bytes == 0);
    const Model model = file.read().model;
    check_exact(file, model);
    CHECK_FALSE(std::get<Attention>(model.blocks[0].mixer).bias_q);
}

TEST_CASE("a decode step reads every byte of the file but the embedding", "[gguf][model]") {
    ModelFile file = llama_q4_k_m(llama_8b);
    file.put(0, "laurel_l.weight", {4096, 64}, ggml::q4_k);
    Inputs inputs;
    inputs.model = file.read().model;
    inputs.machine = Catalog().machine("h100");
    inputs.workload.context = 1024;
    inputs.workload.activations = inputs.workload.kv_format = Catalog().format("fp16");
    double read = 0;
    const auto add = [&](const Operations<double>& rows, double times) {
        for (const Operation<double>& row : rows) read += times * row.weight_bytes.value();
    };
    for (const Block& block : inputs.model.blocks) {
        add(lower<double>(block, inputs, Phase::decode, even_load<double>(1, inputs.layout)),
            block.count);
    }
    add(lower_outer<double>(inputs, Phase::decode, even_load<double>(1, inputs.layout)), 1);
    const double embedding = 4096 * 128256 / 256.0 * 144;
    CHECK(std::abs(read - (file.bytes - embedding)) < 0.5);
}
