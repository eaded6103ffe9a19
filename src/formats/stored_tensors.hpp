// The weights that files hold, as their headers list them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace napkin::formats {

/// One stored tensor. Extents stand in the file's own order; unused ones are 1.
struct StoredTensor {
    std::string name{};
    std::string type{};  // as the file calls it: "BF16", "Q4_K"
    std::vector<std::uint64_t> extents{};
    std::uint64_t elements{};
    std::uint64_t bytes{};
};

}  // namespace napkin::formats
