#include "report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/columns.hpp"

namespace napkin::report {
namespace {

struct Column {
    std::string key{};
    std::string label{};
};

// The labelled results of a list, first those of rows that say yes: a plan that does not fit has
// others.
std::vector<Column> labelled_in(const std::vector<Document>& documents) {
    std::vector<Column> columns;
    for (const bool yes : {true, false}) {
        for (const Document& document : documents) {
            if (document.yes != yes) continue;
            for (const Result& result : document.results) {
                if (result.label.empty() || result.key.empty() || !result.in_list) continue;
                const bool known =
                    std::any_of(columns.begin(), columns.end(),
                                [&](const Column& c) { return c.key == result.key; });
                if (!known) columns.push_back({result.key, result.label});
            }
        }
    }
    return columns;
}

// 671,026,419,200 is 671B in a column.
std::string in_short(Value value) {
    constexpr double long_number = 1e6;
    const double* x = value.number();
    if (value.style == Style::whole && x != nullptr && std::abs(*x) >= long_number) {
        value.style = Style::count;
    }
    return shown(value);
}

// Cells under their heads: numbers to the right, a column of words to the left. What does not fit
// the width is left out and counted.
std::string aligned(const std::vector<std::vector<std::string>>& rows,
                    const std::vector<bool>& words, std::size_t indent, std::size_t width) {
    std::vector<std::size_t> widths(rows[0].size());
    for (const auto& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            widths[c] = std::max(widths[c], columns_of(row[c]));
        }
    }
    std::size_t shown_columns = 1;
    std::size_t used = indent + widths[0];
    while (shown_columns < widths.size() && used + 2 + widths[shown_columns] <= width) {
        used += 2 + widths[shown_columns++];
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line(indent, ' ');
        for (std::size_t c = 0; c < shown_columns; ++c) {
            const bool word = c < words.size() && words[c];
            line += c > 0 ? "  " : "";
            line += word ? padded(row[c], widths[c]) : right(row[c], widths[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    if (shown_columns < widths.size()) {
        out.append("(").append(std::to_string(widths.size() - shown_columns));
        out += widths.size() - shown_columns == 1 ? " more column" : " more columns";
        out += ": widen the terminal, or use --csv)\n";
    }
    return out;
}
}  // namespace

std::string bands(const std::vector<Result>& results, std::size_t width) {
    std::vector<std::array<std::string, 5>> rows{{"", "floor", "worst", "typical", "best"}};
    for (const Result& result : results) {
        if (!result.expected || result.label.empty()) continue;
        const Style style = result.value.style;
        rows.push_back({result.label, shown(result.value),
                        napkin::to_text(result.expected->worst, style),
                        napkin::to_text(result.expected->typical, style),
                        napkin::to_text(result.expected->best, style)});
    }
    if (rows.size() == 1) return {};
    std::array<std::size_t, 5> widths{};
    for (const auto& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            widths[c] = std::max(widths[c], columns_of(row[c]));
        }
    }
    // On a narrow terminal the floor goes first, then the worst.
    std::size_t first = 1;
    const auto total = [&] {
        std::size_t sum = 2 + widths[0];
        for (std::size_t c = first; c < widths.size(); ++c) sum += 2 + widths[c];
        return sum;
    };
    while (first < 3 && total() > width) ++first;
    std::string out;
    for (const auto& row : rows) {
        out.append("  ").append(padded(row[0], widths[0]));
        for (std::size_t c = first; c < row.size(); ++c) {
            out.append("  ").append(right(row[c], widths[c]));
        }
        out += "\n";
    }
    return out;
}
std::string table(const std::vector<Document>& documents, const Options& options) {
    const std::vector<Column> columns = labelled_in(documents);
    const bool verdicts = std::any_of(documents.begin(), documents.end(),
                                      [](const Document& d) { return !d.verdict_text.empty(); });
    std::vector<std::vector<std::string>> rows{{""}};
    for (const Column& one : columns) rows[0].push_back(one.label);
    for (const Document& document : documents) {
        std::vector<std::string> row{document.row};
        for (const Column& one : columns) {
            const Result* found = document.find(one.key);
            row.push_back(found == nullptr ? "-" : in_short(found->value));
        }
        rows.push_back(std::move(row));
    }
    if (verdicts) {
        rows[0].insert(rows[0].begin() + 1, "verdict");
        for (std::size_t i = 0; i < documents.size(); ++i) {
            rows[i + 1].insert(rows[i + 1].begin() + 1, documents[i].verdict_text);
        }
    }
    return aligned(rows, {true}, 0, options.width);
}

std::string rows_of(const Table& table, std::size_t width) {
    std::vector<std::vector<std::string>> rows(1);
    std::vector<bool> words;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].label.empty()) continue;
        rows[0].push_back(table.columns[c].label);
        words.push_back(std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
            return std::holds_alternative<std::string>(row[c].data);
        }));
    }
    for (const std::vector<Value>& row : table.rows) {
        std::vector<std::string> cells;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            if (table.columns[c].label.empty()) continue;
            const bool* mark = std::get_if<bool>(&row[c].data);  // a column of marks: only yes
            cells.push_back(mark != nullptr && !*mark ? "" : in_short(row[c]));
        }
        rows.push_back(std::move(cells));
    }
    return rows[0].empty() ? "" : aligned(rows, words, 2, width);
}

}  // namespace napkin::report
