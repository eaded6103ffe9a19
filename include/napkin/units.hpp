// Physical quantities of LLM hardware, checked at compile time and free at run time.
#pragma once

#include <cmath>
#include <string>

namespace napkin {

/// Exponents of the seven base dimensions: 3.35 TB/s has byte = 1, second = -1.
struct Dimension {
    int byte{}, flop{}, second{}, token{}, device{}, dollar{}, joule{};
    friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

[[nodiscard]] constexpr Dimension operator*(Dimension a, Dimension b) {
    return {a.byte + b.byte,     a.flop + b.flop,     a.second + b.second, a.token + b.token,
            a.device + b.device, a.dollar + b.dollar, a.joule + b.joule};
}
[[nodiscard]] constexpr Dimension operator/(Dimension a, Dimension b) {
    return {a.byte - b.byte,     a.flop - b.flop,     a.second - b.second, a.token - b.token,
            a.device - b.device, a.dollar - b.dollar, a.joule - b.joule};
}

/// The unit in which the contract prints a dimension: "B", "B/s", "token/s", "FLOP/B", "W", "1".
[[nodiscard]] std::string unit_of(Dimension dimension);

/// A number of one dimension in base units (bytes, FLOP, seconds, ...); explicit in, explicit out.
/// `R` is `double` on the fast path and `Traced` where the answer must explain itself: the same
/// formula serves both. Multiplying and dividing combine dimensions; a pure number is a plain `R`.
template <Dimension D, class R = double>
class Quantity {
  public:
    constexpr Quantity() = default;
    explicit constexpr Quantity(R value) : value_(std::move(value)) {}
    [[nodiscard]] constexpr const R& value() const { return value_; }

    friend constexpr Quantity operator+(const Quantity& a, const Quantity& b) {
        return Quantity(a.value_ + b.value_);
    }
    friend constexpr Quantity operator-(const Quantity& a, const Quantity& b) {
        return Quantity(a.value_ - b.value_);
    }
    friend constexpr Quantity operator*(const Quantity& a, const R& b) {
        return Quantity(a.value_ * b);
    }
    friend constexpr Quantity operator*(const R& a, const Quantity& b) {
        return Quantity(a * b.value_);
    }
    friend constexpr Quantity operator/(const Quantity& a, const R& b) {
        return Quantity(a.value_ / b);
    }
    friend constexpr auto operator<=>(const Quantity& a, const Quantity& b) {
        return a.value_ <=> b.value_;
    }
    friend constexpr bool operator==(const Quantity& a, const Quantity& b) {
        return a.value_ == b.value_;
    }
    constexpr Quantity& operator+=(const Quantity& other) { return *this = *this + other; }

  private:
    R value_{};
};

template <Dimension A, Dimension B, class R>
[[nodiscard]] constexpr auto operator*(const Quantity<A, R>& a, const Quantity<B, R>& b) {
    if constexpr (A * B == Dimension{}) {
        return R(a.value() * b.value());
    } else {
        return Quantity<A * B, R>(a.value() * b.value());
    }
}
template <Dimension A, Dimension B, class R>
[[nodiscard]] constexpr auto operator/(const Quantity<A, R>& a, const Quantity<B, R>& b) {
    if constexpr (A == B) {
        return R(a.value() / b.value());
    } else {
        return Quantity<A / B, R>(a.value() / b.value());
    }
}
template <Dimension D, class R>
[[nodiscard]] constexpr auto operator/(const R& a, const Quantity<D, R>& b) {
    return Quantity<Dimension{} / D, R>(a / b.value());
}

// Operators that formulas need beside + - * /; `Traced` has its own of the same names.
[[nodiscard]] inline double larger(double a, double b) {
    return a < b ? b : a;
}
[[nodiscard]] inline double smaller(double a, double b) {
    return b < a ? b : a;
}
[[nodiscard]] inline double round_up(double x) {
    return std::ceil(x);
}
[[nodiscard]] inline double round_down(double x) {
    return std::floor(x);
}
[[nodiscard]] inline double power(double x, double y) {
    return std::pow(x, y);
}
[[nodiscard]] inline double square_root(double x) {
    return std::sqrt(x);
}

template <Dimension D, class R>
[[nodiscard]] Quantity<D, R> larger(const Quantity<D, R>& a, const Quantity<D, R>& b) {
    return Quantity<D, R>(larger(a.value(), b.value()));
}
template <Dimension D, class R>
[[nodiscard]] Quantity<D, R> smaller(const Quantity<D, R>& a, const Quantity<D, R>& b) {
    return Quantity<D, R>(smaller(a.value(), b.value()));
}

namespace dimension {
inline constexpr Dimension byte{.byte = 1}, flop{.flop = 1}, second{.second = 1}, token{.token = 1},
    device{.device = 1}, dollar{.dollar = 1}, joule{.joule = 1};
}  // namespace dimension

/// What one of a unit is in base units: bytes of a KiB, seconds of an hour. Powers of ten have no
/// name here: only text has prefixes, and the tables of its reader and writer hold the exponents.
namespace unit {
inline constexpr double kibi = 1 << 10, mebi = kibi * kibi, gibi = mebi * kibi, tebi = gibi * kibi;
inline constexpr double bit = 1.0 / 8;  // bytes
inline constexpr double minute = 60, hour = 60 * minute, day = 24 * hour, week = 7 * day,
                        year = 365.25 * day;  // seconds; the Julian year
}  // namespace unit

template <class R = double>
using Bytes = Quantity<dimension::byte, R>;
template <class R = double>
using Flops = Quantity<dimension::flop, R>;
template <class R = double>
using Seconds = Quantity<dimension::second, R>;
template <class R = double>
using Tokens = Quantity<dimension::token, R>;
template <class R = double>
using Dollars = Quantity<dimension::dollar, R>;
template <class R = double>
using Joules = Quantity<dimension::joule, R>;
template <class R = double>
using BytesPerSecond = Quantity<dimension::byte / dimension::second, R>;
template <class R = double>
using FlopsPerSecond = Quantity<dimension::flop / dimension::second, R>;
template <class R = double>
using TokensPerSecond = Quantity<dimension::token / dimension::second, R>;
template <class R = double>
using Hertz = Quantity<Dimension{} / dimension::second, R>;
template <class R = double>
using Watts = Quantity<dimension::joule / dimension::second, R>;
/// Arithmetic intensity: FLOPs done for each byte that crosses memory.
template <class R = double>
using Intensity = Quantity<dimension::flop / dimension::byte, R>;
template <class R = double>
using BytesPerToken = Quantity<dimension::byte / dimension::token, R>;

}  // namespace napkin
