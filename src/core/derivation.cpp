#include "napkin/derivation.hpp"

#include <unordered_map>
#include <unordered_set>

#include "napkin/text.hpp"

namespace napkin {
namespace {

Traced derived(Operator operation, double value, std::vector<Traced> operands) {
    return {value, std::make_shared<Derivation>(Derivation{.operation = operation,
                                                           .value = value,
                                                           .symbol = {},
                                                           .unit = {},
                                                           .source = {},
                                                           .operands = std::move(operands)})};
}

// A symbol is one word of formulas: "fp8-block_bytes" would read as a difference.
std::string symbol_of(std::string_view name) {
    std::string symbol(name);
    for (char& c : symbol) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9')) c = '_';
    }
    return symbol;
}

bool is_constant(const Traced& x, double value) {
    return x.derivation() == nullptr && x.value() == value;
}

std::string bracketed(std::string_view text) {
    return std::string("(").append(text) + ")";
}

// Binding strength of an operator in infix notation; calls and names bind tightest.
int precedence(Operator operation) {
    switch (operation) {
        case Operator::add:
        case Operator::subtract:
            return 1;
        case Operator::multiply:
        case Operator::divide:
            return 2;
        case Operator::power:
            return 3;
        default:
            return 4;
    }
}

// Writes each named step once. Steps that say the same (an input given twice, a formula over the
// same operands) share one line; different ones of one name are numbered.
class Writer {
  public:
    void write(const Traced& value, bool asked_for) {
        const Derivation* step = value.derivation();
        if (step == nullptr) return;
        const bool second_name = step->operation == Operator::same;
        if (const auto known = symbols_.find(step); known != symbols_.end()) {
            if (!asked_for || !second_name || !aliases_.insert(step).second) return;
        }
        for (const Traced& operand : step->operands) write(operand, false);
        symbols_[step] = {};
        if (step->symbol.empty()) return;
        if (second_name && !asked_for) {  // inside formulas the first name stands
            symbols_[step] = symbols_[step->operands[0].derivation()];
            return;
        }
        if (second_name) aliases_.insert(step);
        ExplanationLine line{.symbol = {},
                             .formula = {},
                             .operands = {},
                             .value = step->value,
                             .unit = step->unit,
                             .source = step->source};
        if (step->operation != Operator::given) line.formula = formula(*step, line, 0);
        const std::string content =
            step->symbol + "\n" + line.formula + "\n" + line.source + "\n" + shortest(line.value);
        std::string& written = written_[content];
        if (written.empty()) {
            written = line.symbol = unique(step->symbol);
            lines.push_back(std::move(line));
        }
        symbols_[step] = written;
    }

    std::vector<ExplanationLine> lines{};

  private:
    std::string unique(const std::string& symbol) {
        std::string candidate = symbol;
        while (!used_.insert(candidate).second) {
            candidate = symbol + "_" + std::to_string(++numbered_[symbol] + 1);
        }
        return candidate;
    }

    std::string formula(const Derivation& step, ExplanationLine& line, int outer) {
        const auto call = [&](std::string_view name) {
            std::string text(name);
            for (std::size_t i = 0; i < step.operands.size(); ++i) {
                text += (i == 0 ? "(" : ", ") + term(step.operands[i], line, 0);
            }
            return text + ")";
        };
        const auto infix = [&](std::string_view sign) {
            // a - (b - c), a / (b / c) and (a ^ b) ^ c need their brackets; a - b - c does not.
            const int strength = precedence(step.operation);
            const bool commutes =
                step.operation == Operator::add || step.operation == Operator::multiply;
            const bool power = step.operation == Operator::power;
            std::string text = term(step.operands[0], line, power ? strength + 1 : strength);
            text += sign;
            text += term(step.operands[1], line, commutes ? strength : strength + 1);
            return strength < outer ? bracketed(text) : text;
        };
        switch (step.operation) {
            case Operator::add:
                return infix(" + ");
            case Operator::subtract:
                return infix(" - ");
            case Operator::multiply:
                return infix(" * ");
            case Operator::divide:
                return infix(" / ");
            case Operator::power:
                return infix(" ^ ");
            case Operator::larger:
                return call("max");
            case Operator::smaller:
                return call("min");
            case Operator::round_up:
                return call("ceil");
            case Operator::round_down:
                return call("floor");
            case Operator::square_root:
                return call("sqrt");
            case Operator::largest_whole:
                return call("largest");
            case Operator::same:
                return term(step.operands[0], line, outer);
            case Operator::given:
                break;
        }
        return shortest(step.value);
    }

