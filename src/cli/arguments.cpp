// The one source that includes CLI11.
#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::cli {
namespace {

std::string spelled(std::string_view flag) {
    return (flag.size() == 1 ? "-" : "--") + std::string(flag);
}

std::vector<const Flag*> flags_of(const Command& command) {
    std::vector<const Flag*> flags;
    for (const std::string_view name : command.flags) flags.push_back(find_flag(name));
    for (const std::string_view name : common_flags()) flags.push_back(find_flag(name));
    return flags;
}

const Flag* named(const std::vector<const Flag*>& flags, std::string_view word) {
    for (const Flag* flag : flags) {
        if (word == spelled(flag->name)) return flag;
    }
    return nullptr;
}

Problem problem(std::string id, std::string message, std::string_view flag) {
    return problem_of(std::string(flag), std::move(id), std::move(message));
}

Problem unknown_flag(const std::string& word, const Command& command,
                     const std::vector<const Flag*>& flags) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const Flag* flag : flags) names.push_back(spelled(flag->name));
    Problem found = problem("unknown-flag", "unknown flag '" + name.substr(0, 100) + "'", "");
    found.suggestions = nearest(name, names);
    const Flag* elsewhere = find_flag(
        std::string_view(name).substr(std::min(name.size(), name.find_first_not_of('-'))));
    if (elsewhere != nullptr) {
        found.message = "`napkin " + std::string(command.name) + "` does not take " + name;
        found.suggestions.clear();
    }
    found.hint = "`napkin " + std::string(command.name) + " --help` lists its flags";
    return found;
}

// Joins a flag with its value ("--batch", "-1" -> "--batch=-1"), so that a negative number is
// taken as one, and finds flags that lack theirs.
std::vector<std::string> joined(const std::vector<std::string>& words,
                                const std::vector<const Flag*>& flags,
                                std::vector<Problem>& problems) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const Flag* flag = named(flags, words[i]);
        if (words[i] == "--quiet") {
            out.emplace_back("-q");
        } else if (words[i] == "-h") {
            out.emplace_back("--help");
        } else if (flag == nullptr || flag->value.empty()) {
            const std::size_t equals = words[i].find('=');
            const Flag* valued = named(flags, words[i].substr(0, equals));
            if (equals != std::string::npos && valued != nullptr && valued->value.empty()) {
                const std::string name = words[i].substr(0, equals);
                problems.push_back(problem("unexpected-value", name + " takes no value", name));
                continue;
            }
            out.push_back(words[i]);
        } else if (i + 1 == words.size() || words[i + 1].empty() ||
                   words[i + 1].starts_with("--")) {
            if (i + 1 < words.size() && words[i + 1].empty()) ++i;
            Problem lacking =
                problem("missing-value", std::string(spelled(flag->name)) + " needs a value",
                        spelled(flag->name));
            lacking.expected = std::string(flag->value) + ": " + std::string(flag->help);
            problems.push_back(std::move(lacking));
        } else {
            out.push_back(words[i] + "=" + words[i + 1]);
            ++i;
        }
    }
    return out;
}

std::string environment_name(std::string_view flag) {
    std::string name = "NAPKIN_";
    for (const char c : flag) {
        name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name;
}

}  // namespace

std::optional<std::string> Arguments::get(std::string_view flag) const {
    const auto found = values.find(flag);
    if (found == values.end() || found->second.empty()) return std::nullopt;
    return found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view flag) const {
    const auto found = values.find(flag);
    return found == values.end() ? std::vector<std::string>{} : found->second;
}

