// One entry of a safetensors header, checked by itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/stored_tensors.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::formats {

/// Where the header's JSON begins in its file: after the 8 bytes of its length.
inline constexpr std::uint64_t safetensors_header_begin = 8;

/// An entry as the header has it.
struct SafetensorsEntry {
    std::string name{};
    std::string type{};
    std::vector<std::uint64_t> shape{};
    std::vector<std::uint64_t> offsets{};  // begin and end
};

/// A problem of the header, `at` bytes from its begin.
[[nodiscard]] Problem header_problem(const std::string& path, std::size_t at, std::string id,
                                     const std::string& message, std::string expected = {});

/// Throws `Error` unless the type is known and the offsets span exactly the elements.
[[nodiscard]] StoredTensor stored(const SafetensorsEntry& entry, const std::string& path,
                                  std::size_t at);

}  // namespace napkin::formats
