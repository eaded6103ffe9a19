// An answer as a document: what was asked, what came out, how it is judged. Commands build it,
// every output format reads it, and nothing is computed here.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "napkin/derivation.hpp"
#include "napkin/diagnostic.hpp"
#include "napkin/text.hpp"

namespace napkin::report {

/// A number with its unit of the contract, a word, a truth, or nothing.
struct Value {
    std::variant<std::monostate, bool, double, std::string> data{};
    std::string unit{};
    Style style{Style::plain};

    [[nodiscard]] bool empty() const { return std::holds_alternative<std::monostate>(data); }
    [[nodiscard]] const double* number() const { return std::get_if<double>(&data); }
};
[[nodiscard]] Value number(double value, std::string unit, Style style);
[[nodiscard]] Value word(std::string text);
/// As people read it: "24.1 token/s", "memory", "-".
[[nodiscard]] std::string shown(const Value& value);

/// What reality does to a ceiling. In their order: worst, typical, best.
struct Band {
    double worst{}, typical{}, best{};
};

/// One result. `key` is the contract's; an empty label keeps it out of the human answer.
struct Result {
    std::string key{};
    Value value{};
    std::string kind{};  // "ceiling" where physics allows no more
    std::optional<Band> expected{};
    std::string label{};
    std::string remark{};
    bool in_list{true};             // a column of lists
    bool explained{true};           // in an explanation for people; for machines all are
    std::optional<double> share{};  // draws a bar of this part of the capacity
    Traced trace{};                 // what --explain shows
};

/// One input, and where it came from: flag, environment, set, default, preset, checkpoint.
struct Input {
    std::string key{};
    Value value{};
    std::string from{};
    std::vector<std::pair<std::string, Value>> members{};  // of a model or machine
    std::optional<double> flips_at{};  // the value from which on the verdict is another
};

struct Term {
    std::string name{};
    Value value{};
};

struct Check {
    std::string id{};
    std::string result{};
    std::string operation{};
    Value limit{};
    Value value{};
    bool met{};
};

/// Rows of one kind below an answer, such as the points of a frontier: `key` is the contract's name
/// of the list, a column's that of a member. A row has a value for each column.
struct Table {
    struct Column {
        std::string key{};
        std::string label{};  // empty: for machines alone
    };
    std::string key{};
    std::vector<Column> columns{};
    std::vector<std::vector<Value>> rows{};
};

struct Document {
    std::string command{};
    std::string title{};
    std::string verdict{};       // of the contract; empty is null
    std::string verdict_text{};  // for people: "fits", "does not fit"
    bool yes{true};              // exit 0 rather than 1
    std::string row{};           // what tells this document from its neighbours in a list
    std::vector<Input> inputs{};
    std::vector<Result> results{};
    std::vector<Result> if_it_fit{};
    std::vector<Term> terms{};
    std::vector<Check> checks{};
    std::vector<Note> notes{};
    std::optional<Table> table{};
    std::vector<std::string> footer{};  // lines below the human answer
    Style bytes{Style::bytes};          // of an explanation: GB of traffic or GiB of memory
    std::string primary{};              // what -q prints; empty: nothing

    [[nodiscard]] const Result* find(std::string_view key) const;
};

struct Options {
    std::size_t width{80};
    bool unicode{};
    bool color{};
    bool explain{};
};

[[nodiscard]] std::string to_text(const std::vector<Document>& documents, const Options& options);
[[nodiscard]] std::string to_json(const Document& document, const Options& options);
[[nodiscard]] std::string to_csv(const std::vector<Document>& documents);
[[nodiscard]] std::string to_markdown(const std::vector<Document>& documents,
                                      const Options& options);

[[nodiscard]] std::string errors_to_text(const std::vector<Problem>& problems, bool color);
[[nodiscard]] std::string errors_to_json(const std::vector<Problem>& problems);

/// The lines of an explanation, for people and as JSON (an array).
[[nodiscard]] std::string explanation_text(const Document& document, const Options& options);
[[nodiscard]] std::string explanation_json(const Document& document);

}  // namespace napkin::report
