// Schemes of quantization: bytes by own arithmetic.
#include "tests/formats/quantized.hpp"

using namespace napkin;
using namespace napkin::test;

TEST_CASE("without quantization everything is in 16 bit") {
    CHECK(bytes_of(model()) == 2 * linear + rest);
    CHECK(bytes_of(with(model(), {{"quantization_config", nullptr}})) == 2 * linear + rest);
}

TEST_CASE("FP8 in blocks: a byte a weight and four for each tile") {
    CHECK(linear_bytes(fp8_block) == linear + 4 * tiles);
    CHECK(linear_bytes({{"quant_method", "fp8"}}) == linear + 4 * tiles);
    // 64 x 32: every side of these matrices is a multiple.
    CHECK(linear_bytes(with(fp8_block, {{"weight_block_size", {64, 32}}})) ==
          linear + 4 * linear / (64 * 32));
    for (const Json& sides : {Json{128}, Json{0, 128}, Json{"128", "128"}, Json(128)}) {
        CAPTURE(sides.dump());
        CHECK(problem_with(quantized(with(fp8_block, {{"weight_block_size", sides}}))).id ==
              "unknown-quantization");
    }
}

TEST_CASE("FP8 by tensor and by channel") {
    const Json modelopt{{"quant_method", "modelopt"}, {"quant_algo", "FP8"}};
    CHECK(linear_bytes(modelopt) == linear + 8 * matrices);
    const Json tensor{{"num_bits", 8}, {"type", "float"}, {"strategy", "tensor"}};
    CHECK(linear_bytes(compressed({{"group_0", group(tensor)}})) == linear + 4 * matrices);
    Json scaled = group(tensor);
    scaled["input_activations"] = {{"num_bits", 8}, {"type", "float"}, {"dynamic", false}};
    CHECK(linear_bytes(compressed({{"group_0", scaled}})) == linear + 8 * matrices);
    const Json channel = with(tensor, {{"strategy", "channel"}});
    CHECK(linear_bytes(compressed({{"group_0", group(channel)}})) == linear + 4 * rows);
    const Json block = with(tensor, {{"strategy", "block"}, {"block_structure", {64, 32}}});
    CHECK(linear_bytes(compressed({{"group_0", group(block)}})) == linear + 4 * linear / 2048);
    const Json mx = with(tensor, {{"strategy", "group"}, {"group_size", 32}});
    CHECK(linear_bytes(compressed({{"group_0", group(mx)}})) == linear * 33 / 32);
    const Json odd = with(tensor, {{"strategy", "group"}, {"group_size", 48}});
    CHECK(problem_with(quantized(compressed({{"group_0", group(odd)}}))).id ==
          "unknown-quantization");
}

TEST_CASE("INT8: two bytes for each output; LLM.int8 four") {
    const Json channel{{"num_bits", 8}, {"type", "int"}, {"strategy", "channel"}};
    CHECK(linear_bytes(compressed({{"group_0", group(channel)}})) == linear + 2 * rows);
    CHECK(linear_bytes({{"quant_method", "bitsandbytes"}, {"load_in_8bit", true}}) ==
          linear + 4 * rows);
}

TEST_CASE("GPTQ: words, scales and zero points by group, and an index for each input") {
    const Json gptq{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}, {"sym", true}};
    CHECK(linear_bytes(gptq) == linear / 128 * (64 + 2 + 0.5) + 4 * columns);
    for (const bool order : {false, true}) {
        CHECK(linear_bytes(with(gptq, {{"desc_act", order}})) == linear_bytes(gptq));
    }
    CHECK(linear_bytes(with(gptq, {{"bits", 3}})) == linear / 128 * (48 + 2 + 0.375) + 4 * columns);
    CHECK(linear_bytes(with(gptq, {{"bits", 8}, {"group_size", 32}})) ==
          linear / 32 * (32 + 2 + 1) + 4 * columns);
    // A group of -1 is a whole row of inputs: one scale and one zero point an output.
    CHECK(linear_bytes(with(gptq, {{"group_size", -1}})) == linear / 2 + 2.5 * rows + 4 * columns);
    for (const Json& wrong :
         {Json{{"bits", 0}}, Json{{"bits", "four"}}, Json{{"bits", 3.5}}, Json{{"bits", nullptr}},
          Json{{"bits", 1e300}}, Json{{"group_size", 1e300}}, Json{{"group_size", "128"}},
          Json{{"group_size", 7.5}}, Json{{"group_size", -128}}}) {
        CAPTURE(wrong.dump());
        CHECK(problem_with(quantized(with(gptq, wrong))).id == "unknown-quantization");
    }
    // The head may be packed too.
    CHECK(head_format(model_of(quantized(with(gptq, {{"lm_head", true}})))) == "gptq-4bit-g128");
    CHECK(head_format(model_of(quantized(gptq))) == "bf16");
}

