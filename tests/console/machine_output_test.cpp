// What scripts read keeps the contract's shape: JSON, CSV, --get, errors.
#include <set>

#include "tests/console/questions.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {
namespace {

const std::set<std::string> base_units{"B",       "s",   "token/s", "FLOP",   "FLOP/s", "B/s",
                                       "FLOP/B",  "USD", "J",       "W",      "1",      "token",
                                       "B/token", "bit", "1/s",     "J/token"};

void check_result(const json& result) {
    REQUIRE(result.contains("value"));
    const json& value = result.at("value");
    CHECK((value.is_number() || value.is_string()));
    if (value.is_number()) {
        REQUIRE(result.contains("unit"));
        CHECK(base_units.count(result.at("unit").get<std::string>()) == 1);
    }
    if (!result.contains("expected")) return;
    for (const char* level : {"worst", "typical", "best"}) {
        CHECK(result.at("expected").at(level).is_number());
    }
}

TEST_CASE("JSON has the members of the contract for every command", "[console][json]") {
    for (const Question& question : questions()) {
        DYNAMIC_SECTION(question.line) {
            const Outcome outcome = ask(question.line + " --json");
            CHECK(lines_of(outcome.out).size() == 1);
            CHECK(outcome.out.back() == '\n');
            const json answer = json::parse(outcome.out);
            CHECK(answer.at("schema") == "napkin/1");
            CHECK(answer.at("command") == question.command);
            CHECK(answer.at("version").at("napkin").is_string());
            CHECK((answer.at("verdict").is_string() || answer.at("verdict").is_null()));
            CHECK(answer.at("inputs").is_object());
            CHECK(answer.at("results").is_object());
            CHECK(answer.at("terms").is_array());
            CHECK(answer.at("checks").is_array());
            CHECK(answer.at("notes").is_array());
            for (const std::string& key : question.keys) {
                INFO(key);
                CHECK(answer.at("results").contains(key));
            }
            for (const auto& [key, result] : answer.at("results").items()) {
                INFO(key);
                check_result(result);
            }
            for (const auto& [key, input] : answer.at("inputs").items()) {
                INFO(key);
                CHECK(input.contains("from"));
            }
        }
    }
}

TEST_CASE("--get prints what JSON says, bare", "[console][json]") {
    for (const Question& question : questions()) {
        DYNAMIC_SECTION(question.line) {
            const json answer = json::parse(ask(question.line + " --json").out);
            std::string keys;
            for (const std::string& key : question.keys) keys += (keys.empty() ? "" : ",") + key;
            const std::vector<std::string> got =
                lines_of(ask(question.line + " --get " + keys).out);
            REQUIRE(got.size() == question.keys.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
                INFO(question.keys[i]);
                const json& value = answer.at("results").at(question.keys[i]).at("value");
                if (value.is_string()) {
                    CHECK(got[i] == value.get<std::string>());
                } else {
                    // The shortest form reads back exactly: equal doubles, not near ones.
                    CHECK(std::strtod(got[i].c_str(), nullptr) == value.get<double>());
                }
            }
        }
    }
}

TEST_CASE("a plan that does not fit has no rates among its results", "[console][json]") {
    const Outcome outcome = ask("decode llama-3.1-70b --on h100 --context 0 --json");
    CHECK(outcome.exit == 1);
    const json answer = json::parse(outcome.out);
    CHECK(answer.at("verdict") == "does-not-fit");
    CHECK_FALSE(answer.at("results").contains("tokens_per_second"));
    CHECK(answer.at("results").at("margin").at("value").get<double>() < 0);
    // 69,503,033,344 weights of 2 B over 3.35 TB/s, and next to nothing beside them.
    const json& rate = answer.at("if_it_fit").at("tokens_per_second");
    CHECK(rate.get<double>() == Approx(3.35e12 / (2 * 69503033344.0)).epsilon(1e-4));
    const json small = json::parse(ask("decode llama-3.1-8b --on h100 --json").out);
    CHECK_FALSE(small.contains("if_it_fit"));
}

TEST_CASE("lists are one JSON object a line", "[console][json]") {
    const Outcome outcome = ask("fit llama-3.1-8b,llama-3.1-70b --on h100,h200 --json");
    CHECK(outcome.exit == 0);
    const std::vector<std::string> rows = lines_of(outcome.out);
    REQUIRE(rows.size() == 4);
    for (const std::string& row : rows) CHECK(json::parse(row).at("command") == "fit");
    CHECK(json::parse(rows[0]).at("verdict") == "fits");
    CHECK(json::parse(rows[3]).at("verdict") == "does-not-fit");
}

TEST_CASE("every accelerator and model answers in JSON and CSV", "[console][json]") {
    for (const char* list : {"gpu", "model", "numbers"}) {
        DYNAMIC_SECTION(list) {
            const std::vector<std::string> rows = lines_of(ask(std::string(list) + " --json").out);
            CHECK(rows.size() > 10);
            for (const std::string& row : rows) CHECK(json::parse(row).at("schema") == "napkin/1");
            const std::vector<std::string> table = lines_of(ask(std::string(list) + " --csv").out);
            CHECK(table.size() == rows.size() + 1);
        }
    }
}

TEST_CASE("errors with --json are on stdout too, all of them", "[console][json]") {
    const Outcome outcome = ask("fit nosuch --on h10O --batch 0 --weights foo --json");
    CHECK(outcome.exit == 2);
    const json answer = json::parse(outcome.out);
    CHECK(answer.at("schema") == "napkin/1");
    REQUIRE(answer.at("errors").is_array());
    CHECK(answer.at("errors").size() == 4);
    for (const json& error : answer.at("errors")) {
        CHECK(error.at("id").is_string());
        CHECK(error.at("message").is_string());
        CHECK(error.at("where").is_object());
        CHECK(error.contains("expected"));
        CHECK(error.at("suggestions").is_array());
    }
    CHECK(outcome.err.find("napkin: error: ") == 0);
}

TEST_CASE("checks of requirements are in JSON", "[console][json]") {
    const Outcome outcome = ask("fit llama-3.1-8b --on h100 --require 'margin >= 60GiB' --json");
    CHECK(outcome.exit == 1);
    const json answer = json::parse(outcome.out);
    CHECK(answer.at("verdict") == "misses");
    REQUIRE(answer.at("checks").size() == 1);
    CHECK(answer.at("checks").at(0).at("met") == false);
}

}  // namespace
}  // namespace napkin::test
