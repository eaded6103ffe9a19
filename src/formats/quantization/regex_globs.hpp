// Regular expressions that say no more than a glob can.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace napkin::formats {

/// A regular expression that has to match the beginning of a name, as globs with `*` and `?`, one
/// for each way through its alternatives. Empty if it says more than globs can, or more than 64 of
/// them would be needed.
[[nodiscard]] std::vector<std::string> globs_of(std::string_view regex);

}  // namespace napkin::formats
