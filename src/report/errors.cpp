// Errors for people: what is wrong, where, what was expected, the nearest valid value.
#include "report/document.hpp"

namespace napkin::report {

std::string errors_to_text(const std::vector<Problem>& problems, bool color) {
    std::string out;
    for (const Problem& problem : problems) {
        const Where& where = problem.where;
        out += color ? "napkin: \x1b[31merror:\x1b[0m " : "napkin: error: ";
        if (where.line > 0) {
            out += where.file + ":" + std::to_string(where.line) + ":" +
                   std::to_string(where.column) + ": ";
        } else if (problem.message.find(where.file) == std::string::npos) {
            out += where.file + ": ";
        }
        out += problem.message;
        const bool named = problem.message.find(where.flag) != std::string::npos;
        if (!named) out += " (" + where.flag + ")";
        out += "\n";
        if (!where.excerpt.empty()) {
            out += "  " + where.excerpt + "\n";
            if (where.column <= where.excerpt.size() + 1) {
                out += "  " + std::string(where.column - 1, ' ') + "^\n";
            }
        }
        if (!problem.expected.empty()) out += "  expected: " + problem.expected + "\n";
        std::string names;
        for (const std::string& name : problem.suggestions) {
            names += (names.empty() ? "" : ", ") + name;
        }
        const bool choices = problem.id.starts_with("ambiguous");
        if (!names.empty()) {
            out += std::string(choices ? "  choose: " : "  did you mean: ") + names +
                   (choices ? "" : "?");
            if (!problem.hint.empty()) out += "      " + problem.hint;
            out += "\n";
        } else if (!problem.hint.empty()) {
            out += "  " + problem.hint + "\n";
        }
    }
    return out;
}

}  // namespace napkin::report
