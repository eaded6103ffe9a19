#include "napkin/text.hpp"

#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

double valid(const Reading<double>& reading) {
    INFO(reading.problem);
    REQUIRE(reading.value.has_value());
    REQUIRE(reading.problem.empty());
    return *reading.value;
}
template <class Q>
double valid(const Reading<Q>& reading) {
    INFO(reading.problem);
    REQUIRE(reading.value.has_value());
    REQUIRE(reading.problem.empty());
    return reading.value->value();
}
template <class T>
bool refused(const Reading<T>& reading) {
    return !reading.value && !reading.problem.empty();
}
bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("GB are powers of 1,000 and GiB of 1,024", "[text]") {
    CHECK(valid(read_bytes("80GB")) == 80e9);
    CHECK(valid(read_bytes("80 GB")) == 80e9);
    CHECK(valid(read_bytes("80GiB")) == 80 * 1073741824.0);
    CHECK(valid(read_bytes("81559MiB")) == 85520809984.0);  // 81,559 * 2^20
    CHECK(valid(read_bytes("0.5TB")) == 5e11);
    CHECK(valid(read_bytes("2TiB")) == 2199023255552.0);
    CHECK(valid(read_bytes("512")) == 512);
    CHECK(valid(read_bytes("512B")) == 512);
    CHECK(valid(read_bytes("1.5kB")) == 1500);
    CHECK(valid(read_bytes("1EB")) == 1e18);
}

TEST_CASE("80G is refused with both readings", "[text]") {
    for (const char* text : {"80G", "80 G"}) {
        const Reading<Bytes<>> reading = read_bytes(text);
        CHECK(refused(reading));
        CHECK(contains(reading.problem, "80 GB"));
        CHECK(contains(reading.problem, "80 GiB"));
    }
    for (const char* text : {"80k", "80K", "80M", "80T", "80P"}) CHECK(refused(read_bytes(text)));
}

TEST_CASE("both readings of an ambiguous size are readings of what was written", "[text]") {
    CHECK(contains(read_bytes("1e3G").problem, "1e3 GB"));
    CHECK(contains(read_bytes("1e3G").problem, "1e3 GiB"));
}

TEST_CASE("rates count bytes, and bits are an eighth of them", "[text]") {
    CHECK(valid(read_byte_rate("3.35TB/s")) == 3.35e12);
    CHECK(valid(read_byte_rate("400Gbit/s")) == 50e9);
    CHECK(valid(read_byte_rate("2GiB/s")) == 2147483648.0);
    CHECK(valid(read_byte_rate("8bit/s")) == 1);
    CHECK(refused(read_byte_rate("3.35TB")));
    CHECK(refused(read_byte_rate("400Gb/s")));  // bits or bytes?
    CHECK(refused(read_byte_rate("400")));
}

TEST_CASE("FLOP are work and FLOP/s are speed", "[text]") {
    CHECK(valid(read_flop_rate("989.4 TFLOP/s")) == 989.4e12);
    CHECK(valid(read_flop_rate("989.4TFLOPS")) == 989.4e12);
    CHECK(refused(read_flop_rate("989.4TFLOP")));
    CHECK(valid(read_flops("3.8e25")) == 3.8e25);
    CHECK(valid(read_flops("3.8e25 FLOP")) == 3.8e25);
    CHECK(valid(read_flops("1 EFLOP")) == 1e18);
    CHECK(refused(read_flops("1 TFLOP/s")));
}

TEST_CASE("counts are decimal and lengths are binary", "[text]") {
    CHECK(valid(read_count("70B")) == 70e9);
    CHECK(valid(read_count("15.6T")) == 15.6e12);
    CHECK(valid(read_count("8k")) == 8000);
    CHECK(valid(read_count("1M")) == 1e6);
    CHECK(valid(read_length("8k")) == 8192);
    CHECK(valid(read_length("8K")) == 8192);
    CHECK(valid(read_length("1M")) == 1048576);
    CHECK(valid(read_length("1.5k")) == 1536);
    CHECK(valid(read_length("131072")) == 131072);
    CHECK(valid(read_length("0")) == 0);  // an empty context is legal
}

TEST_CASE("a fraction of a count must come out whole", "[text]") {
    CHECK(valid(read_count("1.5k")) == 1500);
    CHECK(refused(read_count("1.5")));
    CHECK(refused(read_count("0.0001k")));
    CHECK(refused(read_length("0.3k")));  // 307.2
    CHECK(refused(read_length("2.5")));
    CHECK(refused(read_whole("1.5")));
    CHECK(refused(read_count("1e17")));  // above 2^53 a double no longer counts by one
}

