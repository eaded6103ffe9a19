#include "napkin/derivation.hpp"

#include <random>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/explanation.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

Traced input(double value, const char* symbol) {
    return given<Traced>(value, symbol, "a source");
}

std::string formula_of(const Traced& value) {
    return explain({named(value, "result")}).back().formula;
}

// The same random formula for either kind of number.
template <class R>
R random_formula(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> any(0.5, 20);
    std::vector<R> values;
    for (const char* symbol : {"a", "b", "c", "d"}) values.push_back(given<R>(any(random), symbol));
    for (int i = 0; i < 12; ++i) {
        const R x = values[random() % values.size()];
        const R y = random() % 4 == 0 ? R(any(random)) : values[random() % values.size()];
        const auto next = [&]() -> R {
            switch (random() % 10) {
                case 0:
                    return x + y;
                case 1:
                    return x - y;
                case 2:
                    return x * y;
                case 3:
                    return y == R(0) ? x : x / y;
                case 4:
                    return larger(x, y);
                case 5:
                    return smaller(x, y);
                case 6:
                    return round_up(x);
                case 7:
                    return round_down(x);
                case 8:
                    return square_root(x * x);
                default:
                    return power(larger(x * x, R(1)), R(0.25));
            }
        };
        const R value = next();
        values.push_back(random() % 3 == 0 ? named(value, "step") : value);
    }
    return named(values.back(), "result");
}

}  // namespace

TEST_CASE("a traced formula agrees with the bare one to the bit", "[derivation]") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        REQUIRE(random_formula<Traced>(seed).value() == random_formula<double>(seed));
    }
}

TEST_CASE("each line of a random formula re-computes", "[derivation]") {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        check_lines(explain({random_formula<Traced>(seed)}));
    }
}

TEST_CASE("a line shows its formula, operands, value and unit", "[derivation]") {
    const auto bytes = given<Traced>(Bytes<>(140e9), "weight_bytes", "config.json");
    const auto rate = given<Traced>(BytesPerSecond<>(3.35e12), "bandwidth", "data sheet");
    const auto lines = explain({named(bytes / rate, "time").value()});
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].symbol == "weight_bytes");
    CHECK(lines[0].formula.empty());
    CHECK(lines[0].value == 140e9);
    CHECK(lines[0].unit == "B");
    CHECK(lines[0].source == "config.json");
    CHECK(lines[1].symbol == "bandwidth");
    CHECK(lines[1].unit == "B/s");
    CHECK(lines[2].symbol == "time");
    CHECK(lines[2].formula == "weight_bytes / bandwidth");
    CHECK(lines[2].unit == "s");
    CHECK(lines[2].value == 140e9 / 3.35e12);
    CHECK(lines[2].operands.size() == 2);
    check_lines(lines);
}

TEST_CASE("operands are listed in the order of the formula, whatever the compiler",
          "[derivation]") {
    const Traced value = input(1, "a") - input(2, "b") * larger(input(3, "c"), input(4, "d"));
    const auto lines = explain({named(value, "result")});
    std::string order;
    for (const auto& operand : lines.back().operands) order += operand.symbol;
    CHECK(order == "abcd");
}

TEST_CASE("brackets stand where the reader needs them, and nowhere else", "[derivation]") {
    const Traced a = input(7, "a");
    const Traced b = input(3, "b");
    const Traced c = input(2, "c");
    CHECK(formula_of(a + b + c) == "a + b + c");
    CHECK(formula_of(a - b - c) == "a - b - c");
    CHECK(formula_of(a - (b - c)) == "a - (b - c)");
    CHECK(formula_of(a - (b + c)) == "a - (b + c)");
    CHECK(formula_of(a / b / c) == "a / b / c");
    CHECK(formula_of(a / (b / c)) == "a / (b / c)");
    CHECK(formula_of(a / (b * c)) == "a / (b * c)");
    CHECK(formula_of((a + b) * c) == "(a + b) * c");
    CHECK(formula_of(a + b * c) == "a + b * c");
    CHECK(formula_of(a * (b - c)) == "a * (b - c)");
    CHECK(formula_of(power(a + b, c)) == "(a + b) ^ c");
    CHECK(formula_of(power(a, b - c)) == "a ^ (b - c)");
    CHECK(formula_of(power(a, b) * c) == "a ^ b * c");
    CHECK(formula_of(larger(a + b, c) * a) == "max(a + b, c) * a");
    CHECK(formula_of(smaller(round_up(a), round_down(b))) == "min(ceil(a), floor(b))");
    CHECK(formula_of(square_root(Traced(2) * a)) == "sqrt(2 * a)");
}

