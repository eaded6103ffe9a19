// Nothing but the named settings changes an answer: colour, locale, width.
#include <cstdlib>
#include <set>

#include "tests/console/questions.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {
namespace {

TEST_CASE("--color beats FORCE_COLOR beats NO_COLOR beats TERM beats the terminal", "[console]") {
    const std::string line = "fit llama-3.1-8b --on h100";
    CHECK(colored(ask_in_terminal(line)));
    CHECK_FALSE(colored(ask(line)));

    CHECK_FALSE(colored(ask_in_terminal(line, {{"TERM", "dumb"}})));
    CHECK_FALSE(colored(ask_in_terminal(line, {{"NO_COLOR", "1"}})));
    CHECK_FALSE(colored(ask(line, {{"NO_COLOR", "1"}, {"TERM", "xterm"}})));

    CHECK(colored(ask(line, {{"FORCE_COLOR", "1"}})));
    CHECK(colored(ask(line, {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}, {"TERM", "dumb"}})));
    CHECK_FALSE(colored(ask_in_terminal(line, {{"FORCE_COLOR", "0"}})));

    CHECK_FALSE(colored(ask_in_terminal(line + " --color never", {{"FORCE_COLOR", "1"}})));
    CHECK(colored(ask(line + " --color always", {{"NO_COLOR", "1"}, {"TERM", "dumb"}})));
    CHECK(colored(ask_in_terminal(line + " --color auto")));
    CHECK_FALSE(colored(ask(line + " --color auto")));
}

TEST_CASE("colour is never the only carrier of meaning", "[console]") {
    for (const char* line : {"fit llama-3.1-8b --on h100", "fit llama-3.1-70b --on h100",
                             "decode llama-3.1-8b --on h100 --require 'tokens_per_second >= 300'",
                             "claim --flops 3.14e23 --on 1024xa100 --days 34"}) {
        DYNAMIC_SECTION(line) {
            std::string text = ask(std::string(line) + " --color always").out;
            while (text.find('\x1b') != std::string::npos) {
                const std::size_t from = text.find('\x1b');
                text.erase(from, text.find('m', from) + 1 - from);
            }
            CHECK(text == ask(line).out);
        }
    }
}

TEST_CASE("machine output knows no colour, width or locale", "[console][json]") {
    const std::vector<Environment> surroundings{{{"NO_COLOR", "1"}},
                                                {{"FORCE_COLOR", "1"}},
                                                {{"COLUMNS", "40"}},
                                                {{"COLUMNS", "200"}},
                                                {{"LC_ALL", "C"}},
                                                {{"LC_ALL", "de_DE.UTF-8"}},
                                                {{"LC_NUMERIC", "de_DE.UTF-8"}, {"LC_ALL", ""}},
                                                {{"TERM", "dumb"}},
                                                {{"TZ", "Asia/Tokyo"}},
                                                {{"HOME", "/nonexistent"}}};
    for (const char* line :
         {"fit llama-3.1-70b --on 2xh100 --json", "gpu h100 --csv",
          "fit llama-3.1-8b,llama-3.1-70b --on h100 --markdown",
          "decode llama-3.1-8b --on h100 --get tokens_per_second,bound", "numbers --json"}) {
        DYNAMIC_SECTION(line) {
            const std::string usual = ask(line).out;
            CHECK_FALSE(usual.empty());
            for (const Environment& environment : surroundings) {
                INFO(environment.begin()->first << "=" << environment.begin()->second);
                CHECK(ask(line, environment).out == usual);
            }
            // A terminal puts a carriage return before every end of line; CSV has its own.
            CHECK(without_returns(ask_in_terminal(line).out) == without_returns(usual));
        }
    }
}

TEST_CASE("human output keeps to ASCII where the locale knows no more", "[console]") {
    for (const Question& question : questions()) {
        DYNAMIC_SECTION(question.line) {
            for (const char c : ask(question.line, {{"LC_ALL", "C"}}).out) {
                REQUIRE(static_cast<unsigned char>(c) < 128);
            }
        }
    }
}

TEST_CASE("no human line is wider than asked for", "[console]") {
    const auto width = [](const std::string& line) {
        return std::count_if(line.begin(), line.end(),
                             [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    };
    for (const Question& question : questions()) {
        for (const char* columns : {"60", "80", "120"}) {
            DYNAMIC_SECTION(question.line << " in " << columns) {
                for (const std::string& line :
                     lines_of(ask(question.line, {{"COLUMNS", columns}}).out)) {
                    INFO(line);
                    CHECK(width(line) <= std::atoi(columns));
                }
            }
        }
    }
}

TEST_CASE("schemas are JSON and name themselves", "[console][json]") {
    const std::vector<std::string> names = lines_of(ask("schema").out);
    CHECK(names.size() >= 6);
    for (const std::string& name : names) {
        DYNAMIC_SECTION(name) {
            const json schema = json::parse(ask("schema " + name).out);
            CHECK(schema.at("$schema").is_string());
            CHECK(schema.at("title").is_string());
            CHECK(schema.value("$id", name + ".schema.json") == name + ".schema.json");
        }
    }
}

}  // namespace
}  // namespace napkin::test
