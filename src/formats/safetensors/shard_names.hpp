// Names of the files of a set: model-00001-of-00030.safetensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace napkin::formats {

inline constexpr std::string_view weights_extension = ".safetensors";
inline constexpr std::string_view index_extension = ".safetensors.index.json";

struct ShardName {
    std::string stem{};   // "model"
    std::string total{};  // "00030", as written
    std::uint32_t number{};
    std::uint32_t count{};
    std::size_t digits{};  // of the number
};

/// Reads the name of a file (no folder); nothing where it is not that of a shard.
[[nodiscard]] std::optional<ShardName> shard_name(std::string_view file);
/// The name of another shard of the same set.
[[nodiscard]] std::string shard_file(const ShardName& like, std::uint32_t number);
/// "model-*-of-00030.safetensors"
[[nodiscard]] std::string set_label(const ShardName& shard);

/// Paths of all files of the set that lies in `folder` ("" or with its slash at the end). Throws
/// `Error` where one is missing. Sets are numbered from 1; some from 0, with as many files as their
/// count or one more (github:openai/gpt-oss).
[[nodiscard]] std::vector<std::string> shard_paths(const std::string& folder,
                                                   const ShardName& shard);

/// Whether there is something at `path` that is not a folder.
[[nodiscard]] bool is_there(const std::string& path);

}  // namespace napkin::formats
