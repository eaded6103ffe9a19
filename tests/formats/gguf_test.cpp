#include "formats/gguf/gguf.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/gguf_builder.hpp"
#include "tests/support/problems.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace napkin;
using namespace napkin::formats;
using namespace napkin::test;
using namespace std::string_literals;

namespace {

GgufHeader read(const std::string& bytes) {
    ByteReader reader(bytes, "test.gguf");
    return read_gguf(reader);
}

double number(const GgufHeader& header, std::string_view key) {
    return std::get<double>(header.metadata.find(key)->second);
}

const GgufArray& array(const GgufHeader& header, std::string_view key) {
    return std::get<GgufArray>(header.metadata.find(key)->second);
}

}  // namespace

TEST_CASE("a file written by hand, byte by byte", "[gguf]") {
    // One key and one tensor "a" of 64 elements in Q8_0: two blocks of 34 bytes.
    const std::string header =
        "GGUF\3\0\0\0"
        "\1\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0k\4\0\0\0\x39\x30\0\0"
        "\1\0\0\0\0\0\0\0a\1\0\0\0\x40\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0"s;
    REQUIRE(header.size() == 24 + 17 + 33);
    const GgufHeader found = read(header + std::string(96 - 74 + 68, '\0'));
    CHECK(found.version == 3);
    CHECK(found.alignment == 32);
    CHECK(found.header_bytes == 74);
    CHECK(found.data_offset == 96);
    CHECK(found.file_bytes == 96 + 68);
    CHECK(found.metadata.size() == 1);
    CHECK(number(found, "k") == 12345);
    REQUIRE(found.tensors.size() == 1);
    CHECK(found.tensors[0].name == "a");
    CHECK(found.tensors[0].type == "Q8_0");
    CHECK(found.tensors[0].extents == std::vector<std::uint64_t>{64});
    CHECK(found.tensors[0].elements == 64);
    CHECK(found.tensors[0].bytes == 68);
}

TEST_CASE("versions 2 and 3 hold the same: every tensor with its weights and bytes", "[gguf]") {
    for (const std::uint32_t version : {2u, 3u}) {
        GgufBuilder builder = small_gguf();
        builder.version = version;
        const GgufHeader header = read(builder.file());
        CHECK(header.version == version);
        CHECK(header.metadata.size() == 5);
        CHECK(std::get<std::string>(header.metadata.at("general.architecture")) == "llama");
        CHECK(header.header_bytes == builder.header().size());
        REQUIRE(header.tensors.size() == 4);
        CHECK(header.tensors[0].extents == std::vector<std::uint64_t>{256, 3});
        std::uint64_t elements = 0;
        std::uint64_t bytes = 0;
        for (const StoredTensor& tensor : header.tensors) {
            elements += tensor.elements;
            bytes += tensor.bytes;
        }
        CHECK(elements == 768 + 1024 + 1024 + 208);
        CHECK(bytes == 630 + 576 + 1088 + 832);
    }
}

TEST_CASE("every type of value is read as what it is", "[gguf]") {
    GgufBuilder builder;
    builder.pair("u8", gguf::u8, "\xff").pair("i8", gguf::i8, "\xff");
    builder.pair("u16", gguf::u16, "\xfe\xff").pair("i16", gguf::i16, "\xfe\xff");
    builder.pair("u32", gguf::u32, "\xfd\xff\xff\xff").pair("i32", gguf::i32, "\xfd\xff\xff\xff");
    builder.pair("u64", gguf::u64, little_endian(std::uint64_t{1} << 53));
    builder.pair("i64", gguf::i64, little_endian(~std::uint64_t{0}));
    builder.pair("f32", gguf::f32, "\0\x50\xc3\x47"s);        // 100,000
    builder.pair("f64", gguf::f64, "\0\0\0\0\0\0\xe0\x3f"s);  // 0.5
    builder.pair("no", gguf::boolean, "\0"s).pair("yes", gguf::boolean, "\1");
    builder.text("text", "h\0i"s);
    const GgufHeader header = read(builder.file());
    CHECK(number(header, "u8") == 255);
    CHECK(number(header, "i8") == -1);
    CHECK(number(header, "u16") == 65534);
    CHECK(number(header, "i16") == -2);
    CHECK(number(header, "u32") == 4294967293);
    CHECK(number(header, "i32") == -3);
    CHECK(number(header, "u64") == 9007199254740992);
    CHECK(number(header, "i64") == -1);
    CHECK(number(header, "f32") == 100000);
    CHECK(number(header, "f64") == 0.5);
    CHECK_FALSE(std::get<bool>(header.metadata.at("no")));
    CHECK(std::get<bool>(header.metadata.at("yes")));
    CHECK(std::get<std::string>(header.metadata.at("text")) == "h\0i"s);
}

