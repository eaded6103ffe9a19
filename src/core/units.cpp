#include "napkin/units.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace napkin {
namespace {

void append(std::string& text, std::string_view symbol, int exponent) {
    if (exponent <= 0) return;
    if (!text.empty()) text += "*";
    text += symbol;
    if (exponent > 1) text.append("^").append(std::to_string(exponent));
}

}  // namespace

std::string unit_of(Dimension dimension) {
    if (dimension == dimension::joule / dimension::second) return "W";
    const std::array<std::pair<std::string_view, int>, 7> parts{{{"token", dimension.token},
                                                                 {"FLOP", dimension.flop},
                                                                 {"B", dimension.byte},
                                                                 {"USD", dimension.dollar},
                                                                 {"J", dimension.joule},
                                                                 {"device", dimension.device},
                                                                 {"s", dimension.second}}};
    std::string above;
    std::string below;
    for (const auto& [symbol, exponent] : parts) {
        append(above, symbol, exponent);
        append(below, symbol, -exponent);
    }
    if (below.empty()) return above.empty() ? "1" : above;
    return (above.empty() ? "1" : above) + "/" + below;
}

}  // namespace napkin
