// The one place that knows about terminals.
#pragma once

#include <cstddef>
#include <string_view>

namespace napkin::cli {

struct Terminal {
    std::size_t width{80};
    bool unicode{};
    bool color{};
};

/// What standard output is. `color` is auto, always or never: it beats FORCE_COLOR, which beats
/// NO_COLOR, which beats TERM=dumb, which beats whether it is a terminal.
[[nodiscard]] Terminal standard_output(std::string_view color);
/// Whether standard error takes colour, by the same rules.
[[nodiscard]] bool standard_error_color(std::string_view color);

}  // namespace napkin::cli
