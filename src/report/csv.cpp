// One row a document, or each row of its table with the document's own results; columns in the
// order in which keys first appear; RFC 4180 quoting.
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

// "frontier.batch": the members of tables are columns beside the results.
std::string member_name(const Table& table, const Table::Column& column) {
    return std::string(table.key).append(".").append(column.key);
}

std::vector<std::string> members_of(const std::vector<Document>& documents) {
    std::vector<std::string> members;
    for (const Document& document : documents) {
        if (!document.table) continue;
        for (const Table::Column& column : document.table->columns) {
            const std::string name = member_name(*document.table, column);
            if (std::find(members.begin(), members.end(), name) == members.end()) {
                members.push_back(name);
            }
        }
    }
    return members;
}

// The cells of each row of a document's table; one row of empty ones where it has none.
std::vector<std::string> rows_of(const Document& document,
                                 const std::vector<std::string>& members) {
    if (!document.table || document.table->rows.empty()) {
        return {std::string(members.size(), ',')};
    }
    const Table& table = *document.table;
    std::vector<std::string> rows;
    for (const std::vector<Value>& values : table.rows) {
        std::string row;
        for (const std::string& member : members) {
            row += ',';
            for (std::size_t c = 0; c < table.columns.size(); ++c) {
                if (member_name(table, table.columns[c]) == member) row += cell(bare(values[c]));
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
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
    const std::vector<std::string> members = members_of(documents);
    for (const std::string& member : members) out.append(",").append(cell(member));
    out += "\n";
    for (const Document& document : documents) {
        std::string row;
        for (const std::string_view axis : axes)
            row.append(cell(input_of(document, axis))).append(",");
        row += document.verdict;
        for (const std::string& column : columns) {
            const Result* result = document.find(column);
            row.append(",").append(result == nullptr ? "" : cell(bare(result->value)));
        }
        for (const std::string& one : rows_of(document, members)) {
            out.append(row).append(one).append("\n");
        }
    }
    return out;
}

}  // namespace napkin::report
