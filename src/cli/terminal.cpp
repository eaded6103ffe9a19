#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace napkin::cli {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool colored(std::string_view choice, int descriptor) {
    if (choice == "always") return true;
    if (choice == "never") return false;
    if (!environment("FORCE_COLOR").empty()) return environment("FORCE_COLOR") != "0";
    if (!environment("NO_COLOR").empty()) return false;
    if (environment("TERM") == "dumb") return false;
    return isatty(descriptor) == 1;
}

// The environment alone, as setlocale would read it: no locale is ever switched on.
bool unicode_locale() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view value = environment(name);
        if (value.empty()) continue;
        return value.find("UTF-8") != std::string_view::npos ||
               value.find("utf8") != std::string_view::npos ||
               value.find("utf-8") != std::string_view::npos;
    }
    return false;
}

std::size_t columns() {
    constexpr std::size_t usual = 80;
    constexpr std::size_t narrowest = 40;
    const std::string_view given = environment("COLUMNS");
    std::size_t width = 0;
    std::from_chars(given.data(), given.data() + given.size(), width);
    if (width == 0 && isatty(STDOUT_FILENO) == 1) {
        winsize size{};
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    }
    constexpr std::size_t widest = 120;  // longer lines are hard to read
    return width == 0 ? usual : std::clamp(width, narrowest, widest);
}

}  // namespace

Terminal standard_output(std::string_view color) {
    return {
        .width = columns(), .unicode = unicode_locale(), .color = colored(color, STDOUT_FILENO)};
}

bool standard_error_color(std::string_view color) {
    return colored(color, STDERR_FILENO);
}

}  // namespace napkin::cli
