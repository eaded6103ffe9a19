// Quantised checkpoints: bytes by own arithmetic, or by the scale counts that are published.
#include <chrono>
#include <fstream>

#include "tests/support/configs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

// Two layers. Matrices of a layer, outputs x inputs: q and o 256 x 256, k and v 128 x 256, gate and
// up 512 x 256, down 256 x 512.
Json model() {
    return with(small_llama(), {{"hidden_size", 256},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"intermediate_size", 512},
                                {"vocab_size", 1000}});
}
constexpr double linear = 2 * (2 * 256 * 256 + 2 * 128 * 256 + 3 * 512 * 256);  // 1,179,648
constexpr double matrices = 14;
constexpr double rows = 2 * (2 * 256 + 2 * 128 + 2 * 512 + 256);  // outputs of all
constexpr double columns = 2 * (4 * 256 + 2 * 256 + 512);         // inputs of all
constexpr double tiles = 2 * (4 + 2 + 2 + 4 + 8 + 8 + 8);         // of 128 x 128
constexpr double rest = 2 * (2 * 256000 + 5 * 256);               // in 16 bit: 1,026,560 bytes

Json quantized(const Json& quantization) {
    return with(model(), {{"quantization_config", quantization}});
}

double bytes_of(const Json& config) {
    return weight_bytes(model_of(config)).value();
}
// Bytes of the linear layers, the rest in 16 bit.
double linear_bytes(const Json& quantization) {
    return bytes_of(quantized(quantization)) - rest;
}

Json group(const Json& weights, const Json& targets = {"Linear"}) {
    return {{"weights", weights}, {"targets", targets}};
}
Json compressed(const Json& groups, const Json& ignore = {"lm_head"}) {
    return {{"quant_method", "compressed-tensors"}, {"config_groups", groups}, {"ignore", ignore}};
}

Json published(const std::string& name) {
    std::ifstream in(NAPKIN_SOURCE_DIR "/tests/formats/configs/" + name + ".json");
    REQUIRE(in);
    return Json::parse(in);
}

std::string format_in(const Model& m, std::size_t layer, std::string_view name) {
    for (const Tensor& tensor : tensors(m.blocks[m.order[layer]], m)) {
        if (tensor.name == name) return tensor.format->id;
    }
    return "no such tensor";
}
std::string head_format(const Model& m) {
    return format_of(m, Role::head).id;
}

const Json fp8_block{{"quant_method", "fp8"}, {"fmt", "e4m3"}, {"weight_block_size", {128, 128}}};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

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

TEST_CASE("a group that names a module counts before one of every linear layer") {
    const Json narrow{{"num_bits", 4}, {"type", "int"}, {"strategy", "group"}, {"group_size", 128}};
    const Json wide{{"num_bits", 8}, {"type", "int"}, {"strategy", "channel"}};
    const Model m = model_of(quantized(
        compressed({{"group_0", group(narrow)}, {"group_1", group(wide, {"re:.*down_proj"})}})));
    CHECK(format_in(m, 0, "ffn_down") == "int8");
    CHECK(format_in(m, 1, "ffn_up") == "int4-sym-g128");
}

