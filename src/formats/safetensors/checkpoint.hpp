// All weights of a model, from however many safetensors files hold them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/stored_tensors.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::formats {

struct TypeTotal {
    std::string type{};
    std::uint64_t tensors{};
    std::uint64_t elements{};
    std::uint64_t bytes{};
};

struct Checkpoint {
    std::vector<StoredTensor> tensors{};  // file by file, in each header's order
    std::uint64_t tensor_count{};
    std::uint64_t elements{};  // as stored: packed words, scales and masks count too
    std::uint64_t bytes{};
    std::vector<TypeTotal> types{};  // largest in bytes first
    std::vector<std::string> files{};
    std::vector<Note> notes{};
    std::string format{};  // of `__metadata__`: "pt"
    /// Only an index was there: `bytes` is its total_size, `tensor_count` what it names, and
    /// nothing else is known.
    bool headers_missing{};
};

/// Reads the headers of
/// - one .safetensors file;
/// - a shard (model-00001-of-00030.safetensors): all files of its set;
/// - an index (model.safetensors.index.json): the files that it names, held to what it says;
/// - a folder: one set of weights, see `choose_weights`; what else lies there goes into the notes.
/// Throws `Error` for malformed, truncated and missing files, for a tensor that stands twice and
/// for an index that contradicts its files. An index whose total_size or total_parameters differ
/// from the headers gets a note: the headers count.
[[nodiscard]] Checkpoint open_checkpoint(const std::string& path);

}  // namespace napkin::formats
