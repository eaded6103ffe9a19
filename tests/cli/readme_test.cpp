// The README's transcripts are answers of today: each console block is run and compared to the
// letter, standard output first, then standard error. NAPKIN_UPDATE_TRANSCRIPTS=1 rewrites them.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

using napkin::test::Outcome;

const std::string path = NAPKIN_SOURCE_DIR "/README.md";
const std::string fence = "```";
const std::string prompt = "$ napkin ";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string text_of_readme() {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> answer_to(const std::string& command) {
    const napkin::test::Conditions conditions{.environment = {{"COLUMNS", "80"},
                                                              {"LC_ALL", "C.UTF-8"},
                                                              {"XDG_DATA_HOME", "/nonexistent"},
                                                              {"XDG_DATA_DIRS", "/nonexistent"}},
                                              .input = {},
                                              .terminal = false,
                                              .columns = 80};
    std::vector<std::string> words = napkin::test::shell_words(command.substr(prompt.size()));
    for (std::string& word : words) {  // a reader stands in the checkout
        if (word.rfind("examples/", 0) == 0) word = NAPKIN_SOURCE_DIR "/" + word;
    }
    const Outcome outcome = napkin::test::run_napkin(words, conditions);
    return lines_of(outcome.out + outcome.err);
}

}  // namespace

TEST_CASE("every transcript of the README is what the command prints") {
    const char* set = std::getenv("NAPKIN_UPDATE_TRANSCRIPTS");
    const bool update = set != nullptr && std::string(set) == "1";
    std::vector<std::string> written;
    std::size_t transcripts = 0;
    const std::vector<std::string> lines = lines_of(text_of_readme());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        written.push_back(lines[i]);
        if (lines[i] != fence + "console") continue;
        std::vector<std::string> expected;
        const std::string& command = lines[++i];
        REQUIRE(command.substr(0, prompt.size()) == prompt);
        written.push_back(command);
        for (++i; i < lines.size() && lines[i] != fence; ++i) expected.push_back(lines[i]);
        const std::vector<std::string> actual = answer_to(command);
        ++transcripts;
        CAPTURE(command);
        if (!update) CHECK(expected == actual);
        written.insert(written.end(), actual.begin(), actual.end());
        written.push_back(fence);
    }
    CHECK(transcripts >= 10);
    if (!update) return;
    std::ofstream out(path);
    for (const std::string& line : written) out << line << "\n";
}

TEST_CASE("the README stays within 100 columns and names no flag that does not exist") {
    bool in_block = false;
    for (const std::string& line : lines_of(text_of_readme())) {
        CAPTURE(line);
        if (line.rfind(fence, 0) == 0) in_block = !in_block;
        CHECK((in_block || line.size() <= 100));
    }
    const Outcome help = napkin::test::run_napkin({"fit", "--help"});
    for (const std::string flag : {"--require", "--set", "--presets", "--get", "--strict"}) {
        CHECK(help.out.find(flag) != std::string::npos);
    }
}
