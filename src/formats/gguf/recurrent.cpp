// Recurrent mixers by their tensors: Mamba-1 and -2, the gated delta rule, short convolutions.
#include <cmath>

#include "formats/gguf/layer.hpp"

namespace napkin::formats {
namespace {

// A count of the state-space part, of at least one.
double size_of(const GgufLayer& layer, std::string_view key) {
    const double size = layer.value(key, 0);
    if (size == 0) {
        layer.keys.problem("missing-key",
                           "the key " + shown(layer.keys.full(key)) +
                               " is missing or 0, and layer " + grouped(layer.number) +
                               " is recurrent",
                           "a whole number of at least 1");
    }
    return size;
}

// The inner size divided among the heads.
double head_size(const GgufLayer& layer, double inner, double heads) {
    if (std::fmod(inner, heads) != 0) {
        layer.keys.refuse("bad-count",
                          "the key " + shown(layer.keys.full("ssm.inner_size")) + " is " +
                              digits(inner) + ", which " + digits(heads) + " heads cannot share",
                          "a multiple of " + shown(layer.keys.full("ssm.time_step_rank")));
    }
    return inner / heads;
}

Mamba1 mamba1(GgufLayer& layer) {
    Mamba1 m{.inner = size_of(layer, "ssm.inner_size"),
             .state = size_of(layer, "ssm.state_size"),
             .kernel = size_of(layer, "ssm.conv_kernel"),
             .time_rank = size_of(layer, "ssm.time_step_rank")};
    layer.keys.finish();
    (void)layer.need("ssm_in.weight", layer.hidden, 2 * m.inner);
    (void)layer.need("ssm_conv1d.weight", m.kernel, m.inner);
    (void)layer.need("ssm_x.weight", m.inner, m.time_rank + 2 * m.state);
    (void)layer.need("ssm_dt.weight", m.time_rank, m.inner);
    (void)layer.need("ssm_out.weight", m.inner, layer.hidden);
    layer.put("ssm_in", "ssm_in.weight");
    layer.put("ssm_conv", "ssm_conv1d.weight");
    layer.put_if("ssm_conv", "ssm_conv1d.bias", m.inner);
    layer.put("ssm_x", "ssm_x.weight");
    layer.put("ssm_dt", "ssm_dt.weight");
    layer.put_if("ssm_dt_bias", "ssm_dt.bias", m.inner);
    layer.put_if("ssm_a_d", layer.one_of({"ssm_a", "ssm_a.weight"}), m.inner * m.state);
    layer.put_if("ssm_a_d", layer.one_of({"ssm_d", "ssm_d.weight"}), m.inner);
    layer.put("ssm_out", "ssm_out.weight");
    const StoredTensor* b = layer.find("ssm_b_norm.weight");
    m.inner_norms = b != nullptr && elements_of(*b) == m.state;
    if (m.inner_norms) {
        layer.put_if("ssm_norms", "ssm_dt_norm.weight", m.time_rank);
        layer.put_if("ssm_norms", "ssm_b_norm.weight", m.state);
        layer.put_if("ssm_norms", "ssm_c_norm.weight", m.state);
    }
    return m;
}

Mamba2 mamba2(GgufLayer& layer) {
    const double inner = size_of(layer, "ssm.inner_size");
    Mamba2 m{.heads = size_of(layer, "ssm.time_step_rank"),
             .head_dim = 0,
             .groups = layer.value("ssm.group_count", 1),
             .state = size_of(layer, "ssm.state_size"),
             .kernel = size_of(layer, "ssm.conv_kernel")};
    layer.keys.finish();
    m.head_dim = head_size(layer, inner, m.heads);
    const double convolved = inner + 2 * m.groups * m.state;
    (void)layer.need("ssm_in.weight", layer.hidden, inner + convolved + m.heads);
    (void)layer.need("ssm_conv1d.weight", m.kernel, convolved);
    (void)layer.need("ssm_out.weight", inner, layer.hidden);
    layer.put("ssm_in", "ssm_in.weight");
    layer.put("ssm_conv", "ssm_conv1d.weight");
    layer.put_if("ssm_conv", "ssm_conv1d.bias", convolved);
    for (const std::string_view name :
         {layer.one_of({"ssm_a", "ssm_a.weight"}), layer.one_of({"ssm_d", "ssm_d.weight"}),
          layer.one_of({"ssm_dt.bias", "ssm_dt"})}) {
        layer.put_if("ssm_a_d_dt", name, m.heads);
    }
    layer.put_if("ssm_norm", "ssm_norm.weight", inner);
    layer.put("ssm_out", "ssm_out.weight");
    return m;
}

}  // namespace

Mixer gguf_mamba(GgufLayer& layer) {
    if (layer.has("ssm_x.weight")) return mamba1(layer);
    return mamba2(layer);
}

DeltaNet gguf_delta_net(GgufLayer& layer) {
    const double inner = size_of(layer, "ssm.inner_size");
    DeltaNet m{.key_heads = size_of(layer, "ssm.group_count"),
               .value_heads = size_of(layer, "ssm.time_step_rank"),
               .key_dim = size_of(layer, "ssm.state_size"),
               .value_dim = 0,
               .kernel = size_of(layer, "ssm.conv_kernel")};
    layer.keys.finish();
    m.value_dim = head_size(layer, inner, m.value_heads);
    const double keys = m.key_heads * m.key_dim;
    (void)layer.need("ssm_conv1d.weight", m.kernel, 2 * keys + inner);
    (void)layer.need("ssm_out.weight", inner, layer.hidden);
    if (layer.has("ssm_in.weight")) {  // all four projections in one, as older files have them
        (void)layer.need("ssm_in.weight", layer.hidden, 2 * keys + 2 * inner);
        layer.put("delta_qkvz", "ssm_in.weight");
    } else {
        (void)layer.need("attn_qkv.weight", layer.hidden, 2 * keys + inner);
        (void)layer.need("attn_gate.weight", layer.hidden, inner);
        layer.put("delta_qkvz", "attn_qkv.weight");
        layer.put("delta_qkvz", "attn_gate.weight");
    }
    const std::string_view both = layer.one_of({"ssm_ba.weight", "ssm_beta_alpha.weight"});
    if (!both.empty()) {
        (void)layer.need(both, layer.hidden, 2 * m.value_heads);
        layer.put("delta_ba", both);
    } else {
        for (const std::string_view name : {"ssm_alpha.weight", "ssm_beta.weight"}) {
            (void)layer.need(name, layer.hidden, m.value_heads);
            layer.put("delta_ba", name);
        }
    }
    layer.put("delta_conv", "ssm_conv1d.weight");
    layer.put_if("delta_a_dt", layer.one_of({"ssm_a", "ssm_a.weight"}), m.value_heads);
    layer.put_if("delta_a_dt", layer.one_of({"ssm_dt.bias", "ssm_dt"}), m.value_heads);
    layer.put_if("delta_norm", "ssm_norm.weight", m.value_dim);
    layer.put("delta_out", "ssm_out.weight");
    return m;
}

ShortConvolution gguf_short_convolution(GgufLayer& layer) {
    const StoredTensor& kernel = layer.need("shortconv.conv.weight");
    const ShortConvolution m{.kernel = layer.value("shortconv.l_cache", inputs(kernel))};
    layer.keys.finish();
    (void)layer.need("shortconv.conv.weight", m.kernel, layer.hidden);
    (void)layer.need("shortconv.in_proj.weight", layer.hidden, 3 * layer.hidden);
    (void)layer.need("shortconv.out_proj.weight", layer.hidden, layer.hidden);
    layer.put("conv_kernel", "shortconv.conv.weight");
    layer.put("conv_in", "shortconv.in_proj.weight");
    layer.put("conv_out", "shortconv.out_proj.weight");
    return m;
}

std::vector<Mixer> gguf_mixers(GgufLayer& layer) {
    std::vector<Mixer> mixers;
    if (layer.has("ssm_conv1d_q.weight")) return mixers;  // the delta rule of Kimi Linear
    const bool delta =
        !layer.one_of({"ssm_ba.weight", "ssm_beta_alpha.weight", "ssm_alpha.weight"}).empty();
    if (layer.has("attn_kv_a_mqa.weight")) {
        mixers.emplace_back(gguf_latent_attention(layer));
    } else if (delta) {
        mixers.emplace_back(gguf_delta_net(layer));
    } else if (layer.has("attn_output.weight") &&
               (layer.has("attn_q.weight") || layer.has("attn_qkv.weight"))) {
        mixers.emplace_back(gguf_attention(layer));
    }
    if (!delta && layer.has("ssm_in.weight")) mixers.push_back(gguf_mamba(layer));
    if (layer.has("shortconv.conv.weight")) mixers.emplace_back(gguf_short_convolution(layer));
    return mixers;
}

}  // namespace napkin::formats