TEST_CASE("AWQ is GPTQ without the index") {
    const Json awq{{"quant_method", "awq"}, {"bits", 4}, {"group_size", 128}, {"zero_point", true}};
    CHECK(linear_bytes(awq) == linear / 128 * 66.5);
    CHECK(linear_bytes({{"quant_method", "awq"}, {"w_bit", 4}, {"q_group_size", 64}}) ==
          linear / 64 * 34.5);
    CHECK(linear_bytes(with(awq, {{"zero_point", false}})) == linear / 128 * 66);
}

TEST_CASE("compressed-tensors int4: scales by group, zero points where it is asymmetric") {
    const Json weights{{"num_bits", 4},
                       {"type", "int"},
                       {"strategy", "group"},
                       {"group_size", 128},
                       {"symmetric", true}};
    const auto bytes = [&](const Json& changes) {
        return linear_bytes(compressed({{"group_0", group(with(weights, changes))}}));
    };
    CHECK(bytes(Json::object()) == linear / 128 * 66);
    CHECK(bytes({{"group_size", 32}}) == linear / 32 * 18);
    CHECK(bytes({{"symmetric", false}}) == linear / 128 * 66.5);
    CHECK(bytes({{"group_size", 32}, {"symmetric", false}}) == linear / 32 * 18.5);
    CHECK(bytes({{"group_size", nullptr}, {"strategy", "channel"}}) == linear / 2 + 2 * rows);
    // "Linear" is every linear layer: the head too, where it is not among the ignored.
    const Json whole = compressed({{"group_0", group(weights)}}, Json::array());
    CHECK(bytes_of(quantized(whole)) == (linear + 256000) / 128 * 66 + 2 * (256000 + 5 * 256));
    for (const Json& wrong : {Json{{"num_bits", 17}}, Json{{"group_size", 3}},
                              Json{{"type", "float"}}, Json{{"num_bits", nullptr}}}) {
        CAPTURE(wrong.dump());
        CHECK(problem_with(quantized(compressed({{"group_0", group(with(weights, wrong))}}))).id ==
              "unknown-quantization");
    }
    CHECK(problem_with(quantized(compressed({{"group_0", {{"weights", weights}}}}))).id ==
          "unknown-quantization");
}

TEST_CASE("bitsandbytes: NF4, its scales quantised once more, and the code books") {
    const Json nf4{
        {"quant_method", "bitsandbytes"}, {"load_in_4bit", true}, {"bnb_4bit_quant_type", "nf4"}};
    CHECK(linear_bytes(nf4) == linear / 64 * 36 + 64 * matrices);
    CHECK(linear_bytes(with(nf4, {{"bnb_4bit_use_double_quant", true}})) ==
          linear / 2 + linear / 64 + linear / (64 * 256) * 4 + (64 + 1024) * matrices);
    CHECK(problem_with(quantized({{"quant_method", "bitsandbytes"}})).id == "unknown-quantization");
    // Llama-2-13B: the file has 7,201,770,923 bytes, of which 280 JSON texts are no weights.
    CHECK(bytes_of(published("IrfanUruchi__Llama-2-13B-bnb4")) == 7201722880);
}

TEST_CASE("MXFP4 of gpt-oss: experts alone, and a byte of scale for 32 of their weights") {
    const auto check = [](const char* name, double total, double scales) {
        const Json config = published(name);
        const double experts = scales * 32;
        CHECK(bytes_of(config) == 2 * (total - experts) + experts / 2 + scales);
        CHECK(head_format(model_of(config)) == "bf16");
    };
    check("openai__gpt-oss-120b", 116829156672, 3583180800);
    check("openai__gpt-oss-20b", 20914757184, 597196800);
}

