// Models from paths: told apart by what the files hold.
#include <sys/stat.h>

#include "tests/formats/model_files.hpp"

using namespace napkin;
using namespace napkin::test;

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