TEST_CASE("powers are bracketed, as ^ binds to the right and before a sign", "[derivation]") {
    const Traced a = input(7, "a");
    CHECK(formula_of(power(power(a, Traced(3)), Traced(2))) == "(a ^ 3) ^ 2");
    CHECK(formula_of(power(Traced(-2), a)) == "(-2) ^ a");
}

TEST_CASE("every symbol is unique", "[derivation]") {
    const Traced sum = input(1, "x") + input(2, "x") + input(3, "x_2") + input(4, "x");
    const auto lines = explain({named(sum, "x")});
    REQUIRE(lines.size() == 5);
    std::set<std::string> symbols;
    for (const ExplanationLine& line : lines) symbols.insert(line.symbol);
    CHECK(symbols.size() == 5);
    check_lines(lines);
}

TEST_CASE("every symbol is one name: no sign inside it can be taken for a minus", "[derivation]") {
    // Formats have such ids ("fp8-block", data/formats), and the core builds symbols from them.
    const Traced weights = input(100, "weights");
    const auto lines =
        explain({named(weights * input(1.5, "fp8-block_bytes_per_weight"), "bytes")});
    check_lines(lines);
}

TEST_CASE("what several formulas share is one line, used in the order of need", "[derivation]") {
    const Traced a = input(4, "a");
    const Traced shared = named(a * Traced(2), "shared");
    const Traced first = named(shared + a, "first");
    const Traced second = named(shared * first, "second");
    const auto lines = explain({first, second, first});
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].symbol == "a");
    CHECK(lines[1].symbol == "shared");
    CHECK(lines[2].symbol == "first");
    CHECK(lines[3].symbol == "second");
    check_lines(lines);
}

TEST_CASE("an operand that is used twice is listed once", "[derivation]") {
    const Traced a = input(4, "a");
    const auto lines = explain({named(a * a + a, "result")});
    CHECK(lines.back().formula == "a * a + a");
    CHECK(lines.back().operands.size() == 1);
}

TEST_CASE("a second name for a value refers to the first", "[derivation]") {
    const auto lines = explain({named(input(4, "a"), "b", "B")});
    REQUIRE(lines.size() == 2);
    CHECK(lines[1].symbol == "b");
    CHECK(lines[1].formula == "a");
    CHECK(lines[1].unit == "B");
    CHECK(lines[1].value == 4);
}

TEST_CASE("a constant needs no line and leaves no derivation", "[derivation]") {
    CHECK(Traced(3).derivation() == nullptr);
    CHECK(explain({Traced(3)}).empty());
    CHECK(explain({}).empty());
    CHECK(explain({named(Traced(3), "three")}).front().value == 3);
}

TEST_CASE("the largest whole number is shown between its neighbours", "[derivation]") {
    const Traced each = input(3, "each");
    const Traced limit = input(20, "limit");
    const Traced count = largest_whole(6, each * Traced(6), limit, each * Traced(7));
    CHECK(count.value() == 6);
    CHECK(largest_whole(6, 18, 20, 21) == 6);
    const auto lines = explain({named(count, "most")});
    CHECK(lines.back().formula == "largest(each * 6, limit, each * 7, 6)");
    check_lines(lines);
}
