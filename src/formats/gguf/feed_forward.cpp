// Feed-forward layers by their tensors: dense ones, mixtures of experts, both. h hidden, f width.
#include <array>

#include "formats/gguf/layer.hpp"

namespace napkin::formats {
namespace {

struct Dense {
    double width{};
    bool gated{}, bias{};
};

// Biases go with all matrices or none; others are left over.
bool read_bias(GgufLayer& layer, double width, bool gate, bool fused) {
    const auto size = [&](std::string_view name) {
        const StoredTensor* bias = layer.find(name);
        return bias == nullptr ? 0 : elements_of(*bias);
    };
    const bool all = size("ffn_up.bias") == width * (fused ? 2 : 1) &&
                     size("ffn_down.bias") == layer.hidden &&
                     size("ffn_gate.bias") == (gate ? width : 0);
    if (!all) return false;
    for (const std::string_view name : {"ffn_up.bias", "ffn_down.bias", "ffn_gate.bias"}) {
        layer.put("ffn_bias", name);
    }
    return true;
}

Dense read_dense(GgufLayer& layer) {
    const StoredTensor& down = layer.need("ffn_down.weight");
    const StoredTensor& up = layer.need("ffn_up.weight");
    const bool gate = layer.has("ffn_gate.weight");
    Dense dense{.width = inputs(down)};
    // Gate and up in one matrix, as in Phi-3.
    const bool fused = !gate && outputs(up) == 2 * dense.width;
    dense.gated = gate || fused;
    (void)layer.need("ffn_down.weight", dense.width, layer.hidden);
    (void)layer.need("ffn_up.weight", layer.hidden, dense.width * (fused ? 2 : 1));
    if (gate) (void)layer.need("ffn_gate.weight", layer.hidden, dense.width);
    if (fused) {
        layer.put("ffn_gate", "ffn_up.weight", layer.hidden * dense.width);
        layer.put("ffn_up", "ffn_up.weight", layer.hidden * dense.width);
    } else {
        layer.put("ffn_gate", "ffn_gate.weight");
        layer.put("ffn_up", "ffn_up.weight");
    }
    layer.put("ffn_down", "ffn_down.weight");
    dense.bias = read_bias(layer, dense.width, gate, fused);
    return dense;
}

void check_width(const GgufLayer& layer, double width) {
    const double named = layer.value("feed_forward_length", width);
    // Layers that are dense among mixtures of experts may have the width of the shared ones, and
    // Qwen's first models name both halves of the gated layer together.
    const double shared = layer.value("expert_shared_feed_forward_length", width);
    layer.keys.finish();
    const bool by_shared = shared == width && layer.keys.has("expert_shared_feed_forward_length");
    if (named == width || named == 2 * width || named == 0 || by_shared) return;
    layer.mismatch(
        "ffn_down.weight", "has " + digits(width) + " inputs",
        digits(named) + ", as " + shown(layer.keys.full("feed_forward_length")) + " says");
}

// Every expert a tensor of its own, as in files before 2024: ffn_up.0.weight, ...
void read_split(GgufLayer& layer, Experts& f) {
    const StoredTensor& first = layer.need("ffn_down.0.weight");
    f.experts = layer.value("expert_count", 0);
    f.width = inputs(first);
    f.gated = layer.has("ffn_gate.0.weight");
    layer.keys.finish();
    for (std::size_t i = 0; static_cast<double>(i) < f.experts; ++i) {
        std::string number = ".";
        number += std::to_string(i);
        number += ".weight";
        (void)layer.need("ffn_up" + number, layer.hidden, f.width);
        (void)layer.need("ffn_down" + number, f.width, layer.hidden);
        if (f.gated) (void)layer.need("ffn_gate" + number, layer.hidden, f.width);
        layer.put("expert_gate", "ffn_gate" + number);
        layer.put("expert_up", "ffn_up" + number);
        layer.put("expert_down", "ffn_down" + number);
    }
}

// All experts in one tensor for each of their matrices.
void read_stacked(GgufLayer& layer, Experts& f) {
    const StoredTensor& down = layer.need("ffn_down_exps.weight");
    f.width = inputs(down);
    f.experts = extent(down, 2);
    const double in = outputs(down);
    f.latent = in == layer.hidden ? 0 : in;
    (void)layer.need("ffn_down_exps.weight", f.width, in, f.experts);
    layer.put("expert_down", "ffn_down_exps.weight");
    const bool gate = layer.has("ffn_gate_exps.weight");
    const std::string_view up = layer.one_of({"ffn_up_exps.weight", "ffn_gate_up_exps.weight"});
    const bool fused = !gate && !up.empty() && outputs(layer.need(up)) == 2 * f.width;
    f.gated = gate || fused;
    (void)layer.need(up.empty() ? "ffn_up_exps.weight" : up, in, f.width * (fused ? 2 : 1),
                     f.experts);
    if (gate) (void)layer.need("ffn_gate_exps.weight", in, f.width, f.experts);
    const double half = in * f.width * f.experts;
    if (fused) layer.put("expert_gate", up, half);
    layer.put("expert_gate", "ffn_gate_exps.weight");
    layer.put("expert_up", up, half);
    if (f.latent > 0) {
        (void)layer.need("ffn_latent_down.weight", layer.hidden, f.latent);
        (void)layer.need("ffn_latent_up.weight", f.latent, layer.hidden);
        layer.put("latent_in", "ffn_latent_down.weight");
        layer.put("latent_out", "ffn_latent_up.weight");
    }
}

void read_expert_bias(GgufLayer& layer, Experts& f) {
    const double in = f.latent > 0 ? f.latent : layer.hidden;
    constexpr std::array names{"ffn_gate_exps.bias", "ffn_up_exps.bias", "ffn_gate_up_exps.bias",
                               "ffn_down_exps.bias"};
    double sum = 0;
    for (const std::string_view name : names) {
        const StoredTensor* bias = layer.find(name);
        if (bias != nullptr) sum += elements_of(*bias);
    }
    f.bias = sum > 0 && sum == f.experts * ((f.gated ? 2 : 1) * f.width + in);
    if (!f.bias) return;
    for (const std::string_view name : names) layer.put("expert_bias", name);
}

void read_shared(GgufLayer& layer, Experts& f) {
    const StoredTensor* down = layer.find("ffn_down_shexp.weight");
    const bool gate = layer.has("ffn_gate_shexp.weight");
    if (down == nullptr || gate != f.gated) return;
    f.shared_width = inputs(*down);
    (void)layer.need("ffn_down_shexp.weight", f.shared_width, layer.hidden);
    (void)layer.need("ffn_up_shexp.weight", layer.hidden, f.shared_width);
    if (gate) (void)layer.need("ffn_gate_shexp.weight", layer.hidden, f.shared_width);
    layer.put("shared_gate", "ffn_gate_shexp.weight");
    layer.put("shared_up", "ffn_up_shexp.weight");
    layer.put("shared_down", "ffn_down_shexp.weight");
    f.shared_gate = layer.put_if("shared_router", "ffn_gate_inp_shexp.weight", layer.hidden);
}

Experts read_experts(GgufLayer& layer) {
    Experts f;
    if (layer.has("ffn_down_exps.weight")) {
        read_stacked(layer, f);
    } else {
        read_split(layer, f);
    }
    const double named = layer.value("expert_count", f.experts);
    f.active = layer.value("expert_used_count", 0);
    layer.keys.finish();
    if (named != f.experts) {
        layer.mismatch("ffn_down_exps.weight", "holds " + digits(f.experts) + " experts",
                       digits(named) + ", as " + shown(layer.keys.full("expert_count")) + " says");
    }
    if (f.active < 1 || f.active > f.experts) {
        layer.keys.refuse(
            "bad-count",
            "the key " + shown(layer.keys.full("expert_used_count")) + " is " + digits(f.active),
            "1 to the number of experts, " + digits(f.experts));
    }
    (void)layer.need("ffn_gate_inp.weight", layer.hidden, f.experts);
    layer.put("router", "ffn_gate_inp.weight");
    for (const std::string_view name : {"exp_probs_b.bias", "exp_probs_b", "ffn_gate_inp.bias"}) {
        if (!f.router_bias) f.router_bias = layer.put_if("router_bias", name, f.experts);
    }
    read_expert_bias(layer, f);
    read_shared(layer, f);
    if (layer.has("ffn_gate.weight") && layer.has("ffn_down.weight")) {
        f.dense_width = read_dense(layer).width;
    }
    return f;
}

}  // namespace

FeedForward gguf_feed_forward(GgufLayer& layer) {
    if (layer.has("ffn_down_exps.weight") || layer.has("ffn_down.0.weight")) {
        return read_experts(layer);
    }
    if (!layer.has("ffn_down.weight")) return NoFeedForward{};
    const Dense dense = read_dense(layer);
    check_width(layer, dense.width);
    return DenseFeedForward{.width = dense.width, .gated = dense.gated, .bias = dense.bias};
}

}  // namespace napkin::formats
