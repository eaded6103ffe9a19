// The weights in a folder, told apart by their names.
#pragma once

#include <string>
#include <vector>

namespace napkin::formats {

enum class WeightsRole { model, consolidated, variant, adapter, projector };

/// An index, a whole file or a set of shards.
struct WeightsCandidate {
    WeightsRole role{};
    std::string stem{};
    bool index{};
    std::string label{};               // for messages
    std::vector<std::string> files{};  // names, sorted
};

struct WeightsListing {
    std::vector<WeightsCandidate> candidates{};  // by label
    std::vector<std::string> folders{};          // that hold weights too, "original/"
    std::vector<std::string> other_weights{};    // names of .bin, .pth, .gguf ...
};

/// Throws `Error` where the folder cannot be read.
[[nodiscard]] WeightsListing list_weights(const std::string& folder);

}  // namespace napkin::formats
