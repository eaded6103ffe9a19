// How an answer's document begins, and how a figure becomes one of its results.
#pragma once

#include <string>

#include "napkin/text.hpp"
#include "napkin/units.hpp"
#include "report/document.hpp"

namespace napkin::cli {

class Resolver;
struct Question;

/// "llama-3.1-70b (70.6B, bf16) on 2 x H100 SXM 80GB, tp 2".
[[nodiscard]] std::string title(const Question& question);

/// A document of `command` with inputs, notes, and what tells it from its neighbours in a list.
[[nodiscard]] report::Document document(std::string command, const Resolver& resolver,
                                        const Question& question);

/// A figure whose derivation nobody asks for; and one that brings it.
template <Dimension D>
[[nodiscard]] Quantity<D, Traced> traced(const Quantity<D>& value) {
    return Quantity<D, Traced>(Traced(value.value()));
}
template <Dimension D>
[[nodiscard]] const Quantity<D, Traced>& traced(const Quantity<D, Traced>& value) {
    return value;
}

/// A result from a traced quantity: key, unit and derivation from the quantity itself.
template <Dimension D>
[[nodiscard]] report::Result result(std::string key, const Quantity<D, Traced>& value, Style style,
                                    std::string label = {}, std::string remark = {}) {
    return {.key = std::move(key),
            .value = report::number(value.value().value(), unit_of(D), style),
            .kind = {},
            .expected = {},
            .label = std::move(label),
            .remark = std::move(remark),
            .share = {},
            .trace = value.value()};
}
[[nodiscard]] report::Result result(std::string key, const Traced& value, Style style,
                                    std::string label = {}, std::string remark = {});
[[nodiscard]] report::Result plain_result(std::string key, report::Value value,
                                          std::string label = {}, std::string remark = {});
/// As `result`, of a kind that physics bounds.
[[nodiscard]] report::Result ceiling_of(report::Result result);

[[nodiscard]] report::Term term(std::string name, const Bytes<Traced>& bytes);

}  // namespace napkin::cli
