// What lies in the memory of the fullest device, as rows of an answer.
#pragma once

#include "cli/question.hpp"

namespace napkin::cli {

/// A row for each resident with what it is of, then what is left, required and there.
void add_residents(report::Document& document, const Fit<Traced>& fit, const Resolver& resolver,
                   const Inputs& inputs, bool training);

}  // namespace napkin::cli
