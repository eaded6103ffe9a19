// Which layers of a GGUF model attend to a window only, and which keep no keys of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/gguf/keys.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::formats {

struct GgufWindows {
    std::vector<double> of{};  // tokens that a layer sees; 0: all
    double own_caches{};       // layers from the first that keep keys and values of their own
    std::vector<Note> notes{};
};

/// `layers` without those of multi-token prediction. Lists are by all layers of the file.
[[nodiscard]] GgufWindows gguf_windows(GgufKeys& keys, std::size_t layers);

}  // namespace napkin::formats
