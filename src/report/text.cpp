// The human answer: a title with the verdict, then aligned lines with bars.
#include <algorithm>
#include <cmath>

#include "report/columns.hpp"
#include "report/document.hpp"
#include "report/table.hpp"

namespace napkin::report {
namespace {

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
    while (scaled >= unit::kibi) scaled /= unit::kibi;
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
std::string one(const Document& document, const Options& options) {
    std::string out = title_line(document, options);
    out += lines(document.results, options);
    out += bands(document.results, options.width);
    if (!document.if_it_fit.empty()) {
        out += "if it fit\n" + lines(document.if_it_fit, options);
    }
    if (document.table) out += rows_of(*document.table, options.width);
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

}  // namespace napkin::report
