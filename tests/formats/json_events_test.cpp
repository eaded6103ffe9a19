#include "json/events.hpp"

#include "tests/support/problems.hpp"

using namespace napkin;

namespace {

/// Writes down what it is told, each with its offset.
class Recorder : public json::Events {
  public:
    void begin_object(std::size_t at) override { add("{", at); }
    void end_object(std::size_t at) override { add("}", at); }
    void begin_array(std::size_t at) override { add("[", at); }
    void end_array(std::size_t at) override { add("]", at); }
    void key(std::string_view name, std::size_t at) override {
        add("key " + std::string(name), at);
    }
    void string(std::string_view text, std::size_t at) override { add(std::string(text), at); }
    void number(const json::Number& number, std::size_t) override { numbers.push_back(number); }
    void boolean(bool value, std::size_t at) override { add(value ? "true" : "false", at); }
    void null(std::size_t at) override { add("null", at); }

    std::string told{};
    std::vector<json::Number> numbers{};

  private:
    void add(const std::string& what, std::size_t at) {
        told += (told.empty() ? "" : " | ") + what + " " + std::to_string(at);
    }
};

std::string told_of(const std::string& text) {
    Recorder recorder;
    json::scan({"t", text}, recorder);
    return recorder.told;
}

std::optional<std::uint64_t> whole(const std::string& text) {
    Recorder recorder;
    json::scan({"t", text}, recorder);
    return recorder.numbers.at(0).whole;
}

Problem refused(const std::string& text, std::size_t longest = 1 << 20) {
    return test::problem_of([&] {
        Recorder recorder;
        json::scan({"t", text}, recorder, longest);
        return 0;
    });
}

}  // namespace

TEST_CASE("events come in the order of the text with the offset of their last character") {
    CHECK(
        told_of(R"({"a": [true, null], "b": {"c": "d"}})") ==
        "{ 0 | key a 3 | [ 6 | true 10 | null 16 | ] 17 | key b 22 | { 25 | key c 28 | d 33 | } 34 "
        "| } 35");
}

TEST_CASE("whole numbers are exact to 2^64 - 1, others are not whole") {
    CHECK(whole("18446744073709551615") == 18446744073709551615ULL);
    CHECK(whole("9007199254740993") == 9007199254740993ULL);  // 2^53 + 1 is no double
    CHECK(whole("0") == 0U);
    for (const std::string text : {"18446744073709551616", "1.0", "1e3", "-1", "-0", "0.5"}) {
        CAPTURE(text);
        CHECK_FALSE(whole(text).has_value());
    }
}

TEST_CASE("numbers carry their value") {
    Recorder recorder;
    json::scan({"t", "[-2.5e3, 7, -3]"}, recorder);
    REQUIRE(recorder.numbers.size() == 3);
    CHECK(recorder.numbers[0].value == -2500);
    CHECK(recorder.numbers[1].value == 7);
    CHECK(recorder.numbers[2].value == -3);
}

TEST_CASE("a key that stands twice in an object is refused where it stands again") {
    const Problem problem = refused("{\"a\": 1,\n\"b\": {\"a\": 2}, \"a\": 3, \"a\": 4}");
    CHECK(problem.id == "duplicate-key");
    CHECK(problem.where.line == 2);
    CHECK(problem.where.column == 18);
    CHECK(refused(R"({"a": 1, "\u0061": 2})").id == "duplicate-key");
    CHECK(refused(R"({"\n": 1, "\u000a": 2})").id == "duplicate-key");
    CHECK(refused(R"({"": 1, "": 2})").id == "duplicate-key");
    CHECK(refused(R"([{"x": [{"a": 1, "a": 2}]}])").id == "duplicate-key");
}

TEST_CASE("equal keys of different objects are fine, and so are keys that end alike") {
    CHECK_NOTHROW(told_of(R"({"a": {"a": {"a": 1}}, "b": {"a": 1}, "ba": 0, "\"a": 1, "\\": 0})"));
}

TEST_CASE("nesting ends at 64 levels, of lists and of objects") {
    const auto lists = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    CHECK_NOTHROW(told_of(lists(64)));
    const Problem problem = refused(lists(65));
    CHECK(problem.id == "too-deep");
    CHECK(problem.where.column == 65);
    std::string objects;
    for (int i = 0; i < 65; ++i) objects += "{\"a\":";
    CHECK(refused(objects).id == "too-deep");
}

TEST_CASE("what is no JSON is refused at its place, with little of it in the message") {
    CHECK(refused("").id == "invalid-json");
    CHECK(refused("{\"a\": 1,}").where.column == 9);
    CHECK(refused("\"\xed\xa0\x80\"").id == "invalid-json");
    CHECK(refused("[1e999]").message == "not valid JSON: number overflow parsing '1e999'");
    CHECK(refused("[1").message.starts_with("not valid JSON: syntax error while parsing array"));
    CHECK(refused(std::string("[]\0", 3)).id == "invalid-json");
    CHECK(refused(std::string("[]\0x", 4)).where.column == 3);
    std::string open = "\"";
    open.append(100000, 'x');
    CHECK(refused(open).message.size() < 400);
    CHECK(refused("[1, 2]", 5).id == "file-too-large");
}

TEST_CASE("the tree is built from the same events") {
    const json::Value tree = json::parse({"t", R"({"a": [1, -0.5, "x"], "b": {"c": null}})"});
    CHECK(json::write(tree) == R"({"a":[1,-0.5,"x"],"b":{"c":null}})");
    CHECK(tree.at("a").offset == 6);
    CHECK(tree.find("b")->key_offset == 24);
    CHECK(json::parse({"t", "-0"}).string == "-0");
}
