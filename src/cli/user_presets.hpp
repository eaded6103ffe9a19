// Where presets of one's own are found.
#pragma once

#include "cli/arguments.hpp"
#include "napkin/catalog.hpp"

namespace napkin::cli {

/// Adds the presets below the XDG data folders, then those of --presets; the last one wins.
void add_user_presets(Catalog& catalog, const Arguments& arguments);

}  // namespace napkin::cli
