// One row a document, columns in the order in which keys first appear; RFC 4180 quoting.
#include <algorithm>

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
    std::string out = "model,machine,verdict";
    for (const std::string& column : columns) out.append(",").append(cell(column));
    out += "\r\n";
    for (const Document& document : documents) {
        const auto id_of = [&](std::string_view key) {
            for (const Input& input : document.inputs) {
                if (input.key != key) continue;
                for (const auto& [name, value] : input.members) {
                    if (name == "id") return shown(value);
                }
            }
            return std::string();
        };
        out += cell(id_of("model")) + "," + cell(id_of("machine")) + "," + document.verdict;
        for (const std::string& column : columns) {
            const Result* result = document.find(column);
            out.append(",").append(result == nullptr ? "" : cell(bare(result->value)));
        }
        out += "\r\n";
    }
    return out;
}

}  // namespace napkin::report
