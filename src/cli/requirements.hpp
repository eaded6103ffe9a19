// --get and --require: single figures out of an answer, and limits that it is held to.
#pragma once

#include <string>
#include <vector>

#include "report/document.hpp"

namespace napkin::cli {

/// Which figure of a result is meant: the ceiling or one end of its band.
enum class Level { ceiling, worst, typical, best };

/// Holds `document` to each of `requirements` ("tokens_per_second >= 20"): adds a check for each,
/// sets the verdict where it had none, and answers no if one is missed.
void hold(report::Document& document, const std::vector<std::string>& requirements, Level level,
          bool level_given);

/// The values of the comma-separated `keys`, one a line, in base units. A rate of a plan that does
/// not fit prints nothing. Throws `Error` for a key that no such answer has.
[[nodiscard]] std::string values_of(const report::Document& document, const std::string& keys,
                                    Level level);

/// The figure of `result` at a level; the value itself where there is no band.
[[nodiscard]] std::optional<double> figure(const report::Result& result, Level level);

}  // namespace napkin::cli
