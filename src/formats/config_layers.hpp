// Which layer is of which kind, by any of the ways in which configurations say it.
#pragma once

#include <vector>

#include "formats/config_keys.hpp"

namespace napkin::formats {

enum class MixerKind { none, full, sliding, linear, mamba, convolution, cross };
enum class FeedForwardKind { none, dense, experts };

struct LayerKind {
    MixerKind mixer{MixerKind::full};
    FeedForwardKind feed_forward{FeedForwardKind::dense};
};

/// One entry for each layer: `layer_types`, patterns of letters, intervals, offsets, lists of
/// indices, periods. What contradicts itself is a problem of `keys`.
[[nodiscard]] std::vector<LayerKind> layer_kinds(ConfigKeys& keys, std::size_t layers);

}  // namespace napkin::formats
