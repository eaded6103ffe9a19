#include "report/document.hpp"

namespace napkin::report {

Value number(double value, std::string unit, Style style) {
    return {.data = value, .unit = std::move(unit), .style = style};
}

Value word(std::string text) {
    return {.data = std::move(text), .unit = {}, .style = Style::plain};
}

std::string shown(const Value& value) {
    if (const double* x = value.number()) return napkin::to_text(*x, value.style);
    if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "yes" : "no";
    if (const std::string* text = std::get_if<std::string>(&value.data)) return *text;
    return "-";
}

const Result* Document::find(std::string_view key) const {
    for (const Result& result : results) {
        if (result.key == key) return &result;
    }
    return nullptr;
}

}  // namespace napkin::report
