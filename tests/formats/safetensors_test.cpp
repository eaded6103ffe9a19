#include "formats/safetensors/safetensors.hpp"

#include <sys/stat.h>

#include "formats/impostors.hpp"
#include "formats/safetensors/types.hpp"
#include "tests/support/problems.hpp"
#include "tests/support/safetensors_builder.hpp"

using namespace napkin;
using namespace napkin::formats;
using namespace napkin::test;

namespace {

SafetensorsHeader read_header(const std::string& header, std::uint64_t data_bytes) {
    return read_safetensors(header, data_bytes, "t");
}

/// The problem of a header whose only tensor "x" is this, with 4 bytes of data.
Problem problem_of_entry(const std::string& entry) {
    return test::problem_of([&] { return read_header("{\"x\":" + entry + "}", 4); });
}

Problem problem_of_file(const std::string& bytes) {
    const TemporaryFolder folder;
    const std::string path = folder.write("x.safetensors", bytes);
    const Problem problem = test::problem_of([&] { return read_safetensors(InputFile(path)); });
    CHECK(problem.message.starts_with(path));
    return problem;
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
           "}";
}

const SafetensorsBuilder& small() {
    static const SafetensorsBuilder builder = SafetensorsBuilder()
                                                  .add("model.embed.weight", "BF16", "[3,2]", 12)
                                                  .add("a", "F32", "[]", 4)
                                                  .add("none", "F32", "[0,7]", 0)
                                                  .add("q", "F4", "[2,3]", 3);
    return builder;
}

}  // namespace

TEST_CASE("a safetensors file gives its tensors as written, in order, and its metadata") {
    const TemporaryFolder folder;
    const InputFile file(small().write(folder, "x.safetensors"));
    const SafetensorsHeader header = read_safetensors(file);
    REQUIRE(header.tensors.size() == 4);
    CHECK(header.tensors[0].name == "model.embed.weight");
    CHECK(header.tensors[0].type == "BF16");
    CHECK(header.tensors[0].extents == std::vector<std::uint64_t>{3, 2});
    CHECK(header.tensors[0].elements == 6);
    CHECK(header.tensors[0].bytes == 12);
    CHECK(header.tensors[1].extents.empty());
    CHECK(header.tensors[1].elements == 1);
    CHECK(header.tensors[2].elements == 0);
    CHECK(header.tensors[2].bytes == 0);
    CHECK(header.tensors[3].elements == 6);
    CHECK(header.tensors[3].bytes == 3);
    CHECK(header.bytes == 19);
    REQUIRE(header.metadata.size() == 1);
    CHECK(header.metadata[0] == std::pair<std::string, std::string>("format", "pt"));
}

TEST_CASE(
    "tensors may be listed in any order, the header may end in spaces, names may be escaped") {
    const auto header = read_header(R"({"b":)" + entry("U8", "[2]", "[4,6]") + R"(,"\u00e9\"":)" +
                                        entry("F32", "[1]", "[0,4]") + "}   ",
                                    6);
    REQUIRE(header.tensors.size() == 2);
    CHECK(header.tensors[0].name == "b");
    CHECK(header.tensors[1].name == "\xC3\xA9\"");
    CHECK(read_header("{}", 0).tensors.empty());
}

TEST_CASE("bytes of 16 elements of each dtype") {
    const std::vector<std::pair<std::string, int>> expected{
        {"BOOL", 16},        {"F4", 8},       {"F6_E2M3", 12}, {"F6_E3M2", 12}, {"U8", 16},
        {"I8", 16},          {"F8_E5M2", 16}, {"F8_E4M3", 16}, {"F8_E8M0", 16}, {"F8_E4M3FNUZ", 16},
        {"F8_E5M2FNUZ", 16}, {"I16", 32},     {"U16", 32},     {"F16", 32},     {"BF16", 32},
        {"I32", 64},         {"U32", 64},     {"F32", 64},     {"C64", 128},    {"F64", 128},
        {"I64", 128},        {"U64", 128}};
    CHECK(expected.size() == safetensors_types.size());
    for (const auto& [dtype, bytes] : expected) {
        CAPTURE(dtype);
        const std::string size = std::to_string(bytes);
        const auto header = read_header("{\"x\":" + entry(dtype, "[4,4]", "[0," + size + "]") + "}",
                                        static_cast<std::uint64_t>(bytes));
        CHECK(header.tensors[0].bytes == static_cast<std::uint64_t>(bytes));
    }
}

