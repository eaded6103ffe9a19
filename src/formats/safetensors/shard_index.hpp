// model.safetensors.index.json: which tensor lies in which file of a set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace napkin::formats {

struct ShardIndex {
    struct Entry {
        std::string tensor{};
        std::uint32_t shard{};  // of `shards`
    };
    std::vector<std::string> shards{};          // names of files beside the index, in order of name
    std::vector<Entry> entries{};               // in order of tensor name
    std::optional<std::uint64_t> total_size{};  // bytes of all tensors, as its writer counted them
    std::optional<std::uint64_t> total_parameters{};
    std::vector<std::string> unknown_keys{};  // at the top, beside metadata and weight_map
};

/// Longer indexes are refused.
inline constexpr std::uint64_t longest_shard_index = 100'000'000;

/// Reads the text of an index; `name` is for messages. Throws `Error` for what is not
/// {"metadata": {...}, "weight_map": {tensor: file}}, for an empty map and for names of files that
/// are no plain name of a .safetensors file: an index may not lead out of its folder.
/// Source: github:huggingface/transformers src/transformers/modeling_utils.py, save_pretrained
[[nodiscard]] ShardIndex read_shard_index(std::string_view text, const std::string& name);

}  // namespace napkin::formats
