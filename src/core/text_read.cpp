#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/scale.hpp"
#include "napkin/text.hpp"

namespace napkin {
namespace {

struct Number {
    std::string mantissa{};  // digits and point, without exponent
    int exponent{};
    std::string_view suffix{};
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// <digits>[.<digits>][e[+-]<digits>] and what follows it.
std::optional<Number> split(std::string_view text) {
    text = trim(text);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    std::size_t at = 0;
    bool digits = false;
    bool point = false;
    while (at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point))) {
        digits = digits || is_digit(text[at]);
        point = point || text[at] == '.';
        ++at;
    }
    if (!digits || at > 64) return std::nullopt;
    Number number{.mantissa = std::string(text.substr(0, at)), .exponent = 0, .suffix = {}};
    if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t from = at + 1;
        if (text[from] == '+' && from + 1 < text.size() && is_digit(text[from + 1])) ++from;
        int exponent = 0;
        const auto [end, error] =
            std::from_chars(text.data() + from, text.data() + text.size(), exponent);
        if (error == std::errc() && std::abs(exponent) < 400) {
            number.exponent = exponent;
            at = static_cast<std::size_t>(end - text.data());
        }
    }
    number.suffix = trim(text.substr(at));
    return number;
}

// Decimal scaling happens in the text, so "3.35" with T is the double nearest to 3.35e12.
std::optional<double> scaled(const Number& number, const Scale& suffix) {
    const std::string text =
        number.mantissa + "e" + std::to_string(number.exponent + suffix.power_of_ten);
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc() || end != last) return std::nullopt;
    value *= suffix.factor;
    // Nothing that is bought or run is that large or small, and products of a few such stay finite.
    constexpr double beyond = 1e60;
    const double size = std::abs(value);
    if (!(size == 0 || (size > 1 / beyond && size < beyond))) return std::nullopt;
    return value;
}

Reading<double> read(std::string_view text, std::span<const Scale> suffixes,
                     std::string_view expected) {
    const auto refused = [&] { return Reading<double>{{}, "expected " + std::string(expected)}; };
    const std::optional<Number> number = split(text);
    if (!number) return refused();
    for (const Scale& suffix : suffixes) {
        if (suffix.text != number->suffix) continue;
        const std::optional<double> value = scaled(*number, suffix);
        if (!value) return refused();
        return {value, {}};
    }
    return refused();
}

template <class Q>
Reading<Q> as(const Reading<double>& reading) {
    if (!reading.value) return {{}, reading.problem};
    return {Q(*reading.value), {}};
}

constexpr std::array byte_suffixes{Scale{""},
                                   Scale{"B"},
                                   Scale{"kB", 3},
                                   Scale{"KB", 3},
                                   Scale{"MB", 6},
                                   Scale{"GB", 9},
                                   Scale{"TB", 12},
                                   Scale{"PB", 15},
                                   Scale{"EB", 18},
                                   Scale{"KiB", 0, unit::kibi},
                                   Scale{"MiB", 0, unit::mebi},
                                   Scale{"GiB", 0, unit::gibi},
                                   Scale{"TiB", 0, unit::tebi}};

Reading<double> whole(Reading<double> reading, double least, std::string_view expected) {
    if (!reading.value) return reading;
    if (*reading.value < least || *reading.value != std::floor(*reading.value) ||
        *reading.value > 9007199254740992.0) {  // 2^53: beyond it a double skips whole numbers
        return {{}, "expected " + std::string(expected)};
    }
    return reading;
}

}  // namespace

Reading<Bytes<>> read_bytes(std::string_view text) {
    const std::optional<Number> number = split(text);
    if (number && number->suffix.size() == 1) {
        const char letter = number->suffix.front();
        if (std::string_view("kKMGTP").find(letter) != std::string_view::npos) {
            const std::string size(trim(text.substr(0, text.find(letter))));
            return {{},
                    "ambiguous: " + size + " " + letter + "B (powers of 1,000) or " + size + " " +
                        (letter == 'k' ? 'K' : letter) + "iB (powers of 1,024)?"};
        }
    }
    return as<Bytes<>>(read(text, byte_suffixes, "bytes such as 80GB or 80GiB"));
}

Reading<BytesPerSecond<>> read_byte_rate(std::string_view text) {
    static constexpr std::array suffixes{Scale{"B/s"},
                                         Scale{"kB/s", 3},
                                         Scale{"MB/s", 6},
                                         Scale{"GB/s", 9},
                                         Scale{"TB/s", 12},
                                         Scale{"PB/s", 15},
                                         Scale{"KiB/s", 0, unit::kibi},
                                         Scale{"MiB/s", 0, unit::mebi},
                                         Scale{"GiB/s", 0, unit::gibi},
                                         Scale{"TiB/s", 0, unit::tebi},
                                         Scale{"bit/s", 0, unit::bit},
                                         Scale{"Mbit/s", 6, unit::bit},
                                         Scale{"Gbit/s", 9, unit::bit},
                                         Scale{"Tbit/s", 12, unit::bit}};
    return as<BytesPerSecond<>>(read(text, suffixes, "a rate such as 3.35TB/s or 400Gbit/s"));
}