TEST_CASE("a file cut at any byte is truncated, and cut inside a tensor that tensor is named") {
    const std::string whole = small().bytes();
    const std::size_t data_begin = whole.size() - 19;
    const TemporaryFolder folder;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const std::string path = folder.write("x.safetensors", whole.substr(0, size));
        const Problem problem = test::problem_of([&] { return read_safetensors(InputFile(path)); });
        CHECK(problem.id == (size == 0 ? "empty-file" : "truncated-file"));
        if (size < data_begin) continue;
        const std::size_t data = size - data_begin;
        const std::string name = data < 12 ? "model.embed.weight" : data < 16 ? "a" : "q";
        CHECK(has(problem.message, "tensor \"" + name + "\""));
    }
}

TEST_CASE("bytes after the last tensor are counted") {
    const Problem problem = problem_of_file(small().bytes() + std::string(1234, 'x'));
    CHECK(problem.id == "trailing-bytes");
    CHECK(has(problem.message, "1,234 bytes too many"));
}

TEST_CASE("a header length beyond the format or the file names both") {
    const Problem huge = problem_of_file(length_prefix(1ULL << 63) + "{}");
    CHECK(huge.id == "header-too-long");
    CHECK(has(huge.message, "9,223,372,036,854,775,808"));
    CHECK(has(huge.message, "100,000,000"));
    // 0x07DF9D40, in a file of 4,096 bytes
    const std::string bytes("\x40\x9D\xDF\x07\0\0\0\0", 8);
    const Problem claimed = problem_of_file(bytes + std::string(4088, ' '));
    CHECK(claimed.id == "header-too-long");
    CHECK(has(claimed.message, "132,095,296"));
    CHECK(has(claimed.message, "4,096"));
    const Problem limit = problem_of_file(length_prefix(100'000'000) + "{}");
    CHECK(limit.id == "truncated-file");
    CHECK(problem_of_file(length_prefix(100'000'001) + "{}").id == "header-too-long");
    CHECK(problem_of_file(length_prefix(3) + "{}").id == "truncated-file");
    CHECK(problem_of_file(length_prefix(~0ULL) + "{}").id == "header-too-long");
}

TEST_CASE("a header that is no JSON object is refused at its byte of the file") {
    CHECK(problem_of_file(length_prefix(0)).id == "invalid-header");
    CHECK(problem_of_file(safetensors_with("[]", 0)).id == "invalid-header");
    CHECK(problem_of_file(safetensors_with(" {}", 0)).id == "invalid-header");
    const auto invalid = [](const std::string& header, const std::string& at) {
        const Problem problem = problem_of_file(safetensors_with(header, 0));
        CAPTURE(header, problem.message);
        return problem.id == "invalid-json" && has(problem.message, "(at byte " + at + ")");
    };
    CHECK(invalid("{", "9"));
    CHECK(invalid("{]", "9"));
    CHECK(invalid("{\n]", "10"));
    CHECK(invalid("{} {}", "11"));
    CHECK(invalid(std::string("{}\0{}", 5), "10"));
    CHECK(invalid("{\"\xff\":1}", "10"));
    CHECK(invalid("{\"\xc0\xaf\":1}", "10"));
    CHECK(invalid("{\"\\ud800\":1}", "16"));
}

TEST_CASE("nesting does not get far") {
    const auto lists = [](std::string before) { return before.append(100000, '['); };
    CHECK(problem_of_entry(lists("")).id == "invalid-header");
    CHECK(problem_of_entry(lists("{\"shape\":")).id == "invalid-tensor");
    CHECK(problem_of_entry("{\"shape\":{\"shape\":").id == "invalid-tensor");
}

TEST_CASE("a tensor that stands twice is refused, however its name is written") {
    const std::string one = entry("F32", "[1]", "[0,4]");
    for (const std::string second : {"x", "\\u0078"}) {
        const Problem problem = test::problem_of(
            [&] { return read_header("{\"x\":" + one + ",\"" + second + "\":" + one + "}", 4); });
        CHECK(problem.id == "duplicate-key");
        CHECK(has(problem.message, "\"x\""));
    }
    CHECK(
        problem_of_entry(R"({"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]})").id ==
        "duplicate-key");
}

TEST_CASE("tensors lie end to end: no hole, no overlap") {
    const auto pair = [](const std::string& first, const std::string& second) {
        return test::problem_of([&] {
            return read_header("{\"a\":" + entry("U8", "[4]", first) +
                                   ",\"b\":" + entry("U8", "[4]", second) + "}",
                               8);
        });
    };
    const Problem overlap = pair("[0,4]", "[3,7]");
    CHECK(overlap.id == "overlapping-tensors");
    CHECK(has(overlap.message, "tensor \"b\" begins at byte 3"));
    CHECK(has(overlap.message, "inside tensor \"a\""));
    CHECK(pair("[0,4]", "[0,4]").id == "overlapping-tensors");
    const Problem hole = pair("[0,4]", "[5,9]");
    CHECK(hole.id == "hole-in-data");
    CHECK(has(hole.message, "1 bytes before tensor \"b\""));
    CHECK(pair("[1,5]", "[5,9]").id == "hole-in-data");
    CHECK(pair("[0,4]", "[18446744073709551611,18446744073709551615]").id == "hole-in-data");
}

