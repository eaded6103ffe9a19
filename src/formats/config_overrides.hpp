// Values from the command line that stand in for keys of a configuration.
#pragma once

#include <map>
#include <string>

#include "json/json.hpp"

namespace napkin::formats {

/// Values by key, as text: what a file leaves out or gets wrong. "a.b" is b of a.
using Overrides = std::map<std::string, std::string, std::less<>>;

/// The configuration with those values in what describes its language model. A value is JSON where
/// it reads as such, else a text.
[[nodiscard]] json::Value with_overrides(json::Value config, const Overrides& overrides);

}  // namespace napkin::formats
