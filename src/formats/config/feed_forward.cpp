// Feed-forward layers: dense, or experts with what is shared beside them.
#include <cmath>

#include "formats/config/blocks.hpp"

namespace napkin::formats {
namespace {

double width_of(ConfigKeys& keys) {
    const json::Value* multiple = keys.family().find("width_over_hidden");
    std::optional<double> width = keys.find("width");
    if ((!width || *width == 0) && multiple != nullptr) {
        const double times =
            multiple->kind == json::Kind::number ? multiple->number : keys.need(multiple->string);
        return times * keys.need("hidden");
    }
    const std::string rule = keys.family().text("width_rule");
    const double stated = keys.need("width");
    if (rule == "half") return stated / 2;
    if (rule == "lfm2" && keys.flag("block_auto_adjust_ff_dim", true)) {
        // Two thirds, rounded up to whole blocks.
        const double block = keys.get("block_multiple_of", 256);
        return block > 0 ? std::ceil(std::floor(2 * stated / 3) / block) * block : stated;
    }
    return stated;
}

bool gated(const ConfigKeys& keys) {
    return keys.family().find("gated") == nullptr || keys.family().flag("gated");
}

double shared_width_of(ConfigKeys& keys, double expert_width) {
    if (const double stated = keys.get("shared_width", 0); stated > 0) return stated;
    return keys.get("shared_experts", keys.family().count("shared_experts")) * expert_width;
}

Experts experts_of(ConfigKeys& keys) {
    Experts f;
    f.experts = keys.need("experts");
    f.active = keys.need("experts_per_token");
    const double stated = keys.get("expert_width", 0);
    f.width = stated > 0 ? stated : keys.need("width");
    f.gated = gated(keys);
    f.bias = keys.trait("expert_bias");
    f.shared_width = shared_width_of(keys, f.width);
    f.shared_gate = keys.family().flag("shared_gate") && f.shared_width > 0;
    f.router_bias = keys.trait("router_bias");
    f.latent = keys.get("moe_latent_size", 0);
    if (keys.flag("enable_moe_block")) {  // Gemma 4: experts beside the dense layer
        f.dense_width = width_of(keys);
        f.extra_norms = keys.family().count("expert_norms");
    }
    if (f.active > f.experts) {
        keys.problem("inconsistent-keys", "more experts a token than there are experts",
                     keys.value("num_experts_per_tok"), "at most the number of experts");
    }
    return f;
}

}  // namespace

FeedForward feed_forward_of(ConfigKeys& keys, FeedForwardKind kind) {
    if (kind == FeedForwardKind::none) return NoFeedForward{};
    if (kind == FeedForwardKind::experts) return experts_of(keys);
    const double own = keys.get("dense_width", 0);
    return DenseFeedForward{.width = own > 0 ? own : width_of(keys),
                            .gated = gated(keys),
                            .bias = keys.trait("ffn_bias")};
}

double norms_of(ConfigKeys& keys, LayerKind kind) {
    const json::Value& family = keys.family();
    const json::Value* unless = family.find("one_norm_if_parallel_unless");
    if (unless != nullptr) return keys.trait("parallel") && !keys.flag(unless->string) ? 1 : 2;
    if (kind.mixer == MixerKind::none || kind.feed_forward == FeedForwardKind::none) return 1;
    return family.count("norms", 2);
}

}  // namespace napkin::formats