TEST_CASE("an empty tensor may not lie inside another") {
    const std::string header =
        "{\"a\":" + entry("U8", "[4]", "[0,4]") + ",\"b\":" + entry("U8", "[0]", "[2,2]") + "}";
    CHECK(test::problem_of([&] { return read_header(header, 4); }).id == "overlapping-tensors");
}

TEST_CASE("offsets are two whole numbers that span the elements") {
    const auto refused = [](const std::string& shape, const std::string& offsets,
                            const std::string& why) {
        const Problem problem = problem_of_entry(entry("F32", shape, offsets));
        CAPTURE(shape, offsets, problem.message);
        return problem.id == "invalid-tensor" && has(problem.message, why) &&
               has(problem.message, "(at byte ");
    };
    CHECK(refused("[1]", "[4,0]", "ends at byte 0 of the data, before its begin at 4"));
    CHECK(refused("[1]", "[0,3]", "spans 3 bytes, its 1 elements of F32 take 4"));
    CHECK(refused("[1]", "[0.0,4]", "holds the number 0.0"));
    CHECK(refused("[1]", "[0,4.0]", "holds the number 4.0"));
    CHECK(refused("[1]", "[0,4e0]", "holds the number 4e0"));
    CHECK(refused("[1]", "[-0,4]", "holds the number -0"));
    CHECK(refused("[1]", "[-4,0]", "holds the number -4"));
    CHECK(refused("[1]", "[0,18446744073709551616]", "holds the number 18446744073709551616"));
    CHECK(refused("[1]", "[0,18446744073709551615]", "spans 18,446,744,073,709,551,615 bytes"));
    CHECK(refused("[1]", "[\"0\",4]", "holds the string \"0\""));
    CHECK(refused("[1]", "[0,null]", "holds null"));
    CHECK(refused("[1]", "[0,[4]]", "holds a list"));
    CHECK(refused("[1]", "[0]", "lacks an offset"));
    CHECK(refused("[1]", "[]", "lacks an offset"));
    CHECK(refused("[1]", "[0,4,4]", "more than two data_offsets"));
    CHECK(refused("[1]", "4", "data_offsets of tensor \"x\" is the number 4"));
    CHECK(refused("[-1]", "[0,4]", "shape of tensor \"x\" holds the number -1"));
    CHECK(refused("[true]", "[0,4]", "shape of tensor \"x\" holds true"));
    CHECK(refused("null", "[0,4]", "shape of tensor \"x\" is null"));
    CHECK(
        refused(std::string("[") + std::string(128, '1') + "]", "[0,4]", "holds the number 1111"));
}

TEST_CASE("shapes whose product leaves 64 bits are refused, an extent of 0 makes it 0") {
    const std::string huge = std::to_string(1ULL << 63);
    CHECK(has(problem_of_entry(entry("F32", "[" + huge + "," + huge + "]", "[0,4]")).message,
              "more than 2^64 bits"));
    CHECK(has(problem_of_entry(entry("U8", "[" + huge + ",2]", "[0,4]")).message, "2^64 bits"));
    CHECK(has(problem_of_entry(entry("F32", "[" + huge + "]", "[0,4]")).message, "2^64 bits"));
    const std::string empty =
        "{\"x\":" + entry("F32", "[" + huge + "," + huge + ",0]", "[0,0]") + "}";
    CHECK(read_header(empty, 0).tensors[0].elements == 0);
    std::string ones = "1";
    for (int i = 1; i < 64; ++i) ones += ",1";
    CHECK(read_header("{\"x\":" + entry("F32", "[" + ones + "]", "[0,4]") + "}", 4).bytes == 4);
    CHECK(has(problem_of_entry(entry("F32", "[" + ones + ",1]", "[0,4]")).message,
              "more than 64 dimensions"));
}

TEST_CASE("elements of less than a byte come out in whole bytes") {
    CHECK(has(problem_of_entry(entry("F4", "[7]", "[0,4]")).message, "7 elements of 4 bits"));
    CHECK(has(problem_of_entry(entry("F6_E2M3", "[5]", "[0,4]")).message, "5 elements of 6 bits"));
}

TEST_CASE("an unknown dtype is named with the nearest one") {
    const Problem problem = problem_of_entry(entry("FP16", "[2]", "[0,4]"));
    CHECK(problem.id == "unknown-dtype");
    CHECK(has(problem.message, "unknown type \"FP16\""));
    CHECK(has(problem.message, "tensor \"x\""));
    REQUIRE_FALSE(problem.suggestions.empty());
    CHECK(problem.suggestions.front() == "F16");
    CHECK(problem_of_entry(entry("f32", "[1]", "[0,4]")).id == "unknown-dtype");
}

