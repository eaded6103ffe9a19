#include "napkin/derivation.hpp"

#include <map>
#include <unordered_map>

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

class Writer {
  public:
    void write(const Traced& value) {
        const Derivation* step = value.derivation();
        if (step == nullptr || !finished_.emplace(step, std::string()).second) return;
        for (const Traced& operand : step->operands) write(operand);
        if (step->symbol.empty()) return;
        ExplanationLine line{.symbol = unique(step->symbol),
                             .formula = {},
                             .operands = {},
                             .value = step->value,
                             .unit = step->unit,
                             .source = step->source};
        if (step->operation != Operator::given) line.formula = formula(*step, line, 0);
        finished_[step] = line.symbol;
        lines.push_back(std::move(line));
    }

    std::vector<ExplanationLine> lines{};

  private:
    std::string unique(const std::string& symbol) {
        const int count = ++used_[symbol];
        return count == 1 ? symbol : symbol + "_" + std::to_string(count);
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
            // a - (b - c) and a / (b / c) need their brackets; a - b - c does not.
            const int strength = precedence(step.operation);
            const bool commutes =
                step.operation == Operator::add || step.operation == Operator::multiply;
            std::string text = term(step.operands[0], line, strength) + std::string(sign) +
                               term(step.operands[1], line, commutes ? strength : strength + 1);
            return strength < outer ? "(" + text + ")" : text;
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
        if (step == nullptr) return shortest(value.value());
        if (step->symbol.empty()) return formula(*step, line, outer);
        const std::string& symbol = finished_[step];
        for (const auto& operand : line.operands) {
            if (operand.symbol == symbol) return symbol;
        }
        line.operands.push_back({symbol, step->value, step->unit});
        return symbol;
    }

    std::unordered_map<const Derivation*, std::string> finished_{};
    std::map<std::string, int> used_{};
};

}  // namespace

Traced operator+(const Traced& a, const Traced& b) {
    return derived(Operator::add, a.value() + b.value(), {a, b});
}
Traced operator-(const Traced& a, const Traced& b) {
    return derived(Operator::subtract, a.value() - b.value(), {a, b});
}
Traced operator*(const Traced& a, const Traced& b) {
    return derived(Operator::multiply, a.value() * b.value(), {a, b});
}
Traced operator/(const Traced& a, const Traced& b) {
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
    step.symbol = symbol;
    step.unit = unit;
    return {x.value(), std::make_shared<Derivation>(std::move(step))};
}

template <>
Traced given<Traced>(double value, std::string_view symbol, std::string_view source,
                     std::string_view unit) {
    return {value, std::make_shared<Derivation>(Derivation{.operation = Operator::given,
                                                           .value = value,
                                                           .symbol = std::string(symbol),
                                                           .unit = std::string(unit),
                                                           .source = std::string(source),
                                                           .operands = {}})};
}

Traced largest_whole(double n, const Traced& at_n, const Traced& limit, const Traced& at_next) {
    return derived(Operator::largest_whole, n, {at_n, limit, at_next, Traced(n)});
}

std::vector<ExplanationLine> explain(const std::vector<Traced>& values) {
    Writer writer;
    for (const Traced& value : values) writer.write(value);
    return std::move(writer.lines);
}

}  // namespace napkin
