// How the work is split over devices.
#pragma once

#include <string>

namespace napkin {

/// Degrees of parallelism; their product is at most the number of devices.
struct Layout {
    double dp{1};   // replicas (inference), data parallel (training)
    double tp{1};   // tensor parallel: every matrix cut over tp devices
    double pp{1};   // pipeline parallel: layers cut into pp stages
    double zero{};  // training: 0 replicates all states, 3 shards weights, gradients and optimizer
    std::string why{};  // how a default came about, in words
};

}  // namespace napkin
