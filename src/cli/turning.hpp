// How it is said from which batch on a decode step is compute-bound, if from any.
#pragma once

#include <vector>

#include "cli/question.hpp"
#include "napkin/critical_batch.hpp"

namespace napkin::cli {

/// Adds attention's own limit, where the whole step turns, and how many sequences memory holds.
void add_turning(std::vector<report::Result>& results, const Inputs& inputs, bool explained);

}  // namespace napkin::cli