TEST_CASE("each tensor has its three keys and no other") {
    CHECK(has(problem_of_entry("{}").message, "tensor \"x\" has no dtype"));
    CHECK(has(problem_of_entry(R"({"dtype":"F32"})").message, "has no shape"));
    CHECK(has(problem_of_entry(R"({"dtype":"F32","shape":[1]})").message, "has no data_offsets"));
    const Problem unknown = problem_of_entry(R"({"dtype":"F32","shapes":[1]})");
    CHECK(unknown.id == "unknown-key");
    CHECK(unknown.suggestions == std::vector<std::string>{"shape"});
    CHECK(has(problem_of_entry("7").message, "tensor \"x\" is the number 7"));
    CHECK(has(problem_of_entry(R"({"dtype":4})").message, "dtype of tensor \"x\" is the number 4"));
    CHECK(has(problem_of_entry(R"({"dtype":["F32"]})").message, "is a list"));
}

TEST_CASE("metadata are strings") {
    const auto refused = [](const std::string& metadata) {
        return test::problem_of(
                   [&] { return read_header("{\"__metadata__\":" + metadata + "}", 0); })
            .message;
    };
    CHECK(has(refused(R"({"format":1})"), "__metadata__ \"format\" is the number 1"));
    CHECK(has(refused(R"({"a":{}})"), "__metadata__ \"a\" is an object"));
    CHECK(has(refused(R"({"a":["b"]})"), "__metadata__ \"a\" is a list"));
    CHECK(has(refused("null"), "__metadata__ is null"));
    CHECK(has(refused(R"("pt")"), "__metadata__ is the string \"pt\""));
}

TEST_CASE("what a file says is cut before it stands in a message") {
    const std::string name(1 << 20, 'n');
    const Problem problem =
        test::problem_of([&] { return read_header("{\"" + name + "\":7}", 0); });
    CHECK(problem.message.size() < 300);
    CHECK(has(problem.message, std::string(100, 'n') + "\"..."));
    CHECK(test::problem_of([&] { return read_header("{\"" + name, 0); }).message.size() < 500);
}

TEST_CASE("files that are something else are called by their name") {
    const auto what = [](const std::string& bytes) {
        const Problem problem = problem_of_file(bytes);
        CHECK(problem.id == "not-safetensors");
        return problem.message;
    };
    const std::string pointer = what(
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:0000000000000000000000000000000000000000000000000000000000000000\n"
        "size 4976698672\n");
    CHECK(has(pointer, "git-lfs pointer"));
    CHECK(has(pointer, "4,976,698,672 bytes"));
    CHECK(has(pointer, "`git lfs pull`"));
    CHECK(has(what("<!DOCTYPE html>\n<html><body>Sign in</body></html>"), "HTML page"));
    CHECK(has(what("\n\n  <HTML lang=en>"), "HTML page"));
    const std::string zip("PK\x03\x04\x14\x00\x08\x08", 8);
    CHECK(has(what(zip + std::string(99992, 'x')), "zip archive"));
    CHECK(has(what(std::string("\x80\x02\x8a\x0alFC\x9c"
                               "F\xf9",
                               9)),
              "pickle"));
    CHECK(has(what(std::string("GGUF\x03\0\0\0\0\0\0\0", 12)), "GGUF"));
    CHECK(has(what("{\"metadata\": {}, \"weight_map\": {}}"), "JSON text"));
    CHECK(has(what("Entry not found"), "not found there"));
}

TEST_CASE("a header of 640 bytes begins like a pickle and is none") {
    std::string header = small().header();
    header.resize(640, ' ');
    const TemporaryFolder folder;
    const std::string path = folder.write("x.safetensors", safetensors_with(header, 19));
    CHECK(read_safetensors(InputFile(path)).tensors.size() == 4);
    CHECK(has(impostor(safetensors_with(header, 19)).value(), "safetensors"));
    CHECK_FALSE(impostor("").has_value());
    CHECK_FALSE(impostor("napkin").has_value());
}

TEST_CASE("what is no regular file is refused and does not hang") {
    const TemporaryFolder folder;
    const auto id = [&](const std::string& name) {
        return test::problem_of([&] { return read_safetensors(InputFile(folder.path(name))); }).id;
    };
    CHECK(id("nothing.safetensors") == "no-such-file");
    folder.write("folder/x", "x");
    CHECK(id("folder") == "not-a-file");
    REQUIRE(::mkfifo(folder.path("fifo.safetensors").c_str(), 0600) == 0);
    CHECK(id("fifo.safetensors") == "not-a-file");
}