    std::string term(const Traced& value, ExplanationLine& line, int outer) {
        const Derivation* step = value.derivation();
        if (step == nullptr) {
            const std::string number = shortest(value.value());
            return value.value() < 0 && outer > 1 ? bracketed(number) : number;
        }
        if (step->symbol.empty()) return formula(*step, line, outer);
        const std::string& symbol = symbols_[step];
        for (const auto& operand : line.operands) {
            if (operand.symbol == symbol) return symbol;
        }
        line.operands.push_back({symbol, step->value, step->unit});
        return symbol;
    }

    std::unordered_map<const Derivation*, std::string> symbols_{};  // of the line of a step
    std::unordered_set<const Derivation*> aliases_{};               // second names already written
    std::unordered_map<std::string, std::string> written_{};        // content of a line -> symbol
    std::unordered_set<std::string> used_{};
    std::unordered_map<std::string, int> numbered_{};
};

}  // namespace

// Adding zero and multiplying by one are no steps: they come from sums that start empty and from
// degrees of one, and change no bit.
Traced operator+(const Traced& a, const Traced& b) {
    if (is_constant(a, 0)) return b;
    if (is_constant(b, 0)) return a;
    return derived(Operator::add, a.value() + b.value(), {a, b});
}
Traced operator-(const Traced& a, const Traced& b) {
    return derived(Operator::subtract, a.value() - b.value(), {a, b});
}
Traced operator*(const Traced& a, const Traced& b) {
    if (is_constant(a, 1)) return b;
    if (is_constant(b, 1)) return a;
    return derived(Operator::multiply, a.value() * b.value(), {a, b});
}
Traced operator/(const Traced& a, const Traced& b) {
    if (is_constant(b, 1)) return a;
    return derived(Operator::divide, a.value() / b.value(), {a, b});
}
Traced larger(const Traced& a, const Traced& b) {
    return derived(Operator::larger, larger(a.value(), b.value()), {a, b});
}
Traced smaller(const Traced& a, const Traced& b) {
    return derived(Operator::smaller, smaller(a.value(), b.value()), {a, b});
}
Traced round_up(const Traced& x) {
    return derived(Operator::round_up, round_up(x.value()), {x});
}
Traced round_down(const Traced& x) {
    return derived(Operator::round_down, round_down(x.value()), {x});
}
Traced power(const Traced& x, const Traced& y) {
    return derived(Operator::power, power(x.value(), y.value()), {x, y});
}
Traced square_root(const Traced& x) {
    return derived(Operator::square_root, square_root(x.value()), {x});
}

Traced named(const Traced& x, std::string_view symbol, std::string_view unit) {
    auto step = x.derivation() == nullptr ? Derivation{} : *x.derivation();
    step.value = x.value();
    if (!step.symbol.empty()) {  // already a line: the new name stands for the old one
        step = Derivation{.operation = Operator::same,
                          .value = x.value(),
                          .symbol = {},
                          .unit = {},
                          .source = {},
                          .operands = {x}};
    }
    step.symbol = symbol_of(symbol);
    step.unit = unit;
    return {x.value(), std::make_shared<Derivation>(std::move(step))};
}

template <>
Traced given<Traced>(double value, std::string_view symbol, std::string_view source,
                     std::string_view unit) {
    return {value, std::make_shared<Derivation>(Derivation{.operation = Operator::given,
                                                           .value = value,
                                                           .symbol = symbol_of(symbol),
                                                           .unit = std::string(unit),
                                                           .source = std::string(source),
                                                           .operands = {}})};
}

Traced largest_whole(double n, const Traced& at_n, const Traced& limit, const Traced& at_next) {
    return derived(Operator::largest_whole, n, {at_n, limit, at_next, Traced(n)});
}

std::vector<ExplanationLine> explain(const std::vector<Traced>& values) {
    Writer writer;
    for (const Traced& value : values) writer.write(value, true);
    return std::move(writer.lines);
}

}  // namespace napkin