TEST_CASE("modules that stay in 16 bit: names, globs, expressions, whole layers") {
    const auto kept = [](const char* key, const Json& list) {
        return model_of(quantized(with(fp8_block, {{key, list}})));
    };
    for (const char* key : {"modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules",
                            "llm_int8_skip_modules"}) {
        CAPTURE(key);
        const Model m = kept(key, {"model.layers.1.self_attn"});
        CHECK(format_in(m, 0, "attn_q") == "fp8-block");
        CHECK(format_in(m, 1, "attn_q") == "bf16");
        CHECK(format_in(m, 1, "ffn_up") == "fp8-block");
    }
    const Model gate = kept("modules_to_not_convert", {"gate", "mlp.gate", "lm_head"});
    CHECK(weight_bytes(gate).value() == rest + linear + 4 * tiles);
    const Model first = kept("ignore", {"model.layers.0*"});
    CHECK(weight_bytes(first).value() == rest + 2 * linear / 2 + linear / 2 + 4 * tiles / 2);
    const Model attention = kept("ignore", {"re:.*self_attn.*"});
    CHECK(format_in(attention, 0, "attn_output") == "bf16");
    CHECK(format_in(attention, 0, "ffn_down") == "fp8-block");
    const Model text = kept("ignore", "self_attn");
    CHECK(format_in(text, 0, "attn_q") == "bf16");
    const Model fused = kept("ignore", {"model.layers.0.mlp.gate_up_proj"});
    CHECK(format_in(fused, 0, "ffn_gate") == "bf16");
    CHECK(format_in(fused, 0, "ffn_down") == "fp8-block");
    const Model all = kept("ignore", {"*"});
    CHECK(weight_bytes(all).value() == 2 * linear + rest);
}

TEST_CASE("patterns that are not understood are left out with one warning") {
    const Json list{"re:[0-9]", "re:\\w", "lm_head"};
    const formats::ReadModel read =
        test::read(quantized(with(fp8_block, {{"modules_to_not_convert", list}})));
    const Note note = note_in(read, "unknown-pattern");
    CHECK(note.warning);
    CHECK(has(note.message, "2 patterns such as \"re:[0-9]\" are not understood"));
    CHECK(weight_bytes(read.model).value() == rest + linear + 4 * tiles);
}

TEST_CASE("an unknown scheme is an error that names it, with what helps") {
    for (const char* method : {"aqlm", "quip#", "hqq"}) {
        const Problem problem = problem_with(quantized({{"quant_method", method}, {"bits", 2}}));
        CHECK(problem.id == "unknown-quantization");
        CHECK(has(problem.message, json::quoted(method)));
        CHECK(has(problem.hint, "--weights"));
        CHECK(problem.where.line == 1);
    }
    CHECK(problem_with(quantized(Json::object())).id == "unknown-quantization");
    CHECK(problem_with(quantized("fp8")).id == "unknown-quantization");
    const std::string text = quantized({{"quant_method", "aqlm"}}).dump();
    const json::Source source{"config.json", text};
    CHECK_NOTHROW(formats::read_config(json::parse(source), source, "x", presets(), nullptr, true));
}

TEST_CASE("the KV cache's format, where the checkpoint names one") {
    const auto kv = [](const Json& changes) {
        return test::read(quantized(with(fp8_block, changes)));
    };
    const Json fp8{{"num_bits", 8}, {"type", "float"}, {"dynamic", false}};
    CHECK(kv({{"kv_cache_scheme", fp8}}).model.kv_format->id == "fp8");
    CHECK_FALSE(kv({{"kv_cache_scheme", nullptr}}).model.kv_format);
    CHECK_FALSE(kv(Json::object()).model.kv_format);
    const formats::ReadModel other = kv({{"kv_cache_scheme", with(fp8, {{"num_bits", 1e300}})}});
    CHECK_FALSE(other.model.kv_format);
    CHECK(note_in(other, "unknown-kv-format").warning);
    CHECK(has(note_in(kv({{"kv_cache_quant_algo", "NVFP4"}}), "unknown-kv-format").message,
              "\"NVFP4\""));
}

