#include "napkin/diagnostic.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace napkin;

using Names = std::vector<std::string>;

TEST_CASE("names are compared by letters and digits alone", "[diagnostic]") {
    CHECK(normalized("H100-SXM") == "h100sxm");
    CHECK(normalized("h100 sxm") == "h100sxm");
    CHECK(normalized("Meta-Llama-3.1/8B_Instruct") == "metallama318binstruct");
    CHECK(normalized("") == "");
    CHECK(normalized("--- ...") == "");
    CHECK(normalized("caf\xc3\xa9") == "caf");  // nothing beyond ASCII
    CHECK(normalized(normalized("A100 SXM 80GB")) == normalized("A100 SXM 80GB"));
}

TEST_CASE("a slip of the finger finds the name that was meant", "[diagnostic]") {
    const Names models{"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "qwen3-4b",
                       "mixtral-8x7b"};
    const auto first = [&](const char* name) {
        const Names found = nearest(name, models);
        return found.empty() ? std::string() : found.front();
    };
    CHECK(first("lama-3.1-70b") == "llama-3.1-70b");     // dropped
    CHECK(first("llama-3.1-07b") == "llama-3.1-70b");    // swapped
    CHECK(first("llamma-3.1-8b") == "llama-3.1-8b");     // doubled
    CHECK(first("llama-3.1-4O5b") == "llama-3.1-405b");  // a letter for a digit
    CHECK(first("LLAMA 3.1 8B") == "llama-3.1-8b");      // another spelling
    CHECK(first("mixtral") == "mixtral-8x7b");           // the beginning of it
}

TEST_CASE("'h10O' suggests h100 and h200", "[diagnostic]") {
    // "Human output": the example of an error.
    const Names found = nearest("h10O", {"mi300x", "h200", "rtx-4090", "h100", "a100-sxm-80gb"});
    CHECK(found == Names{"h100", "h200"});
}

TEST_CASE("what is far off is not suggested", "[diagnostic]") {
    const Names parts{"h100", "h200", "mi300x", "rtx-4090"};
    CHECK(nearest("tpu-v5p", parts).empty());
    CHECK(nearest("completely-different", parts).empty());
    CHECK(nearest("", parts).empty());
    CHECK(nearest("---", parts).empty());
    CHECK(nearest("h100", {}).empty());
}

TEST_CASE("at most three suggestions, the nearest first, each once", "[diagnostic]") {
    const Names found = nearest(
        "model-10", {"model-12", "model-11", "model-10", "model-10", "model-13", "model-1"});
    REQUIRE(found.size() == 3);
    CHECK(found.front() == "model-10");
    CHECK(std::count(found.begin(), found.end(), "model-10") == 1);
}

TEST_CASE("equally near names keep the order of the list", "[diagnostic]") {
    CHECK(nearest("decode1", {"decode2", "decode3"}) == Names{"decode2", "decode3"});
    CHECK(nearest("decode1", {"decode3", "decode2"}) == Names{"decode3", "decode2"});
}

TEST_CASE("a hostile name is answered, not a burden", "[diagnostic]") {
    const std::string endless(1'000'000, 'x');
    CHECK(nearest(endless, {"h100", "h200"}).empty());
    CHECK(nearest("h100", {endless, "h100"}) == Names{"h100"});
}

TEST_CASE("an error carries every problem and names them all", "[diagnostic]") {
    const Error error(std::vector<Problem>{
        {.id = "unknown-model", .message = "unknown model 'x'", .where = {.flag = "MODEL"}},
        {.id = "unknown-accelerator", .message = "unknown accelerator 'y'"}});
    REQUIRE(error.problems.size() == 2);
    CHECK(error.problems[0].where.flag == "MODEL");
    CHECK(error.problems[1].where.line == 0);
    const std::string text = error.what();
    CHECK(text.find("unknown model 'x'") != std::string::npos);
    CHECK(text.find("unknown accelerator 'y'") != std::string::npos);
}

TEST_CASE("an error of one problem is that problem", "[diagnostic]") {
    const Error error(Problem{.id = "bad-value", .message = "expected a number"});
    REQUIRE(error.problems.size() == 1);
    CHECK(error.problems.front().id == "bad-value");
    CHECK(std::string(error.what()) == "expected a number");
}
