// The command line as given, before anything is looked up.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace napkin::cli {

struct Command;

/// Raw arguments of one question: flag texts, and whether each came from the command line or from
/// a NAPKIN_* variable.
struct Arguments {
    const Command* command{};
    std::vector<std::string> positionals{};
    std::map<std::string, std::vector<std::string>, std::less<>> values{};
    std::map<std::string, std::string, std::less<>> from{};

    [[nodiscard]] bool has(std::string_view flag) const { return values.contains(flag); }
    [[nodiscard]] std::optional<std::string> get(std::string_view flag) const;
    [[nodiscard]] std::vector<std::string> all(std::string_view flag) const;
};

/// Parses what follows the command's name. What no flag says, a NAPKIN_* variable may (switches:
/// 1), unless `environment` is false. Throws `Error` with everything that is wrong.
[[nodiscard]] Arguments parse(const Command& command, const std::vector<std::string>& words,
                              bool environment = true);

/// One question for each combination of values in its lists (MODEL, --on and formats).
[[nodiscard]] std::vector<Arguments> combinations(const Arguments& arguments,
                                                  const std::vector<std::string>& all_machines);

}  // namespace napkin::cli
