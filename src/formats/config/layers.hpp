// Which layer is of which kind, by any of the ways in which configurations say it.
#pragma once

#include <vector>

#include "formats/config/keys.hpp"

namespace napkin::formats {

enum class MixerKind { none, full, sliding, linear, mamba, convolution, cross };
enum class FeedForwardKind { none, dense, experts };

struct LayerKind {
    MixerKind mixer{MixerKind::full};
    FeedForwardKind feed_forward{FeedForwardKind::dense};

    bool operator==(const LayerKind&) const = default;
};

/// One entry for each layer: `layer_types`, patterns of letters, intervals, offsets, lists of
/// indices, periods. What contradicts itself is a problem of `keys`.
[[nodiscard]] std::vector<LayerKind> layer_kinds(ConfigKeys& keys, std::size_t layers);

/// For each layer whether it sees no more than a window, where no list of kinds says so: by the
/// pattern that the configuration states, else by the family's.
[[nodiscard]] std::vector<bool> sliding_layers(ConfigKeys& keys, std::size_t layers);

/// For each layer whether its feed-forward layer is one of experts; the keys that say so differ
/// from family to family.
[[nodiscard]] std::vector<bool> expert_layers(ConfigKeys& keys, std::size_t layers);

}  // namespace napkin::formats
