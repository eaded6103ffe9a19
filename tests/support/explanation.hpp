// Checks an explanation as a sceptical reader would: nothing but its own lines is trusted.
#pragma once

#include "napkin/derivation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/evaluate.hpp"

namespace napkin::test {

/// Every symbol is unique, every operand stands on an earlier line with the same value and unit,
/// and every formula, evaluated from its operands alone, gives the value of its line.
inline void check_lines(const std::vector<ExplanationLine>& lines) {
    std::map<std::string, const ExplanationLine*> earlier;
    for (const ExplanationLine& line : lines) {
        CAPTURE(line.symbol, line.formula, line.value);
        REQUIRE(std::isfinite(line.value));
        Names names;
        for (const auto& operand : line.operands) {
            CAPTURE(operand.symbol);
            const auto found = earlier.find(operand.symbol);
            REQUIRE(found != earlier.end());
            REQUIRE(found->second->value == operand.value);
            REQUIRE(found->second->unit == operand.unit);
            names[operand.symbol] = operand.value;
        }
        if (!line.formula.empty()) {
            double value = 0;
            REQUIRE_NOTHROW(value = evaluate(line.formula, names));
            REQUIRE(std::abs(value - line.value) <= 1e-9 * std::abs(line.value));
        }
        REQUIRE(earlier.emplace(line.symbol, &line).second);
    }
}

}  // namespace napkin::test
