// The list of tensors in a GGUF file and the places of their data.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/gguf/byte_reader.hpp"
#include "formats/stored_tensors.hpp"

namespace napkin::formats {

struct PlacedTensor {
    StoredTensor tensor{};
    std::uint64_t offset{};  // of its data, from the beginning of all data
};

/// `count` entries of the list. Throws `Error` on an entry that no reader of ggml would take: types
/// it does not have, rows that are not whole blocks, more than 2^63 elements, a name twice.
[[nodiscard]] std::vector<PlacedTensor> read_gguf_tensors(ByteReader& reader, std::uint64_t count,
                                                          std::uint64_t alignment);

/// Throws `Error` where data that begin at `data_offset` leave the file or overlap.
void check_gguf_places(const ByteReader& reader, const std::vector<PlacedTensor>& tensors,
                       std::uint64_t data_offset);

}  // namespace napkin::formats
