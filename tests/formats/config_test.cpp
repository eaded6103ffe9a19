// What a configuration says, in all its spellings, and what is wrong with it.

#include "tests/support/configs.hpp"
#include "tests/support/watchdog.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

double kv_bytes(const Json& config) {
    return kv_bytes_per_token(model_of(config), bfloat16()).value();
}

const Attention& first_attention(const Model& model) {
    return std::get<Attention>(model.blocks.front().mixer);
}

}  // namespace

TEST_CASE("a plain configuration has the parameters that its shapes multiply to") {
    const formats::ReadModel read = test::read(small_llama());
    CHECK(parameters(read.model) == 128064);
    CHECK(parameters(read.model) == small_llama_parameters);
    CHECK(kv_bytes_per_token(read.model, bfloat16()).value() == 4 * 2 * 2 * 8 * 2);
    CHECK(read.model.max_context == 1024);
    CHECK(read.model.weights_as == "bf16");
    CHECK(read.notes.empty());
}

TEST_CASE("GPT-2's words mean the same sizes: n_embd, n_layer, n_head, n_positions") {
    const Json gpt2{{"model_type", "gpt2"}, {"n_embd", 768},       {"n_layer", 12},
                    {"n_head", 12},         {"n_positions", 1024}, {"vocab_size", 50257}};
    CHECK(parameters(model_of(gpt2)) == 124439808);
    CHECK(kv_bytes(gpt2) == 36864);
    CHECK(parameters(model_of(with(gpt2, {{"n_inner", nullptr}}))) == 124439808);
}

TEST_CASE("the words of MPT, BLOOM, Falcon and ChatGLM mean the same sizes") {
    const Json mpt{{"model_type", "mpt"}, {"d_model", 64},     {"n_layers", 2},
                   {"n_heads", 4},        {"vocab_size", 100}, {"expansion_ratio", 4},
                   {"max_seq_len", 256}};
    // 12 h^2 a layer and two norms without bias, a tied embedding and the last norm.
    CHECK(parameters(model_of(mpt)) == 2 * (12 * 64 * 64 + 2 * 64) + 6400 + 64);
    const Json glm{{"model_type", "chatglm"},  {"hidden_size", 64},          {"num_layers", 2},
                   {"num_attention_heads", 8}, {"multi_query_group_num", 2}, {"kv_channels", 8},
                   {"ffn_hidden_size", 96},    {"padded_vocab_size", 100},   {"seq_length", 512}};
    // Biases of q, k and v belong to the class: 64 + 16 + 16.
    CHECK(parameters(model_of(glm)) == 2 * (small_llama_layer + 96) + 2 * 6400 + 64);
    CHECK(model_of(glm).max_context == 512);
}

TEST_CASE("null is absent: head_dim, key-value heads, global key-value heads, q_lora_rank") {
    const Json big{{"model_type", "mistral"},    {"hidden_size", 6144}, {"num_attention_heads", 48},
                   {"num_key_value_heads", 8},   {"head_dim", nullptr}, {"num_hidden_layers", 56},
                   {"intermediate_size", 16384}, {"vocab_size", 32768}};
    CHECK(first_attention(model_of(big)).head_dim == 128);
    CHECK(kv_bytes(big) == 229376);

    const Json all = with(small_llama(), {{"num_key_value_heads", nullptr}});
    CHECK(first_attention(model_of(all)).kv_heads == 8);
    CHECK(parameters(model_of(all)) == parameters(model_of(without(all, "num_key_value_heads"))));

    const Json global = with(small_llama(), {{"num_global_key_value_heads", nullptr}});
    CHECK(first_attention(model_of(global)).kv_heads == 2);

    const Json latent = with(small_llama(), {{"model_type", "deepseek_v2"},
                                             {"kv_lora_rank", 32},
                                             {"q_lora_rank", nullptr},
                                             {"qk_nope_head_dim", 16},
                                             {"qk_rope_head_dim", 8},
                                             {"v_head_dim", 16}});
    const Model model = model_of(latent);
    const auto& m = std::get<LatentAttention>(model.blocks.front().mixer);
    CHECK(m.query_rank == 0);
    // q 64 x 8 x 24, latent 64 x 40 with its norm of 32, up to keys and values, and back.
    const double attention = 64 * 8 * 24 + 64 * 40 + 32 + 32 * 8 * (16 + 16) + 8 * 16 * 64;
    CHECK(parameters(model) == 4 * (attention + 18432 + 128) + 2 * 6400 + 64);
    CHECK(kv_bytes(latent) == 4 * (32 + 8) * 2);
}

