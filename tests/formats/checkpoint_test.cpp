#include "formats/safetensors/checkpoint.hpp"

#include <sys/stat.h>

#include <array>
#include <cstdio>

#include "tests/support/problems.hpp"
#include "tests/support/safetensors_builder.hpp"

using namespace napkin;
using namespace napkin::formats;
using namespace napkin::test;

namespace {

constexpr std::uint64_t shard_bytes = 8;

/// A file with one BF16 tensor of four elements.
void write_one(const TemporaryFolder& folder, const std::string& file, const std::string& tensor) {
    (void)SafetensorsBuilder().add(tensor, "BF16", "[2,2]", shard_bytes).write(folder, file);
}

std::string shard(int number, int count, const std::string& stem = "model") {
    // By snprintf: g++ 12 warns about sums of short strings where there is nothing to warn about.
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "-%05d-of-%05d.safetensors", number, count);
    return stem + text.data();
}

/// Shards 1 to `count`, tensor "t1" in the first and so on.
void write_set(const TemporaryFolder& folder, int count, const std::string& below = "") {
    for (int i = 1; i <= count; ++i) {
        write_one(folder, below + shard(i, count), std::string("t") + std::to_string(i));
    }
}

std::string index_text(const std::string& metadata, const std::string& map) {
    return R"({"metadata": {)" + metadata + R"(}, "weight_map": {)" + map + "}}";
}
const std::string map_of_two = R"("t1": "model-00001-of-00002.safetensors",
                                  "t2": "model-00002-of-00002.safetensors")";
const std::string index_name = "model.safetensors.index.json";

Problem refused(const std::string& path) {
    return test::problem_of([&] { return open_checkpoint(path); });
}

/// The messages of all notes, one a line.
std::string notes_of(const Checkpoint& checkpoint) {
    std::string text;
    for (const Note& note : checkpoint.notes) text += note.id + ": " + note.message + "\n";
    return text;
}

}  // namespace

TEST_CASE("one file: totals, and elements by type, the largest first") {
    const TemporaryFolder folder;
    const std::string path = SafetensorsBuilder()
                                 .add("a", "F32", "[2]", 8)
                                 .add("b", "BF16", "[5]", 10)
                                 .add("c", "F32", "[3]", 12)
                                 .add("d", "I64", "[0]", 0)
                                 .write(folder, "anything.safetensors");
    const Checkpoint checkpoint = open_checkpoint(path);
    CHECK(checkpoint.bytes == 30);
    CHECK(checkpoint.elements == 10);
    CHECK(checkpoint.tensor_count == 4);
    CHECK(checkpoint.format == "pt");
    CHECK(checkpoint.files == std::vector<std::string>{path});
    CHECK(checkpoint.notes.empty());
    CHECK_FALSE(checkpoint.headers_missing);
    REQUIRE(checkpoint.types.size() == 3);
    CHECK(checkpoint.types[0].type == "F32");
    CHECK(checkpoint.types[0].tensors == 2);
    CHECK(checkpoint.types[0].elements == 5);
    CHECK(checkpoint.types[0].bytes == 20);
    CHECK(checkpoint.types[1].type == "BF16");
    CHECK(checkpoint.types[2].type == "I64");
}

TEST_CASE("any shard gives all of its set, in order") {
    const TemporaryFolder folder;
    write_set(folder, 3);
    for (int i = 1; i <= 3; ++i) {
        const Checkpoint checkpoint = open_checkpoint(folder.path(shard(i, 3)));
        CHECK(checkpoint.bytes == 3 * shard_bytes);
        REQUIRE(checkpoint.tensors.size() == 3);
        CHECK(checkpoint.tensors[0].name == "t1");
        CHECK(checkpoint.tensors[2].name == "t3");
        CHECK(checkpoint.files.size() == 3);
    }
}

