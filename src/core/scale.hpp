// What a suffix stands for, in text that is read and in text that is written.
#pragma once

#include <string_view>

namespace napkin {

/// "GB" is 10^9 bytes, "KiB" 2^10, "kWh" 10^3 hours of a watt: a power of ten times a factor. They
/// are kept apart because the reader scales decimals in the text, where nothing is rounded.
struct Scale {
    std::string_view text{};
    int power_of_ten{};
    double factor{1};

    /// One of this unit in base units; exact for 10^0 to 10^22, the nearest double below.
    [[nodiscard]] constexpr double size() const {
        double ten_to_power = 1;
        for (int i = 0; i < power_of_ten; ++i) ten_to_power *= 10;
        for (int i = 0; i > power_of_ten; --i) ten_to_power *= 10;
        return power_of_ten < 0 ? factor / ten_to_power : factor * ten_to_power;
    }
};

}  // namespace napkin
