// From words to an exit code.
#pragma once

#include <string>
#include <vector>

namespace napkin::cli {

/// Answers one command line: the result on standard output, notes and errors on standard error.
/// Returns 0 (yes), 1 (no) or 2 (no answer).
[[nodiscard]] int run(const std::vector<std::string>& words);

}  // namespace napkin::cli
