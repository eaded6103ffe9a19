// Safetensors files read one after the other into one list of tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/safetensors/checkpoint.hpp"

namespace napkin::formats {

struct TensorFiles {
    struct Place {
        std::uint32_t tensor{};
        std::uint32_t file{};
    };
    Checkpoint checkpoint{};
    std::vector<Place> by_name{};  // all tensors, in order of name
};

/// Reads the headers of these files, at most 2^32 tensors. Throws `Error` for a tensor that stands
/// in two of them.
[[nodiscard]] TensorFiles read_tensor_files(std::vector<std::string> paths);

}  // namespace napkin::formats