TEST_CASE("published scale counts: DeepSeek-V3 and V3.2, Qwen3-8B, MiniMax-M2") {
    // In FP8 of the 61 layers, multi-token prediction is another 11,505,434,624:
    // the whole file has 680,571,043,840 and 41,540,496 scales, 702,264 of them of that module.
    const double fp8 = 680571043840 - 11505434624;
    const double main = 671026419200;
    CHECK(bytes_of(published("deepseek-ai__DeepSeek-V3")) ==
          fp8 + 4.0 * (41540496 - 702264) + 2 * (main - fp8));
    // V3.2's indexer adds 64 x 128 x 1536 and 128 x 7168 to each layer, 824 tiles.
    const double indexed = fp8 + 61.0 * (64 * 128 * 1536 + 128 * 7168);
    CHECK(bytes_of(published("deepseek-ai__DeepSeek-V3.2")) ==
          indexed + 4.0 * (41591584 - 702264 - 824) + 2 * (671877944064 - indexed));
    const Json qwen = with(published("Qwen__Qwen3-8B"), {{"quantization_config", fp8_block}});
    const double qwen_linear = 423936.0 * 128 * 128;
    CHECK(bytes_of(qwen) == qwen_linear + 4 * 423936 + 2 * (8190735360 - qwen_linear));
    const double minimax = 13880064.0 * 128 * 128;
    CHECK(bytes_of(published("MiniMaxAI__MiniMax-M2.5")) ==
          minimax + 4 * 13880064 + 2 * (228689764864 - minimax));
}

TEST_CASE("published scale counts: Llama-3.1-8B in FP8 by tensor and by row, and in INT8") {
    const auto bytes = [](const Json& quantization) {
        return bytes_of(with(published("meta-llama__Meta-Llama-3.1-8B"),
                             {{"quantization_config", quantization}}));
    };
    const double weights = 6979321856;
    const double others = 2 * (8030261248 - weights);
    CHECK(bytes({{"quant_method", "modelopt"}, {"quant_algo", "FP8"}}) ==
          weights + 448 * 4 + others);
    const Json channel{{"num_bits", 8}, {"type", "float"}, {"strategy", "channel"}};
    CHECK(bytes(compressed({{"group_0", group(channel)}})) == weights + 4 * 1376256 + others);
    const Json integer = with(channel, {{"type", "int"}});
    CHECK(bytes(compressed({{"group_0", group(integer)}})) == weights + 2 * 1376256 + others);
}

TEST_CASE("mixed precision of Qwen3.6-27B: FP8 mixers, NVFP4 feed-forward layers and head") {
    const Json config = published("nvidia__Qwen3.6-27B-NVFP4");
    const Model m = model_of(config);
    const double delta = 48.0 * (16384 * 5120 + 5120 * 6144);
    const double attention = 16.0 * (12288 * 5120 + 2 * 1024 * 5120 + 5120 * 6144);
    const double fp4 = 64.0 * 3 * 17408 * 5120 + 248320.0 * 5120;
    const double others = 26895998464 - delta - attention - fp4;
    // in_proj_qkv and in_proj_z are one matrix here: 2 x 48 + 4 x 16 instead of 208.
    CHECK(weight_bytes(m).value() ==
          delta + attention + 160 * 8 + fp4 / 16 * 9 + 193 * 8 + 2 * others);
    CHECK(head_format(m) == "nvfp4");
    CHECK(format_of(m, Role::embedding).id == "bf16");
    CHECK(format_in(m, 0, "delta_ba") == "bf16");
    CHECK(m.kv_format);
}

TEST_CASE("lists by layer: Nemotron-3-Super keeps attention and latent projections") {
    const Model m = model_of(published("nvidia__NVIDIA-Nemotron-3-Super-120B-A12B-BF16"));
    const std::string letters =
        "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME";
    REQUIRE(m.order.size() == letters.size());
    for (std::size_t i = 0; i < letters.size(); ++i) {
        CAPTURE(i);
        if (letters[i] == '*') CHECK(format_in(m, i, "attn_q") == "bf16");
        if (letters[i] == 'M') CHECK(format_in(m, i, "ssm_in") == "fp8");
        if (letters[i] != 'E') continue;
        CHECK(format_in(m, i, "expert_up") == "fp8");
        CHECK(format_in(m, i, "shared_up") == "fp8");
        CHECK(format_in(m, i, "latent_in") == "bf16");
    }
}

