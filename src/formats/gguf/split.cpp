// Models split into several GGUF files. Source: github:ggml-org/llama.cpp tools/gguf-split and
// src/llama-model-loader.cpp (split.count, split.no from 0, split.tensors.count over all shards).
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "formats/gguf/gguf.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::formats {
namespace {

constexpr std::size_t digits = 5;

struct Split {
    std::string prefix{};
    std::uint64_t count{};
};

std::string numbered(std::uint64_t number) {
    const std::string text = std::to_string(number);
    return std::string(digits - std::min(digits, text.size()), '0') + text;
}

std::string shard_path(const Split& split, std::uint64_t number) {
    return split.prefix + "-" + numbered(number) + "-of-" + numbered(split.count) + ".gguf";
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + static_cast<std::uint64_t>(c - '0');
    }
    return number;
}

// "name-00002-of-00009.gguf" taken apart; empty for other names.
std::optional<Split> split_of(const std::string& path) {
    constexpr std::size_t tail = 1 + digits + 4 + digits + 5;  // "-00002-of-00009.gguf"
    if (path.size() <= tail) return std::nullopt;
    const Split split{.prefix = path.substr(0, path.size() - tail), .count = 0};
    const std::string_view end = std::string_view(path).substr(split.prefix.size());
    const auto number = number_in(end.substr(1, digits));
    const auto count = number_in(end.substr(1 + digits + 4, digits));
    if (!number || !count || *number == 0 || *number > *count) return std::nullopt;
    const Split found{.prefix = split.prefix, .count = *count};
    if (shard_path(found, *number) != path) return std::nullopt;
    return found;
}

void check_says(const ByteReader& reader, const GgufMetadata& metadata, std::string_view key,
                std::uint64_t value) {
    const double* said = gguf_number(reader, metadata, key);
    if (said == nullptr || *said == static_cast<double>(value)) return;
    reader.refuse("wrong-shard",
                  "the key " + shown(key) + " does not say what the files do: " + grouped(value));
}

GgufHeader read_shard(const std::string& path, const Split& split, std::uint64_t number) {
    const InputFile file(path);
    ByteReader reader(file);
    GgufHeader header = read_gguf(reader);
    check_says(reader, header.metadata, "split.count", split.count);
    check_says(reader, header.metadata, "split.no", number - 1);
    return header;
}

GgufFile read_single(const std::string& path) {
    const InputFile file(path);
    ByteReader reader(file);
    GgufHeader header = read_gguf(reader);
    const double* count = gguf_number(reader, header.metadata, "split.count");
    if (count != nullptr && *count > 1) {
        reader.refuse("wrong-shard", "one of several parts of a model, by its key 'split.count'",
                      "its name to be like name-00001-of-00009.gguf, beside the others");
    }
    return {.metadata = std::move(header.metadata),
            .tensors = std::move(header.tensors),
            .file_bytes = header.file_bytes,
            .shards = 1,
            .path = path};
}

[[noreturn]] void refuse(const std::string& path, std::string id, const std::string& message) {
    throw Error({.id = std::move(id),
                 .message = path + ": " + message,
                 .where = {.file = path},
                 .expected = {},
                 .suggestions = {},
                 .hint = {}});
}

}  // namespace

GgufFile open_gguf(const std::string& path) {
    const auto split = split_of(path);
    if (!split) return read_single(path);
    GgufFile whole{
        .metadata = {}, .tensors = {}, .file_bytes = 0, .shards = split->count, .path = path};
    std::set<std::string> names;
    for (std::uint64_t number = 1; number <= split->count; ++number) {
        const std::string shard = shard_path(*split, number);
        std::error_code ignored;
        if (shard != path && !std::filesystem::exists(shard, ignored)) {
            refuse(shard, "missing-shard",
                   "missing, one of the " + grouped(split->count) + " files of this model");
        }
        GgufHeader header = read_shard(shard, *split, number);
        for (StoredTensor& tensor : header.tensors) {
            if (!names.insert(tensor.name).second) {
                refuse(shard, "duplicate-tensor",
                       "the tensor " + shown(tensor.name) + " is in an earlier shard too");
            }
            whole.tensors.push_back(std::move(tensor));
        }
        whole.file_bytes += header.file_bytes;
        if (number == 1) whole.metadata = std::move(header.metadata);
    }
    const auto total = whole.metadata.find("split.tensors.count");
    if (total != whole.metadata.end()) {
        const double* said = std::get_if<double>(&total->second);
        if (said == nullptr || *said != static_cast<double>(whole.tensors.size())) {
            refuse(path, "wrong-shard",
                   "the shards hold " + grouped(whole.tensors.size()) +
                       " tensors, the key 'split.tensors.count' says otherwise");
        }
    }
    return whole;
}

}  // namespace napkin::formats
