#include "cli/run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/answers.hpp"
#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/help.hpp"
#include "cli/requirements.hpp"
#include "cli/resolve.hpp"
#include "cli/terminal.hpp"
#include "cli/user_presets.hpp"
#include "report/columns.hpp"

namespace napkin::cli {
namespace {

constexpr int yes = 0;
constexpr int no = 1;
constexpr int no_answer = 2;

// A reader that has gone away (napkin gpu | head) is its own business; a full disk is an error.
void print(std::FILE* stream, const std::string& text) {
    errno = 0;
    const bool written =
        std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
    if (written || errno == EPIPE || stream != stdout) return;
    throw Error(
        problem_of("", "unwritable-output",
                   std::string("the answer could not be written: ") + std::strerror(errno)));
}

void check_color(const Arguments& arguments) {
    const std::string text = arguments.get("color").value_or("auto");
    if (text == "auto" || text == "always" || text == "never") return;
    throw Error(problem_of("--color", "bad-value",
                           "--color cannot be '" + text.substr(0, 100) + "'",
                           "auto, always or never"));
}

Level level_of(const Arguments& arguments) {
    const std::string text = arguments.get("at").value_or("ceiling");
    if (text == "ceiling") return Level::ceiling;
    if (text == "worst") return Level::worst;
    if (text == "typical") return Level::typical;
    if (text == "best") return Level::best;
    Problem wrong = problem_of("--at", "bad-value", "--at cannot be '" + text.substr(0, 100) + "'",
                               "ceiling, worst, typical or best");
    wrong.suggestions = nearest(text, {"ceiling", "worst", "typical", "best"});
    throw Error(wrong);
}

// A band that nothing is known of is not filled in with the ceiling.
void check_level(const std::vector<report::Document>& answers, Level level) {
    if (level == Level::ceiling) return;
    for (const report::Document& answer : answers) {
        const auto banded = [](const report::Result& result) {
            return result.expected.has_value();
        };
        if (std::any_of(answer.results.begin(), answer.results.end(), banded)) return;
    }
    throw Error(problem_of("--at", "no-band",
                           "no expected values are known for this answer: it is exact or a ceiling",
                           "--at ceiling"));
}

std::string rendered(const std::vector<report::Document>& answers, const Arguments& arguments,
                     Level level) {
    const Terminal terminal = standard_output(arguments.get("color").value_or("auto"));
    const report::Options options{.width = terminal.width,
                                  .unicode = terminal.unicode,
                                  .color = terminal.color,
                                  .explain = arguments.has("explain")};
    std::string out;
    if (const auto keys = arguments.get("get")) {
        for (const report::Document& answer : answers) out += values_of(answer, *keys, level);
        return out;
    }
    if (arguments.has("q")) {
        for (const report::Document& answer : answers) {
            const bool has = answer.find(answer.primary) != nullptr;
            if (has) out += values_of(answer, answer.primary, level);
        }
        return out;
    }
    if (arguments.has("json")) {
        for (const report::Document& answer : answers) out += report::to_json(answer, options);
        return out;
    }
    if (arguments.has("csv")) return report::printable(report::to_csv(answers));
    if (arguments.has("markdown")) return report::printable(report::to_markdown(answers, options));
    return report::printable(report::to_text(answers, options));
}

// Notes once each, warnings named as such; of many of one kind the first, and how many follow.
// Returns whether there was a warning.
bool print_notes(const std::vector<report::Document>& answers, bool quiet) {
    constexpr std::size_t most_of_a_kind = 2;
    std::vector<std::string> seen;
    std::vector<std::pair<std::string, std::size_t>> kinds;
    bool warned = false;
    const bool many = answers.size() > 1;
    for (const report::Document& answer : answers) {
        for (const Note& note : answer.notes) {
            warned = warned || note.warning;
            if (std::find(seen.begin(), seen.end(), note.message) != seen.end()) continue;
            seen.push_back(note.message);
            auto kind = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const auto& one) { return one.first == note.id; });
            if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {note.id, 0});
            if (quiet || note.in_answer || ++kind->second > most_of_a_kind) continue;
            print(stderr,
                  report::printable(std::string("napkin: ")
                                        .append(note.warning ? "warning: " : "note: ")
                                        .append(many && note.warning ? answer.row + ": " : "")
                                        .append(note.message) +
                                    "\n"));
        }
    }
    for (const auto& [id, count] : kinds) {
        if (quiet || count <= most_of_a_kind) continue;
        print(stderr, "napkin: note: " + std::to_string(count - most_of_a_kind) +
                          " more like it (" + id + ")\n");
    }
    return warned;
}

