#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flags.hpp"

namespace napkin::cli {
namespace {

constexpr std::size_t width = 80;

std::string spelled(const Flag& flag) {
    std::string text(flag.name.size() == 1 ? "-" : "--");
    text += flag.name;
    if (!flag.value.empty()) text.append(" ").append(flag.value);
    return text;
}

// "  --context LENGTH   tokens in the cache ...", continued under the text.
std::string row(const std::string& left, std::string_view right, std::size_t column) {
    std::string out = "  " + left;
    out += std::string(column > left.size() + 2 ? column - left.size() - 2 : 2, ' ');
    std::size_t at = std::max(column, left.size() + 4);
    while (!right.empty()) {
        const std::size_t end = std::min(right.find(' '), right.size());
        if (at + end > width && at > column) {
            out.erase(out.find_last_not_of(' ') + 1);
            out += "\n" + std::string(column, ' ');
            at = column;
        }
        out += right.substr(0, end);
        at += end;
        right.remove_prefix(std::min(right.size(), end + 1));
        if (!right.empty()) {
            out += ' ';
            ++at;
        }
    }
    return out + "\n";
}

std::string rows_of(std::string_view heading, const std::vector<const Flag*>& flags) {
    constexpr std::size_t column = 28;
    std::string out = fmt::format("\n{}:\n", heading);
    for (const Flag* flag : flags) out += row(spelled(*flag), flag->help, column);
    return out;
}

}  // namespace

std::string overview() {
    std::string out =
        "napkin: the back of an envelope for the hardware side of language models\n\n"
        "  napkin llama-3.1-70b --on 2xh100            the whole envelope\n"
        "  napkin fit llama-3.1-70b --on h100          does it fit? (exit 1: no)\n"
        "  napkin train 70B --on 1024xh100 --tokens 15T   how long, how much\n\n"
        "Commands:\n";
    for (const Command& command : commands()) {
        const bool unnamed = command.name == "envelope";
        out += row(unnamed ? "MODEL --on MACHINE" : std::string(command.name), command.summary, 24);
    }
    out += row("schema [NAME]", "the JSON Schema of preset files", 24);
    out +=
        "\n`napkin COMMAND --help` shows examples and flags. Every command takes --json,\n"
        "--explain, --get KEY and --require 'KEY OP VALUE'. Exit codes: 0 yes, 1 no,\n"
        "2 no answer.\n";
    return out;
}

std::string help_of(const Command& command) {
    std::string out =
        fmt::format("napkin {}: {}\n\nExamples:\n",
                    command.name == "envelope" ? "MODEL" : command.name, command.summary);
    for (const std::string_view example : command.examples) {
        out += fmt::format("  {}\n", example);
    }
    out += fmt::format("\nUsage: napkin {}\n", command.synopsis);
    std::vector<std::string_view> groups;
    for (const std::string_view name : command.flags) {
        const std::string_view group = find_flag(name)->group;
        if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
    }
    for (const std::string_view group : groups) {
        std::vector<const Flag*> flags;
        for (const Flag& flag : all_flags()) {
            const bool taken = std::find(command.flags.begin(), command.flags.end(), flag.name) !=
                               command.flags.end();
            if (taken && flag.group == group) flags.push_back(&flag);
        }
        out += rows_of(group, flags);
    }
    std::vector<const Flag*> common;
    for (const std::string_view name : common_flags()) common.push_back(find_flag(name));
    return out + rows_of("Every command", common);
}

}  // namespace napkin::cli