TEST_CASE("two names of one size that disagree are an error that names both") {
    const Problem problem = problem_with(with(small_llama(), {{"n_embd", 128}}));
    CHECK(problem.id == "inconsistent-keys");
    CHECK(has(problem.message, "hidden_size says 64"));
    CHECK(has(problem.message, "n_embd says 128"));
    CHECK(problem.where.line == 1);
    CHECK_NOTHROW(test::read(with(small_llama(), {{"n_embd", 64}})));
}

TEST_CASE("lengths may differ by their names: a trained and an extended one are both true") {
    const Json config = with(small_llama(), {{"max_seq_len", 4096}});
    CHECK(model_of(config).max_context == 1024);
}

TEST_CASE("hidden_size that heads do not divide asks for head_dim") {
    const Json config =
        with(small_llama(),
             {{"hidden_size", 4096}, {"num_attention_heads", 30}, {"num_key_value_heads", 6}});
    const Problem problem = problem_with(config);
    CHECK(problem.id == "inconsistent-keys");
    CHECK(has(problem.message, "hidden_size 4096"));
    CHECK(has(problem.message, "num_attention_heads 30"));
    CHECK(has(problem.expected, "head_dim"));
    CHECK(first_attention(model_of(with(config, {{"head_dim", 128}}))).head_dim == 128);
}

TEST_CASE("head_dim that is stated counts, whatever hidden_size and the heads would give") {
    const Json qwen{
        {"model_type", "qwen3"},     {"hidden_size", 2560},  {"num_attention_heads", 32},
        {"num_key_value_heads", 8},  {"head_dim", 128},      {"num_hidden_layers", 36},
        {"intermediate_size", 9728}, {"vocab_size", 151936}, {"tie_word_embeddings", true}};
    CHECK(kv_bytes(qwen) == 147456);
    CHECK(parameters(model_of(qwen)) == 4022468096);
}

TEST_CASE("every missing dimension stands in one message") {
    const Problem problem = problem_with({{"hidden_size", 4096}, {"num_hidden_layers", 32}});
    CHECK(problem.id == "missing-keys");
    CHECK(has(problem.message, "intermediate_size"));
    CHECK(has(problem.message, "num_attention_heads"));
    CHECK(has(problem.message, "vocab_size"));
    CHECK_FALSE(has(problem.message, "num_key_value_heads"));
    CHECK(has(problem.hint, "--set config."));

    const Problem nothing = problem_with(Json::object());
    CHECK(nothing.id == "missing-keys");
    for (const char* key : {"hidden_size", "num_hidden_layers", "intermediate_size",
                            "num_attention_heads", "vocab_size"}) {
        CHECK(has(nothing.message, key));
    }
}

TEST_CASE(
    "lists for each layer are no problem of their own where the number of layers is missing") {
    const Json config = with(without(small_llama(), "num_hidden_layers"),
                             {{"mlp_layer_types", {"dense", "dense"}}});
    CHECK(problem_with(config).message == "the configuration does not state num_hidden_layers");
}

TEST_CASE("what is wrong and what is missing are told together, each once") {
    const Json config = with(without(small_llama(), "vocab_size"), {{"hidden_size", "wide"}});
    const std::vector<Problem> problems = problems_of([&] { return test::read(config); });
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].message == "hidden_size is no count");
    CHECK(problems[1].message == "the configuration does not state vocab_size");
}

TEST_CASE("layers are those of the language model, not of the vision tower around it") {
    Json text = with(small_llama(), {{"num_hidden_layers", 40}});
    const Json outer{{"model_type", "llava"}, {"num_hidden_layers", 33}, {"text_config", text}};
    CHECK(layers(model_of(outer)) == 40);
    const Json nested{{"model_type", "qwen2_5_omni"},
                      {"num_hidden_layers", 33},
                      {"thinker_config", {{"num_hidden_layers", 20}, {"text_config", text}}}};
    CHECK(layers(model_of(nested)) == 40);
    for (const char* key : {"llm_config", "language_config"}) {
        CHECK(layers(model_of({{"num_hidden_layers", 33}, {key, text}})) == 40);
    }
    text.erase("num_hidden_layers");
    const Json lacking{{"model_type", "llava"}, {"num_hidden_layers", 33}, {"text_config", text}};
    CHECK(has(problem_with(lacking).message, "num_hidden_layers"));
}

