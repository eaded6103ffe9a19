// Headers of safetensors files: which tensors a file holds, and that it holds them whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/input_file.hpp"
#include "formats/stored_tensors.hpp"

namespace napkin::formats {

struct SafetensorsHeader {
    std::vector<StoredTensor>
        tensors{};  // in the header's order; extents as [out, in], {} a scalar
    std::vector<std::pair<std::string, std::string>> metadata{};  // its `__metadata__`
    std::uint64_t bytes{};                                        // of all tensors
};

/// The format's own limit of a header's length.
/// Source: github:huggingface/safetensors safetensors/src/tensor.rs, MAX_HEADER_SIZE
inline constexpr std::uint64_t longest_safetensors_header = 100'000'000;

/// Reads the JSON of a header whose tensors share `data_bytes` bytes; `name` is for messages.
/// Throws `Error` for whatever is not as the format has it: every tensor needs a known dtype, a
/// shape and offsets that span exactly its elements, and the tensors have to fill the data without
/// holes and overlaps. Beyond the format: at most 64 dimensions, as PyTorch has it, and 65,536
/// entries of metadata.
/// Source: github:huggingface/safetensors README.md, "Format"
[[nodiscard]] SafetensorsHeader read_safetensors(std::string_view header, std::uint64_t data_bytes,
                                                 const std::string& name);

/// Reads the header of a file: 8 bytes with its length, little-endian, then its JSON. The data are
/// not read, their number is held to the file's size.
[[nodiscard]] SafetensorsHeader read_safetensors(const InputFile& file);

}  // namespace napkin::formats
