// Mixes: GGUF files whose tensors differ in type, layer by layer, by the rules of llama.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "napkin/model.hpp"
#include "napkin/number_format.hpp"

namespace napkin {

/// The layers that a rule is for. `n / 8` and `n / 16` are whole numbers, rounded down.
enum class MixLayers {
    all,
    more_bits,  // the first n / 8, the last n / 8 and every third between
    first_two,
    first_four,
    first_sixteenth,
    first_eighth,
    first_eighth_of_tensors,  // a layer's tensors of that kind are counted one by one
    middle                    // neither in the first nor in the last eighth
};

/// The models that a rule is for.
enum class MixWhen {
    always,
    grouped,             // at least 4 query heads to a KV head
    grouped_or_experts,  // that, or at least 4 experts
    eight_experts,
    class_70b,  // dense, 80 layers, fewer KV heads than heads
    falcon
};

/// "attn_v in the layers of more bits: Q6_K". The first rule that fits a tensor decides.
struct MixRule {
    std::string tensor{};  // attn_q, ..., ffn_down; "experts": the routed ones
    MixLayers layers{MixLayers::all};
    MixWhen when{MixWhen::always};
    NumberFormat type{};
};

/// What takes the place of a type whose blocks do not fill a row.
struct MixFallback {
    std::string type{};  // id
    NumberFormat instead{};
};

/// Models whose files keep queries, keys and values in one tensor, or their head in another type.
struct MixLayout {
    std::string id{};
    bool fused_attention{};
    std::optional<NumberFormat> head{};
    std::vector<std::string> models{};
};

/// A kind of GGUF file, such as Q4_K_M. Norms, biases and other vectors, routers and position
/// embeddings are F32 in all of them.
struct Mix {
    std::string id{};
    std::string name{};        // as llama.cpp prints it: "Q4_K - Medium"
    NumberFormat type{};       // of all that no rule names
    NumberFormat head{};       // and of a tied embedding
    NumberFormat embedding{};  // of an embedding of its own
    std::vector<MixRule> rules{};
    std::vector<MixFallback> fallbacks{};
    NumberFormat last_fallback{};             // where the replacement does not fill a row either
    NumberFormat head_fallback{};             // where the head's rows do not suit `type`
    std::vector<std::string> kept_experts{};  // formats in which a checkpoint's experts stay
    std::vector<MixLayout> layouts{};
    std::string source{};
};

/// A model in a mix.
struct Mixed {
    Model model{};
    /// Tensors that the mix cannot hold, in words; empty for a file that llama.cpp would write.
    std::vector<std::string> misfits{};
};

/// Gives every tensor of every layer the type that `mix` gives it. Layers whose formats differ come
/// apart into blocks of their own; `order` keeps their places. Where a model states no order its
/// layers are taken block after block. Latent attention counts its one up-projection (`attn_kv_b`);
/// files store its two halves beside it or instead, which takes up to 0.2 % more.
[[nodiscard]] Mixed mixed(const Mix& mix, Model model);

}  // namespace napkin
