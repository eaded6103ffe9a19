// GGUF headers that are broken, cut short or made to break a reader.
#include <limits>

#include "tests/formats/gguf_refusal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace napkin;
using namespace napkin::formats;
using namespace napkin::test;
using namespace std::string_literals;

namespace {

constexpr std::uint64_t huge = std::uint64_t{1} << 60;
constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("a small file is refused wherever it is cut", "[gguf][hostile]") {
    const std::string whole = small_gguf().file();
    CHECK(id(whole) == "none");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        const std::string found = id(whole.substr(0, length));
        CHECK((found == "truncated-file" || found == "count-too-large"));
    }
}

TEST_CASE("any byte of a header may be any value: it is read or refused", "[gguf][hostile]") {
    const std::string whole = small_gguf().file();
    const std::size_t header = small_gguf().header().size();
    int refusals = 0;
    for (std::size_t at = 0; at < header; ++at) {
        for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(value);
            const Problem problem = refused(changed);
            if (problem.id != "none") {
                ++refusals;
                CHECK(problem.message.starts_with("test.gguf: "));
            }
        }
    }
    CHECK(refusals > 1000);
}

TEST_CASE("a file with the header alone says how long it should be", "[gguf][hostile]") {
    const GgufBuilder builder = small_gguf();
    const Problem problem = refused(builder.header());
    CHECK(problem.id == "truncated-file");
    CHECK(problem.message ==
          "test.gguf: truncated: the tensor \"output_norm.weight\" ends at byte " +
              grouped(builder.file().size()) + ", the file has " +
              grouped(builder.header().size()));
}

TEST_CASE("what is not GGUF shows its first bytes", "[gguf][hostile]") {
    const Problem page = refused("<!DOCTYPE html>");
    CHECK(page.id == "not-gguf");
    CHECK(page.message == "test.gguf: not a GGUF file: it begins with 3c 21 44 4f '<!DO'");
    CHECK(page.expected == "47 47 55 46 'GGUF'");
    CHECK(holds(refused("\x1b[2J\xff").message, "1b 5b 32 4a '.[2J'"));
    CHECK(id("GGU") == "truncated-file");
}

TEST_CASE("versions other than 2 and 3 and the other byte order are named", "[gguf][hostile]") {
    const auto of_version = [](std::uint32_t version) {
        GgufBuilder builder = small_gguf();
        builder.version = version;
        return refused(builder.file());
    };
    CHECK(of_version(1).id == "unsupported-version");
    CHECK(holds(of_version(1).message, "GGUF version 1 at byte 4 is not supported"));
    CHECK(of_version(1).expected == "version 2 or 3");
    CHECK(of_version(0).id == "unsupported-version");
    CHECK(of_version(4).id == "unsupported-version");
    CHECK(of_version(0x03000000).id == "wrong-byte-order");
    CHECK(of_version(0x02000000).id == "wrong-byte-order");
    CHECK(holds(of_version(0x03000000).message, "big-endian"));
}

TEST_CASE("counts that the file cannot hold are refused before anything is reserved",
          "[gguf][hostile]") {
    for (const std::uint64_t count : {huge, largest, std::uint64_t{1000}}) {
        CAPTURE(count);
        GgufBuilder tensors = small_gguf();
        tensors.said_tensors = count;
        CHECK(id(tensors.header()) == "count-too-large");
        GgufBuilder pairs = small_gguf();
        pairs.said_pairs = count;
        CHECK(id(pairs.header()) == "count-too-large");
        for (const std::uint32_t type : {gguf::u8, gguf::f64, gguf::string, gguf::array}) {
            GgufBuilder list;
            list.array("list", type, count, std::string(64, '\0'));
            CHECK(id(list) == "count-too-large");
        }
        GgufBuilder text;
        text.pair("text", gguf::string, little_endian(count) + "short");
        CHECK(id(text) == "truncated-file");
        GgufBuilder texts;
        texts.array("texts", gguf::string, 1, little_endian(count) + "short");
        CHECK(id(texts) == "truncated-file");
    }
    GgufBuilder tensors = small_gguf();
    tensors.said_tensors = huge;
    CHECK(holds(message(tensors), "1,152,921,504,606,846,976 tensors cannot stand in the "));
}

