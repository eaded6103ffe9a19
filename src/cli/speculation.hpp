// How a round of speculation is written: draft, verify, and what they are worth.
#pragma once

#include <vector>

#include "cli/question.hpp"
#include "napkin/speculation.hpp"

namespace napkin::cli {

/// What speculation brings, in the place of what a plain step does; `many` sequences at a time.
[[nodiscard]] std::vector<report::Result> speculation_results(const Speculation<Traced>& round,
                                                              const Question& question, bool many);

}  // namespace napkin::cli
