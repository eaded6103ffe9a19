// Values from the command line that stand in for keys of a configuration.
#pragma once

#include "json/json.hpp"
#include "napkin/formats.hpp"

namespace napkin::formats {

/// The configuration with those values in what describes its language model. A value is JSON where
/// it reads as such, else a text.
[[nodiscard]] json::Value with_overrides(json::Value config, const Overrides& overrides);

}  // namespace napkin::formats
