// A language model as its kinds of layers: what each one stores, computes and remembers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "napkin/diagnostic.hpp"
#include "napkin/number_format.hpp"
#include "napkin/units.hpp"

namespace napkin {

/// Fixed capacity, so that lists of rows are built without allocating.
template <class T, std::size_t N>
struct Rows {
    std::array<T, N> at{};
    std::size_t count{};

    void push(const T& row) { at[count++] = row; }
    [[nodiscard]] const T* begin() const { return at.data(); }
    [[nodiscard]] const T* end() const { return at.data() + count; }
};

// ---- mixers: how a layer lets tokens see one another -------------------------------------------

/// Multi-head attention; kv_heads < heads shares keys and values among groups of queries.
struct Attention {
    double heads{}, kv_heads{}, head_dim{}, value_dim{};
    double window{};  // 0: the whole context
    bool bias_q{}, bias_k{}, bias_v{}, bias_o{};
    bool norm_per_head{}, norm_full{};  // query and key norms: head_dim or heads * head_dim wide
    bool gated{};                       // an output gate doubles the query projection
    bool sinks{};                       // one learned scalar per head
    bool key_is_value{};                // no value projection: keys serve as values
    bool shares_cache{};                // reads another layer's keys and values, stores none
    bool uncached{};     // keeps no keys and values: an encoder's, or one that attends to an image
    bool over_prompt{};  // attends to the encoded prompt: its cache does not grow with the output

    bool operator==(const Attention&) const = default;
};

/// What an engine keeps of latent attention: the latent once (absorbed), the latent and a
/// transposed copy of its values part, or the keys and values of all heads as if it were plain
/// attention.
enum class LatentCache { latent, latent_and_values, expanded };
[[nodiscard]] std::string_view name_of(LatentCache keeps);

/// Multi-head latent attention: the cache holds one compressed latent per token, not per head.
struct LatentAttention {
    double heads{}, query_rank{}, latent_rank{}, nope_dim{}, rope_dim{}, value_dim{};
    double index_heads{}, index_dim{}, index_top{};  // sparse attention: the indexer's sizes
    bool index_shared{};                             // uses another layer's index
    LatentCache keeps{LatentCache::latent};

    bool operator==(const LatentAttention&) const = default;
};

struct Mamba1 {
    double inner{}, state{}, kernel{}, time_rank{};
    bool inner_norms{};

    bool operator==(const Mamba1&) const = default;
};
struct Mamba2 {
    double heads{}, head_dim{}, groups{}, state{}, kernel{};

    bool operator==(const Mamba2&) const = default;
};
struct DeltaNet {
    double key_heads{}, value_heads{}, key_dim{}, value_dim{}, kernel{};

    bool operator==(const DeltaNet&) const = default;
};
struct ShortConvolution {
    double kernel{};

    bool operator==(const ShortConvolution&) const = default;
};
struct Lightning {
    double heads{}, head_dim{};

    bool operator==(const Lightning&) const = default;
};
struct NoMixer {
    bool operator==(const NoMixer&) const = default;
};

using Mixer = std::variant<NoMixer, Attention, LatentAttention, Mamba1, Mamba2, DeltaNet,
                           ShortConvolution, Lightning>;

// ---- feed-forward ------------------------------------------------------------------------------

struct DenseFeedForward {
    double width{};
    bool gated{};  // gate, up and down instead of up and down
    bool bias{};

    bool operator==(const DenseFeedForward&) const = default;
};

struct Experts {
    double experts{}, active{}, width{};
    bool gated{true};
    bool bias{};
    double shared_width{};  // all shared experts together
    bool shared_gate{};
    bool router_bias{};
    double latent{};       // experts work in this width instead of hidden
    double dense_width{};  // a dense gated layer beside the experts
    double extra_norms{};  // vectors of width hidden of its own

    bool operator==(const Experts&) const = default;
};
struct NoFeedForward {
    bool operator==(const NoFeedForward&) const = default;
};

using FeedForward = std::variant<NoFeedForward, DenseFeedForward, Experts>;

/// A tensor of a block that is kept in another format than its role.
struct TensorFormat {
    std::string tensor{};
    NumberFormat format{};

    bool operator==(const TensorFormat&) const = default;
};

/// When layers run: for every token, over the prompt alone (an encoder), or only where there is an
/// image, which plain text does not have.
enum class Runs { always, on_prompt, on_image };

/// `count` equal layers.
struct Block {
    double count{1};
    double norms{2};
    Mixer mixer{};
    FeedForward feed_forward{};
    double state_bytes{4};  // bytes of an element of recurrent state
    bool parallel{};        // mixer and feed-forward layer read the same input
    Runs runs{Runs::always};
    bool continues{};  // the second half of the layers before, not layers of its own
    std::vector<TensorFormat> formats{};