TEST_CASE("a missing shard is named, and how many more") {
    const TemporaryFolder folder;
    write_set(folder, 4);
    std::filesystem::remove(folder.path(shard(2, 4)));
    Problem problem = refused(folder.path(shard(3, 4)));
    CHECK(problem.id == "missing-shard");
    CHECK(problem.message.starts_with(folder.path(shard(2, 4)) + ": no such file"));
    CHECK(refused(folder.path()).id == "missing-shard");
    std::filesystem::remove(folder.path(shard(4, 4)));
    problem = refused(folder.path(shard(3, 4)));
    CHECK(has(problem.message, "it and 1 more of the 4 files of this set are missing"));
    problem = refused(folder.path("model-00001-of-999999.safetensors"));
    CHECK(has(problem.message, "it and at least 999 more of the 999,999 files"));
}

TEST_CASE("a set may be numbered from 0, with or without one more, and in unequal digits") {
    const TemporaryFolder zero;
    for (int i = 0; i <= 2; ++i) write_one(zero, shard(i, 2), std::string("t") + std::to_string(i));
    CHECK(open_checkpoint(zero.path(shard(1, 2))).files.size() == 3);
    std::filesystem::remove(zero.path(shard(2, 2)));
    CHECK(open_checkpoint(zero.path(shard(1, 2))).files.size() == 2);
    const TemporaryFolder unequal;
    write_one(unequal, "model-00001-of-000002.safetensors", "a");
    write_one(unequal, "model-00002-of-000002.safetensors", "b");
    CHECK(open_checkpoint(unequal.path("model-00002-of-000002.safetensors")).files.size() == 2);
}

TEST_CASE("a tensor in two shards is refused with both files") {
    const TemporaryFolder folder;
    write_one(folder, shard(1, 2), "same");
    write_one(folder, shard(2, 2), "same");
    const Problem problem = refused(folder.path(shard(1, 2)));
    CHECK(problem.id == "duplicate-tensor");
    CHECK(has(problem.message, shard(1, 2)));
    CHECK(has(problem.message, shard(2, 2)));
}

TEST_CASE("a truncated shard is refused by its name") {
    const TemporaryFolder folder;
    write_set(folder, 2);
    std::filesystem::resize_file(folder.path(shard(2, 2)),
                                 std::filesystem::file_size(folder.path(shard(2, 2))) - 1);
    const Problem problem = refused(folder.path(shard(1, 2)));
    CHECK(problem.id == "truncated-file");
    CHECK(problem.message.starts_with(folder.path(shard(2, 2))));
    CHECK(has(problem.message, "tensor \"t2\""));
}

TEST_CASE("an index reads the files that it names and agrees with them in silence") {
    const TemporaryFolder folder;
    write_set(folder, 2);
    const std::string path = folder.write(
        index_name, index_text(R"("total_size": 16, "total_parameters": 8)", map_of_two));
    const Checkpoint checkpoint = open_checkpoint(path);
    CHECK(checkpoint.bytes == 16);
    CHECK(checkpoint.elements == 8);
    CHECK(checkpoint.notes.empty());
    folder.write(index_name, index_text(R"("total_size": 16.0)", map_of_two));
    CHECK(open_checkpoint(path).notes.empty());
    folder.write(index_name, index_text("", map_of_two));
    CHECK(open_checkpoint(path).notes.empty());
}

TEST_CASE("shapes are trusted where an index says another total") {
    const TemporaryFolder folder;
    write_set(folder, 2);
    const std::string path = folder.write(
        index_name, index_text(R"("total_size": 17, "total_parameters": 333312)", map_of_two));
    const Checkpoint checkpoint = open_checkpoint(path);
    CHECK(checkpoint.bytes == 16);
    CHECK(checkpoint.elements == 8);
    REQUIRE(checkpoint.notes.size() == 2);
    CHECK(checkpoint.notes[0].warning);
    CHECK(has(checkpoint.notes[0].message, "total_size 17, the headers hold 16 bytes"));
    CHECK(has(checkpoint.notes[1].message, "total_parameters 333,312, the headers hold 8"));
}

