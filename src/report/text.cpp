// The human answer: a title with the verdict, aligned lines with bars, lists as tables.
#include <algorithm>
#include <array>
#include <cmath>

#include "report/document.hpp"

namespace napkin::report {
namespace {

std::size_t columns_of(std::string_view text) {  // UTF-8 characters, each one column wide here
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

std::string padded(const std::string& text, std::size_t width) {
    const std::size_t length = columns_of(text);
    return length < width ? text + std::string(width - length, ' ') : text;
}

std::string right(const std::string& text, std::size_t width) {
    const std::size_t length = columns_of(text);
    return length < width ? std::string(width - length, ' ') + text : text;
}

std::string painted(const std::string& text, bool good, const Options& options) {
    if (!options.color) return text;
    return (good ? "\x1b[32m" : "\x1b[31m") + text + "\x1b[0m";
}

// Bars measure one thing: their values share the unit and the decimals, 65.7, 5.0, 8.0 GiB.
std::vector<std::string> column(const std::vector<const Result*>& results) {
    double largest = 0;
    for (const Result* result : results) {
        const double* x = result->value.number();
        if (result->share && x != nullptr) largest = std::max(largest, std::abs(*x));
    }
    double scaled = largest;
    while (scaled >= 1024) scaled /= 1024;
    // At least one decimal, so that a large value does not cost a small one its only digit.
    const int digits = scaled >= 1000 ? 5 : scaled >= 100 ? 4 : 3;
    std::vector<std::string> cells;
    for (const Result* result : results) {
        const double* x = result->value.number();
        const bool shares_unit = result->share && x != nullptr;
        cells.push_back(shares_unit ? to_text_as(*x, result->value.style, largest, digits)
                                    : shown(result->value));
    }
    return cells;
}

std::string bar(double share, std::size_t width, bool unicode) {
    const double clamped = std::clamp(share, 0.0, 1.0);
    const auto length = static_cast<std::size_t>(std::lround(clamped * static_cast<double>(width)));
    std::string out;
    for (std::size_t i = 0; i < std::max<std::size_t>(length, share > 0 ? 1 : 0); ++i) {
        out += unicode ? "\u2588" : "#";
    }
    return out;
}

// Breaks at spaces so that each line, indented, stays within the width.
std::string folded(const std::string& text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t at = indent;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t end = std::min(text.find(' ', from), text.size());
        const std::size_t length = columns_of(text.substr(from, end - from));
        if (at > indent && at + 1 + length > width) {
            out.append("\n").append(indent, ' ');
            at = indent;
        } else if (at > indent) {
            out += ' ';
            ++at;
        }
        out += text.substr(from, end - from);
        at += length;
        from = end + 1;
    }
    return out;
}

// Puts a remark behind a line, folded under itself; where there is no room for it, on lines of its
// own under the values.
std::string with_remark(std::string line, const std::string& remark, std::size_t at,
                        std::size_t under, std::size_t width) {
    constexpr std::size_t least = 24;  // columns worth folding into
    if (!remark.empty() && at + std::min(columns_of(remark), least) <= width) {
        line += folded(remark, at, width);
    } else if (!remark.empty()) {
        line.erase(line.find_last_not_of(' ') + 1);
        under = std::min(under, width > least ? width - least : 0);
        line.append("\n").append(under, ' ');
        line += folded(remark, under, width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string title_line(const Document& document, const Options& options) {
    const std::string& verdict = document.verdict_text;
    const std::size_t length = columns_of(document.title) + columns_of(verdict) + 2;
    std::string out = folded(document.title, 0, options.width);
    if (verdict.empty()) return out + "\n";
    out += length <= options.width ? std::string(options.width - length + 2, ' ') : "\n  ";
    return out + painted(verdict, document.yes, options) + "\n";
}

std::string lines(const std::vector<Result>& results, const Options& options) {
    std::vector<const Result*> shown_results;
    for (const Result& result : results) {
        if (!result.label.empty() && !result.expected) shown_results.push_back(&result);
    }
    const std::vector<std::string> values = column(shown_results);
    std::size_t label_width = 0;
    std::size_t value_width = 0;
    bool bars = false;
    for (std::size_t i = 0; i < shown_results.size(); ++i) {
        label_width = std::max(label_width, columns_of(shown_results[i]->label));
        value_width = std::max(value_width, columns_of(values[i]));
        bars = bars || shown_results[i]->share.has_value();
    }
    const std::size_t before = 2 + label_width + 2 + value_width + 3;
    const std::size_t bar_width =
        bars && options.width > before + 20 ? std::min<std::size_t>(43, options.width - before) : 0;
    std::string out;
    for (std::size_t i = 0; i < shown_results.size(); ++i) {
        const Result& result = *shown_results[i];
        std::string line =
            "  " + padded(result.label, label_width) + "  " + right(values[i], value_width) + "   ";
        std::string drawn;
        if (bar_width > 0 && result.share) drawn = bar(*result.share, bar_width, options.unicode);
        // Remarks stand in one column behind short bars.
        constexpr std::size_t remark_column = 15;
        const std::size_t length =
            bar_width == 0 ? 0 : std::max(columns_of(drawn) + 2, remark_column);
        line += result.remark.empty() ? drawn : padded(drawn, length);
        out += with_remark(std::move(line), result.remark, before + length, before, options.width);
    }
    return out;
}

// Results with a band stand in columns of their own.
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

std::string one(const Document& document, const Options& options) {
    std::string out = title_line(document, options);
    out += lines(document.results, options);
    out += bands(document.results, options.width);
    if (!document.if_it_fit.empty()) {
        out += "if it fit\n" + lines(document.if_it_fit, options);
    }
    for (const Check& check : document.checks) {
        out += "  " + painted(check.met ? "ok  " : "MISS", check.met, options) + "  " +
               check.result + " " + check.operation + " " + shown(check.limit) + ": " +
               shown(check.value) + "\n";
    }
    for (const std::string& line : document.footer) {
        out += folded(line, 0, options.width) + "\n";
    }
    if (options.explain) out.append("\n").append(explanation_text(document, options));
    return out;
}

struct Column {
    std::string key{};
    std::string label{};
};

// The labelled results of a list, first those of rows that say yes: a plan that does not fit has
// others.
std::vector<Column> columns_of(const std::vector<Document>& documents) {
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

// Lists: a row each; columns that do not fit are left out.
std::string table(const std::vector<Document>& documents, const Options& options) {
    const std::vector<Column> columns = columns_of(documents);
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
    std::vector<std::size_t> widths(rows[0].size());
    for (const auto& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            widths[c] = std::max(widths[c], columns_of(row[c]));
        }
    }
    std::size_t shown_columns = 1;
    std::size_t used = widths[0];
    while (shown_columns < widths.size() && used + 2 + widths[shown_columns] <= options.width) {
        used += 2 + widths[shown_columns++];
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line = padded(row[0], widths[0]);
        for (std::size_t c = 1; c < shown_columns; ++c) line += "  " + right(row[c], widths[c]);
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

std::string to_text(const std::vector<Document>& documents, const Options& options) {
    if (documents.size() == 1 && documents.front().row.empty()) {
        return one(documents.front(), options);
    }
    std::string out = table(documents, options);
    if (options.explain) {
        for (const Document& document : documents) {
            out += "\n" + document.row + "\n" + explanation_text(document, options);
        }
    }
    return out;
}

std::string errors_to_text(const std::vector<Problem>& problems, bool color) {
    std::string out;
    for (const Problem& problem : problems) {
        const Where& where = problem.where;
        out += color ? "napkin: \x1b[31merror:\x1b[0m " : "napkin: error: ";
        if (where.line > 0) {
            out += where.file + ":" + std::to_string(where.line) + ":" +
                   std::to_string(where.column) + ": ";
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