TEST_CASE("tying may be stated inside, outside or nowhere, where the class decides") {
    const auto nested = [](const Json& inside, const Json& outside) {
        return model_of(with({{"text_config", with(small_llama(), inside)}}, outside)).tied;
    };
    const Json yes{{"tie_word_embeddings", true}};
    const Json no{{"tie_word_embeddings", false}};
    const Json none = Json::object();
    CHECK(nested(none, yes));
    CHECK(nested(yes, none));
    CHECK_FALSE(nested(none, none));
    CHECK(nested(yes, no));  // the inner one describes the language model
    CHECK_FALSE(nested(no, yes));
    const Json gemma{{"model_type", "gemma"}};
    CHECK(nested(gemma, none));
    CHECK_FALSE(nested(gemma, no));
    CHECK(nested(with(gemma, {{"tie_word_embeddings", nullptr}}), none));
    CHECK(parameters(model_of(with(small_llama(), yes))) == small_llama_parameters - 6400);
}

TEST_CASE("an unknown model_type is read as Llama, with a warning that names it") {
    const formats::ReadModel read = test::read(with(small_llama(), {{"model_type", "novel_lm"}}));
    CHECK(parameters(read.model) == small_llama_parameters);
    const Note note = note_in(read, "unknown-family");
    CHECK(note.warning);
    CHECK(has(note.message, "\"novel_lm\""));

    const formats::ReadModel nameless = test::read(without(small_llama(), "model_type"));
    CHECK(parameters(nameless.model) == small_llama_parameters);
    CHECK(has(note_in(nameless, "unknown-family").message, "no model_type"));

    const std::string endless(10000, 'x');
    const formats::ReadModel cut = test::read(with(small_llama(), {{"model_type", endless}}));
    CHECK(note_in(cut, "unknown-family").message.size() < 400);
}

TEST_CASE("families without a recipe are refused by name, with what helps") {
    for (const char* type : {"rwkv5", "rwkv7", "zamba2", "deepseek_v4", "kimi_k3", "minimax_m3"}) {
        CAPTURE(type);
        const Problem problem = problem_with(with(small_llama(), {{"model_type", type}}));
        CHECK(problem.id == "unsupported-family");
        CHECK(has(problem.message, json::quoted(type)));
        CHECK(has(problem.hint, "--set model.parameters"));
        CHECK(problem.where.line == 1);
    }
}

TEST_CASE("max_position_embeddings stands as it is: a rope factor is in it already") {
    for (const char* type : {"yarn", "llama3", "longrope"}) {
        const Json rope{
            {"rope_type", type}, {"factor", 4.0}, {"original_max_position_embeddings", 8192}};
        const Json config =
            with(small_llama(), {{"max_position_embeddings", 32768}, {"rope_scaling", rope}});
        CHECK(model_of(config).max_context == 32768);
    }
}

TEST_CASE("sizes that the class supplies are told: Gemma's head_dim, Falcon's and T5's") {
    const formats::ReadModel gemma = test::read(with(small_llama(), {{"model_type", "gemma"}}));
    CHECK(std::get<Attention>(gemma.model.blocks.front().mixer).head_dim == 256);
    CHECK(note_in(gemma, "class-default").message == "head_dim is not stated: its class has 256");
    const Json t5{
        {"model_type", "t5"}, {"d_model", 64},     {"num_layers", 2},           {"num_heads", 8},
        {"d_ff", 96},         {"vocab_size", 100}, {"is_encoder_decoder", true}};
    const formats::ReadModel read = test::read(t5);
    CHECK(note_in(read, "class-default").message == "head_dim is not stated: its class has 64");
    // Attention 4 x 64 x 8 x 64; encoder layers have one, decoder layers two; 32 buckets x 8 x 2.
    const double attention = 4 * 64 * 512;
    const double wide = 2 * 64 * 96;
    CHECK(parameters(read.model) == 2 * (attention + wide + 2 * 64) +
                                        2 * (2 * attention + wide + 3 * 64) + 2 * 64 + 512 + 6400);
}

