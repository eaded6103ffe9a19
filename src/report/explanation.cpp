// An explanation for people: symbol = formula in words = numbers put in = value, then the inputs
// with their sources.
#include <algorithm>
#include <cmath>

#include "report/columns.hpp"
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

// Six significant digits at most, none that say nothing: 3.35 TB/s, 989.4 TFLOP/s.
std::string value_text(double value, const std::string& unit, Style bytes, int digits = 6) {
    const bool countable = unit == "1" || unit == "token";
    if (countable && std::abs(value) >= 1 && value == std::floor(value)) {
        return with_separators(value);
    }
    std::string text = napkin::to_text(value, unit == "B" ? bytes : style_of(unit), digits);
    const std::size_t end = std::min({text.find(' '), text.find('e'), text.size()});
    if (text.find('.') < end) {
        std::size_t kept = text.find_last_not_of('0', end - 1);
        if (text[kept] == '.') --kept;
        text.erase(kept + 1, end - kept - 1);
    }
    return text;
}

// Sources are long and shared: a number stands for each, and they are listed once at the end.
class Sources {
  public:
    std::string mark(const std::string& source) {
        if (source.empty()) return {};
        if (source.size() <= 24) return "   [" + source + "]";
        auto at = std::find(list_.begin(), list_.end(), source);
        if (at == list_.end()) at = list_.insert(list_.end(), source);
        return "   [" + std::to_string(at - list_.begin() + 1) + "]";
    }
    [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

  private:
    std::vector<std::string> list_{};
};

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

}  // namespace

std::string explanation_text(const Document& document, const Options& options) {
    std::vector<Traced> traces;
    for (const auto* list : {&document.results, &document.if_it_fit}) {
        for (const Result& result : *list) {
            if (result.explained) traces.push_back(result.trace);
        }
    }
    const auto text = [&](const auto& one) {
        return value_text(one.value, one.unit, document.bytes);
    };
    Sources sources;
    std::string out;
    std::string given;
    for (const ExplanationLine& line : explain(traces)) {
        if (line.formula.empty()) {
            given += "  " +
                     folded(words(line.symbol) + " = " + text(line) + sources.mark(line.source), 6,
                            options.width) +
                     "\n";
            continue;
        }
        const std::string in_words =
            rewritten(line, [](const auto& operand) { return words(operand.symbol); });
        // A limit lies between two numbers that may differ late.
        const int digits = line.formula.starts_with("largest(") ? 15 : 6;
        const std::string in_numbers = rewritten(line, [&](const auto& operand) {
            return value_text(operand.value, operand.unit, document.bytes, digits);
        });
        out += "  " + folded(words(line.symbol) + " = " + in_words, 6, options.width) + "\n";
        const bool second_name =
            line.operands.size() == 1 && line.formula == line.operands[0].symbol;
        if (!line.operands.empty() && !second_name) {
            out += "    = " + folded(in_numbers, 6, options.width) + "\n";
        }
        out += "    = " + text(line) + "\n";
    }
    if (!given.empty()) out += "given\n" + given;
    for (const Input& input : document.inputs) {
        for (const auto& [name, value] : input.members) {
            if (name != "source") continue;
            out += "  layers and widths of the model" + sources.mark(shown(value)) + "\n";
        }
    }
    for (std::size_t i = 0; i < sources.list().size(); ++i) {
        const std::string number = std::string("[").append(std::to_string(i + 1)) + "] ";
        out += number + folded(sources.list()[i], number.size(), options.width) + "\n";
    }
    return out;
}

}  // namespace napkin::report