TEST_CASE("no count is zero, negative, infinite or not a number", "[text]") {
    const std::vector<const char*> wrong{"0",    "-1",  "nan", "inf", "-inf",  "1e400", "2 GB",
                                         "2,0",  "",    " ",   ".",   "x",     "--2",   "0x10",
                                         "1e-2", "1 2", "1..", "2e",  "1e+-5", "1/2",   "2\n3"};
    for (const char* text : wrong) {
        CAPTURE(text);
        CHECK(refused(read_whole(text)));
        CHECK(refused(read_count(text)));
    }
    CHECK(valid(read_whole("256")) == 256);
    CHECK(valid(read_whole(" +8 ")) == 8);
    CHECK(valid(read_whole("1e3")) == 1000);
}

TEST_CASE("no quantity is negative, infinite or not a number", "[text]") {
    for (const std::string wrong : {"-1", "nan", "inf", "1e400", "1e999999999999", "2,0"}) {
        CAPTURE(wrong);
        CHECK(refused(read_bytes(wrong + "GB")));
        CHECK(refused(read_byte_rate(wrong + "GB/s")));
        CHECK(refused(read_flop_rate(wrong + "TFLOP/s")));
        CHECK(refused(read_flops(wrong)));
        CHECK(refused(read_duration(wrong + "s")));
        CHECK(refused(read_fraction(wrong + "%")));
        CHECK(refused(read_money(wrong)));
        CHECK(refused(read_power(wrong + "W")));
        CHECK(refused(read_frequency(wrong + "MHz")));
        CHECK(refused(read_number(wrong)));
    }
    CHECK(refused(read_bytes(std::string(100000, '9'))));
}

TEST_CASE("an exponent has one sign", "[text]") {
    CHECK(valid(read_number("1e+5")) == 1e5);
    CHECK(valid(read_number("1e-5")) == 1e-5);
    CHECK(refused(read_number("1e+-5")));
    CHECK(refused(read_bytes("1e+-5GB")));
}

TEST_CASE("durations need their unit", "[text]") {
    CHECK(valid(read_duration("90d")) == 90 * 86400.0);
    CHECK(valid(read_duration("3h")) == 10800);
    CHECK(valid(read_duration("2.5min")) == 150);
    CHECK(valid(read_duration("40ms")) == 0.04);
    CHECK(valid(read_duration("7us")) == 7e-6);
    CHECK(valid(read_duration("1s")) == 1);
    CHECK(refused(read_duration("90")));
    CHECK(refused(read_duration("90 days ago")));
}

TEST_CASE("shares, money, power and frequency", "[text]") {
    CHECK(valid(read_fraction("41%")) == 0.41);
    CHECK(valid(read_fraction("0.41")) == 0.41);
    CHECK(valid(read_fraction("50.3 %")) == 0.503);
    CHECK(refused(read_fraction("41 percent")));
    CHECK(valid(read_money("2.5M USD")) == 2.5e6);
    CHECK(valid(read_money("$12")) == 12);
    CHECK(valid(read_money("2.99")) == 2.99);
    CHECK(valid(read_money("1200")) == 1200);
    CHECK(refused(read_money("12 EUR")));
    CHECK(valid(read_power("700 W")) == 700);
    CHECK(valid(read_power("10.2kW")) == 10200);
    CHECK(refused(read_power("700")));
    CHECK(valid(read_frequency("1830 MHz")) == 1.83e9);
    CHECK(valid(read_frequency("1.83GHz")) == 1.83e9);
    CHECK(valid(read_number("0.6")) == 0.6);
    CHECK(refused(read_number("0.6x")));
}

TEST_CASE("prefixes are exact: what is read is the double nearest to what was written", "[text]") {
    std::mt19937_64 random(4711);
    std::uniform_int_distribution<int> digits(1, 9999999);
    for (int i = 0; i < 2000; ++i) {
        const std::string figure = std::to_string(digits(random)) + "e-3";
        CAPTURE(figure);
        // strtod-like reading of the same decimal, written with an exponent instead of a prefix.
        const double nearest_double = std::stod(figure.substr(0, figure.find('e')) + "e9");
        REQUIRE(valid(read_bytes(figure + "TB")) == nearest_double);
        REQUIRE(valid(read_byte_rate(figure + "TB/s")) == nearest_double);
        REQUIRE(valid(read_flop_rate(figure + "TFLOP/s")) == nearest_double);
    }
}
