// What the files hold, beside what the configuration says they should.
#pragma once

#include "formats/config/config.hpp"
#include "formats/safetensors/checkpoint.hpp"

namespace napkin::formats {

/// Holds a model read from its configuration to the weights beside it: notes what they hold beyond
/// the parameters (scales, copies, masks), takes their number format where they agree on another
/// one, and warns of bytes that the configuration does not explain. Parts of the model that the
/// files leave out (multi-token prediction) are taken from it. With `weights_given` the caller
/// knows the formats: types and bytes are not compared.
void compare_with(const Checkpoint& checkpoint, const Catalog& catalog, bool weights_given,
                  ReadModel& read);

/// A model of which only the weights are known: its size in parameters and bytes, without layers.
/// Throws `Error` where packed words, or an index alone, do not tell how many parameters there are.
[[nodiscard]] ReadModel size_of(const Checkpoint& checkpoint, std::string name);

}  // namespace napkin::formats
