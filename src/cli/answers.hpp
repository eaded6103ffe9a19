// One answer for each question that a command line asks.
#pragma once

#include <vector>

#include "cli/command.hpp"

namespace napkin::cli {

/// Answers every combination of the lists of a command line. A question that cannot be answered
/// throws; of `--on all`, parts without the arithmetic or a known capacity are left out instead.
[[nodiscard]] Documents answers_to(const Arguments& arguments, const Catalog& catalog);

}  // namespace napkin::cli
