// Does its training fit: the states and activations of the fullest device (fit --train).
#pragma once

#include "cli/resolve.hpp"

namespace napkin::cli {

/// Training over all devices with ZeRO 3 and full recompute; throws every problem at once.
[[nodiscard]] report::Document fit_training(Resolver& resolver);

}  // namespace napkin::cli
