// GGUF files of whole models, of any size: their data are holes. What they hold is counted here,
// tensor by tensor, apart from what the reader counts.
#pragma once

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/gguf_builder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace napkin::test {

/// Source of numbers and blocks: github:ggml-org/ggml include/ggml.h, src/ggml-common.h.
struct GgmlBlock {
    std::uint32_t number{};
    std::uint64_t elements{};
    std::uint64_t bytes{};
};
namespace ggml {
inline constexpr GgmlBlock f32{0, 1, 4}, f16{1, 1, 2}, bf16{30, 1, 2}, q4_0{2, 32, 18},
    q8_0{8, 32, 34}, q3_k{11, 256, 110}, q4_k{12, 256, 144}, q5_k{13, 256, 176}, q6_k{14, 256, 210},
    mxfp4{39, 32, 17};
}  // namespace ggml

class ModelFile {
  public:
    explicit ModelFile(std::string architecture) : architecture_(std::move(architecture)) {
        builder.text("general.architecture", architecture_);
    }

    ModelFile& number(std::string_view key, double value) {
        builder.pair(full(key), gguf::u32, little_endian(static_cast<std::uint32_t>(value)));
        return *this;
    }
    ModelFile& numbers(std::string_view key, const std::vector<double>& values) {
        std::string items;
        for (const double one : values) items += little_endian(static_cast<std::uint32_t>(one));
        builder.array(full(key), gguf::u32, values.size(), items);
        return *this;
    }
    ModelFile& flags(std::string_view key, const std::vector<bool>& values) {
        std::string items;
        for (const bool one : values) items += one ? '\1' : '\0';
        builder.array(full(key), gguf::boolean, values.size(), items);
        return *this;
    }
    ModelFile& flag(std::string_view key, bool value) {
        builder.pair(full(key), gguf::boolean, value ? std::string("\1") : std::string(1, '\0'));
        return *this;
    }

    ModelFile& put(const std::string& name, const std::vector<double>& extents, GgmlBlock type) {
        std::vector<std::uint64_t> whole;
        std::uint64_t product = 1;
        for (const double one : extents) {
            whole.push_back(static_cast<std::uint64_t>(one));
            product *= whole.back();
        }
        const std::uint64_t size = product / type.elements * type.bytes;
        builder.tensor(name, whole, type.number, size);
        elements += static_cast<double>(product);
        bytes += static_cast<double>(size);
        return *this;
    }
    /// A tensor of layer `layer`.
    ModelFile& put(std::size_t layer, const std::string& name, const std::vector<double>& extents,
                   GgmlBlock type) {
        return put("blk." + std::to_string(layer) + "." + name, extents, type);
    }

    [[nodiscard]] formats::GgufFile open() const {
        const TemporaryFolder folder;
        const std::string path = folder.write("model.gguf", builder.header());
        std::filesystem::resize_file(path, builder.file_bytes());
        return formats::open_gguf(path);
    }
    [[nodiscard]] formats::ReadModel read() const {
        return formats::read_gguf_model(open(), "test", Catalog());
    }

    GgufBuilder builder{};
    double elements{};
    double bytes{};

  private:
    [[nodiscard]] std::string full(std::string_view key) const {
        return (architecture_ + ".").append(key);
    }
    std::string architecture_;
};

/// Weights of the model and of the parts beside it.
inline double all_parameters(const Model& model) {
    double sum = parameters(model);
    for (const Part& part : model.parts) sum += part.parameters;
    return sum;
}

/// Its sums are those of the file.
inline void check_exact(const ModelFile& file, const Model& model) {
    CHECK(all_parameters(model) == file.elements);
    double bytes = weight_bytes(model).value();
    for (const Part& part : model.parts) bytes += part.bytes;
    CHECK(std::abs(bytes - file.bytes) < 0.5);
}

/// A token more, in 16 bits.
inline double kv_bytes(const Model& model) {
    return kv_bytes_per_token(model, Catalog().format("fp16")).value();
}

struct LlamaSizes {
    double layers{2}, hidden{256}, heads{4}, kv_heads{2}, head_dim{64}, width{512},
        vocabulary{1000};
};

/// Keys and outside of a model like Llama, untied.
inline ModelFile outside(const std::string& architecture, const LlamaSizes& s,
                         GgmlBlock type = ggml::f16, std::optional<GgmlBlock> head = {}) {
    ModelFile file(architecture);
    file.number("block_count", s.layers).number("embedding_length", s.hidden);
    file.number("context_length", 8192).number("attention.head_count", s.heads);
    file.number("attention.head_count_kv", s.kv_heads);
    file.put("token_embd.weight", {s.hidden, s.vocabulary}, type);
    file.put("output_norm.weight", {s.hidden}, ggml::f32);
    file.put("output.weight", {s.hidden, s.vocabulary}, head.value_or(type));
    return file;
}

inline void attention(ModelFile& file, std::size_t i, const LlamaSizes& s,
                      GgmlBlock type = ggml::f16) {
    file.put(i, "attn_norm.weight", {s.hidden}, ggml::f32);
    file.put(i, "attn_q.weight", {s.hidden, s.heads * s.head_dim}, type);
    file.put(i, "attn_k.weight", {s.hidden, s.kv_heads * s.head_dim}, type);
    file.put(i, "attn_v.weight", {s.hidden, s.kv_heads * s.head_dim}, type);
    file.put(i, "attn_output.weight", {s.heads * s.head_dim, s.hidden}, type);
}

inline void gated(ModelFile& file, std::size_t i, const LlamaSizes& s, GgmlBlock type = ggml::f16) {
    file.put(i, "ffn_norm.weight", {s.hidden}, ggml::f32);
    file.put(i, "ffn_gate.weight", {s.hidden, s.width}, type);
    file.put(i, "ffn_up.weight", {s.hidden, s.width}, type);
    file.put(i, "ffn_down.weight", {s.width, s.hidden}, type);
}

inline ModelFile llama(const LlamaSizes& s = {}, GgmlBlock type = ggml::f16) {
    ModelFile file = outside("llama", s, type);
    for (std::size_t i = 0; static_cast<double>(i) < s.layers; ++i) {
        attention(file, i, s, type);
        gated(file, i, s, type);
    }
    return file;
}

}  // namespace napkin::test
