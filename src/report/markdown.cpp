// For a pull request comment: one document as a list of results, several as a table.
#include <algorithm>

#include "report/document.hpp"

namespace napkin::report {
namespace {

std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
        text.replace(at, 1, "\\|");
    }
    return text;
}

std::string heading(const Document& document) {
    std::string out = "**" + cell(document.title) + "**";
    if (!document.verdict_text.empty()) out += ": " + document.verdict_text;
    return out + "\n\n";
}

std::string rows_of(const std::vector<Result>& results) {
    std::string out;
    for (const Result& result : results) {
        if (result.label.empty()) continue;
        out += "| " + cell(result.label) + " | " + cell(shown(result.value)) + " | " +
               cell(result.remark) + " |\n";
    }
    return out;
}

std::string rows_of(const Table& table) {
    std::string out = "\n|";
    std::string rule = "|";
    for (const Table::Column& column : table.columns) {
        if (column.label.empty()) continue;
        out += " " + cell(column.label) + " |";
        rule += "---:|";
    }
    out += "\n" + rule + "\n";
    for (const std::vector<Value>& row : table.rows) {
        out += "|";
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (!table.columns[c].label.empty()) out += " " + cell(shown(row[c])) + " |";
        }
        out += "\n";
    }
    return out;
}

}  // namespace

std::string to_markdown(const std::vector<Document>& documents, const Options& options) {
    std::string out;
    if (documents.size() == 1) {
        const Document& document = documents.front();
        out = heading(document) + "| result | value | |\n|---|---:|---|\n" +
              rows_of(document.results);
        if (!document.if_it_fit.empty()) {
            out += "\nIf it fit:\n\n| result | value | |\n|---|---:|---|\n" +
                   rows_of(document.if_it_fit);
        }
        if (document.table) out += rows_of(*document.table);
    } else {
        std::vector<std::string> heads;
        for (const Document& document : documents) {
            for (const Result& result : document.results) {
                const bool known =
                    std::find(heads.begin(), heads.end(), result.label) != heads.end();
                if (!result.label.empty() && !known) heads.push_back(result.label);
            }
        }
        out = "| | verdict |";
        std::string rule = "|---|---|";
        for (const std::string& head : heads) {
            out += " " + cell(head) + " |";
            rule += "---:|";
        }
        out += "\n" + rule + "\n";
        for (const Document& document : documents) {
            out += "| " + cell(document.row) + " | " + document.verdict_text + " |";
            for (const std::string& head : heads) {
                const auto found = std::find_if(document.results.begin(), document.results.end(),
                                                [&](const Result& r) { return r.label == head; });
                const bool absent = found == document.results.end();
                out.append(" ").append(absent ? "" : cell(shown(found->value))).append(" |");
            }
            out += "\n";
        }
    }
    if (options.explain) {
        for (const Document& document : documents) {
            out += "\n```\n" + explanation_text(document, options) + "```\n";
        }
    }
    return out;
}

}  // namespace napkin::report
