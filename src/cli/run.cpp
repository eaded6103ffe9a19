#include "cli/run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/requirements.hpp"
#include "cli/resolve.hpp"
#include "cli/terminal.hpp"

namespace napkin::cli {
namespace {

constexpr int yes = 0;
constexpr int no = 1;
constexpr int no_answer = 2;

// A reader that has gone away (napkin gpu | head) is not an error.
void print(std::FILE* stream, const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stream);
}

void add_user_presets(Catalog& catalog, const Arguments& arguments) {
    const auto environment = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value == nullptr ? "" : value);
    };
    // The last one added wins: system folders, then the user's, then --presets.
    std::string folders = environment("XDG_DATA_DIRS");
    if (folders.empty()) folders = "/usr/local/share:/usr/share";
    std::vector<std::string> list;
    for (std::size_t from = 0; from <= folders.size();) {
        const std::size_t colon = std::min(folders.find(':', from), folders.size());
        if (colon > from) list.push_back(folders.substr(from, colon - from));
        from = colon + 1;
    }
    std::reverse(list.begin(), list.end());
    std::string home = environment("XDG_DATA_HOME");
    if (home.empty() && !environment("HOME").empty()) home = environment("HOME") + "/.local/share";
    if (!home.empty()) list.push_back(home);
    for (const std::string& folder : list) catalog.add_folder(folder + "/napkin/presets");
    if (const auto folder = arguments.get("presets")) {
        if (!catalog.add_folder(*folder)) {
            throw Error({.id = "no-such-folder",
                         .message = "'" + *folder + "' is not a folder",
                         .where = {.flag = "--presets"},
                         .expected = "a folder of preset files (*.json)",
                         .suggestions = {},
                         .hint = {}});
        }
    }
}

Level level_of(const Arguments& arguments) {
    const std::string text = arguments.get("at").value_or("ceiling");
    if (text == "ceiling") return Level::ceiling;
    if (text == "worst") return Level::worst;
    if (text == "typical") return Level::typical;
    if (text == "best") return Level::best;
    throw Error({.id = "bad-value",
                 .message = "--at cannot be '" + text.substr(0, 100) + "'",
                 .where = {.flag = "--at"},
                 .expected = "ceiling, worst, typical or best",
                 .suggestions = nearest(text, {"ceiling", "worst", "typical", "best"}),
                 .hint = {}});
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
    throw Error(
        {.id = "no-band",
         .message = "no expected values are known for this answer: it is exact or a ceiling",
         .where = {.flag = "--at"},
         .expected = "--at ceiling",
         .suggestions = {},
         .hint = {}});
}

std::vector<report::Document> answers_to(const Arguments& arguments, const Catalog& catalog) {
    std::vector<report::Document> answers;
    std::vector<Arguments> rows{arguments};
    const auto on = arguments.get("on");
    const auto model = arguments.positionals.empty() ? std::string() : arguments.positionals[0];
    const bool listed = model.find(',') != std::string::npos ||
                        std::any_of(arguments.values.begin(), arguments.values.end(),
                                    [](const auto& flag) {
                                        return !flag.second.empty() && flag.first != "get" &&
                                               flag.second.back().find(',') != std::string::npos;
                                    }) ||
                        on == "all";
    if (listed) rows = combinations(arguments, catalog.ids(PresetKind::accelerator));
    for (const Arguments& row : rows) {
        for (report::Document& answer : row.command->answer(row, catalog)) {
            if (rows.size() > 1) {
                answer.row = row.positionals.empty() ? "" : row.positionals[0];
                for (const std::string_view flag :
                     {"on", "weights", "kv", "activations", "precision"}) {
                    const auto value = row.get(flag);
                    if (value) answer.row += (answer.row.empty() ? "" : " ") + *value;
                }
            }
            answers.push_back(std::move(answer));
        }
    }
    return answers;
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
            if (!answer.primary.empty()) out += values_of(answer, answer.primary, level);
        }
        return out;
    }
    if (arguments.has("json")) {
        for (const report::Document& answer : answers) out += report::to_json(answer, options);
        return out;
    }
    if (arguments.has("csv")) return report::to_csv(answers);
    if (arguments.has("markdown")) return report::to_markdown(answers, options);
    return report::to_text(answers, options);
}

// Notes once each, warnings named as such; of many of one kind the first, and how many follow.
// Returns whether there was a warning.
bool print_notes(const std::vector<report::Document>& answers, bool quiet) {
    constexpr std::size_t most_of_a_kind = 2;
    std::vector<std::string> seen;
    std::vector<std::pair<std::string, std::size_t>> kinds;
    bool warned = false;
    for (const report::Document& answer : answers) {
        for (const Note& note : answer.notes) {
            warned = warned || note.warning;
            if (std::find(seen.begin(), seen.end(), note.message) != seen.end()) continue;
            seen.push_back(note.message);
            auto kind = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const auto& one) { return one.first == note.id; });
            if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {note.id, 0});
            if (quiet || ++kind->second > most_of_a_kind) continue;
            print(stderr, std::string("napkin: ")
                                  .append(note.warning ? "warning: " : "note: ")
                                  .append(note.message) +
                              "\n");
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
        throw Error({.id = "two-formats",
                     .message = "--json, --csv and --markdown exclude one another",
                     .where = {},
                     .expected = "one of them",
                     .suggestions = {},
                     .hint = {}});
    }
    Catalog catalog;
    add_user_presets(catalog, arguments);
    const Level level = level_of(arguments);
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
    if (words.size() < 2 || words[1] == "--help") {
        std::string names;
        for (const std::string& id : catalog.ids(PresetKind::schema)) names += id + "\n";
        print(stdout, names);
        return yes;
    }
    print(stdout, catalog.schema(words[1]) + "\n");
    return yes;
}

int dispatch(const std::vector<std::string>& words) {
    const std::string first = words.empty() ? "--help" : words.front();
    if (first == "--help" || first == "-h" || first == "help") {
        const Command* asked = words.size() > 1 ? find_command(words[1]) : nullptr;
        print(stdout, asked == nullptr ? overview() : help_of(*asked));
        return yes;
    }
    if (first == "schema" || first == "schemas") return schema(words);
    const Command* command = find_command(first == "--version" ? "version" : first);
    std::vector<std::string> rest(words.begin() + (command == nullptr ? 0 : 1), words.end());
    if (command == nullptr) {
        // Anything that is no command is a model: the whole envelope.
        command = find_command("envelope");
        const Catalog catalog;
        const bool known = first.find_first_of("/.,") != std::string::npos || size_model(first) ||
                           catalog.has(PresetKind::model, first);
        std::vector<std::string> names;
        for (const Command& one : commands()) names.emplace_back(one.name);
        const std::vector<std::string> close = nearest(first, names);
        const bool asks = std::find(words.begin(), words.end(), "--on") != words.end();
        if (!known && !first.starts_with('-') && !close.empty() && !asks) {
            throw Error({.id = "unknown-command",
                         .message = "unknown command or model '" + first.substr(0, 100) + "'",
                         .where = {},
                         .expected = {},
                         .suggestions = close,
                         .hint = "`napkin --help` lists the commands"});
        }
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
        const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
        if (json) print(stdout, report::errors_to_json(error.problems));
        print(stderr, report::errors_to_text(error.problems, standard_error_color("auto")));
        return no_answer;
    }
}

}  // namespace napkin::cli
