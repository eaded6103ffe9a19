// The parts of a layer, from the keys of a configuration.
#pragma once

#include "formats/config/keys.hpp"
#include "formats/config/layers.hpp"
#include "napkin/model.hpp"

namespace napkin::formats {

/// The mixer of a layer of that kind. Missing dimensions are problems of `keys`.
[[nodiscard]] Mixer mixer_of(ConfigKeys& keys, MixerKind kind);

/// The feed-forward layer of that kind.
[[nodiscard]] FeedForward feed_forward_of(ConfigKeys& keys, FeedForwardKind kind);

/// The norms of such a layer.
[[nodiscard]] double norms_of(ConfigKeys& keys, LayerKind kind);

}  // namespace napkin::formats
