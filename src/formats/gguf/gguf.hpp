// GGUF, the files of llama.cpp: what their headers say, and which tensors they hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/gguf/byte_reader.hpp"
#include "formats/gguf/metadata.hpp"
#include "formats/stored_tensors.hpp"

namespace napkin::formats {

struct GgufHeader {
    std::uint32_t version{};
    std::uint64_t alignment{32};
    GgufMetadata metadata{};
    std::vector<StoredTensor> tensors{};  // extents fastest first: [in, out] of a matrix
    std::uint64_t header_bytes{};         // up to the end of the list of tensors
    std::uint64_t data_offset{};          // where the data begin: the next multiple of alignment
    std::uint64_t file_bytes{};
};

/// Reads the header and holds it to the size of the file: every tensor's data lie inside the file
/// and apart from the others'. Versions 2 and 3, little-endian; all else throws `Error`.
/// Memory: as much as the names, texts and short lists take, never that of a vocabulary.
/// Source: github:ggml-org/ggml docs/gguf.md, src/gguf.cpp.
[[nodiscard]] GgufHeader read_gguf(ByteReader& reader);

struct GgufFile {
    GgufMetadata metadata{};  // of the first shard
    std::vector<StoredTensor> tensors{};
    std::uint64_t file_bytes{};  // of all shards
    std::uint64_t shards{1};
    std::string path{};  // as it was given
};

/// Reads a file; given any shard of a model that is split ("name-00002-of-00009.gguf"), all of them
/// in order. Throws `Error` where a shard is missing, says that it is another one, or holds a
/// tensor again.
[[nodiscard]] GgufFile open_gguf(const std::string& path);

}  // namespace napkin::formats
