// How a number came about: a value that remembers the formula and the inputs behind it.
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "napkin/units.hpp"

namespace napkin {

struct Derivation;

enum class Operator {
    given,  // an input or a constant of a formula: nothing below it
    same,   // a second name for one value
    add,
    subtract,
    multiply,
    divide,
    larger,
    smaller,
    power,
    round_up,
    round_down,
    square_root,
    largest_whole  // operands f(n), limit, f(n+1), n: the largest n with f(n) <= limit
};

/// A double with the derivation that led to it. It has the arithmetic of a double, so one formula
/// template yields either the bare number or the number and its explanation; the two agree to
/// the bit because both run the same operations in the same order.
class Traced {
  public:
    Traced() = default;
    Traced(double value)
        : value_(value) {}  // NOLINT: a constant of a formula, meant to be implicit
    Traced(double value, std::shared_ptr<const Derivation> derivation)
        : value_(value), derivation_(std::move(derivation)) {}

    [[nodiscard]] double value() const { return value_; }
    /// Null for a plain constant.
    [[nodiscard]] const Derivation* derivation() const { return derivation_.get(); }

    friend Traced operator+(const Traced& a, const Traced& b);
    friend Traced operator-(const Traced& a, const Traced& b);
    friend Traced operator*(const Traced& a, const Traced& b);
    friend Traced operator/(const Traced& a, const Traced& b);
    friend std::partial_ordering operator<=>(const Traced& a, const Traced& b) {
        return a.value_ <=> b.value_;
    }
    friend bool operator==(const Traced& a, const Traced& b) { return a.value_ == b.value_; }

  private:
    double value_{};
    std::shared_ptr<const Derivation> derivation_{};
};

/// One operation on the way to a value. Named steps become lines of an explanation; unnamed ones
/// are written into the formula of the named step that uses them.
struct Derivation {
    Operator operation{Operator::given};
    double value{};
    std::string symbol{};
    std::string unit{};
    std::string source{};  // inputs only: where the figure is from
    std::vector<Traced> operands{};
};

[[nodiscard]] Traced larger(const Traced& a, const Traced& b);
[[nodiscard]] Traced smaller(const Traced& a, const Traced& b);
[[nodiscard]] Traced round_up(const Traced& x);
[[nodiscard]] Traced round_down(const Traced& x);
[[nodiscard]] Traced power(const Traced& x, const Traced& y);
[[nodiscard]] Traced square_root(const Traced& x);

[[nodiscard]] inline double value_of(double x) {
    return x;
}
[[nodiscard]] inline double value_of(const Traced& x) {
    return x.value();
}
template <Dimension D, class R>
[[nodiscard]] double value_of(const Quantity<D, R>& x) {
    return value_of(x.value());
}

/// Gives a derived value its name, so that an explanation shows it on a line of its own.
[[nodiscard]] inline double named(double x, std::string_view /*symbol*/,
                                  std::string_view /*unit*/ = "1") {
    return x;
}
[[nodiscard]] Traced named(const Traced& x, std::string_view symbol, std::string_view unit = "1");
template <Dimension D>
[[nodiscard]] Quantity<D> named(const Quantity<D>& x, std::string_view /*symbol*/) {
    return x;
}
template <Dimension D>
[[nodiscard]] Quantity<D, Traced> named(const Quantity<D, Traced>& x, std::string_view symbol) {
    return Quantity<D, Traced>(named(x.value(), symbol, unit_of(D)));
}

/// An input of a formula: a figure with its name and where it comes from.
template <class R>
[[nodiscard]] R given(double value, std::string_view symbol, std::string_view source = {},
                      std::string_view unit = "1");
template <>
[[nodiscard]] inline double given<double>(double value, std::string_view, std::string_view,
                                          std::string_view) {
    return value;
}
template <>
[[nodiscard]] Traced given<Traced>(double value, std::string_view symbol, std::string_view source,
                                   std::string_view unit);
template <class R, Dimension D>
[[nodiscard]] Quantity<D, R> given(const Quantity<D>& value, std::string_view symbol,
                                   std::string_view source = {}) {
    if constexpr (std::is_same_v<R, double>) {
        return value;
    } else {
        return Quantity<D, R>(given<R>(value.value(), symbol, source, unit_of(D)));
    }
}

/// The largest whole number n whose demand f(n) stays within a limit, shown with both neighbours.
[[nodiscard]] inline double largest_whole(double n, double, double, double) {
    return n;
}
[[nodiscard]] Traced largest_whole(double n, const Traced& at_n, const Traced& limit,
                                   const Traced& at_next);

/// One line of an explanation. `formula` uses the symbols of `operands`; an input has no formula.
struct ExplanationLine {
    struct Operand {
        std::string symbol{};
        double value{};
        std::string unit{};
    };
    std::string symbol{};
    std::string formula{};
    std::vector<Operand> operands{};
    double value{};
    std::string unit{};
    std::string source{};
};

/// The lines behind `values`, each after the lines that it uses, every symbol unique.
[[nodiscard]] std::vector<ExplanationLine> explain(const std::vector<Traced>& values);

}  // namespace napkin