Reading<FlopsPerSecond<>> read_flop_rate(std::string_view text) {
    static constexpr std::array suffixes{
        Scale{"FLOP/s"},      Scale{"GFLOP/s", 9}, Scale{"TFLOP/s", 12}, Scale{"PFLOP/s", 15},
        Scale{"EFLOP/s", 18}, Scale{"MFLOP/s", 6}, Scale{"FLOPS"},       Scale{"GFLOPS", 9},
        Scale{"TFLOPS", 12},  Scale{"PFLOPS", 15}, Scale{"EFLOPS", 18}};
    return as<FlopsPerSecond<>>(read(text, suffixes, "a rate such as 989TFLOP/s"));
}

Reading<Flops<>> read_flops(std::string_view text) {
    static constexpr std::array suffixes{Scale{""},          Scale{"FLOP"},      Scale{"GFLOP", 9},
                                         Scale{"TFLOP", 12}, Scale{"PFLOP", 15}, Scale{"EFLOP", 18},
                                         Scale{"ZFLOP", 21}, Scale{"YFLOP", 24}};
    return as<Flops<>>(read(text, suffixes, "an amount of work such as 3.8e25"));
}

Reading<double> read_count(std::string_view text) {
    static constexpr std::array suffixes{Scale{""},     Scale{"k", 3}, Scale{"K", 3},
                                         Scale{"M", 6}, Scale{"B", 9}, Scale{"T", 12},
                                         Scale{"m", 6}, Scale{"b", 9}, Scale{"t", 12}};
    constexpr std::string_view expected = "a count above zero such as 70B or 15.6T";
    return whole(read(text, suffixes, expected), 1, expected);
}

Reading<double> read_whole(std::string_view text) {
    static constexpr std::array suffixes{Scale{""}, Scale{"k", 3}, Scale{"K", 3}, Scale{"M", 6}};
    constexpr std::string_view expected = "a whole number, at least 1";
    return whole(read(text, suffixes, expected), 1, expected);
}

Reading<double> read_length(std::string_view text) {
    static constexpr std::array suffixes{Scale{""}, Scale{"k", 0, unit::kibi},
                                         Scale{"K", 0, unit::kibi}, Scale{"M", 0, unit::mebi}};
    constexpr std::string_view expected = "a whole number of tokens such as 8192 or 8k";
    return whole(read(text, suffixes, expected), 0, expected);
}

Reading<Seconds<>> read_duration(std::string_view text) {
    static constexpr std::array suffixes{Scale{"ns", -9},
                                         Scale{"us", -6},
                                         Scale{"ms", -3},
                                         Scale{"s"},
                                         Scale{"min", 0, unit::minute},
                                         Scale{"m", 0, unit::minute},
                                         Scale{"h", 0, unit::hour},
                                         Scale{"d", 0, unit::day},
                                         Scale{"days", 0, unit::day},
                                         Scale{"w", 0, unit::week},
                                         Scale{"y", 0, unit::year}};
    constexpr std::string_view expected = "a duration with its unit such as 40ms, 3h or 90d";
    // "3h 40min" is the sum of its parts: a part begins at a digit behind a space.
    text = trim(text);
    Seconds<> sum(0);
    while (!text.empty()) {
        std::size_t end = text.find(' ');
        while (end < text.size() && !(end + 1 < text.size() && is_digit(text[end + 1]))) {
            end = text.find(' ', end + 1);
        }
        end = std::min(end, text.size());
        const Reading<double> part = read(text.substr(0, end), suffixes, expected);
        if (!part.value) return {{}, part.problem};
        sum += Seconds<>(*part.value);
        text = trim(text.substr(end));
        if (text.empty()) return {sum, {}};
    }
    return {{}, "expected " + std::string(expected)};
}

Reading<double> read_fraction(std::string_view text) {
    static constexpr std::array suffixes{Scale{""}, Scale{"%", -2}};
    return read(text, suffixes, "a share such as 41% or 0.41");
}

Reading<Dollars<>> read_money(std::string_view text) {
    static constexpr std::array suffixes{Scale{""},         Scale{"USD"},     Scale{"k", 3},
                                         Scale{"k USD", 3}, Scale{"M", 6},    Scale{"M USD", 6},
                                         Scale{"kUSD", 3},  Scale{"MUSD", 6}, Scale{"B USD", 9}};
    text = trim(text);
    if (!text.empty() && text.front() == '$') text.remove_prefix(1);
    return as<Dollars<>>(read(text, suffixes, "an amount such as 2.99 or 2.5M USD"));
}

Reading<Watts<>> read_power(std::string_view text) {
    static constexpr std::array suffixes{Scale{"W"}, Scale{"kW", 3}, Scale{"MW", 6},
                                         Scale{"GW", 9}};
    return as<Watts<>>(read(text, suffixes, "a power such as 700W or 10.2kW"));
}

Reading<Hertz<>> read_frequency(std::string_view text) {
    static constexpr std::array suffixes{Scale{"MHz", 6}, Scale{"GHz", 9}, Scale{"Hz"}};
    return as<Hertz<>>(read(text, suffixes, "a frequency such as 1830MHz"));
}

Reading<double> read_number(std::string_view text) {
    static constexpr std::array suffixes{Scale{""}};
    return read(text, suffixes, "a number");
}

}  // namespace napkin