TEST_CASE("an index that contradicts its files is refused") {
    const TemporaryFolder folder;
    write_set(folder, 2);
    const auto problem = [&](const std::string& map) {
        return refused(folder.write(index_name, index_text("", map)));
    };
    const Problem swapped = problem(R"("t2": "model-00001-of-00002.safetensors",
                                       "t1": "model-00002-of-00002.safetensors")");
    CHECK(swapped.id == "misplaced-tensor");
    CHECK(has(swapped.message, "tensor \"t1\" is in " + folder.path(shard(1, 2))));
    for (const std::string name : {"a", "t1b", "z"}) {
        const Problem missing =
            problem(map_of_two + ", \"" + name + "\": \"model-00002-of-00002.safetensors\"");
        CHECK(missing.id == "missing-tensor");
        CHECK(has(missing.message, "tensor \"" + name + "\""));
    }
    const Problem absent = problem(map_of_two + R"(, "t3": "model-00003-of-00003.safetensors")");
    CHECK(absent.id == "missing-shard");
    CHECK(has(absent.message, folder.path("model-00003-of-00003.safetensors")));
    CHECK(has(absent.message, "1 of the 3 files"));
}

TEST_CASE("tensors that an index leaves out are counted, with a warning") {
    const TemporaryFolder folder;
    write_set(folder, 1);
    (void)SafetensorsBuilder()
        .add("t1", "F32", "[1]", 4)
        .add("extra", "F32", "[1]", 4)
        .write(folder, shard(1, 1));
    const std::string path =
        folder.write(index_name, index_text("", R"("t1": "model-00001-of-00001.safetensors")"));
    const Checkpoint checkpoint = open_checkpoint(path);
    CHECK(checkpoint.elements == 2);
    CHECK(has(notes_of(checkpoint), "1 tensors of the files are not in the index, \"extra\""));
}

TEST_CASE("an index alone gives its total and says that the headers are missing") {
    const TemporaryFolder folder;
    const std::string path =
        folder.write(index_name, index_text(R"("total_size": 16060522496)", map_of_two));
    for (const std::string& given : {path, folder.path()}) {
        const Checkpoint checkpoint = open_checkpoint(given);
        CHECK(checkpoint.headers_missing);
        CHECK(checkpoint.bytes == 16060522496ULL);
        CHECK(checkpoint.tensor_count == 2);
        CHECK(checkpoint.tensors.empty());
        CHECK(has(notes_of(checkpoint), "headers-missing"));
    }
    folder.write(index_name, index_text("", map_of_two));
    CHECK(refused(path).id == "missing-shard");
}

TEST_CASE("an index may not lead out of its folder") {
    const TemporaryFolder folder;
    write_one(folder, "secret.safetensors", "t");
    for (const std::string file : {"../secret.safetensors", "/etc/secret.safetensors",
                                   "a/b.safetensors", "..", "", ".safetensors", "..safetensors",
                                   "a\\\\b.safetensors", "a\\u0000.safetensors", "secret.bin"}) {
        CAPTURE(file);
        const Problem problem = refused(folder.write(
            "below/" + index_name, index_text(R"("total_size": 1)", "\"t\": \"" + file + "\"")));
        CHECK(problem.id == "invalid-index");
        CHECK(problem.where.line == 1);
    }
}

TEST_CASE("a malformed index is refused") {
    const TemporaryFolder folder;
    const auto id = [&](const std::string& text) {
        return refused(folder.write(index_name, text)).id;
    };
    CHECK(id("{") == "invalid-json");
    CHECK(id("<!DOCTYPE html>") == "not-an-index");
    CHECK(id("version https://git-lfs.github.com/spec/v1\n") == "not-an-index");
    CHECK(id("[]") == "invalid-index");
    CHECK(id("7") == "invalid-index");
    CHECK(id("{}") == "invalid-index");
    CHECK(id(R"({"weight_map": {}})") == "invalid-index");
    CHECK(id(R"({"weight_map": []})") == "invalid-index");
    CHECK(id(R"({"weight_map": null})") == "invalid-index");
    CHECK(id(R"({"weight_map": {"a": 1}})") == "invalid-index");
    CHECK(id(R"({"weight_map": {"a": ["b.safetensors"]}})") == "invalid-index");
    CHECK(id(R"({"weight_map": {"a": {"b": "c.safetensors"}}})") == "invalid-index");
    CHECK(id(index_text("", map_of_two + ", \"t1\": \"b.safetensors\"")) == "duplicate-key");
}

