// Transcripts: what a user types and what must appear, as text. The format is told in
// console_test.cpp.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace napkin::test {

using Lines = std::vector<std::string>;

struct Block {
    Lines above{};  // comments, blank lines and directives before the command, as written
    std::string command{};
    Lines expected{};  // as written: stdout, then "! " stderr, then "[exit N]"
    std::size_t line{};
    std::size_t head{};  // compare only so many lines of stdout; 0: all
    bool stdout_only{};
    Conditions conditions{};
};

struct Transcript {
    std::filesystem::path path{};
    std::vector<Block> blocks{};
    Lines below{};  // what follows the last block
};

/// Whatever the tests are started from, answers are asked for under the same conditions.
inline Conditions usual_conditions() {
    return {.environment = {{"XDG_DATA_HOME", "/nonexistent"},
                            {"XDG_DATA_DIRS", "/nonexistent"},
                            {"LC_ALL", "C.UTF-8"},
                            {"TERM", "xterm"},
                            {"NO_COLOR", ""},
                            {"FORCE_COLOR", ""}}};
}

inline std::string without_returns(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
    return text;
}

inline Lines split_lines(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

inline bool is_outside(const std::string& line) {
    return line.starts_with("$ ") || line.starts_with("% ") || line.starts_with("#");
}

inline void direct(Block& block, const std::string& directive) {
    std::istringstream words(directive.substr(2));
    std::string kind;
    words >> kind;
    if (kind == "terminal") {
        block.conditions.terminal = true;
        words >> block.conditions.columns;
    } else if (kind == "env") {
        std::string setting;
        std::getline(words >> std::ws, setting);
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos) throw std::runtime_error("no NAME=VALUE: " + directive);
        block.conditions.environment[setting.substr(0, equals)] = setting.substr(equals + 1);
    } else if (kind == "head") {
        words >> block.head;
    } else if (kind == "stdout") {
        block.stdout_only = true;
    } else {
        throw std::runtime_error("unknown directive: " + directive);
    }
    if (words.fail()) throw std::runtime_error("bad directive: " + directive);
}

inline Transcript read_transcript(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    const Lines lines = split_lines(text.str());
    Transcript transcript{.path = path, .blocks = {}, .below = {}};
    Block next{.conditions = usual_conditions()};
    std::size_t i = 0;
    while (i < lines.size()) {
        const std::string& line = lines[i++];
        if (!line.starts_with("$ ")) {
            if (!line.empty() && !is_outside(line)) {
                throw std::runtime_error(path.string() + ":" + std::to_string(i) +
                                         ": neither comment, directive nor command: " + line);
            }
            if (line.starts_with("% ")) direct(next, line);
            next.above.push_back(line);
            continue;
        }
        next.command = line.substr(2);
        next.line = i;
        while (i < lines.size() && !is_outside(lines[i])) next.expected.push_back(lines[i++]);
        // One blank line parts a block from what follows.
        Lines parting;
        if (!next.expected.empty() && next.expected.back().empty()) {
            next.expected.pop_back();
            parting.emplace_back();
        }
        transcript.blocks.push_back(std::move(next));
        next = Block{.above = std::move(parting), .conditions = usual_conditions()};
    }
    transcript.below = std::move(next.above);
    return transcript;
}

inline std::string escaped(const std::string& line) {
    const bool taken =
        is_outside(line) || line.starts_with("! ") || line.starts_with("[") || line[0] == '\\';
    return taken ? "\\" + line : line;
}

/// The answer in the transcript's own notation.
inline Lines written(const Outcome& outcome, std::size_t head = 0) {
    const std::string out = without_returns(outcome.out);
    Lines lines;
    for (const std::string& line : split_lines(out)) {
        if (head > 0 && lines.size() == head) break;
        lines.push_back(escaped(line));
    }
    for (const std::string& line : split_lines(outcome.err)) lines.push_back("! " + line);
    for (const std::string& stream : {out, outcome.err}) {
        if (!stream.empty() && stream.back() != '\n') lines.emplace_back("[no newline]");
    }
    if (outcome.exit != 0) lines.push_back("[exit " + std::to_string(outcome.exit) + "]");
    return lines;
}

inline Lines answer(const Block& block) {
    std::vector<std::string> words = shell_words(block.command);
    if (words.empty() || words[0] != "napkin") {
        throw std::runtime_error("not a napkin command: " + block.command);
    }
    words.erase(words.begin());
    Conditions conditions = block.conditions;
    if (!conditions.terminal) conditions.environment.try_emplace("COLUMNS", "80");
    Outcome outcome = run_napkin(std::move(words), conditions);
    if (block.stdout_only) outcome.err.clear();
    return written(outcome, block.head);
}

/// "-" expected and missing, "+" came instead, " " as expected: the shortest edit.
inline std::string difference(const Lines& expected, const Lines& actual) {
    const std::size_t n = expected.size();
    const std::size_t m = actual.size();
    std::vector<std::vector<std::size_t>> common(n + 1, std::vector<std::size_t>(m + 1));
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = m; j-- > 0;) {
            common[i][j] = expected[i] == actual[j] ? common[i + 1][j + 1] + 1
                                                    : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::string text;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < n || j < m) {
        if (i < n && j < m && expected[i] == actual[j]) {
            text += "    " + expected[i++] + "\n";
            ++j;
        } else if (i < n && (j == m || common[i + 1][j] >= common[i][j + 1])) {
            text += "  - " + expected[i++] + "\n";
        } else {
            text += "  + " + actual[j++] + "\n";
        }
    }
    return text;
}

inline void write_transcript(const Transcript& transcript) {
    std::ofstream file(transcript.path);
    const auto put = [&](const Lines& lines) {
        for (const std::string& line : lines) file << line << "\n";
    };
    for (const Block& block : transcript.blocks) {
        put(block.above);
        file << "$ " << block.command << "\n";
        put(block.expected);
    }
    put(transcript.below);
}

}  // namespace napkin::test