TEST_CASE("a file of holes costs neither memory nor time by its size", "[gguf][hostile]") {
    const TemporaryFolder folder;
    const auto sparse = [&](const std::string& header) {
        const std::string path = folder.write("sparse.gguf", header);
        std::filesystem::resize_file(path, std::uint64_t{1} << 40);
        return outcome_of([&] { (void)open_gguf(path); });
    };
    constexpr std::uint64_t many = std::uint64_t{1} << 36;
    GgufBuilder texts;
    texts.array("list", gguf::string, many, "");
    CHECK(sparse(texts.header()).id == "metadata-too-large");
    GgufBuilder lists;
    lists.array("list", gguf::array, many, "");
    CHECK(sparse(lists.header()).id == "metadata-too-large");
    GgufBuilder tensors;
    tensors.said_tensors = many / 2;
    CHECK(sparse(tensors.header()).id == "count-too-large");
    GgufBuilder text;  // stepped over
    text.pair("text", gguf::string, little_endian(many));
    CHECK(sparse(text.header()).id == "none");
}

TEST_CASE("kept texts and numbers are bounded together", "[gguf][hostile]") {
    GgufBuilder builder;
    const std::string text(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) builder.text("text." + std::to_string(i), text);
    const Problem problem = refused(builder.file());
    CHECK(problem.id == "metadata-too-large");
    CHECK(holds(problem.message, "more than 67,108,864 bytes"));
    CHECK(holds(problem.message, "\"text.63\""));  // 64 MiB and the keys: beyond it at the last
}

TEST_CASE("keys are neither empty, too long nor repeated", "[gguf][hostile]") {
    GgufBuilder empty;
    empty.number("", 1);
    CHECK(id(empty) == "invalid-key");
    GgufBuilder longest;
    longest.number(std::string(65'535, 'k'), 1);
    CHECK(id(longest) == "none");
    GgufBuilder longer;
    longer.number(std::string(65'536, 'k'), 1);
    CHECK(message(longer) == "test.gguf: a key of 65,536 bytes at byte 24");
    GgufBuilder twice;
    twice.number("a", 1).number("b", 2).number("a", 1);
    CHECK(id(twice) == "duplicate-key");
    CHECK(message(twice) == "test.gguf: the key \"a\" stands twice, again at byte 58");
    GgufBuilder shown;
    shown.pair(std::string(5'000, 'k'), 13, "");
    CHECK(message(shown).size() < 200);
}

TEST_CASE("values have one of 13 types, truth values one of two", "[gguf][hostile]") {
    GgufBuilder unknown;
    unknown.pair("key", 13, "\0\0\0\0"s);
    CHECK(id(unknown) == "unknown-value-type");
    CHECK(message(unknown) == "test.gguf: the key \"key\" has value type 13 at byte 35");
    GgufBuilder elements;
    elements.array("key", 99, 1, "\0\0\0\0"s);
    CHECK(id(elements) == "unknown-value-type");
    GgufBuilder truth;
    truth.pair("key", gguf::boolean, "\2");
    CHECK(id(truth) == "invalid-boolean");
    GgufBuilder truths;
    truths.array("key", gguf::boolean, 2, "\1\2");
    CHECK(id(truths) == "invalid-boolean");
}

TEST_CASE("lists nest four deep and no deeper", "[gguf][hostile]") {
    const auto nested = [](int depth) {
        std::string value = little_endian(gguf::u8) + little_endian(std::uint64_t{1}) + "x";
        for (int i = 1; i < depth; ++i) {
            value = little_endian(gguf::array) + little_endian(std::uint64_t{1}) + value;
        }
        GgufBuilder builder;
        builder.pair("nested", gguf::array, value);
        return id(builder);
    };
    CHECK(nested(4) == "none");
    CHECK(nested(5) == "too-deep");
    CHECK(nested(100'000) == "too-deep");
}

TEST_CASE("an alignment is a power of two from 8 to 1 MiB", "[gguf][hostile]") {
    const auto aligned = [](std::uint32_t alignment) {
        GgufBuilder builder;
        builder.number("general.alignment", alignment);
        return id(builder);
    };
    for (const std::uint32_t good : {8u, 32u, 1u << 20}) CHECK(aligned(good) == "none");
    for (const std::uint32_t bad : {0u, 1u, 4u, 24u, 33u, 1u << 21, 1u << 31}) {
        CAPTURE(bad);
        CHECK(aligned(bad) == "invalid-alignment");
    }
    GgufBuilder text;
    text.text("general.alignment", "32");
    CHECK(id(text) == "not-a-number");
    GgufBuilder nan;
    nan.pair("general.alignment", gguf::f32, "\0\0\xc0\x7f"s);
    CHECK(id(nan) == "invalid-alignment");
}
