// Which modules a quantization leaves alone, and the scale counts that are published.
#include "tests/formats/quantized.hpp"
#include "tests/support/watchdog.hpp"

using namespace napkin;
using namespace napkin::test;

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
    const auto outcome = [](const Json& list, int layers) {
        const Json config = with(quantized(with(fp8_block, {{"modules_to_not_convert", list}})),
                                 {{"num_hidden_layers", layers}});
        const std::string text = config.dump();
        const Watchdog bounded(20);
        return outcome_of([&] { return read_text(text); }).id;
    };
    Json names = Json::array();
    Json globs = Json::array();
    Json expressions = Json::array();
    for (int i = 0; i < 100000; ++i) {
        names.push_back("model.layers." + std::to_string(i) + ".self_attn");
        globs.push_back("*.layers." + std::to_string(i) + ".self_attn*");
        expressions.push_back("re:(a|b)(c|d)(e|f)(g|h)(i|j).*" + std::to_string(i));
    }
    CHECK(outcome(names, 64) == "none");
    CHECK(outcome(names, 4096) == "none");
    CHECK(outcome(globs, 2) == "too-many-patterns");
    CHECK(outcome(expressions, 2) == "too-many-patterns");
    Json stars = Json::array();
    for (int i = 0; i < 2000; ++i) stars.push_back("*a*a*a*a*b" + std::to_string(i));
    CHECK(outcome(stars, 64) == "none");
    CHECK(outcome(stars, 4096) == "too-many-patterns");

    Json groups = Json::object();
    const Json weights{{"num_bits", 4}, {"type", "int"}, {"strategy", "group"}};
    for (int i = 0; i < 20000; ++i) {
        groups["group_" + std::to_string(i)] =
            group(with(weights, {{"group_size", 8 + i}}), {"layers." + std::to_string(i)});
    }
    const std::string text = quantized(compressed(groups)).dump();
    const Watchdog bounded(20);
    CHECK(outcome_of([&] { return read_text(text); }).id == "too-many-patterns");
}
