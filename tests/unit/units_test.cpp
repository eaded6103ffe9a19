#include "napkin/units.hpp"

#include <random>
#include <type_traits>

#include "napkin/derivation.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

template <class A, class B>
constexpr bool can_add = requires(A a, B b) {
    a + b;
};
template <class A, class B>
constexpr bool can_compare = requires(A a, B b) {
    a < b;
};

// What must not compile, and what must cost nothing.
static_assert(can_add<Bytes<>, Bytes<>>);
static_assert(!can_add<Bytes<>, Flops<>>);
static_assert(!can_add<Bytes<>, double>);
static_assert(!can_add<Seconds<>, Tokens<>>);
static_assert(!can_compare<Bytes<>, BytesPerSecond<>>);
static_assert(!std::is_convertible_v<double, Bytes<>>);
static_assert(!std::is_convertible_v<Bytes<>, double>);
static_assert(sizeof(Bytes<>) == sizeof(double));
static_assert(std::is_trivially_copyable_v<FlopsPerSecond<>>);

// Dimensions combine; what cancels is a plain number.
static_assert(std::is_same_v<decltype(Bytes<>() / Seconds<>()), BytesPerSecond<>>);
static_assert(std::is_same_v<decltype(Bytes<>() / BytesPerSecond<>()), Seconds<>>);
static_assert(std::is_same_v<decltype(FlopsPerSecond<>() / BytesPerSecond<>()), Intensity<>>);
static_assert(std::is_same_v<decltype(Watts<>() * Seconds<>()), Joules<>>);
static_assert(std::is_same_v<decltype(Bytes<>() / Bytes<>()), double>);
static_assert(std::is_same_v<decltype(Hertz<>() * Seconds<>()), double>);
static_assert(std::is_same_v<decltype(1.0 / Seconds<>()), Hertz<>>);
static_assert(std::is_same_v<decltype(Bytes<Traced>() / Bytes<Traced>()), Traced>);

}  // namespace

TEST_CASE("the contract's units are printed for their dimensions", "[units]") {
    using namespace dimension;
    // "JSON": the base units of machine output.
    CHECK(unit_of(byte) == "B");
    CHECK(unit_of(second) == "s");
    CHECK(unit_of(token / second) == "token/s");
    CHECK(unit_of(flop) == "FLOP");
    CHECK(unit_of(flop / second) == "FLOP/s");
    CHECK(unit_of(byte / second) == "B/s");
    CHECK(unit_of(flop / byte) == "FLOP/B");
    CHECK(unit_of(dollar) == "USD");
    CHECK(unit_of(joule) == "J");
    CHECK(unit_of(joule / second) == "W");
    CHECK(unit_of(Dimension{}) == "1");
    CHECK(unit_of(byte / token) == "B/token");
    CHECK(unit_of(dollar / second) == "USD/s");
    CHECK(unit_of(Dimension{} / second) == "1/s");
    CHECK(unit_of(second * second) == "s^2");
}

TEST_CASE("140 GB over 3.35 TB/s take 41.8 ms", "[units]") {
    const Seconds<> time = Bytes<>(140e9) / BytesPerSecond<>(3.35e12);
    CHECK(time.value() == Approx(0.0417910447761194).epsilon(1e-15));  // 140 / 3350
    CHECK((Tokens<>(1) / time).value() == Approx(23.928571428571427).epsilon(1e-15));
}

TEST_CASE("989.4 TFLOP/s over 3.35 TB/s turn at 295 FLOP/B", "[units]") {
    const Intensity<> ridge = FlopsPerSecond<>(989.4e12) / BytesPerSecond<>(3.35e12);
    CHECK(ridge.value() == Approx(295.3432835820896).epsilon(1e-15));  // 989.4 / 3.35
}

TEST_CASE("quantities are ordered and added as their numbers are", "[units]") {
    std::mt19937_64 random(20240701);
    std::uniform_real_distribution<double> any(-1e12, 1e12);
    for (int i = 0; i < 1000; ++i) {
        const double a = any(random);
        const double b = any(random);
        CAPTURE(a, b);
        REQUIRE((Bytes<>(a) + Bytes<>(b)).value() == a + b);
        REQUIRE((Bytes<>(a) - Bytes<>(b)).value() == a - b);
        REQUIRE((Bytes<>(a) * b).value() == a * b);
        REQUIRE((b * Bytes<>(a)).value() == a * b);
        REQUIRE((Bytes<>(a) / b).value() == a / b);
        REQUIRE(Bytes<>(a) / Bytes<>(b) == a / b);
        REQUIRE((Bytes<>(a) < Bytes<>(b)) == (a < b));
        REQUIRE((Bytes<>(a) == Bytes<>(a)));
        REQUIRE(larger(Bytes<>(a), Bytes<>(b)).value() == std::max(a, b));
        REQUIRE(smaller(Bytes<>(a), Bytes<>(b)).value() == std::min(a, b));
        Bytes<> sum(a);
        sum += Bytes<>(b);
        REQUIRE(sum.value() == a + b);
    }
}

TEST_CASE("a quantity without a value is zero", "[units]") {
    CHECK(Bytes<>().value() == 0);
    CHECK(Seconds<Traced>().value().value() == 0);
}

TEST_CASE("the operators of formulas are those of arithmetic", "[units]") {
    CHECK(larger(2.0, 3.0) == 3);
    CHECK(larger(3.0, 2.0) == 3);
    CHECK(smaller(2.0, 3.0) == 2);
    CHECK(smaller(3.0, 2.0) == 2);
    CHECK(round_up(2.1) == 3);
    CHECK(round_up(2.0) == 2);
    CHECK(round_down(2.9) == 2);
    CHECK(power(2.0, 10.0) == 1024);
    CHECK(square_root(144.0) == 12);
}