TEST_CASE("metadata of an index are free, unknown keys beside them are told") {
    const TemporaryFolder folder;
    write_set(folder, 2);
    folder.write(index_name, R"({"metadata": {"total_size": 16, "a": [1, {"total_size": 2}]},
        "more": {"total_size": 3}, "weight_map": {)" +
                                 map_of_two + "}}");
    const Checkpoint checkpoint = open_checkpoint(folder.path(index_name));
    REQUIRE(checkpoint.notes.size() == 1);
    CHECK(has(checkpoint.notes[0].message, "unknown key \"more\""));
}

TEST_CASE("a checkpoint that is no regular file is refused and does not hang") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.path("model.safetensors").c_str(), 0600) == 0);
    REQUIRE(::mkfifo(folder.path(index_name).c_str(), 0600) == 0);
    REQUIRE(::mkfifo(folder.path(shard(1, 1)).c_str(), 0600) == 0);
    CHECK(refused(folder.path("model.safetensors")).id == "not-a-file");
    CHECK(refused(folder.path(index_name)).id == "not-a-file");
    CHECK(refused(folder.path(shard(1, 1))).id == "not-a-file");
    CHECK(refused(folder.path("nothing.safetensors")).id == "no-such-file");
    CHECK(refused("").id == "no-such-file");
}

TEST_CASE("the four shards of Llama-3.1-8B weigh 16,060,522,496 bytes beside their copies") {
    // Shapes: github:meta-llama/llama3 (32 layers, 4096 wide, 14336 in between, 8 KV heads)
    const TemporaryFolder folder;
    std::vector<SafetensorsBuilder> shards(4);
    std::string map;
    const auto add = [&](std::size_t at, const std::string& name, std::uint64_t rows,
                         std::uint64_t columns) {
        shards[at].add(
            name, "BF16",
            std::string("[") + std::to_string(rows) + "," + std::to_string(columns) + "]",
            rows * columns * 2);
        map += (map.empty() ? "\"" : ",\"") + name + "\":\"" + shard(static_cast<int>(at) + 1, 4) +
               "\"";
    };
    add(0, "model.embed_tokens.weight", 128256, 4096);
    for (std::size_t layer = 0; layer < 32; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        add(layer / 8, prefix + "self_attn.q_proj.weight", 4096, 4096);
        add(layer / 8, prefix + "self_attn.k_proj.weight", 1024, 4096);
        add(layer / 8, prefix + "self_attn.v_proj.weight", 1024, 4096);
        add(layer / 8, prefix + "self_attn.o_proj.weight", 4096, 4096);
        add(layer / 8, prefix + "mlp.gate_proj.weight", 14336, 4096);
        add(layer / 8, prefix + "mlp.up_proj.weight", 14336, 4096);
        add(layer / 8, prefix + "mlp.down_proj.weight", 4096, 14336);
        add(layer / 8, prefix + "input_layernorm.weight", 1, 4096);
        add(layer / 8, prefix + "post_attention_layernorm.weight", 1, 4096);
    }
    add(3, "model.norm.weight", 1, 4096);
    add(3, "lm_head.weight", 128256, 4096);
    for (std::size_t i = 0; i < 4; ++i) {
        (void)shards[i].write(folder, shard(static_cast<int>(i) + 1, 4));
    }
    folder.write(index_name, index_text(R"("total_size": 16060522496)", map));
    write_one(folder, "consolidated.safetensors", "t");
    folder.write("original/consolidated.00.pth", "PK", 16060617592ULL);
    folder.write("optimizer.pt", "PK", 64000000000ULL);
    const Checkpoint checkpoint = open_checkpoint(folder.path());
    CHECK(checkpoint.bytes == 16060522496ULL);
    CHECK(checkpoint.elements == 8030261248ULL);
    CHECK(checkpoint.tensor_count == 291);
    const std::string notes = notes_of(checkpoint);
    CHECK(checkpoint.notes.size() == 3);
    CHECK(has(notes, "\"consolidated.safetensors\", a consolidated copy"));
    CHECK(has(notes, "weights in \"original/\""));
    CHECK(has(notes, "\"optimizer.pt\", of another format"));
}