TEST_CASE("lists by layer: GLM-5.1 has its experts in NVFP4 and all else in 16 bit") {
    const Json config = published("nvidia__GLM-5.1-NVFP4");
    const double experts = 75.0 * 256 * 3 * 2048 * 6144;
    CHECK(bytes_of(config) == experts / 16 * 9 + 75.0 * 256 * 3 * 8 + 2 * (743911218432 - experts));
    CHECK(model_of(config).weights_as == "bf16, experts nvfp4");
}

TEST_CASE("Kimi-K2.5 has its experts in int4, 18 bytes for 32") {
    const Json config = published("moonshotai__Kimi-K2.5");
    const double experts = 60.0 * 384 * 3 * 2048 * 7168;
    CHECK(bytes_of(config) == experts / 32 * 18 + 2 * (1026408232448 - experts));
}

TEST_CASE("an encoder and a decoder keep their layers when they are quantised") {
    const Json t5{{"model_type", "t5"}, {"d_model", 256}, {"num_layers", 2},   {"num_heads", 4},
                  {"d_kv", 64},         {"d_ff", 512},    {"vocab_size", 1000}};
    const Json nf4{{"quant_method", "bitsandbytes"}, {"load_in_8bit", true}};
    const Model plain = model_of(t5);
    const Model m = model_of(with(t5, {{"quantization_config", nf4}}));
    CHECK(layers(m) == layers(plain));
    CHECK(parameters(m) == parameters(plain));
    CHECK(m.order == plain.order);
    // 3 x 2 attentions of 4 x 256 x 256, 4 feed-forward layers of 2 x 256 x 512; rows likewise.
    const double weights = 6 * 4 * 65536 + 4 * 2 * 131072;
    const double outputs = 6 * 4 * 256 + 4 * (256 + 512);
    CHECK(weight_bytes(m).value() == weights + 4 * outputs + 2 * (parameters(plain) - weights));
}

TEST_CASE("lists of any length are read in bounded time") {
    const auto timed = [](const Json& list, int layers) {
        const Json config = with(quantized(with(fp8_block, {{"modules_to_not_convert", list}})),
                                 {{"num_hidden_layers", layers}});
        const std::string text = config.dump();
        const auto start = std::chrono::steady_clock::now();
        const Problem outcome = outcome_of([&] { return read_text(text); });
        CHECK(seconds_since(start) < 20);
        return outcome.id;
    };
    Json names = Json::array();
    Json globs = Json::array();
    Json expressions = Json::array();
    for (int i = 0; i < 100000; ++i) {
        names.push_back("model.layers." + std::to_string(i) + ".self_attn");
        globs.push_back("*.layers." + std::to_string(i) + ".self_attn*");
        expressions.push_back("re:(a|b)(c|d)(e|f)(g|h)(i|j).*" + std::to_string(i));
    }
    CHECK(timed(names, 64) == "none");
    CHECK(timed(names, 4096) == "none");
    CHECK(timed(globs, 2) == "too-many-patterns");
    CHECK(timed(expressions, 2) == "too-many-patterns");
    Json stars = Json::array();
    for (int i = 0; i < 2000; ++i) stars.push_back("*a*a*a*a*b" + std::to_string(i));
    CHECK(timed(stars, 64) == "none");
    CHECK(timed(stars, 4096) == "too-many-patterns");

    Json groups = Json::object();
    const Json weights{{"num_bits", 4}, {"type", "int"}, {"strategy", "group"}};
    for (int i = 0; i < 20000; ++i) {
        groups["group_" + std::to_string(i)] =
            group(with(weights, {{"group_size", 8 + i}}), {"layers." + std::to_string(i)});
    }
    const std::string text = quantized(compressed(groups)).dump();
    const auto start = std::chrono::steady_clock::now();
    CHECK(outcome_of([&] { return read_text(text); }).id == "too-many-patterns");
    CHECK(seconds_since(start) < 20);
}
