// Runs the command as a user's shell would, through a pipe or in a pseudo-terminal.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace napkin::test {

struct Outcome {
    int exit{};  // 128 + signal if one ended it
    std::string out{};
    std::string err{};  // empty in a pseudo-terminal, where both are one stream
};

struct Conditions {
    std::map<std::string, std::string> environment{};  // added to the test's own
    std::string input{};
    bool terminal{};  // a pseudo-terminal of `columns` instead of pipes
    unsigned short columns{80};
};

/// `words[0]` is a path or a name on PATH. Bounded: a run of over 60 seconds is killed.
[[nodiscard]] Outcome run(const std::vector<std::string>& words, const Conditions& conditions = {});

/// Runs napkin with these arguments.
[[nodiscard]] Outcome run_napkin(std::vector<std::string> arguments,
                                 const Conditions& conditions = {});

/// Splits as a POSIX shell does for plain words, 'single' and "double" quotes.
[[nodiscard]] std::vector<std::string> shell_words(const std::string& line);

}  // namespace napkin::test