TEST_CASE("key-value heads: none, more than divide the heads, or a fraction are errors") {
    const Problem none = problem_with(with(small_llama(), {{"num_key_value_heads", 0}}));
    CHECK(none.id == "bad-count");
    CHECK(has(none.message, "num_key_value_heads is 0"));
    const Problem odd = problem_with(with(small_llama(), {{"num_key_value_heads", 3}}));
    CHECK(odd.id == "inconsistent-keys");
    CHECK(has(odd.message, "8 heads"));
    CHECK(has(odd.message, "3 KV heads"));
    CHECK(problem_with(with(small_llama(), {{"num_key_value_heads", 2.5}})).id == "bad-count");
    CHECK(problem_with(with(small_llama(), {{"num_key_value_heads", 16}})).id ==
          "inconsistent-keys");
}

TEST_CASE("more experts a token than there are experts is an error") {
    const Json moe =
        with(small_llama(),
             {{"model_type", "mixtral"}, {"num_local_experts", 4}, {"num_experts_per_tok", 5}});
    const Problem problem = problem_with(moe);
    CHECK(problem.id == "inconsistent-keys");
    CHECK(has(problem.message, "more experts a token"));
    // Router 4 x 64, experts 3 x 64 x 96 each; two of four are active.
    const Model model = model_of(with(moe, {{"num_experts_per_tok", 2}}));
    CHECK(parameters(model) == 4 * (10240 + 128 + 256 + 4 * 18432) + 12864);
    CHECK(active_parameters(model) == 4 * (10240 + 128 + 256 + 2 * 18432) + 12864);
}

TEST_CASE("what is no count is refused under its name, in every size") {
    const std::vector<std::string> keys{
        "hidden_size",       "num_hidden_layers", "num_attention_heads",     "num_key_value_heads",
        "intermediate_size", "vocab_size",        "max_position_embeddings", "head_dim"};
    const std::vector<Json> values{-1, 0.5,           1e300, "64",  true,       Json::object(),
                                   "", Json::array(), 1e10,  "NaN", Json{1, 2}, -0.001};
    for (const std::string& key : keys) {
        for (const Json& value : values) {
            CAPTURE(key, value.dump());
            const Problem problem = problem_with(with(small_llama(), {{key, value}}));
            CHECK(problem.id == "bad-count");
            CHECK(problem.message == key + " is no count");
            CHECK(problem.where.file == "config.json");
            CHECK(problem.where.line == 1);
        }
    }
    for (const char* key : {"hidden_size", "num_attention_heads", "intermediate_size", "vocab_size",
                            "num_hidden_layers"}) {
        CAPTURE(key);
        const Problem zero = problem_with(with(small_llama(), {{key, 0}}));
        CHECK(zero.id == "bad-count");
        CHECK(zero.message == std::string(key) + " is 0");
    }
}

TEST_CASE("a list of one count for all layers is that count") {
    const Json list{96, 96, 96, 96};
    CHECK(parameters(model_of(with(small_llama(), {{"intermediate_size", list}}))) ==
          small_llama_parameters);
}

TEST_CASE("flags are true or false, or 1 or 0; a text is neither") {
    CHECK(model_of(with(small_llama(), {{"tie_word_embeddings", 1}})).tied);
    CHECK_FALSE(model_of(with(small_llama(), {{"tie_word_embeddings", 0}})).tied);
    for (const Json& value : {Json("true"), Json(2), Json::array()}) {
        CAPTURE(value.dump());
        const Problem problem = problem_with(with(small_llama(), {{"attention_bias", value}}));
        CHECK(problem.id == "bad-flag");
        CHECK(problem.message == "attention_bias is neither true nor false");
    }
    // Biases of q, k, v and o.
    CHECK(parameters(model_of(with(small_llama(), {{"attention_bias", true}}))) ==
          small_llama_parameters + 4 * (64 + 16 + 16 + 64));
}

