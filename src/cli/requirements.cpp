#include "cli/requirements.hpp"

#include <array>

#include "json/json.hpp"

namespace napkin::cli {
namespace {

using report::Document;
using report::Result;

constexpr std::array<std::string_view, 6> operators{"<=", ">=", "==", "!=", "<", ">"};

struct Requirement {
    std::string key{};
    std::string operation{};
    std::string limit{};
};

std::string trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
}

Problem bad(const std::string& text, std::string message, std::string expected) {
    return problem_of("--require", "bad-requirement",
                      "requirement '" + text.substr(0, 100) + "': " + std::move(message),
                      std::move(expected));
}

Requirement split(const std::string& text) {
    const std::size_t at = text.find_first_of("<>=!");
    if (at != std::string::npos) {
        for (const std::string_view operation : operators) {
            if (text.compare(at, operation.size(), operation) != 0) continue;
            return {.key = trimmed(std::string_view(text).substr(0, at)),
                    .operation = std::string(operation),
                    .limit = trimmed(std::string_view(text).substr(at + operation.size()))};
        }
    }
    throw Error(bad(text, "no comparison in it", "KEY OP VALUE, such as 'margin >= 2GiB'"));
}

std::vector<std::string> keys_of(const Document& document) {
    std::vector<std::string> keys;
    for (const auto* list : {&document.results, &document.if_it_fit}) {
        for (const Result& result : *list) {
            if (!result.key.empty()) keys.push_back(result.key);
        }
    }
    return keys;
}

const Result* find_in(const std::vector<Result>& list, const std::string& key) {
    for (const Result& result : list) {
        if (result.key == key) return &result;
    }
    return nullptr;
}

Problem unknown_key(const Document& document, const std::string& key, std::string_view flag) {
    std::string all;
    for (const std::string& one : keys_of(document)) all += (all.empty() ? "" : ", ") + one;
    Problem unknown =
        problem_of(std::string(flag), "unknown-key",
                   "this answer has no '" + key.substr(0, 100) + "'", "one of " + all);
    unknown.suggestions = nearest(key, keys_of(document));
    return unknown;
}

template <class Q>
Reading<double> plain(const Reading<Q>& reading) {
    if (!reading.value) return {{}, reading.problem};
    return {reading.value->value(), {}};
}

// A limit is read with the dimension of the result: seconds cannot be compared with bytes.
Reading<double> read_limit(const std::string& text, const report::Value& value) {
    const std::string& unit = value.unit;
    if (unit == "B") return plain(read_bytes(text));
    if (unit == "B/s") return plain(read_byte_rate(text));
    if (unit == "FLOP") return plain(read_flops(text));
    if (unit == "FLOP/s") return plain(read_flop_rate(text));
    if (unit == "s") return plain(read_duration(text));
    if (unit == "USD") return plain(read_money(text));
    if (unit == "W") return plain(read_power(text));
    if (unit == "token") return read_length(text);
    if (unit == "1" && value.style == Style::percent) return read_fraction(text);
    if (unit == "1" && value.style != Style::plain) return read_count(text);
    // "24 token/s": the unit of the result may stand behind the number.
    std::string number = text;
    if (number.ends_with(unit)) number = trimmed(number.substr(0, number.size() - unit.size()));
    return read_number(number);
}

bool compare(double a, const std::string& operation, double b) {
    if (operation == "<=") return a <= b;
    if (operation == ">=") return a >= b;
    if (operation == "<") return a < b;
    if (operation == ">") return a > b;
    if (operation == "==") return a == b;
    return a != b;
}

report::Check check(Document& document, const std::string& text, Level level) {
    const Requirement wanted = split(text);
    const Result* result = find_in(document.results, wanted.key);
    report::Check outcome{.id = wanted.key,
                          .result = wanted.key,
                          .operation = wanted.operation,
                          .limit = {},
                          .value = {},
                          .met = false};
    if (result == nullptr) {
        const Result* absent = find_in(document.if_it_fit, wanted.key);
        if (absent == nullptr) throw Error(unknown_key(document, wanted.key, "--require"));
        outcome.limit = report::word(wanted.limit);  // a plan that does not fit has no such rate
        return outcome;
    }
    outcome.value = result->value;
    if (const std::string* word = std::get_if<std::string>(&result->value.data)) {
        outcome.limit = report::word(wanted.limit);
        if (wanted.operation != "==" && wanted.operation != "!=") {
            throw Error(bad(text, "a word has no order", "== or !="));
        }
        outcome.met = (*word == wanted.limit) == (wanted.operation == "==");
        return outcome;
    }
    std::string limit = wanted.limit;
    const bool negative = limit.starts_with('-');
    if (negative) limit.erase(0, 1);
    const Reading<double> reading = read_limit(limit, result->value);
    if (!reading.value) throw Error(bad(text, reading.problem, result->value.unit));
    const double bound = negative ? -*reading.value : *reading.value;
    outcome.limit = report::number(bound, result->value.unit, result->value.style);
    const std::optional<double> value = figure(*result, level);
    outcome.value.data = value.value_or(0);
    outcome.met = value && compare(*value, wanted.operation, bound);
    if (outcome.met && result->expected && level == Level::typical &&
        !compare(result->expected->worst, wanted.operation, bound)) {
        document.notes.push_back(
            {"worst-misses", "the typical value meets '" + text + "', the worst misses it", true});
    }
    return outcome;
}

}  // namespace

std::optional<double> figure(const Result& result, Level level) {
    if (result.expected && level == Level::worst) return result.expected->worst;
    if (result.expected && level == Level::typical) return result.expected->typical;
    if (result.expected && level == Level::best) return result.expected->best;
    const double* value = result.value.number();
    return value == nullptr ? std::nullopt : std::optional<double>(*value);
}

void hold(Document& document, const std::vector<std::string>& requirements, Level level,
          bool level_given) {
    bool all = true;
    for (const std::string& text : requirements) {
        const report::Check outcome = check(document, text, level_given ? level : Level::typical);
        all = all && outcome.met;
        document.checks.push_back(outcome);
    }
    if (requirements.empty()) return;
    document.yes = document.yes && all;
    if (document.verdict.empty() || document.verdict == "fits") {
        document.verdict = all ? "meets" : "misses";
        document.verdict_text = all ? "meets" : "misses";
    }
}

std::string values_of(const Document& document, const std::string& keys, Level level) {
    std::string out;
    std::size_t from = 0;
    while (from <= keys.size()) {
        const std::size_t comma = std::min(keys.find(',', from), keys.size());
        const std::string key = trimmed(std::string_view(keys).substr(from, comma - from));
        from = comma + 1;
        if (key == "verdict") {
            out += document.verdict + "\n";
            continue;
        }
        const Result* result = find_in(document.results, key);
        if (result == nullptr) {
            if (find_in(document.if_it_fit, key) == nullptr) {
                throw Error(unknown_key(document, key, "--get"));
            }
            continue;
        }
        const auto value = figure(*result, level);
        out += (value ? shortest(*value) : report::shown(result->value)) + "\n";
    }
    return out;
}

}  // namespace napkin::cli
