// The tensors of one layer of a GGUF model, given one by one to their places in a block.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf/formats.hpp"
#include "formats/gguf/keys.hpp"
#include "formats/stored_tensors.hpp"
#include "napkin/model.hpp"

namespace napkin::formats {

// Extents stand as the file has them: inputs first.
[[nodiscard]] double extent(const StoredTensor& tensor, std::size_t index);
[[nodiscard]] inline double inputs(const StoredTensor& tensor) {
    return extent(tensor, 0);
}
[[nodiscard]] inline double outputs(const StoredTensor& tensor) {
    return extent(tensor, 1);
}
[[nodiscard]] inline double elements_of(const StoredTensor& tensor) {
    return static_cast<double>(tensor.elements);
}
/// Whether it has a single extent, or others of 1.
[[nodiscard]] bool is_vector(const StoredTensor& tensor);
[[nodiscard]] StoredWeights all_of(const StoredTensor& tensor);

/// What the layer has for each tensor of our blocks, by its name there ("attn_q").
using Places = std::map<std::string, std::vector<StoredWeights>, std::less<>>;

/// Names of a layer's tensors are given without "blk.N.". Tensors that no one takes are left over.
class GgufLayer {
  public:
    GgufLayer(GgufKeys& from, std::size_t layer_number, double width)
        : keys(from), number(layer_number), hidden(width) {}

    void add(const StoredTensor& tensor, std::string_view name) { tensors_.emplace(name, &tensor); }
    [[nodiscard]] bool empty() const { return tensors_.empty(); }

    /// Null if there is none.
    [[nodiscard]] const StoredTensor* find(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    /// The first of several names that is there, else empty.
    [[nodiscard]] std::string_view one_of(std::initializer_list<std::string_view> names) const;

    /// A tensor of exactly these extents; throws `Error` if it is missing or another.
    const StoredTensor& need(std::string_view name, double in, double out, double copies = 1) const;
    /// Any tensor of that name; throws `Error` "unsupported-architecture" if it is missing.
    const StoredTensor& need(std::string_view name) const;
    [[nodiscard]] double value(std::string_view key, double fallback) const {
        return keys.at_layer(key, number, fallback);
    }

    /// Puts a tensor in a place, whole or so many of its elements, in whole rows.
    void put(std::string_view place, std::string_view name);
    void put(std::string_view place, std::string_view name, double elements);
    /// Puts it there if it exists with so many elements; returns whether it did.
    bool put_if(std::string_view place, std::string_view name, double elements);

    [[nodiscard]] std::vector<const StoredTensor*> left_over() const;
    [[nodiscard]] Places& places() { return places_; }

    /// "blk.3.attn_q.weight", for messages.
    [[nodiscard]] std::string named(std::string_view name) const;
    /// Throws `Error`: a tensor and the metadata, or another tensor, do not agree.
    [[noreturn]] void mismatch(std::string_view name, const std::string& says,
                               std::string expected) const;
    /// Throws `Error`: this layer is of no kind that has a place in the model.
    [[noreturn]] void unsupported(const std::string& why) const;

    GgufKeys& keys;
    std::size_t number{};
    double hidden{};
    double window{};       // tokens that its attention sees; 0: all
    bool borrows_cache{};  // reads an earlier layer's keys and values
    bool bidirectional{};  // sees later tokens too: an encoder, which keeps nothing

  private:
    std::map<std::string, const StoredTensor*, std::less<>> tensors_{};
    std::set<std::string, std::less<>> taken_{};
    Places places_{};
};

/// "4,096 x 1,024", for messages.
[[nodiscard]] std::string shape_of(const StoredTensor& tensor);
/// "4,096": a whole number, for messages.
[[nodiscard]] std::string digits(double number);

// What the layer's tensors make of it. They are put in their places on the way.

/// Its mixers: none, one, or two that run side by side.
[[nodiscard]] std::vector<Mixer> gguf_mixers(GgufLayer& layer);
[[nodiscard]] Attention gguf_attention(GgufLayer& layer);
[[nodiscard]] LatentAttention gguf_latent_attention(GgufLayer& layer);
[[nodiscard]] DeltaNet gguf_delta_net(GgufLayer& layer);
[[nodiscard]] Mixer gguf_mamba(GgufLayer& layer);
[[nodiscard]] ShortConvolution gguf_short_convolution(GgufLayer& layer);
[[nodiscard]] FeedForward gguf_feed_forward(GgufLayer& layer);

}  // namespace napkin::formats
