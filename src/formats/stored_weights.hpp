// What the files hold, beside what the configuration says they should.
#pragma once

#include "formats/checkpoint.hpp"
#include "formats/config.hpp"

namespace napkin::formats {

/// Holds a model read from its configuration to the weights beside it: notes what they hold beyond
/// the parameters (scales, copies, masks), takes their number format where they agree on another
/// one, and warns of bytes that the configuration does not explain.
void compare_with(const Checkpoint& checkpoint, const Catalog& catalog, ReadModel& read);

/// A model of which only the weights are known: its size in parameters and bytes, without layers.
[[nodiscard]] ReadModel size_of(const Checkpoint& checkpoint, std::string name);

}  // namespace napkin::formats
