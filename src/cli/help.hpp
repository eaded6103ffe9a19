// Help, made from the tables of commands and flags: examples first, within 80 columns.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace napkin::cli {

/// What `napkin` alone and `napkin --help` print.
[[nodiscard]] std::string overview();
[[nodiscard]] std::string help_of(const Command& command);

}  // namespace napkin::cli