TEST_CASE("short lists of numbers are kept, vocabularies only counted", "[gguf]") {
    const auto list = [](std::uint64_t count) {
        std::string elements;
        for (std::uint32_t i = 0; i < count; ++i) elements += little_endian(i);
        return elements;
    };
    GgufBuilder builder;
    builder.array("heads", gguf::u32, 3, list(3)).array("flags", gguf::boolean, 2, "\0\1"s);
    builder.array("most", gguf::i32, 65'536, list(65'536));
    builder.array("longer", gguf::i32, 65'537, list(65'537));
    builder.texts("tokens", std::vector<std::string>(150'000, "token")).number("last", 7);
    builder.array("empty", gguf::f32, 0, "").text("template", std::string(1 << 20, 'x'));
    builder.text("novel", std::string((1 << 20) + 1, 'x'));
    const GgufHeader header = read(builder.file());
    CHECK(array(header, "heads").numbers == std::vector<double>{0, 1, 2});
    CHECK(array(header, "heads").type == GgufType::u32);
    CHECK(array(header, "flags").numbers == std::vector<double>{0, 1});
    CHECK(array(header, "most").numbers.size() == 65'536);
    CHECK(array(header, "most").numbers.back() == 65'535);
    CHECK(array(header, "longer").count == 65'537);
    CHECK(array(header, "longer").numbers.empty());
    CHECK(array(header, "tokens").type == GgufType::string);
    CHECK(array(header, "tokens").count == 150'000);
    CHECK(array(header, "tokens").numbers.empty());
    CHECK(array(header, "empty").count == 0);
    CHECK(number(header, "last") == 7);
    CHECK(std::get<std::string>(header.metadata.at("template")).size() == 1 << 20);
    CHECK(std::get<GgufLongText>(header.metadata.at("novel")).bytes == (1 << 20) + 1);
}

TEST_CASE("lists of lists are stepped over, four deep", "[gguf]") {
    std::string nested = little_endian(gguf::u8) + little_endian(std::uint64_t{2}) + "ab";
    for (int i = 0; i < 2; ++i) {
        nested = little_endian(gguf::array) + little_endian(std::uint64_t{1}) + nested;
    }
    GgufBuilder builder;
    builder.array("nested", gguf::array, 1, nested).number("last", 7);
    const GgufHeader header = read(builder.file());
    CHECK(array(header, "nested").type == GgufType::array);
    CHECK(array(header, "nested").count == 1);
    CHECK(number(header, "last") == 7);
}

TEST_CASE("data begin at the alignment that the file names", "[gguf]") {
    GgufBuilder builder;
    builder.alignment = 4096;
    builder.number("general.alignment", 4096).tensor("a", {4}, 0, 16).tensor("b", {4}, 0, 16);
    const GgufHeader header = read(builder.file());
    CHECK(header.alignment == 4096);
    CHECK(header.data_offset == 4096);
    CHECK(header.file_bytes == 4096 + 4096 + 16);
}

TEST_CASE("a file without tensors needs no data: a vocabulary, the first of several", "[gguf]") {
    GgufBuilder builder;
    builder.number("a", 1);
    const GgufHeader header = read(builder.file());
    CHECK(header.tensors.empty());
    CHECK(header.header_bytes == header.file_bytes);
    CHECK(header.data_offset == 64);
}

TEST_CASE("tensors may stand in any order in the data, with gaps between them", "[gguf]") {
    GgufBuilder builder;
    builder.entry("second", {4}, 0, 128).entry("first", {4}, 0, 0).data(144);
    CHECK(read(builder.file()).tensors[0].name == "second");
}

TEST_CASE("a file on disk is read as the same bytes in memory are", "[gguf]") {
    GgufBuilder builder = small_gguf();
    builder.texts("more.tokens", std::vector<std::string>(20'000, "token"));  // 260 KB
    const TemporaryFolder folder;
    const GgufFile file = open_gguf(folder.write("model.gguf", builder.file()));
    const GgufHeader header = read(builder.file());
    CHECK(file.shards == 1);
    CHECK(file.file_bytes == builder.file().size());
    CHECK(file.metadata.size() == header.metadata.size());
    REQUIRE(file.tensors.size() == header.tensors.size());
    for (std::size_t i = 0; i < file.tensors.size(); ++i) {
        CHECK(file.tensors[i].name == header.tensors[i].name);
        CHECK(file.tensors[i].bytes == header.tensors[i].bytes);
    }
}

TEST_CASE("a tensor with an extent of 0 holds nothing and stands nowhere", "[gguf]") {
    GgufBuilder builder;
    builder.tensor("first", {4}, 0, 16).entry("empty", {256, 0}, 12, 0);
    builder.entry("none", {0}, 0, 0).entry("huge", {0, 1ull << 62}, 0, 1ull << 40);
    const GgufHeader header = read(builder.file());
    REQUIRE(header.tensors.size() == 4);
    for (std::size_t i = 1; i < 4; ++i) {
        CHECK(header.tensors[i].elements == 0);
        CHECK(header.tensors[i].bytes == 0);
    }
}
