#include <cmath>
#include <random>

#include "napkin/text.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

// Uniform in the exponent, so that every prefix is met.
double any_size(std::mt19937_64& random, double lowest, double highest) {
    std::uniform_real_distribution<double> exponent(lowest, highest);
    return std::pow(10.0, exponent(random));
}

}  // namespace

TEST_CASE("exact text reads back as the same double", "[text]") {
    std::mt19937_64 random(1729);
    for (int i = 0; i < 5000; ++i) {
        double value = any_size(random, -3, 22);
        if (i % 3 == 0) value = std::round(value);
        if (i % 7 == 0) value = any_size(random, -55, 55);
        CAPTURE(value);
        REQUIRE(read_bytes(to_exact_text(Bytes<>(value))).value == Bytes<>(value));
        REQUIRE(read_byte_rate(to_exact_text(BytesPerSecond<>(value))).value ==
                BytesPerSecond<>(value));
        REQUIRE(read_flop_rate(to_exact_text(FlopsPerSecond<>(value))).value ==
                FlopsPerSecond<>(value));
        REQUIRE(read_number(shortest(value)).value == value);
    }
}

TEST_CASE("exact text is what a person would write", "[text]") {
    CHECK(to_exact_text(BytesPerSecond<>(3.35e12)) == "3.35 TB/s");
    CHECK(to_exact_text(FlopsPerSecond<>(989.4e12)) == "989.4 TFLOP/s");
    CHECK(to_exact_text(Bytes<>(80e9)) == "80 GB");
    CHECK(to_exact_text(Bytes<>(85.5e9)) == "85.5 GB");
    CHECK(to_exact_text(Bytes<>(85520809984)) == "85.520809984 GB");
    CHECK(to_exact_text(Bytes<>(512)) == "512 B");
}

TEST_CASE("shortest decimals have no more digits than they need", "[text]") {
    CHECK(shortest(0.1) == "0.1");
    CHECK(shortest(47.3) == "47.3");
    CHECK(shortest(327680) == "327680");
    CHECK(shortest(0) == "0");
    CHECK(shortest(1.0 / 3) == "0.3333333333333333");
}

TEST_CASE("the unit is chosen after rounding", "[text]") {
    CHECK(to_text(999.96e9, Style::bytes) == "1.00 TB");
    CHECK(to_text(999.4e9, Style::bytes) == "999 GB");
    CHECK(to_text(999.96e9, Style::bytes, 5) == "999.96 GB");
    CHECK(to_text(1023.9 * 1048576, Style::memory) == "1.00 GiB");
    CHECK(to_text(59.99, Style::duration) == "1.00 min");
    CHECK(to_text(0.99996, Style::duration) == "1.00 s");
    CHECK(to_text(999999, Style::count) == "1.00M");
}

TEST_CASE("people get three significant digits", "[text]") {
    CHECK(to_text(70553706496.0, Style::count) == "70.6B");
    CHECK(to_text(141107412992.0, Style::bytes) == "141 GB");
    CHECK(to_text(70555025408.0, Style::memory) == "65.7 GiB");  // / 2^30 = 65.709
    CHECK(to_text(3.35e12, Style::byte_rate) == "3.35 TB/s");
    CHECK(to_text(989.4e12, Style::flop_rate) == "989 TFLOP/s");
    CHECK(to_text(295.343, Style::intensity) == "295 FLOP/B");
    CHECK(to_text(24.0731, Style::token_rate) == "24.1 token/s");
    CHECK(to_text(0.0415, Style::duration) == "41.5 ms");
    CHECK(to_text(66.154 * 86400, Style::duration) == "66.2 d");
    CHECK(to_text(0.41, Style::percent) == "41.0 %");
    CHECK(to_text(1, Style::percent) == "100 %");
    CHECK(to_text(0.997, Style::plain) == "0.997");
    CHECK(to_text(700, Style::power) == "700 W");
    CHECK(to_text(1.2 * 3.6e6, Style::energy) == "1.20 kWh");
    CHECK(to_text(327680, Style::bytes_per_token) == "328 kB/token");
    CHECK(to_text(0, Style::bytes) == "0 B");
    CHECK(to_text(-5e9, Style::bytes) == "-5.00 GB");
}

TEST_CASE("amounts beyond the largest prefix keep three digits", "[text]") {
    CHECK(to_text(3.798787719168e25, Style::flops) == "3.80e25 FLOP");
    CHECK(to_text(4.814e11, Style::flops) == "481 GFLOP");
    CHECK(to_text(1e18, Style::flops) == "1.00e18 FLOP");
}

TEST_CASE("whole numbers and money are separated by thousands", "[text]") {
    CHECK(with_separators(0) == "0");
    CHECK(with_separators(999) == "999");
    CHECK(with_separators(1000) == "1,000");
    CHECK(with_separators(1234567) == "1,234,567");
    CHECK(with_separators(-1234567) == "-1,234,567");
    CHECK(with_separators(-0.4) == "0");
    CHECK(to_text(327680, Style::whole) == "327,680");
    CHECK(to_text(1234567.2, Style::money) == "1,234,567 USD");
    CHECK(to_text(2.99, Style::money) == "2.99 USD");
}

TEST_CASE("money keeps its separators where a column has decimals", "[text]") {
    CHECK(to_text_as(1234.5, Style::money, 2.99) == "1,234.50 USD");
}

TEST_CASE("a column shares the unit and the decimals of one entry", "[text]") {
    CHECK(to_text_as(141e9, Style::bytes, 141e9) == "141 GB");
    CHECK(to_text_as(5.4e9, Style::bytes, 141e9) == "5 GB");
    CHECK(to_text_as(0.54e9, Style::bytes, 14.1e9) == "0.5 GB");
    CHECK(to_text_as(0.0005, Style::duration, 0.04) == "0.5 ms");
    CHECK(to_text_as(70e9 / 8, Style::memory, 65.7 * 1073741824) == "8.1 GiB");  // 8.149
}

TEST_CASE("each unit of the contract has its style", "[text]") {
    CHECK(style_of("B") == Style::bytes);
    CHECK(style_of("B/s") == Style::byte_rate);
    CHECK(style_of("FLOP") == Style::flops);
    CHECK(style_of("FLOP/s") == Style::flop_rate);
    CHECK(style_of("FLOP/B") == Style::intensity);
    CHECK(style_of("s") == Style::duration);
    CHECK(style_of("token/s") == Style::token_rate);
    CHECK(style_of("USD") == Style::money);
    CHECK(style_of("J") == Style::energy);
    CHECK(style_of("W") == Style::power);
    CHECK(style_of("B/token") == Style::bytes_per_token);
    CHECK(style_of("1") == Style::plain);
    CHECK(style_of("") == Style::plain);
}