int answer(const Arguments& arguments) {
    const int formats = static_cast<int>(arguments.has("json")) +
                        static_cast<int>(arguments.has("csv")) +
                        static_cast<int>(arguments.has("markdown"));
    if (formats > 1) {
        throw Error(problem_of("", "two-formats",
                               "--json, --csv and --markdown exclude one another", "one of them"));
    }
    Catalog catalog;
    add_user_presets(catalog, arguments);
    const Level level = level_of(arguments);
    check_color(arguments);
    std::vector<report::Document> answers = answers_to(arguments, catalog);
    check_level(answers, level);
    for (report::Document& one : answers) {
        hold(one, arguments.all("require"), level, arguments.has("at"));
    }
    print(stdout, rendered(answers, arguments, level));
    const bool warned = print_notes(answers, arguments.has("q") || arguments.has("json"));
    const bool strict = arguments.has("strict");
    const bool all_yes = std::all_of(answers.begin(), answers.end(),
                                     [](const report::Document& one) { return one.yes; });
    const bool held = !arguments.all("require").empty();
    const bool list = answers.size() != 1 || !answers.front().row.empty();
    if (strict && warned) return no;
    if (list && !strict && !held) return yes;
    return all_yes ? yes : no;
}

int schema(const std::vector<std::string>& words) {
    const Catalog catalog;
    std::vector<std::string> names;
    for (const std::string& word : words) {
        if (!word.starts_with('-')) names.push_back(word);
    }
    if (names.size() > 1) {
        throw Error(problem_of("", "too-many-arguments", "unexpected argument '" + names[1] + "'",
                               "napkin schema [NAME]"));
    }
    if (names.empty()) names = catalog.ids(PresetKind::schema);
    const bool list = names.size() != 1;
    for (const std::string& name : names) {
        print(stdout, (list ? name : catalog.schema(name)) + "\n");
    }
    return yes;
}

// Where the command or model stands: the first word that is no flag and no flag's value.
std::size_t first_plain(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!words[i].starts_with('-')) return i;
        const Flag* flag = find_flag(std::string_view(words[i]).substr(
            std::min(words[i].size(), words[i].find_first_not_of('-'))));
        if (flag != nullptr && !flag->value.empty()) ++i;
    }
    return words.size();
}

// Anything that is no command is a model; what is neither is told so, with both kinds of names.
void refuse_unknown(const std::string& name) {
    const Catalog catalog;
    if (name.find_first_of("/.,-") != std::string::npos || size_model(name) ||
        catalog.has(PresetKind::model, name)) {
        return;
    }
    std::vector<std::string> names;
    for (const Command& command : commands()) names.emplace_back(command.name);
    for (const std::string& id : catalog.ids(PresetKind::model)) names.push_back(id);
    Problem unknown = problem_of(
        "", "unknown-command", "'" + name.substr(0, 100) + "' is neither a command nor a model", "",
        "`napkin --help` lists the commands, `napkin model` the models");
    unknown.suggestions = nearest(name, names);
    throw Error(unknown);
}

int dispatch(const std::vector<std::string>& words) {
    const std::size_t at = first_plain(words);
    const std::string first = at < words.size() ? words[at] : "";
    std::vector<std::string> rest = words;
    if (at < words.size()) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    const auto has = [&](std::string_view flag) {
        return std::find(words.begin(), words.end(), flag) != words.end();
    };
    if (first.empty() && has("--version")) return dispatch({"version"});
    if (first == "help" || (first.empty() && (words.empty() || has("--help") || has("-h")))) {
        const Command* asked = rest.empty() ? nullptr : find_command(rest.front());
        print(stdout, asked == nullptr ? overview() : help_of(*asked));
        return yes;
    }
    if (first == "schema" || first == "schemas") return schema(rest);
    const Command* command = find_command(first);
    if (command == nullptr) {
        if (!first.empty()) refuse_unknown(first);
        command = find_command("envelope");
        rest = words;
    }
    const Arguments arguments = parse(*command, rest);
    if (arguments.has("help")) {
        print(stdout, help_of(*command));
        return yes;
    }
    return answer(arguments);
}

}  // namespace

int run(const std::vector<std::string>& words) {
    try {
        return dispatch(words);
    } catch (const Error& error) {
        // The command line may not have been understood: these two are looked for as words.
        const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
        std::string color = "auto";
        for (const std::string_view choice : {"always", "never"}) {
            const std::string joined = std::string("--color=").append(choice);
            for (std::size_t i = 0; i < words.size(); ++i) {
                const bool apart =
                    words[i] == "--color" && i + 1 < words.size() && words[i + 1] == choice;
                if (words[i] == joined || apart) color = choice;
            }
        }
        if (json) print(stdout, report::errors_to_json(error.problems));
        print(stderr, report::printable(
                          report::errors_to_text(error.problems, standard_error_color(color))));
        return no_answer;
    }
}

}  // namespace napkin::cli
