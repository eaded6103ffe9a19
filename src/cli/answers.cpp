#include "cli/answers.hpp"

#include <algorithm>

namespace napkin::cli {
namespace {

// What tells a row from its neighbours: the values that the command line lists.
std::string label_of(const Arguments& row) {
    std::string label = row.positionals.empty() ? "" : row.positionals[0];
    for (const std::string_view flag : {"on", "weights", "kv", "activations", "precision"}) {
        const auto value = row.get(flag);
        if (value) label.append(label.empty() ? "" : " ").append(*value);
    }
    return label;
}

// A part can lack what a question needs; a wrong question is wrong for every part.
bool is_about_the_part(const Error& error) {
    return std::all_of(error.problems.begin(), error.problems.end(), [](const Problem& one) {
        return one.id == "unsupported-arithmetic" || one.id == "unknown-capacity";
    });
}

}  // namespace

Documents answers_to(const Arguments& arguments, const Catalog& catalog) {
    const bool all = arguments.get("on") == "all";
    const std::vector<Arguments> rows = combinations(
        arguments, all ? catalog.ids(PresetKind::accelerator) : std::vector<std::string>{});
    Documents answers;
    std::vector<Error> refused;
    for (const Arguments& row : rows) {
        try {
            for (report::Document& answer : row.command->answer(row, catalog)) {
                if (rows.size() > 1) answer.row = label_of(row);
                answers.push_back(std::move(answer));
            }
        } catch (const Error& error) {
            if (!all || !is_about_the_part(error)) throw;
            refused.push_back(error);
        }
    }
    if (answers.empty() && !refused.empty()) throw Error(refused.front());
    if (!refused.empty()) {
        answers.front().notes.push_back(
            {"left-out",
             std::to_string(refused.size()) + " machines cannot answer this and are left out",
             false});
    }
    return answers;
}

}  // namespace napkin::cli
