// Models from paths: told apart by what the files hold, and held to the weights beside them.
#include "napkin/formats.hpp"

#include <sys/stat.h>

#include <chrono>

#include "tests/support/configs.hpp"
#include "tests/support/safetensors_builder.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace napkin;
using namespace napkin::test;
using formats::ModelFileOptions;
using formats::read_model_file;

namespace {

formats::ReadModel open(const std::string& path, const ModelFileOptions& options = {}) {
    return read_model_file(path, presets(), options);
}
Problem refusal(const std::string& path) {
    return problem_of([&] { return open(path); });
}

std::string shape(std::initializer_list<int> extents) {
    std::string text = "[";
    for (const int extent : extents) {
        if (text.size() > 1) text += ',';
        text += std::to_string(extent);
    }
    text += ']';
    return text;
}

// The weights of `small_llama`, tensor by tensor: 128,064 elements.
SafetensorsBuilder& add_small_llama(SafetensorsBuilder& builder, const std::string& type,
                                    std::uint64_t bytes, bool head = true) {
    const auto matrix = [&](const std::string& name, int rows, int columns) {
        builder.add(name + ".weight", type, shape({rows, columns}),
                    static_cast<std::uint64_t>(rows * columns) * bytes);
    };
    const auto norm = [&](const std::string& name) {
        builder.add(name + ".weight", type, "[64]", 64 * bytes);
    };
    matrix("model.embed_tokens", 100, 64);
    for (int i = 0; i < 4; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        matrix(layer + "self_attn.q_proj", 64, 64);
        matrix(layer + "self_attn.k_proj", 16, 64);
        matrix(layer + "self_attn.v_proj", 16, 64);
        matrix(layer + "self_attn.o_proj", 64, 64);
        matrix(layer + "mlp.gate_proj", 96, 64);
        matrix(layer + "mlp.up_proj", 96, 64);
        matrix(layer + "mlp.down_proj", 64, 96);
        norm(layer + "input_layernorm");
        norm(layer + "post_attention_layernorm");
    }
    norm("model.norm");
    if (head) matrix("lm_head", 100, 64);
    return builder;
}

std::string small_llama_file(const std::string& type = "BF16", std::uint64_t bytes = 2) {
    SafetensorsBuilder builder;
    return add_small_llama(builder, type, bytes).bytes();
}

void write_config(const TemporaryFolder& folder, const Json& config) {
    folder.write("config.json", config.dump(2));
}

bool warned(const formats::ReadModel& read) {
    for (const Note& note : read.notes) {
        if (note.warning) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a config.json, by its path or its folder's, is called as its folder") {
    const TemporaryFolder folder;
    folder.write("Tiny-1B/config.json", small_llama().dump());
    for (const char* path : {"Tiny-1B/config.json", "Tiny-1B", "Tiny-1B/"}) {
        CAPTURE(path);
        const formats::ReadModel read = open(folder.path(path));
        CHECK(parameters(read.model) == small_llama_parameters);
        CHECK(read.model.id == "Tiny-1B");
        CHECK(read.notes.empty());
    }
    folder.write("Tiny-1B/experiment.json", small_llama().dump());
    CHECK(open(folder.path("Tiny-1B/experiment.json")).model.id == "experiment");
}

TEST_CASE("weights beside a configuration that hold what it says need no remark") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    folder.write("model.safetensors", small_llama_file());
    for (const std::string& path : {folder.path(), folder.path("model.safetensors")}) {
        const formats::ReadModel read = open(path);
        CHECK(parameters(read.model) == small_llama_parameters);
        CHECK(read.model.stored_elements == small_llama_parameters);
        CHECK(read.model.stored_bytes == 2 * small_llama_parameters);
        CHECK(read.notes.empty());
    }
}

TEST_CASE("a tied head that is stored a second time is no parameter") {
    const TemporaryFolder folder;
    write_config(folder, with(small_llama(), {{"tie_word_embeddings", true}}));
    folder.write("model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    CHECK(parameters(read.model) == small_llama_parameters - 6400);
    CHECK(read.model.stored_elements == small_llama_parameters);
    CHECK(has(note_in(read, "tied-head-stored").message, "6,400"));
    CHECK(note_in(read, "parameters-differ").message.empty());
}

TEST_CASE("multi-token prediction that the configuration names and the files leave out") {
    const TemporaryFolder folder;
    write_config(folder, with(small_llama(), {{"num_nextn_predict_layers", 1}}));
    folder.write("model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    // A layer, 2 x 64 x 64 to join two states, three norms.
    CHECK(has(note_in(read, "part-not-stored").message, "multi-token prediction, 37,184 para"));
    CHECK(read.model.parts.empty());
    CHECK_FALSE(warned(read));
    // DeepSeek's files hold copies of embedding and head with it: both may be left out together.
    write_config(folder, with(small_llama(),
                              {{"model_type", "deepseek_v3"}, {"num_nextn_predict_layers", 1}}));
    const formats::ReadModel both = open(folder.path());
    CHECK(both.model.parts.empty());
    CHECK(note_in(both, "parameters-differ").message.empty());
    // And the tied head may stand there twice as well.
    write_config(folder, with(small_llama(),
                              {{"tie_word_embeddings", true}, {"num_nextn_predict_layers", 1}}));
    const formats::ReadModel tied = open(folder.path());
    CHECK_FALSE(note_in(tied, "tied-head-stored").message.empty());
    CHECK_FALSE(note_in(tied, "part-not-stored").message.empty());
    CHECK(note_in(tied, "parameters-differ").message.empty());
}

TEST_CASE("files of 32 bit where the configuration says bfloat16: the files count") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    folder.write("model.safetensors", small_llama_file("F32", 4));
    const formats::ReadModel read = open(folder.path());
    CHECK(weight_bytes(read.model).value() == 4 * small_llama_parameters);
    CHECK(note_in(read, "stored-format").warning);
    CHECK(has(note_in(read, "stored-format").message, "fp32"));
    CHECK(note_in(read, "bytes-differ").message.empty());
    // Where it says nothing there is nothing to contradict.
    write_config(folder, without(small_llama(), "torch_dtype"));
    const formats::ReadModel silent = open(folder.path());
    CHECK(weight_bytes(silent.model).value() == 4 * small_llama_parameters);
    CHECK_FALSE(warned(silent));
}

TEST_CASE("scales, masks and rotary frequencies are no parameters, other tensors are") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    SafetensorsBuilder masks;
    add_small_llama(masks, "BF16", 2);
    masks.add("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", "[4]", 16);
    folder.write("model.safetensors", masks.bytes());
    const formats::ReadModel read = open(folder.path());
    CHECK(read.model.stored_elements == small_llama_parameters + 4);
    CHECK(note_in(read, "parameters-differ").message.empty());

    masks.add("adapter.weight", "BF16", "[10,10]", 200);
    folder.write("model.safetensors", masks.bytes());
    const Note note = note_in(open(folder.path()), "parameters-differ");
    CHECK(note.warning);
    CHECK(has(note.message, "128,164"));
    CHECK(has(note.message, "100 more"));

    SafetensorsBuilder headless;
    folder.write("model.safetensors", add_small_llama(headless, "BF16", 2, false).bytes());
    CHECK(has(note_in(open(folder.path()), "parameters-differ").message, "6,400 fewer"));
}

TEST_CASE("bytes that the configuration does not explain are a warning, unless formats are given") {
    const TemporaryFolder folder;
    const Json fp8{{"quant_method", "fp8"}};
    write_config(folder, with(small_llama(), {{"quantization_config", fp8}}));
    folder.write("model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    CHECK(note_in(read, "bytes-differ").warning);
    CHECK(has(note_in(read, "bytes-differ").message, "256,128 bytes"));
    ModelFileOptions given;
    given.weights_given = true;
    CHECK_FALSE(warned(open(folder.path(), given)));
}

TEST_CASE("multi-token prediction in the weights' own narrow format is explained") {
    // FP8 with a tile a matrix: 115,200 - 512 in the layers; the module has 37,184, as narrow.
    const TemporaryFolder folder;
    const Json fp8{{"quant_method", "fp8"}};
    write_config(folder, with(small_llama(),
                              {{"num_nextn_predict_layers", 1}, {"quantization_config", fp8}}));
    SafetensorsBuilder builder;
    const auto add = [&](const char* name, const char* type, int elements, int bytes) {
        builder.add(name, type, shape({elements}), static_cast<std::uint64_t>(elements * bytes));
    };
    add("layers.weight", "F8_E4M3", 4 * 28672, 1);
    add("mtp.weight", "F8_E4M3", 37184, 1);
    add("others.weight", "BF16", 2 * 6400 + 9 * 64, 2);
    add("layers.weight_scale_inv", "F32", 28, 4);
    folder.write("model.safetensors", builder.bytes());
    const formats::ReadModel read = open(folder.path());
    CHECK(note_in(read, "parameters-differ").message.empty());
    CHECK(note_in(read, "bytes-differ").message.empty());
}

TEST_CASE("a folder with a consolidated copy beside its shards: one of them counts") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    SafetensorsBuilder first;
    folder.write("model-00001-of-00002.safetensors",
                 add_small_llama(first, "BF16", 2, false).bytes());
    SafetensorsBuilder second;
    second.add("lm_head.weight", "BF16", "[100,64]", 12800);
    folder.write("model-00002-of-00002.safetensors", second.bytes());
    folder.write("consolidated.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    CHECK(read.model.stored_bytes == 2 * small_llama_parameters);
    CHECK(has(note_in(read, "weights-left-out").message, "consolidated"));
    CHECK_FALSE(warned(read));
    // The first shard names the set.
    CHECK(open(folder.path("model-00001-of-00002.safetensors")).model.stored_bytes ==
          2 * small_llama_parameters);
}

TEST_CASE("safetensors alone: a size without layers") {
    const TemporaryFolder folder;
    folder.write("Tiny/model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path("Tiny"));
    CHECK(is_size(read.model));
    CHECK(read.model.id == "Tiny");
    CHECK(parameters(read.model) == small_llama_parameters);
    CHECK(weight_bytes(read.model).value() == 2 * small_llama_parameters);
    CHECK(note_in(read, "no-architecture").warning);
    CHECK(open(folder.path("Tiny/model.safetensors")).model.size_total == small_llama_parameters);
}

TEST_CASE("GPTQ alone: words are unpacked by their zero points, also three bits in 32") {
    const TemporaryFolder folder;
    const auto packed = [&](int bits) {
        const int in = 256, out = 128, group = 128;
        const int words = in * bits / 32 * out;
        const int scales = in / group * out;
        SafetensorsBuilder builder;
        const auto add = [&](const char* name, const char* type, int rows, int columns, int bytes) {
            builder.add(std::string("model.layers.0.mlp.up_proj.") + name, type,
                        shape({rows, columns}), static_cast<std::uint64_t>(rows * columns * bytes));
        };
        add("qweight", "I32", words / out, out, 4);
        add("qzeros", "I32", in / group, out * bits / 32, 4);
        add("scales", "F16", in / group, out, 2);
        add("g_idx", "I32", in, 1, 4);
        builder.add("model.norm.weight", "F16", "[256]", 512);
        folder.write("model.safetensors", builder.bytes());
        const formats::ReadModel read = open(folder.path());
        CHECK(weight_bytes(read.model).value() ==
              4 * words + 4 * scales * bits / 32 + 2 * scales + 4 * in + 512);
        return parameters(read.model);
    };
    for (const int bits : {2, 3, 4, 8}) {
        CAPTURE(bits);
        CHECK(packed(bits) == 256 * 128 + 256);
    }
}

TEST_CASE("a GPTQ copy of Llama-3.1-8B holds 8,030,261,248 parameters in 1,923,354,624 elements") {
    const TemporaryFolder folder;
    SafetensorsBuilder builder;
    const auto linear = [&](const std::string& name, std::uint64_t in, std::uint64_t out) {
        const auto add = [&](const char* part, const char* type, std::uint64_t a, std::uint64_t b,
                             std::uint64_t bytes) {
            builder.add(name + "." + part, type,
                        "[" + std::to_string(a) + "," + std::to_string(b) + "]", a * b * bytes);
        };
        add("qweight", "I32", in / 8, out, 4);
        add("qzeros", "I32", in / 128, out / 8, 4);
        add("scales", "F16", in / 128, out, 2);
    };
    for (int i = 0; i < 32; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        linear(layer + "self_attn.q_proj", 4096, 4096);
        linear(layer + "self_attn.k_proj", 4096, 1024);
        linear(layer + "self_attn.v_proj", 4096, 1024);
        linear(layer + "self_attn.o_proj", 4096, 4096);
        linear(layer + "mlp.gate_proj", 4096, 14336);
        linear(layer + "mlp.up_proj", 4096, 14336);
        linear(layer + "mlp.down_proj", 14336, 4096);
    }
    builder.add("others.weight", "BF16", "[1050939392]", 2 * 1050939392ULL);
    builder.write(folder, "model.safetensors");
    CHECK(parameters(open(folder.path("model.safetensors")).model) == 8030261248);
}

TEST_CASE("MXFP4 alone: two weights a byte, scales are none") {
    const TemporaryFolder folder;
    SafetensorsBuilder builder;
    const std::uint64_t blocks = 32ULL * 5760 * 90 * 16;
    builder.add("block.0.mlp.experts.gate_up_proj_blocks", "U8", "[32,5760,90,16]", blocks);
    builder.add("block.0.mlp.experts.gate_up_proj_scales", "U8", "[32,5760,90]", blocks / 16);
    builder.write(folder, "model.safetensors");
    const formats::ReadModel read = open(folder.path("model.safetensors"));
    CHECK(parameters(read.model) == 530841600);
    CHECK(read.model.stored_bytes == static_cast<double>(blocks + blocks / 16));
}

TEST_CASE("packed words without zero points do not tell how many weights they hold") {
    const TemporaryFolder folder;
    SafetensorsBuilder builder;
    builder.add("layers.0.up_proj.weight_packed", "I32", "[128,32]", 16384);
    builder.add("layers.0.up_proj.weight_scale", "BF16", "[128,2]", 512);
    folder.write("model.safetensors", builder.bytes());
    const Problem problem = refusal(folder.path());
    CHECK(problem.id == "unknown-parameters");
    CHECK(has(problem.expected, "config.json"));
    CHECK(has(problem.hint, "--set model.parameters"));
}

TEST_CASE("an index alone: refused without a configuration, bytes with one") {
    const TemporaryFolder folder;
    folder.write("model.safetensors.index.json",
                 R"({"metadata": {"total_size": 256128}, "weight_map": {"a": "m.safetensors"}})");
    CHECK(refusal(folder.path()).id == "unknown-parameters");
    CHECK(refusal(folder.path("model.safetensors.index.json")).id == "unknown-parameters");
    write_config(folder, small_llama());
    const formats::ReadModel read = open(folder.path());
    CHECK(parameters(read.model) == small_llama_parameters);
    CHECK(read.model.stored_bytes == 256128);
    CHECK(read.model.stored_elements == 0);
    CHECK(note_in(read, "headers-missing").warning);
}

TEST_CASE("a preset file is a preset") {
    const formats::ReadModel read = open(NAPKIN_SOURCE_DIR "/data/models/dbrx.json");
    CHECK(read.model.id == "dbrx-132b");
    CHECK(parameters(read.model) == parameters(presets().model("dbrx-132b")));
    const TemporaryFolder folder;
    const std::string file = folder.write("mine.json", R"({"schema": "napkin/models/1"})");
    CHECK_FALSE(problems_of([&] { return open(file); }).empty());
}

TEST_CASE("Infinity and NaN, as Python writes them, hurt only where a count belongs") {
    const TemporaryFolder folder;
    std::string text = small_llama().dump();
    text.insert(1,
                R"("time_step_limit": [0.0, Infinity], "x": -Infinity, "y": "Infinity \" NaN", )");
    folder.write("config.json", text);
    CHECK(parameters(open(folder.path()).model) == small_llama_parameters);
    for (const char* value : {"NaN", "Infinity", "-Infinity"}) {
        const std::string path =
            folder.write("config.json", "{\n\"hidden_size\": " + std::string(value) + "\n}");
        const std::vector<Problem> problems = problems_of([&] { return open(path); });
        REQUIRE(problems.size() == 2);
        CHECK(problems[0].message == "hidden_size is no count");
        CHECK(problems[0].where.line == 2);
    }
    for (const char* wrong : {"{\"a\": Inf}", "{\"a\": nan}", "{NaN: 1}x", "NaN"}) {
        CAPTURE(wrong);
        CHECK(problems_of([&] { return open(folder.write("config.json", wrong)); }).size() == 1);
    }
}

TEST_CASE("hf_quant_config.json beside config.json says how it is quantised") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    folder.write("hf_quant_config.json", R"({"quantization": {"quant_algo": "FP8"}})");
    // Two scalars for each of 28 matrices.
    const double fp8 = 4 * 28672;
    const double expected = fp8 + 28 * 8 + 2 * (small_llama_parameters - fp8);
    CHECK(weight_bytes(open(folder.path()).model).value() == expected);
    CHECK(weight_bytes(open(folder.path("config.json")).model).value() == expected);
    ModelFileOptions given;
    given.weights_given = true;
    CHECK(weight_bytes(open(folder.path(), given).model).value() == 2 * small_llama_parameters);

    const std::string beside = folder.write("hf_quant_config.json", "{\n \"quantization\": {,}}");
    const Problem problem = refusal(folder.path());
    CHECK(problem.id == "invalid-json");
    CHECK(problem.where.file == beside);
    CHECK(problem.where.line == 2);
}

TEST_CASE("--set config.KEY stands in for what a file leaves out, also within objects") {
    const TemporaryFolder folder;
    write_config(folder, {{"model_type", "llama"}, {"hidden_size", 64}, {"num_hidden_layers", 4}});
    CHECK(refusal(folder.path()).id == "missing-keys");
    ModelFileOptions options;
    options.overrides = {{"intermediate_size", "96"},
                         {"num_attention_heads", "8"},
                         {"num_key_value_heads", "2"},
                         {"vocab_size", "100"}};
    CHECK(parameters(open(folder.path(), options).model) == small_llama_parameters);
    options.overrides["tie_word_embeddings"] = "true";
    options.overrides["model_type"] = "mistral";
    CHECK(parameters(open(folder.path(), options).model) == small_llama_parameters - 6400);

    options.overrides["num_attention_heads"] = "many";
    const Problem problem = problem_of([&] { return open(folder.path(), options); });
    CHECK(problem.message == "num_attention_heads is no count");
    CHECK(problem.where.flag == "--set");  // no line of the file says so
    CHECK(problem.where.file.empty());

    const Json outer{{"model_type", "llava"}, {"text_config", small_llama()}};
    write_config(folder, outer);
    ModelFileOptions nested;
    nested.overrides = {{"num_hidden_layers", "2"}};
    CHECK(layers(open(folder.path(), nested).model) == 2);

    write_config(folder, {{"model_type", "dbrx"},
                          {"d_model", 64},
                          {"n_layers", 4},
                          {"n_heads", 8},
                          {"vocab_size", 100}});
    ModelFileOptions deep;
    deep.overrides = {{"attn_config.kv_n_heads", "2"}, {"ffn_config.ffn_hidden_size", "96"}};
    CHECK(parameters(open(folder.path(), deep).model) == small_llama_parameters);
}

TEST_CASE("what stands in place of a config.json is called by its name") {
    const TemporaryFolder folder;
    const auto id_of = [&](std::string_view bytes) {
        return refusal(folder.write("config.json", bytes));
    };
    const Problem pointer = id_of(
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:0123\nsize 4976698672\n");
    CHECK(pointer.id == "not-a-config");
    CHECK(has(pointer.message, "git-lfs pointer"));
    CHECK(has(pointer.message, "4,976,698,672 bytes"));
    const Problem page = id_of("<!DOCTYPE html>\n<html><head><title>Sign in</title>");
    CHECK(page.id == "not-a-config");
    CHECK(has(page.message, "HTML page"));
    CHECK(has(id_of("Entry not found").message, "download"));
    CHECK(id_of("").id == "empty-file");
    CHECK(id_of("  \n\t ").id == "empty-file");
    CHECK(has(id_of(small_llama_file()).message, "safetensors file"));
    for (const char* array : {"[]", "[1, 2]", "3", "null", "\"text\""}) {
        CHECK(id_of(array).id == "not-a-config");
    }
}

TEST_CASE("a truncated configuration is told with its place and what was expected") {
    const TemporaryFolder folder;
    const std::string path = folder.write("config.json", R"({"hidden_size": 40)");
    const Problem problem = refusal(path);
    CHECK(problem.id == "invalid-json");
    CHECK(problem.where.file == path);
    CHECK(problem.where.line == 1);
    CHECK(problem.where.column >= 18);
    CHECK(problem.where.column <= 19);
    CHECK(has(problem.message, "expected"));
}

TEST_CASE("JSON that is hostile is refused: depth, keys twice, bytes that are no text") {
    const TemporaryFolder folder;
    const auto id_of = [&](const std::string& text) {
        return refusal(folder.write("config.json", text)).id;
    };
    CHECK(id_of("{\"a\":" + std::string(100000, '[')) == "too-deep");
    std::string nested;
    for (int i = 0; i < 70; ++i) nested += "{\"text_config\":";
    CHECK(id_of(nested) == "too-deep");
    CHECK(id_of(R"({"hidden_size": 64, "hidden_size": 128})") == "duplicate-key");
    CHECK(id_of("{\"model_type\": \"\xff\xfe\"}") == "invalid-json");
    CHECK(id_of("{\"hidden_size\": 1e999}") == "invalid-json");
    CHECK(id_of(std::string("{\"a\": 1}\0", 9)) == "invalid-json");
}

TEST_CASE("sizes beyond 64 MiB are no configuration, and are not read") {
    const TemporaryFolder folder;
    const std::string path = folder.write("config.json", "{", 65ULL << 20);
    CHECK(refusal(path).id == "file-too-large");
    const std::string huge = folder.write("huge.json", "{", 1ULL << 40);
    CHECK(refusal(huge).id == "file-too-large");
}

TEST_CASE("a folder without a model says what would be one") {
    const TemporaryFolder folder;
    folder.write("README.md", "# no model");
    const Problem problem = refusal(folder.path());
    CHECK(problem.id == "no-model");
    for (const char* what : {"config.json", "safetensors", "gguf"}) {
        CHECK(has(problem.expected, what));
    }
    CHECK(refusal(folder.path("absent.json")).id == "no-such-file");
    CHECK(refusal(folder.path("absent.safetensors")).id == "no-such-file");
    CHECK(refusal(folder.path("README.md/config.json")).id == "no-such-file");
}

TEST_CASE("a FIFO is refused at once, whatever it is called") {
    const TemporaryFolder folder;
    for (const char* name : {"config.json", "model.safetensors", "hf_quant_config.json"}) {
        REQUIRE(::mkfifo(folder.path(name).c_str(), 0600) == 0);
    }
    CHECK(refusal(folder.path("config.json")).id == "not-a-file");
    CHECK(refusal(folder.path("model.safetensors")).id == "not-a-file");
    CHECK(refusal(folder.path()).id == "not-a-file");
}

TEST_CASE("names that mean files") {
    for (const char* name : {"-", "./x", "../x", "/x", "x.json", "x.gguf", "x.safetensors"}) {
        CHECK(formats::is_model_path(name));
    }
    for (const char* name : {"llama-3.1-8b", "70B", "meta-llama/Llama-3.1-8B", "671B:37B", ""}) {
        CAPTURE(name);
        CHECK_FALSE(formats::is_model_path(name));
    }
}
