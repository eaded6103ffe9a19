// Models in several GGUF files.
#include "formats/gguf/gguf.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/gguf_builder.hpp"
#include "tests/support/problems.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace napkin;
using namespace napkin::formats;
using namespace napkin::test;

namespace {

// The keys that llama.cpp's gguf-split writes: shards count from 0, tensors over all of them.
GgufBuilder shard(std::uint32_t number, std::uint32_t count, std::uint32_t tensors) {
    GgufBuilder builder;
    builder.pair("split.no", gguf::u16, little_endian(static_cast<std::uint16_t>(number)));
    builder.pair("split.count", gguf::u16, little_endian(static_cast<std::uint16_t>(count)));
    builder.pair("split.tensors.count", gguf::i32, little_endian(tensors));
    return builder;
}

// Three shards: the first without tensors, as gguf-split --no-tensor-first-split writes it.
struct ThreeShards {
    TemporaryFolder folder{};
    GgufBuilder first = shard(0, 3, 3).text("general.architecture", "llama");
    GgufBuilder second = shard(1, 3, 3).tensor("a", {256, 2}, 12, 288).tensor("b", {8}, 0, 32);
    GgufBuilder third = shard(2, 3, 3).tensor("c", {32}, 8, 34);

    std::string write() const {
        (void)folder.write("m-00001-of-00003.gguf", first.file());
        (void)folder.write("m-00003-of-00003.gguf", third.file());
        return folder.write("m-00002-of-00003.gguf", second.file());
    }
    Problem refused(const std::string& path) const {
        return outcome_of([&] { (void)open_gguf(path); });
    }
};

}  // namespace

TEST_CASE_METHOD(ThreeShards, "any shard leads to all of them, in order", "[gguf][split]") {
    (void)write();
    for (const char* name :
         {"m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"}) {
        const GgufFile whole = open_gguf(folder.path(name));
        CHECK(whole.shards == 3);
        CHECK(whole.file_bytes == first.file().size() + second.file().size() + third.file().size());
        REQUIRE(whole.tensors.size() == 3);
        CHECK(whole.tensors[0].name == "a");
        CHECK(whole.tensors[1].name == "b");
        CHECK(whole.tensors[2].name == "c");
        CHECK(whole.metadata.contains("general.architecture"));
    }
}

TEST_CASE_METHOD(ThreeShards, "a missing shard is named", "[gguf][split]") {
    const std::string given = write();
    const std::string missing = folder.path("m-00003-of-00003.gguf");
    std::filesystem::remove(missing);
    CHECK(refused(given).id == "missing-shard");
    CHECK(refused(given).message == missing + ": missing, one of the 3 files of this model");
    CHECK(refused(missing).id == "no-such-file");
}

TEST_CASE_METHOD(ThreeShards, "shards in each other's place are refused", "[gguf][split]") {
    std::swap(second, third);
    const Problem problem = refused(write());
    CHECK(problem.id == "wrong-shard");
    CHECK(problem.where.file == folder.path("m-00002-of-00003.gguf"));
    CHECK(problem.message.find("\"split.no\"") != std::string::npos);
}

TEST_CASE_METHOD(ThreeShards, "a shard of another number of files is refused", "[gguf][split]") {
    third = shard(2, 4, 3).tensor("c", {32}, 8, 34);
    CHECK(refused(write()).message.find("\"split.count\"") != std::string::npos);
}

TEST_CASE_METHOD(ThreeShards, "the tensors of all shards are counted", "[gguf][split]") {
    third = shard(2, 3, 3).tensor("c", {32}, 8, 34).tensor("d", {32}, 8, 34);
    const Problem problem = refused(write());
    CHECK(problem.id == "wrong-shard");
    CHECK(problem.message.find("hold 4 tensors") != std::string::npos);
}

TEST_CASE_METHOD(ThreeShards, "a tensor in two shards is refused", "[gguf][split]") {
    third = shard(2, 3, 3).tensor("a", {32}, 8, 34);
    const Problem problem = refused(write());
    CHECK(problem.id == "duplicate-tensor");
    CHECK(problem.where.file == folder.path("m-00003-of-00003.gguf"));
}

TEST_CASE_METHOD(ThreeShards, "shards without keys of their own are taken by name",
                 "[gguf][split]") {
    first = GgufBuilder().text("general.architecture", "llama");
    second = GgufBuilder().tensor("a", {8}, 0, 32);
    third = GgufBuilder().tensor("b", {8}, 0, 32);
    CHECK(open_gguf(write()).tensors.size() == 2);
}

TEST_CASE_METHOD(ThreeShards, "a part under another name does not pass for a whole",
                 "[gguf][split]") {
    CHECK(refused(folder.write("part.gguf", second.file())).id == "wrong-shard");
    CHECK(refused(folder.write("part.gguf", shard(0, 1, 0).file())).id == "none");
}

TEST_CASE_METHOD(ThreeShards, "names that only look split are single files", "[gguf][split]") {
    GgufBuilder one;
    one.tensor("a", {8}, 0, 32);
    for (const char* name :
         {"m-00000-of-00003.gguf", "m-00004-of-00003.gguf", "m-1-of-3.gguf",
          "m-0000x-of-00003.gguf", "m-00001_of-00003.gguf", "-00001-of-00003.gguf.gguf"}) {
        CAPTURE(name);
        CHECK(open_gguf(folder.write(name, one.file())).shards == 1);
    }
    CHECK(open_gguf(folder.write("m-00001-of-00001.gguf", one.file())).shards == 1);
}
