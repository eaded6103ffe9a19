#include "formats/gguf/byte_reader.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/problems.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace napkin;
using namespace napkin::formats;
using namespace napkin::test;
using namespace std::string_literals;

TEST_CASE("numbers are little-endian, whatever their width", "[bytes]") {
    const std::string bytes = "\x01\x02\x01\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x81"s;
    ByteReader reader(bytes, "numbers");
    CHECK(reader.u8() == 1);
    CHECK(reader.u16() == 0x0102);
    CHECK(reader.u32() == 0x01020304);
    CHECK(reader.u64() == 0x8102030405060708);
    CHECK(reader.offset() == 15);
    CHECK(reader.remaining() == 0);
}

TEST_CASE("floating-point numbers come with all their bits", "[bytes]") {
    const std::string bytes = "\0\0\xc0\x3f\0\0\0\0\0\0\x04\xc0"s;  // 1.5, -2.5
    ByteReader reader(bytes, "numbers");
    CHECK(reader.f32() == 1.5f);
    CHECK(reader.f64() == -2.5);
}

TEST_CASE("reading beyond the end says where, in memory", "[bytes]") {
    ByteReader reader("abcde", "five.bin");
    CHECK(reader.take(2) == "ab");
    const auto refused = [&](auto action) {
        const Problem problem = outcome_of(action);
        CHECK(problem.id == "truncated-file");
        CHECK(problem.where.file == "five.bin");
        return problem.message;
    };
    CHECK(refused([&] { (void)reader.u32(); }) ==
          "five.bin: truncated: 4 bytes were to follow at byte 2, the file has 5");
    refused([&] { (void)reader.take(4); });
    refused([&] { (void)reader.take(~std::uint64_t{0}); });
    refused([&] { reader.skip(4); });
    refused([&] { reader.skip(~std::uint64_t{0}); });
    CHECK(reader.offset() == 2);
    CHECK(reader.take(3) == "cde");
    refused([&] { (void)reader.u8(); });
    CHECK(reader.take(0).empty());
}

TEST_CASE("a file is read through windows: numbers and texts may lie across two", "[bytes]") {
    std::string bytes;
    for (std::uint32_t i = 0; i < 200'000; ++i) bytes += static_cast<char>(i % 251);
    const TemporaryFolder folder;
    const InputFile file(folder.write("long.bin", bytes));
    for (const std::uint64_t start : {0u, 65'533u, 65'536u, 131'070u, 199'992u}) {
        CAPTURE(start);
        ByteReader reader(file);
        ByteReader other(bytes, "memory");
        for (const std::uint64_t step : {start % 7, start - start % 7}) {
            reader.skip(step);
            other.skip(step);
        }
        CHECK(reader.u64() == other.u64());
    }
    ByteReader reader(file);
    CHECK(reader.size() == 200'000);
    CHECK(reader.take(3) == bytes.substr(0, 3));
    CHECK(reader.take(190'000) == bytes.substr(3, 190'000));
    CHECK(reader.u8() == 190'003 % 251);
    CHECK(outcome_of([&] { (void)reader.take(9'997); }).id == "truncated-file");
    CHECK(reader.take(9'996) == bytes.substr(190'004));
}

TEST_CASE("a file that shrinks while it is read is truncated", "[bytes]") {
    const TemporaryFolder folder;
    const InputFile file(folder.write("shrinks.bin", std::string(100'000, 'x')));
    ByteReader reader(file);
    (void)reader.u8();
    std::filesystem::resize_file(file.path(), 70'000);
    reader.skip(69'997);
    const Problem problem = outcome_of([&] { (void)reader.u32(); });
    CHECK(problem.id == "truncated-file");
    CHECK(problem.message.find("ended at byte 70,000") != std::string::npos);
}
