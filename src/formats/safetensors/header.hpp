// The JSON of a safetensors header, tensor by tensor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/safetensors/safetensors.hpp"

namespace napkin::formats {

struct ListedTensors {
    SafetensorsHeader header{};
    std::vector<std::uint64_t> begins{};  // of each tensor's data, from the end of the header
};

/// Each tensor for itself: dtype, shape and that its offsets span its elements. How the tensors lie
/// beside each other is not looked at.
[[nodiscard]] ListedTensors list_tensors(std::string_view header, const std::string& name);

}  // namespace napkin::formats
