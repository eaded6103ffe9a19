// One row a document, columns in the order in which keys first appear; RFC 4180 quoting.
#include <algorithm>
#include <array>

#include "report/document.hpp"

namespace napkin::report {
namespace {

std::string cell(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

std::string bare(const Value& value) {
    if (const double* x = value.number()) return shortest(*x);
    return value.empty() ? "" : shown(value);
}

// The id of a model or machine, the word of any other input.
std::string input_of(const Document& document, std::string_view key) {
    for (const Input& input : document.inputs) {
        if (input.key != key) continue;
        for (const auto& [name, value] : input.members) {
            if (name == "id") return shown(value);
        }
        return input.value.empty() ? "" : shown(input.value);
    }
    return {};
}

}  // namespace

std::string to_csv(const std::vector<Document>& documents) {
    std::vector<std::string> columns;
    for (const Document& document : documents) {
        for (const Result& result : document.results) {
            if (!result.key.empty() &&
                std::find(columns.begin(), columns.end(), result.key) == columns.end()) {
                columns.push_back(result.key);
            }
        }
    }
    // What tells the rows apart: the model, the machine and the formats that were asked for.
    constexpr std::array<std::string_view, 5> axes{"model", "machine", "weights", "kv",
                                                   "activations"};
    constexpr std::string_view heads =
        "model,machine,weights_format,kv_format,activations_format,verdict";
    std::string out(heads);
    for (const std::string& column : columns) out.append(",").append(cell(column));
    out += "\n";
    for (const Document& document : documents) {
        for (const std::string_view axis : axes)
            out.append(cell(input_of(document, axis))).append(",");
        out += document.verdict;
        for (const std::string& column : columns) {
            const Result* result = document.find(column);
            out.append(",").append(result == nullptr ? "" : cell(bare(result->value)));
        }
        out += "\n";
    }
    return out;
}

}  // namespace napkin::report
