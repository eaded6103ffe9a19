// Writes GGUF files byte by byte, good ones and broken ones. It knows no table of tensor types: the
// caller says how many bytes a tensor takes.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace napkin::test {

/// The bytes of an unsigned number, lowest first.
template <class T>
std::string little_endian(T value) {
    std::string bytes;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        bytes += static_cast<char>((value >> (8 * i)) & 0xff);
    }
    return bytes;
}

/// Length and bytes, as GGUF stores keys, names and texts.
inline std::string gguf_string(std::string_view text) {
    return little_endian<std::uint64_t>(text.size()).append(text);
}

/// Numbers of value types: github:ggml-org/ggml docs/gguf.md, gguf_metadata_value_type.
namespace gguf {
inline constexpr std::uint32_t u8 = 0, i8 = 1, u16 = 2, i16 = 3, u32 = 4, i32 = 5, f32 = 6,
                               boolean = 7, string = 8, array = 9, u64 = 10, i64 = 11, f64 = 12;
}  // namespace gguf

class GgufBuilder {
  public:
    std::uint32_t version{3};
    std::uint64_t alignment{32};  // of data; does not write general.alignment
    // What the header says, where that is not the truth.
    std::optional<std::uint64_t> said_tensors{};
    std::optional<std::uint64_t> said_pairs{};

    GgufBuilder& pair(std::string_view key, std::uint32_t type, std::string_view value) {
        pairs_ += gguf_string(key) + little_endian(type);
        pairs_ += value;
        ++pair_count_;
        return *this;
    }
    GgufBuilder& number(std::string_view key, std::uint32_t value) {
        return pair(key, gguf::u32, little_endian(value));
    }
    GgufBuilder& text(std::string_view key, std::string_view value) {
        return pair(key, gguf::string, gguf_string(value));
    }
    /// `elements`: their bytes, one after the other.
    GgufBuilder& array(std::string_view key, std::uint32_t type, std::uint64_t count,
                       std::string_view elements) {
        return pair(key, gguf::array,
                    little_endian(type) + little_endian(count) + std::string(elements));
    }
    GgufBuilder& texts(std::string_view key, const std::vector<std::string>& values) {
        std::string elements;
        for (const std::string& value : values) elements += gguf_string(value);
        return array(key, gguf::string, values.size(), elements);
    }

    /// An entry of the list of tensors, whatever it says.
    GgufBuilder& entry(std::string_view name, const std::vector<std::uint64_t>& extents,
                       std::uint32_t type, std::uint64_t offset) {
        tensors_ += gguf_string(name);
        tensors_ += little_endian(static_cast<std::uint32_t>(extents.size()));
        for (const std::uint64_t extent : extents) tensors_ += little_endian(extent);
        tensors_ += little_endian(type) + little_endian(offset);
        ++tensor_count_;
        return *this;
    }
    /// A tensor of `bytes` bytes, placed behind those before it.
    GgufBuilder& tensor(std::string_view name, const std::vector<std::uint64_t>& extents,
                        std::uint32_t type, std::uint64_t bytes) {
        const std::uint64_t offset = padded(data_bytes_);
        data_bytes_ = offset + bytes;
        return entry(name, extents, type, offset);
    }
    GgufBuilder& data(std::uint64_t bytes) {
        data_bytes_ = bytes;
        return *this;
    }

    /// Up to the end of the list of tensors.
    [[nodiscard]] std::string header() const {
        return "GGUF" + little_endian(version) +
               little_endian(said_tensors.value_or(tensor_count_)) +
               little_endian(said_pairs.value_or(pair_count_)) + pairs_ + tensors_;
    }
    /// How long `file` is, which may be more than memory holds: a file can be sparse.
    [[nodiscard]] std::uint64_t file_bytes() const {
        const std::uint64_t begin = header().size();
        return data_bytes_ > 0 ? padded(begin) + data_bytes_ : begin;
    }
    /// With data, all zero, up to the end of the last tensor.
    [[nodiscard]] std::string file() const {
        std::string bytes = header();
        if (data_bytes_ > 0) bytes.resize(padded(bytes.size()) + data_bytes_, '\0');
        return bytes;
    }

  private:
    [[nodiscard]] std::uint64_t padded(std::uint64_t bytes) const {
        return (bytes + alignment - 1) / alignment * alignment;
    }

    std::string pairs_{};
    std::string tensors_{};
    std::uint64_t pair_count_{};
    std::uint64_t tensor_count_{};
    std::uint64_t data_bytes_{};
};

/// A model of one layer, too small to be any: 4 tensors, 3,024 weights, 5 keys.
inline GgufBuilder small_gguf() {
    GgufBuilder builder;
    builder.text("general.architecture", "llama")
        .number("llama.block_count", 1)
        .number("llama.embedding_length", 256)
        .texts("tokenizer.ggml.tokens", {"<s>", "a", "b"})
        .array("tokenizer.ggml.token_type", gguf::i32, 3, std::string(12, '\1'));
    builder
        .tensor("token_embd.weight", {256, 3}, 14, 3 * 210)      // Q6_K: 210 bytes for 256
        .tensor("blk.0.attn_q.weight", {256, 4}, 12, 4 * 144)    // Q4_K: 144 bytes for 256
        .tensor("blk.0.ffn_up.weight", {256, 4}, 8, 8 * 4 * 34)  // Q8_0: 34 bytes for 32
        .tensor("output_norm.weight", {208}, 0, 208 * 4);        // F32
    return builder;
}

}  // namespace napkin::test
