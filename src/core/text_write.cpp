#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/scale.hpp"
#include "napkin/text.hpp"

namespace napkin {
namespace {

constexpr std::array binary{Scale{" B"}, Scale{" KiB", 0, unit::kibi}, Scale{" MiB", 0, unit::mebi},
                            Scale{" GiB", 0, unit::gibi}, Scale{" TiB", 0, unit::tebi}};
constexpr std::array decimal_bytes{Scale{" B"},     Scale{" kB", 3},  Scale{" MB", 6},
                                   Scale{" GB", 9}, Scale{" TB", 12}, Scale{" PB", 15}};
constexpr std::array byte_rates{Scale{" B/s"},     Scale{" kB/s", 3},  Scale{" MB/s", 6},
                                Scale{" GB/s", 9}, Scale{" TB/s", 12}, Scale{" PB/s", 15}};
constexpr std::array flops{Scale{" FLOP"},      Scale{" MFLOP", 6},  Scale{" GFLOP", 9},
                           Scale{" TFLOP", 12}, Scale{" PFLOP", 15}, Scale{" EFLOP", 18}};
constexpr std::array flop_rates{Scale{" FLOP/s"},      Scale{" MFLOP/s", 6},
                                Scale{" GFLOP/s", 9},  Scale{" TFLOP/s", 12},
                                Scale{" PFLOP/s", 15}, Scale{" EFLOP/s", 18}};
constexpr std::array counts{Scale{""}, Scale{"k", 3}, Scale{"M", 6}, Scale{"B", 9}, Scale{"T", 12}};
constexpr std::array durations{Scale{" ns", -9},
                               Scale{" us", -6},
                               Scale{" ms", -3},
                               Scale{" s"},
                               Scale{" min", 0, unit::minute},
                               Scale{" h", 0, unit::hour},
                               Scale{" d", 0, unit::day}};
constexpr std::array powers{Scale{" W"}, Scale{" kW", 3}, Scale{" MW", 6}};
constexpr std::array energies{Scale{" J"}, Scale{" kWh", 3, unit::hour},
                              Scale{" MWh", 6, unit::hour}, Scale{" GWh", 9, unit::hour}};
constexpr std::array entries{Scale{" B/token"}, Scale{" kB/token", 3}, Scale{" MB/token", 6}};
constexpr std::array plain{Scale{""}};
constexpr std::array intensities{Scale{" FLOP/B"}};
constexpr std::array token_rates{Scale{" token/s"}};
constexpr std::array percents{Scale{" %", -2}};

std::span<const Scale> scales(Style style) {
    switch (style) {
        case Style::count:
            return counts;
        case Style::percent:
            return percents;
        case Style::bytes:
            return decimal_bytes;
        case Style::memory:
            return binary;
        case Style::byte_rate:
            return byte_rates;
        case Style::flops:
            return flops;
        case Style::flop_rate:
            return flop_rates;
        case Style::intensity:
            return intensities;
        case Style::duration:
            return durations;
        case Style::token_rate:
            return token_rates;
        case Style::power:
            return powers;
        case Style::energy:
            return energies;
        case Style::bytes_per_token:
            return entries;
        case Style::plain:
        case Style::whole:
        case Style::money:
            break;
    }
    return plain;
}

std::string written(double value, std::chars_format format, int precision) {
    std::array<char, 400> buffer{};  // the longest double written out has 309 digits
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision).ptr;
    return {buffer.data(), end};
}

// Power of ten of the first digit once `value` is rounded to `digits` significant ones.
int leading_power(double value, int digits) {
    const std::string text = written(value, std::chars_format::scientific, digits - 1);
    int power = 0;
    const std::size_t sign = text.find('e') + 1;
    const std::size_t first = text[sign] == '+' ? sign + 1 : sign;
    std::from_chars(text.data() + first, text.data() + text.size(), power);
    return power;
}

// "-1234.50" -> "-1,234.50"; what has rounded to zero loses its sign.
std::string grouped(const std::string& number) {
    const bool negative = number.front() == '-';
    const std::string_view digits = std::string_view(number).substr(negative ? 1 : 0);
    const std::size_t whole = std::min(digits.find('.'), digits.size());
    const bool zero = digits.find_first_not_of("0.") == std::string_view::npos;
    std::string text(negative && !zero ? "-" : "");
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

// With as many decimals as `like` needs for `digits` significant ones; an exponent only where the
// number would grow long without it.
std::string significant(double value, double like, int digits) {
    if (value == 0 && like == 0) return "0";
    const int power = leading_power(like == 0 ? value : like, digits);
    if (power < -3 || power > 14) return written(value, std::chars_format::scientific, digits - 1);
    if (power >= digits - 1) return with_separators(value);
    return grouped(written(value, std::chars_format::fixed, digits - 1 - power));
}

double rounded(double value, int digits) {
    const std::string text = written(value, std::chars_format::scientific, digits - 1);
    double result = value;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
}

const Scale& suited(double value, std::span<const Scale> choices, int digits) {
    const Scale* best = &choices.front();
    for (const Scale& scale : choices) {
        if (rounded(std::abs(value) / scale.size(), digits) >= 1) best = &scale;
    }
    return *best;
}

// The shortest digits that read back as `value`, with the point where the scale wants it: 8.55e10
// is "85.5" and " GB".
std::string exact(double value, std::span<const Scale> choices) {
    const Scale& scale = suited(value, choices, 17);
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::scientific)
                         .ptr;
    const std::string text(buffer.data(), end);
    const std::size_t e = text.find('e');
    std::string digits = text.substr(0, e);
    std::erase(digits, '.');
    const int power = std::stoi(text.substr(e + 1)) - scale.power_of_ten;
    constexpr int longest = 18;  // digits that are still readable in a row
    if (power > longest || power < -longest) {
        const std::string rest = digits.substr(1);
        digits.resize(1);
        if (!rest.empty()) digits.append(".").append(rest);
        return digits.append("e").append(std::to_string(power)).append(scale.text);
    }
    if (power < 0) digits.insert(0, static_cast<std::size_t>(-power), '0');
    const auto whole = static_cast<std::size_t>(std::max(0, power) + 1);
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    const std::string fraction = digits.substr(whole);
    digits.resize(whole);
    if (!fraction.empty()) digits.append(".").append(fraction);
    return digits.append(scale.text);
}

}  // namespace

