// An explanation for people: symbol = formula in words = numbers put in = value, then the inputs
// with their sources.
#include <algorithm>

#include "report/document.hpp"

namespace napkin::report {
namespace {

std::string words(std::string_view symbol) {
    std::string text(symbol);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

constexpr int printed_digits = 6;

std::string value_text(double value, const std::string& unit) {
    const bool whole = unit == "1" || unit == "token";
    if (whole && std::abs(value) >= 1 && value == std::floor(value)) return with_separators(value);
    return napkin::to_text(value, style_of(unit), printed_digits);
}

// Rewrites each name of a formula; what is no operand (max, ceil, digits) stays.
template <class Rewrite>
std::string rewritten(const ExplanationLine& line, Rewrite rewrite) {
    std::string out;
    const std::string& text = line.formula;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_name(text[at])) {
            const bool times = text[at] == '*';
            out += times ? 'x' : text[at];
            ++at;
            continue;
        }
        std::size_t end = at;
        // A point belongs to a number, not to a name.
        while (end < text.size() && (is_name(text[end]) || text[end] == '.')) ++end;
        const std::string name = text.substr(at, end - at);
        const auto operand = std::find_if(line.operands.begin(), line.operands.end(),
                                          [&](const auto& one) { return one.symbol == name; });
        out += operand == line.operands.end() ? name : rewrite(*operand);
        at = end;
    }
    return out;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t column = indent;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t end = text.find(' ', at);
        if (end == std::string::npos) end = text.size();
        const std::size_t length = end - at;
        if (column > indent && column + length > width) {
            out.erase(out.find_last_not_of(' ') + 1);
            out.append("\n").append(indent, ' ');
            column = indent;
        }
        out += text.substr(at, length);
        column += length;
        if (end < text.size()) {
            out += ' ';
            ++column;
        }
        at = end + 1;
    }
    return out;
}

}  // namespace

std::string explanation_text(const Document& document, const Options& options) {
    std::vector<Traced> traces;
    for (const Result& result : document.results) traces.push_back(result.trace);
    for (const Result& result : document.if_it_fit) traces.push_back(result.trace);
    const std::vector<ExplanationLine> lines = explain(traces);
    std::string out;
    std::string given;
    for (const ExplanationLine& line : lines) {
        if (line.formula.empty()) {
            const std::string text = words(line.symbol) + " = " +
                                     value_text(line.value, line.unit) +
                                     (line.source.empty() ? "" : "   [" + line.source + "]");
            given += "  " + wrapped(text, 6, options.width) + "\n";
            continue;
        }
        const std::string in_words =
            rewritten(line, [](const auto& operand) { return words(operand.symbol); });
        const std::string in_numbers = rewritten(
            line, [](const auto& operand) { return value_text(operand.value, operand.unit); });
        out += "  " + wrapped(words(line.symbol) + " = " + in_words, 6, options.width) + "\n";
        if (!line.operands.empty()) {
            out += "    = " + wrapped(in_numbers, 6, options.width) + "\n";
        }
        out += "    = " + value_text(line.value, line.unit) + "\n";
    }
    if (!given.empty()) out += "given\n" + given;
    return out;
}

}  // namespace napkin::report
