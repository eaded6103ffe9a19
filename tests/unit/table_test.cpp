// A table below an answer, in every output format.
#include "report/document.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;
using namespace napkin::report;

namespace {

Value batch(double n) {
    return number(n, "1", Style::whole);
}
Value speed(double rate) {
    return number(rate, "token/s", Style::token_rate);
}

Document answer() {
    Document document{.command = "test", .title = "a title"};
    document.results = {{.key = "best", .value = batch(16), .label = "best"}};
    Table table{.key = "points",
                .columns = {{"batch", "batch"}, {"rate", "rate"}, {"bound", "bound"}, {"id", ""}}};
    table.rows = {{batch(1), speed(24.125), word("memory"), word("a")},
                  {batch(16), speed(380), word("compute"), word("b,c")}};
    document.table = table;
    return document;
}

}  // namespace

TEST_CASE("people see a table under the results, numbers right and words left", "[report]") {
    CHECK(to_text({answer()}, {}) ==
          "a title\n"
          "  best  16\n"
          "  batch          rate  bound\n"
          "      1  24.1 token/s  memory\n"
          "     16   380 token/s  compute\n");
}

TEST_CASE("of marks people see those that are set, machines all", "[report]") {
    Document document{.command = "test", .title = "a title"};
    const auto mark = [](bool set) { return Value{.data = set}; };
    document.table = Table{.key = "points",
                           .columns = {{"batch", "batch"}, {"best", "best"}},
                           .rows = {{batch(1), mark(false)}, {batch(2), mark(true)}}};
    CHECK(to_text({document}, {}) == "a title\n  batch  best\n      1\n      2   yes\n");
    CHECK(to_json(document, {}).find(R"("best":{"value":false})") != std::string::npos);
}

TEST_CASE("columns that do not fit are counted", "[report]") {
    CHECK(to_text({answer()}, {.width = 24}) ==
          "a title\n"
          "  best  16\n"
          "  batch          rate\n"
          "      1  24.1 token/s\n"
          "     16   380 token/s\n"
          "(1 more column: widen the terminal, or use --csv)\n");
}

TEST_CASE("a table is an array of its rows in JSON, with unlabelled members", "[report]") {
    const std::string text = to_json(answer(), {});
    CHECK(text.find(R"("points":[{"batch":{"value":1,"unit":"1"},)"
                    R"("rate":{"value":24.125,"unit":"token/s"},)"
                    R"("bound":{"value":"memory"},"id":{"value":"a"}},)"
                    R"({"batch":{"value":16,"unit":"1"},)") != std::string::npos);
    Document without = answer();
    without.table.reset();
    CHECK(to_json(without, {}).find("points") == std::string::npos);
}

TEST_CASE("CSV has a row for each of the table, the results in each", "[report]") {
    CHECK(to_csv({answer()}) ==
          "model,machine,weights_format,kv_format,activations_format,verdict,best,"
          "points.batch,points.rate,points.bound,points.id\n"
          ",,,,,,16,1,24.125,memory,a\n"
          ",,,,,,16,16,380,compute,\"b,c\"\n");
    Document without = answer();
    without.table.reset();
    const std::string mixed = to_csv({answer(), without});
    CHECK(mixed.find("\n,,,,,,16,,,,\n") != std::string::npos);
}

TEST_CASE("Markdown has the table after the results", "[report]") {
    const std::string text = to_markdown({answer()}, {});
    CHECK(text.find("| best | 16 |  |\n"
                    "\n"
                    "| batch | rate | bound |\n"
                    "|---:|---:|---:|\n"
                    "| 1 | 24.1 token/s | memory |\n") != std::string::npos);
}