Arguments parse(const Command& command, const std::vector<std::string>& words, bool environment) {
    const std::vector<const Flag*> flags = flags_of(command);
    std::vector<Problem> problems;
    std::vector<std::string> line = joined(words, flags, problems);
    std::reverse(line.begin(), line.end());  // CLI11 takes them from the back

    Arguments arguments{.command = &command, .positionals = {}, .values = {}, .from = {}};
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::map<std::string, std::vector<std::string>> values;
    std::map<std::string, bool> switches;
    for (const Flag* flag : flags) {
        const std::string name(flag->name);
        if (flag->value.empty()) {
            app.add_flag(spelled(name), switches[name]);
        } else {
            app.add_option(spelled(name), values[name])->allow_extra_args(false)->take_all();
        }
    }
    try {
        app.parse(line);
    } catch (const CLI::ParseError& error) {
        problems.push_back(problem("bad-arguments", error.what(), ""));
    }
    for (const std::string& word : app.remaining()) {
        if (word.size() > 1 && word.front() == '-' &&
            std::isdigit(static_cast<unsigned char>(word[1])) == 0) {
            problems.push_back(unknown_flag(word, command, flags));
        } else {
            arguments.positionals.push_back(word);
        }
    }
    for (const Flag* flag : flags) {
        const std::string name(flag->name);
        const char* set = environment ? std::getenv(environment_name(name).c_str()) : nullptr;
        const std::string from_outside = set == nullptr ? "" : set;
        if (flag->value.empty()) {
            const bool outside = from_outside == "1" && name != "help";
            if (!switches[name] && !outside) continue;
            arguments.values[name] = {"true"};
            arguments.from[name] = switches[name] ? "flag" : "environment";
            continue;
        }
        if (values[name].size() > 1 && !flag->many) {
            problems.push_back(
                problem("repeated-flag", spelled(name) + " is given twice", spelled(name)));
        }
        if (!values[name].empty()) {
            arguments.values[name] = values[name];
            arguments.from[name] = "flag";
        } else if (!from_outside.empty()) {
            arguments.values[name] = {from_outside};
            arguments.from[name] = "environment";
        }
    }
    // Behind an unknown flag a stray word is most likely its value.
    const bool unknown = std::any_of(problems.begin(), problems.end(),
                                     [](const Problem& one) { return one.id == "unknown-flag"; });
    if (!unknown && arguments.positionals.size() > command.most_positionals) {
        Problem extra = problem(
            "too-many-arguments",
            "unexpected argument '" + arguments.positionals[command.most_positionals] + "'", "");
        extra.expected = "napkin " + std::string(command.synopsis);
        problems.push_back(std::move(extra));
    }
    if (!problems.empty() && !arguments.has("help")) throw Error(std::move(problems));
    return arguments;
}

std::vector<Arguments> combinations(const Arguments& arguments,
                                    const std::vector<std::string>& all_machines) {
    const auto pieces = [](const std::string& text) {
        std::vector<std::string> out;
        std::size_t from = 0;
        while (from <= text.size()) {
            const std::size_t comma = std::min(text.find(',', from), text.size());
            if (comma > from) out.push_back(text.substr(from, comma - from));
            from = comma + 1;
        }
        return out.empty() ? std::vector<std::string>{text} : out;
    };
    std::vector<Arguments> rows{arguments};
    const auto spread = [&](const std::vector<std::string>& choices, auto assign) {
        std::vector<Arguments> next;
        for (const Arguments& row : rows) {
            for (const std::string& choice : choices) {
                next.push_back(row);
                assign(next.back(), choice);
            }
        }
        rows = std::move(next);
    };
    if (!arguments.positionals.empty() && arguments.command->first_is_model) {
        spread(pieces(arguments.positionals[0]),
               [](Arguments& row, const std::string& choice) { row.positionals[0] = choice; });
    }
    for (const Flag& flag : all_flags()) {
        if (!flag.list || !arguments.has(flag.name)) continue;
        std::vector<std::string> choices = pieces(*arguments.get(flag.name));
        if (flag.name == "on" && choices == std::vector<std::string>{"all"}) choices = all_machines;
        spread(choices, [&](Arguments& row, const std::string& choice) {
            row.values[std::string(flag.name)] = {choice};
        });
    }
    return rows;
}

}  // namespace napkin::cli