    bool operator==(const Block&) const = default;
};

enum class Norm { none, rms, layer, layer_no_bias };

/// What a weight is for: operations, formats and sharding are decided by it.
enum class Role {
    embedding,
    positions,
    head,
    attention,
    recurrence,
    feed_forward,
    router,
    expert,
    expert_bias,  // read with the experts that are touched
    shared_expert,
    norm
};
inline constexpr std::size_t role_count = 11;
[[nodiscard]] std::string_view name_of(Role role);

/// How parallelism splits a tensor: not at all, over all ranks, over no more ranks than there are
/// KV heads, over all devices that share the experts, or by whole experts only.
enum class Split { whole, ranks, kv_heads, experts, whole_experts };

/// A weight: `copies` matrices of rows (outputs) x columns (inputs).
struct Tensor {
    Role role{};
    std::string_view name{};
    double rows{1}, columns{1}, copies{1};
    Split split{Split::whole};
    bool matrix{true};             // multiplies activations: 2 FLOP a weight and token
    const NumberFormat* format{};  // what it is kept in; the model's own, never null in its lists
};
using Tensors = Rows<Tensor, 40>;

[[nodiscard]] double elements(const Tensor& tensor);

/// Formats by role: what the checkpoint stores.
struct WeightFormats {
    std::array<NumberFormat, role_count> of{};
};

/// Weights stored beside the main model and not used by plain generation.
struct Part {
    std::string name{};
    double parameters{};
    double bytes{};  // as a file stores them; 0: not looked at
};

struct Model {
    std::string id{};
    std::string name{};
    double hidden{};
    double vocabulary{};
    double embedding_width{};  // where it is not hidden: projected in and out
    bool tied{};
    double max_context{};  // 0: unknown
    Norm norm{Norm::rms};
    double positions{};  // learned position embeddings
    bool embedding_norm{};
    bool final_norm{true};
    bool head_bias{};
    std::vector<Block> blocks{};
    std::vector<std::uint16_t> order{};  // the block of each layer; empty: block after block
    double extra_parameters{};           // in the main total, outside any block
    double lookup_parameters{};  // tables of which a token reads a row (per-layer embeddings)
    std::vector<Part> parts{};
    WeightFormats weights{};
    std::string weights_as{};                  // the name the checkpoint's format goes by
    std::optional<NumberFormat> kv_format{};   // where the checkpoint names one
    double stored_elements{}, stored_bytes{};  // what its files hold; 0: not looked at
    double published_parameters{};
    bool published_exact{};
    std::string published_source{};
    std::string source{};
    bool unverified{};

    /// A size alone ("70B", "671B:37B"): counts without an architecture. Blocks are empty.
    double size_total{}, size_active{};
    double size_kv_bytes_per_token{-1};  // given by a flag; negative: unknown
};

/// A size has no layers: what needs an architecture cannot be asked of it.
[[nodiscard]] inline bool is_size(const Model& model) {
    return model.blocks.empty();
}

/// The weights of one layer of a block. Their formats are those of `block` and `model`, which must
/// outlive the list.
[[nodiscard]] Tensors tensors(const Block& block, const Model& model);
/// The weights outside the layers: embedding, positions, final norm, head.
[[nodiscard]] Tensors outer_tensors(const Model& model);

/// Over how many devices a layer's weights are spread; 1 everywhere is the whole model.
struct Sharding {
    double ranks{1};           // tensor-parallel degree
    double kv_ranks{1};        // no more than there are KV heads: beyond them heads are replicated
    double expert_devices{1};  // that hold one set of experts between them
    double ep{1};              // how many of them hold different experts
};

/// Weights of `role` among `list` that one device holds. R is double or Traced, here and below.
template <class R = double>
[[nodiscard]] R elements_of(const Tensors& list, Role role, const Sharding& sharding = {});
/// Their bytes in the formats that they are kept in, scales included.
template <class R = double>
[[nodiscard]] Bytes<R> bytes_of(const Tensors& list, Role role, const Sharding& sharding = {});

/// Every weight once; a tied head is the embedding. Parts (MTP, vision) are not in it.
template <class R = double>
[[nodiscard]] R parameters(const Model& model);
/// All matrices that one token passes: routed experts count `active` of `experts`.
template <class R = double>
[[nodiscard]] R active_parameters(const Model& model);
/// Active parameters without the input embedding, which is a lookup of one row. A tied embedding
/// stays: it is the head as well.
template <class R = double>
[[nodiscard]] R active_without_embedding(const Model& model);
/// Active parameters of the layers alone, without embedding and head: how some labs count.
template <class R = double>
[[nodiscard]] R active_in_layers(const Model& model);
/// Bytes of the main weights in their formats, scales included.
template <class R = double>
[[nodiscard]] Bytes<R> weight_bytes(const Model& model);
[[nodiscard]] double layers(const Model& model);
[[nodiscard]] bool has_encoder(const Model& model);

/// What a layer remembers of a sequence.
struct Cache {
    double per_token{};        // elements a token, in the KV format
    double fixed_per_token{};  // bytes a token in a format of its own (an indexer's keys)
    double window{};           // tokens kept at most; 0: all
    bool over_prompt{};        // one entry for each token of the prompt, none for the output
    double state{};            // bytes a sequence, whatever its length
    double heads{1};           // KV heads that tensor parallelism can spread it over
};
[[nodiscard]] Cache cache(const Block& block, const Model& model);

/// Bytes of KV cache that one more token of context adds in `format`, windows not yet full.
template <class R = double>
[[nodiscard]] BytesPerToken<R> kv_bytes_per_token(const Model& model, const NumberFormat& format);
/// Bytes that one sequence holds whatever its length: recurrent state.
template <class R = double>
[[nodiscard]] Bytes<R> state_bytes(const Model& model);
/// Bytes that a sequence of `context` tokens keeps in one layer of a block, on one device.
template <class R = double>
[[nodiscard]] Bytes<R> cache_bytes(const Cache& cache, const R& context, const NumberFormat& format,
                                   double ranks = 1);

/// The format of a role's weights where no tensor has one of its own.
[[nodiscard]] const NumberFormat& format_of(const Model& model, Role role);

/// Sets every role to `format`, leaving alone what checkpoints in that format leave alone.
void set_weights(Model& model, const NumberFormat& format);

}  // namespace napkin