TEST_CASE("NVFP4: nine bytes for 16 weights and two scalars a matrix") {
    CHECK(linear_bytes({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}) ==
          linear / 16 * 9 + 8 * matrices);
    const Json weights{{"num_bits", 4}, {"type", "float"}, {"group_size", 16}};
    CHECK(linear_bytes(compressed({{"group_0", group(weights)}})) ==
          linear / 16 * 9 + 8 * matrices);
    const Json mx = with(weights, {{"group_size", 32}});
    CHECK(linear_bytes(compressed({{"group_0", group(mx)}})) == linear / 32 * 17);
}

TEST_CASE("hf_quant_config.json beside a configuration that says bfloat16") {
    const std::string text = model().dump();
    const json::Source source{"config.json", text};
    const auto read = [&](const std::string& beside) {
        const json::Source document{"hf_quant_config.json", beside};
        const formats::QuantizationFile file{json::parse(document), document};
        return formats::read_config(json::parse(source), source, "test", presets(), &file);
    };
    const std::string nvfp4 = R"({"producer": {"name": "modelopt"}, "quantization": {
        "quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16,
        "exclude_modules": ["lm_head", "model.layers.0.self_attn*"]}})";
    const Model m = read(nvfp4).model;
    CHECK(weight_bytes(m).value() == rest + 2 * 196608 + (linear - 196608) / 16 * 9 + 8 * 10);
    CHECK(m.weights_as == "nvfp4");
    REQUIRE(m.kv_format);
    CHECK(m.kv_format->id == "fp8");

    // What is wrong is told at its place in that file.
    const Problem problem =
        problem_of([&] { return read("{\n\n\"quantization\": {\"quant_algo\": \"W3A5\"}}"); });
    CHECK(problem.id == "unknown-quantization");
    CHECK(has(problem.message, "\"W3A5\""));
    CHECK(problem.where.file == "hf_quant_config.json");
    CHECK(problem.where.line == 3);

    // A narrow cache alone: weights stay as they are.
    const Model cache =
        read(R"({"quantization": {"quant_algo": null, "kv_cache_quant_algo": "FP8"}})").model;
    CHECK(weight_bytes(cache).value() == 2 * linear + rest);
    CHECK(cache.kv_format);
    CHECK(problem_of([&] { return read("[]"); }).id == "unknown-quantization");
}

TEST_CASE("MLX packs the embedding and the head too") {
    const Json mlx{{"group_size", 64}, {"bits", 4}};
    const auto bytes = [](const Json& quantization) {
        return bytes_of(with(model(), {{"quantization", quantization}}));
    };
    const double norms = 2 * 5 * 256;
    const double all = linear + 2 * 256000;
    CHECK(bytes(mlx) == all / 64 * 36 + norms);
    CHECK(bytes({{"group_size", 32}, {"bits", 8}}) == all / 32 * 36 + norms);
    CHECK(bytes({{"group_size", 32}, {"bits", 4}, {"mode", "mxfp4"}}) == all / 32 * 17 + norms);
    // Modules of their own bits, and some that are left alone.
    Json mixed = mlx;
    mixed["model.embed_tokens"] = {{"group_size", 64}, {"bits", 8}};
    mixed["model.layers.0.mlp.down_proj"] = {{"group_size", 64}, {"bits", 6}};
    mixed["lm_head"] = false;
    const double down = 256 * 512;
    CHECK(bytes(mixed) ==
          (linear - down) / 64 * 36 + down / 64 * 52 + 256000 / 64 * 68 + 2 * 256000 + norms);
    const Json unknown = with(mlx, {{"mode", "telepathy"}});
    CHECK(problem_with(with(model(), {{"quantization", unknown}})).id == "unknown-quantization");
    // Tied: one matrix, packed.
    const Json tied = with(model(), {{"tie_word_embeddings", true}, {"quantization", mlx}});
    CHECK(bytes_of(tied) == (linear + 256000) / 64 * 36 + norms);
}
