// Where a tensor stands among its like, and what a mix's conditions ask of the model.
#pragma once

#include <array>
#include <string_view>

#include "napkin/mix.hpp"

namespace napkin::mix_rules {

/// The word that rules know a tensor by: "ffn_down" for `expert_down`; its own name if none.
[[nodiscard]] std::string_view kind_of(const Tensor& tensor, bool fused_attention);

struct Facts {
    double layers{};
    double values{};   // layers with attn_v or attn_qkv
    double experts{};  // in a layer, at most
    double group{};    // query heads to a KV head in the first layer; 0 without attention
    bool class_70b{};
    const MixLayout* layout{};  // null: a tensor each for queries, keys and values
};
[[nodiscard]] Facts facts_of(const Mix& mix, const Model& model);
[[nodiscard]] bool holds(MixWhen when, const Facts& facts);
[[nodiscard]] bool fused_attention(const Facts& facts);

/// The `index`-th of `all`, and the `tensor`-th if every tensor of the kind is counted.
struct Place {
    double index{}, all{}, tensor{};
};
[[nodiscard]] bool holds(MixLayers layers, const Place& place);

/// Counts as llama.cpp does: attn_v and attn_qkv over the layers that have one, feed-forward
/// tensors one by one in dense models and by layer in models with experts.
class Walk {
  public:
    explicit Walk(const Facts& facts) : facts_(facts) {}
    void enter(const Block& block);
    [[nodiscard]] Place place(std::string_view kind);

  private:
    Facts facts_;
    double layer_{}, begun_{}, continued_{};
    double values_{};
    bool has_values_{};
    std::array<double, 3> feed_forward_{};
};

}  // namespace napkin::mix_rules