TEST_CASE("a thousand million layers are refused at once, also where the file lists them") {
    const Problem problem = problem_with(with(small_llama(), {{"num_hidden_layers", 1000000000}}));
    CHECK(problem.id == "bad-count");
    CHECK(has(problem.message, "more than 4096 layers"));
    Json blocks = Json::array();
    for (int i = 0; i < 70000; ++i) {
        blocks.push_back({{"attention", {{"no_op", true}}}, {"ffn", {{"ffn_mult", 1 + i * 1e-4}}}});
    }
    const Json listed = with(
        small_llama(),
        {{"model_type", "nemotron-nas"}, {"num_hidden_layers", 70000}, {"block_configs", blocks}});
    CHECK(problem_with(listed).id == "bad-count");
}

TEST_CASE("layers listed one by one: what is wrong with one of them is said") {
    const auto nas = [](const Json& attention, const Json& ffn) {
        const Json block{{"attention", attention}, {"ffn", ffn}};
        return with(
            small_llama(),
            {{"model_type", "nemotron-nas"}, {"num_hidden_layers", 1}, {"block_configs", {block}}});
    };
    // int(2 x 4.5 x 64 / 3) = 192, up to whole steps of 256.
    CHECK(parameters(model_of(nas({{"n_heads_in_group", 4}}, {{"ffn_mult", 4.5}}))) ==
          10240 + 3 * 64 * 256 + 128 + 12864);
    CHECK(parameters(model_of(nas({{"no_op", true}}, {{"no_op", true}}))) == 12864);
    CHECK(problem_with(nas({{"n_heads_in_group", 3}}, {{"ffn_mult", 1}})).id == "bad-count");
    CHECK(problem_with(nas(Json::object(), {{"ffn_mult", 1}})).id == "bad-count");
    CHECK(problem_with(nas({{"no_op", true}}, Json::object())).id == "bad-count");
    CHECK(problem_with(nas({{"no_op", true}}, {{"ffn_mult", 1e300}})).id == "bad-count");
    CHECK(problem_with(nas({{"replace_with_linear", true}}, {{"ffn_mult", 1}})).id ==
          "unsupported-block");
    const Json latent =
        with(nas({{"n_heads_in_group", 4}}, {{"ffn_mult", 1}}), {{"kv_lora_rank", 32},
                                                                 {"qk_nope_head_dim", 16},
                                                                 {"qk_rope_head_dim", 8},
                                                                 {"v_head_dim", 16}});
    CHECK_NOTHROW(test::read(latent));  // whatever it is, it is no crash
}

TEST_CASE("a vision tower of impossible sizes is an error, not an infinite count") {
    for (const Json& size : {Json(1e300), Json(-1000), Json("wide")}) {
        const Json vision{
            {"depth", 24}, {"embed_dim", size}, {"patch_size", 14}, {"hidden_size", size}};
        const Json config{{"model_type", "qwen3_vl"},
                          {"text_config", with(small_llama(), {{"model_type", "qwen3_vl_text"}})},
                          {"vision_config", vision}};
        CAPTURE(size.dump());
        const auto problems = problems_of([&] { return test::read(config); });
        REQUIRE(problems.size() == 2);
        CHECK(problems[0].message == "vision_config.embed_dim is no count");
        CHECK(problems[1].message == "vision_config.hidden_size is no count");
    }
}

TEST_CASE("a configuration that is no object is refused") {
    for (const char* text : {"[]", "[{\"hidden_size\": 64}]", "7", "\"llama\"", "null"}) {
        CAPTURE(text);
        CHECK(problem_of([&] { return read_text(text); }).id == "not-a-config");
    }
}

TEST_CASE("a million keys, and lists of a million layers, are read in no time") {
    Json config = small_llama();
    for (int i = 0; i < 300000; ++i) config["key" + std::to_string(i)] = i;
    config["num_hidden_layers"] = 4096;
    config["model_type"] = "qwen3_moe";
    config["num_experts"] = 8;
    config["num_experts_per_tok"] = 2;
    config["head_dim"] = 8;
    Json dense = Json::array();
    for (int i = 0; i < 1000000; ++i) dense.push_back(i);
    config["mlp_only_layers"] = dense;
    const std::string text = config.dump();
    const test::Watchdog bounded(10);
    CHECK(with_experts(read_text(text).model).empty());
}