std::string shortest(double value) {
    std::array<char, 32> buffer{};
    char* const begin = buffer.data();
    char* const end = begin + buffer.size();
    // Whole numbers keep all their digits, so that a shell can compare them.
    constexpr double longest_whole = 1e15;
    const bool whole = std::abs(value) < longest_whole && std::floor(value) == value;
    const auto last = whole ? std::to_chars(begin, end, value, std::chars_format::fixed, 0).ptr
                            : std::to_chars(begin, end, value).ptr;
    return value == 0 ? "0" : std::string(begin, last);
}

std::string with_separators(double value) {
    return grouped(written(value, std::chars_format::fixed, 0));
}

std::string to_text(double value, Style style, int digits) {
    return to_text_as(value, style, value, digits);
}

std::string to_text_as(double value, Style style, double like, int digits) {
    if (style == Style::whole) return with_separators(value);
    if (style == Style::money) return significant(value, like, digits) + " USD";
    constexpr double countless = 1e18;  // work beyond it is written as this field does: 3.80e25
    if (style == Style::flops && std::abs(like) >= countless) {
        std::string text = written(value, std::chars_format::scientific, digits - 1);
        std::erase(text, '+');
        return text + " FLOP";
    }
    const Scale& scale = suited(like, scales(style), digits);
    return significant(value / scale.size(), like / scale.size(), digits) + std::string(scale.text);
}

Style style_of(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, Style>, 14> known{
        {{"B", Style::bytes},
         {"B/s", Style::byte_rate},
         {"FLOP", Style::flops},
         {"FLOP/s", Style::flop_rate},
         {"FLOP/B", Style::intensity},
         {"s", Style::duration},
         {"token/s", Style::token_rate},
         {"USD", Style::money},
         {"W", Style::power},
         {"J", Style::energy},
         {"B/token", Style::bytes_per_token}}};
    for (const auto& [name, style] : known) {
        if (name == unit && !unit.empty()) return style;
    }
    return Style::plain;
}

std::string to_exact_text(Bytes<> value) {
    return exact(value.value(), decimal_bytes);
}
std::string to_exact_text(BytesPerSecond<> value) {
    return exact(value.value(), byte_rates);
}
std::string to_exact_text(FlopsPerSecond<> value) {
    return exact(value.value(), flop_rates);
}

}  // namespace napkin
