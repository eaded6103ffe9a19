// Questions as people ask them: flags in any order, contradictions, what must not be missing.
#include <set>

#include "tests/console/questions.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {
namespace {

TEST_CASE("errors name flags that exist", "[console]") {
    const Outcome outcome = ask("fit llama-3.1-70b --on 8xh100 --tp 2 --dp 2");
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find("--devices") == std::string::npos);
}

// What the contract asks for and napkin does not do yet. Each becomes a plain test once it passes:
// take its tag away then.

TEST_CASE("flags may stand before the model", "[console]") {
    CHECK(ask("fit --on h100 llama-3.1-8b --get verdict").out == "fits\n");
    CHECK(ask("decode --batch 2 llama-3.1-8b --on h100 -q").exit == 0);
}

TEST_CASE("no machines are no machine", "[console]") {
    CHECK(ask("fit llama-3.1-8b --on 0xh100").exit == 2);
}

TEST_CASE("--color takes its three words only", "[console]") {
    CHECK(ask("fit llama-3.1-8b --on h100 --color sometimes").exit == 2);
}

TEST_CASE("--color holds for errors too", "[console]") {
    CHECK_FALSE(colored(ask_in_terminal("fit llama-3.1-8b --on h10O --color never")));
    CHECK(ask("fit llama-3.1-8b --on h10O --color always").err.find('\x1b') != std::string::npos);
}

TEST_CASE("a size fits over more devices than one domain has", "[console]") {
    // 405e9 x 2 B / 16 = 50.6 GB beside 8.55 GB of reserve on each of 16 H100.
    CHECK(ask("fit 405B --on 16xh100 --context 0").exit == 0);
    CHECK(ask("fit 671B:37B --on nxh100 --weights fp8 --context 0").exit == 0);
}

TEST_CASE("a full disk is an error", "[console]") {
    const Outcome outcome = run({"/bin/sh", "-c", NAPKIN_BINARY " gpu > /dev/full"});
    CHECK(outcome.exit == 2);
}

TEST_CASE("rows of a list of formats can be told apart in CSV", "[console]") {
    const std::vector<std::string> rows =
        lines_of(ask("fit llama-3.1-8b --on h100 --weights fp8,int4 --csv").out);
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].find("fp8") != std::string::npos);
    CHECK(rows[2].find("int4") != std::string::npos);
}

TEST_CASE("every input that was given or defaulted is in JSON", "[console]") {
    const json roofline = json::parse(ask("roofline --on h100 --intensity 100 --json").out);
    CHECK(roofline.at("inputs").contains("intensity"));
    const json goodput =
        json::parse(ask("goodput --on 8xh100 --checkpoint-stall 60s --restart 5min --json").out);
    CHECK(goodput.at("inputs").contains("interval_rule"));
}

TEST_CASE("a ceiling of one sequence through a pipeline is the sum of its stages", "[console]") {
    // 139.006 GB of weights and 2.684 GB of cache pass 3.35 TB/s once, on whichever device they
    // are.
    const Outcome outcome =
        ask("decode llama-3.1-70b --on 8xh100 --pp 8 --get tokens_per_second_per_user");
    CHECK(std::strtod(outcome.out.c_str(), nullptr) >= 3.35e12 / (139.007e9 + 2.685e9));
}

TEST_CASE("columns of a band are no wider than the terminal", "[console]") {
    const std::string line = "train llama-3.1-405b --on 16384xh100 --tokens 15.6T";
    for (const std::string& row : lines_of(ask(line, {{"COLUMNS", "60"}, {"LC_ALL", "C"}}).out)) {
        CHECK(row.size() <= 60);
    }
}

TEST_CASE("a remark stands apart from its bar", "[console]") {
    const Outcome outcome =
        ask("fit llama-3.1-70b --on 8xh100 --context 128k --batch 8", {{"LC_ALL", "C"}});
    CHECK(outcome.out.find("#8 sequences") == std::string::npos);
}

TEST_CASE("the values of all flags are checked, whatever else is wrong", "[console]") {
    const Outcome outcome = ask("fit nosuch --on h100 --context -5");
    CHECK(outcome.err.find("--context cannot be '-5'") != std::string::npos);
}

TEST_CASE("a claim of two works or of two durations is refused", "[console]") {
    CHECK(ask("claim llama-3.1-8b --on h100 --tokens 1T --flops 1e24 --days 3").exit == 2);
    CHECK(ask("claim llama-3.1-8b --on h100 --tokens 1T --days 3000 --device-hours 5").exit == 2);
}

TEST_CASE("a training run of a size says that it counts states only", "[console]") {
    CHECK(ask("train 70B --on 64xh100 --tokens 1T").err.find("states only") != std::string::npos);
}

}  // namespace
}  // namespace napkin::test
