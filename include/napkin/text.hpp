// The only place where text becomes a quantity and a quantity becomes text. Prefixes live here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "napkin/units.hpp"

namespace napkin {

/// A quantity read from text, or what was wrong with the text (never both).
template <class T>
struct Reading {
    std::optional<T> value{};
    std::string problem{};
};

// Each reader takes the whole text, refuses what is ambiguous (`80G`: GB or GiB?), negative,
// infinite or not a number, and converts decimally, so that 3.35TB/s is exactly 3.35e12 B/s.

/// `80GB` = 80e9, `80GiB` = 80 * 2^30, `512` = bytes.
[[nodiscard]] Reading<Bytes<>> read_bytes(std::string_view text);
/// `3.35TB/s`, `400Gbit/s` (an eighth of the bits), `2GiB/s`.
[[nodiscard]] Reading<BytesPerSecond<>> read_byte_rate(std::string_view text);
/// `989.4 TFLOP/s`; `TFLOPS` is read as the same.
[[nodiscard]] Reading<FlopsPerSecond<>> read_flop_rate(std::string_view text);
/// `3.8e25`, `3.8e25 FLOP`, `1 EFLOP`.
[[nodiscard]] Reading<Flops<>> read_flops(std::string_view text);
/// Decimal counts as this field writes sizes and tokens: k, M, B, T. `15.6T` = 15.6e12.
[[nodiscard]] Reading<double> read_count(std::string_view text);
/// A count that must be whole and at least one: batch sizes, degrees of parallelism.
[[nodiscard]] Reading<double> read_whole(std::string_view text);
/// Sequence lengths: k and K are 1,024 and M is 1,048,576. `8k` = 8192. Must be whole.
[[nodiscard]] Reading<double> read_length(std::string_view text);
/// `90d`, `3h`, `40ms`, `2.5min`; a bare number is refused.
[[nodiscard]] Reading<Seconds<>> read_duration(std::string_view text);
/// `41%` or `0.41`.
[[nodiscard]] Reading<double> read_fraction(std::string_view text);
/// `2.5M USD`, `$12`, `1200`.
[[nodiscard]] Reading<Dollars<>> read_money(std::string_view text);
/// `700 W`, `10.2kW`.
[[nodiscard]] Reading<Watts<>> read_power(std::string_view text);
/// `1830 MHz`, `1.83GHz`.
[[nodiscard]] Reading<Hertz<>> read_frequency(std::string_view text);
/// A plain number without a unit.
[[nodiscard]] Reading<double> read_number(std::string_view text);

/// How a value is written for people. Machine output never passes through here.
enum class Style {
    plain,           // 0.997
    whole,           // 327,680
    count,           // 70.6B
    percent,         // 41.0 %
    bytes,           // 141 GB
    memory,          // 65.7 GiB
    byte_rate,       // 3.35 TB/s
    flops,           // 3.80e25 FLOP
    flop_rate,       // 989 TFLOP/s
    intensity,       // 295 FLOP/B
    duration,        // 41.5 ms, 66.2 d
    token_rate,      // 24.1 token/s
    money,           // 1,234,567 USD
    power,           // 700 W
    energy,          // 1.2 kWh
    bytes_per_token  // 328 kB/token
};

/// Three significant digits (or as many as asked), the unit chosen after rounding.
[[nodiscard]] std::string to_text(double value, Style style, int digits = 3);

/// As `to_text`, with the unit and the decimals that suit `like`: a column shares both.
[[nodiscard]] std::string to_text_as(double value, Style style, double like, int digits = 3);

/// The style that suits a unit of the contract ("B/s" -> byte_rate).
[[nodiscard]] Style style_of(std::string_view unit);

/// Bytes with the prefix that suits them and every digit: reads back to the same double.
[[nodiscard]] std::string to_exact_text(Bytes<> value);
[[nodiscard]] std::string to_exact_text(BytesPerSecond<> value);
[[nodiscard]] std::string to_exact_text(FlopsPerSecond<> value);

/// The shortest decimal that reads back as the same double, with no unit: for machine output.
[[nodiscard]] std::string shortest(double value);
/// 1234567 -> "1,234,567" (whole numbers).
[[nodiscard]] std::string with_separators(double value);

}  // namespace napkin
