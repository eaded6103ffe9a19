// How a step taken apart is written: its operations as rows, and what fused attention saves.
#pragma once

#include "cli/question.hpp"
#include "napkin/breakdown.hpp"

namespace napkin::cli {

/// One row for each kind of work, the longest first.
[[nodiscard]] report::Table operations_table(const Breakdown<Traced>& parts);

/// The roofline of the whole step, and attention with its scores on the chip or in memory.
[[nodiscard]] std::vector<report::Result> breakdown_results(const Breakdown<Traced>& parts,
                                                            const Inputs& inputs);

}  // namespace napkin::cli
