// Any model as the GGUF file that llama.cpp would make of it, to read it back.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/formats/gguf_model_file.hpp"

namespace napkin::test {

/// Writes a model's layers with types that change from tensor to tensor.
class ModelWriter {
  public:
    explicit ModelWriter(const Model& model) : file("napkin-test"), model_(model) {}

    [[nodiscard]] ModelFile write() {
        keys();
        outside_layers();
        for (const Block& block : model_.blocks) {
            for (double i = 0; i < block.count; ++i, ++layer_) {
                for (double k = 0; k < block.norms; ++k) norm("norm_" + text(k));
                std::visit(*this, block.mixer);
                std::visit(*this, block.feed_forward);
            }
        }
        return file;
    }

    void operator()(const NoMixer&) {}
    void operator()(const NoFeedForward&) {}
    void operator()(const Lightning&) {}
    void operator()(const Attention& m) {
        const double v = m.value_dim > 0 ? m.value_dim : m.head_dim;
        const double q = m.heads * m.head_dim * (m.gated ? 2 : 1);
        matrix("attn_q", h(), q);
        if (m.bias_q) vector("attn_q.bias", q);
        if (!m.shares_cache) {
            matrix("attn_k", h(), m.kv_heads * m.head_dim);
            if (!m.key_is_value) matrix("attn_v", h(), m.kv_heads * v);
            if (m.bias_k) vector("attn_k.bias", m.kv_heads * m.head_dim);
            if (m.bias_v) vector("attn_v.bias", m.kv_heads * v);
        }
        matrix("attn_output", m.heads * v, h());
        if (m.bias_o) vector("attn_output.bias", h());
        if (m.sinks) vector("attn_sinks.weight", m.heads);
        if (!m.norm_per_head && !m.norm_full) return;
        vector("attn_q_norm.weight", (m.norm_full ? m.heads : 1) * m.head_dim);
        if (!m.shares_cache) {
            vector("attn_k_norm.weight", (m.norm_full ? m.kv_heads : 1) * m.head_dim);
        }
    }
    void operator()(const LatentAttention& m) {
        const double q = m.heads * (m.nope_dim + m.rope_dim);
        if (m.query_rank > 0) {
            matrix("attn_q_a", h(), m.query_rank);
            vector("attn_q_a_norm.weight", m.query_rank);
        }
        matrix(m.query_rank > 0 ? "attn_q_b" : "attn_q", m.query_rank > 0 ? m.query_rank : h(), q);
        matrix("attn_kv_a_mqa", h(), m.latent_rank + m.rope_dim);
        vector("attn_kv_a_norm.weight", m.latent_rank);
        matrix("attn_k_b", m.nope_dim, m.latent_rank, m.heads);
        matrix("attn_v_b", m.latent_rank, m.value_dim, m.heads);
        matrix("attn_output", m.heads * m.value_dim, h());
        if (m.index_heads == 0 || m.index_shared) return;
        matrix("indexer.attn_q_b", m.query_rank, m.index_heads * m.index_dim);
        matrix("indexer.attn_k", h(), m.index_dim);
        matrix("indexer.proj", h(), m.index_heads);
        vector("indexer.k_norm.weight", m.index_dim);
        vector("indexer.k_norm.bias", m.index_dim);
    }
    void operator()(const Mamba1& m) {
        matrix("ssm_in", h(), 2 * m.inner);
        matrix("ssm_conv1d", m.kernel, m.inner);
        vector("ssm_conv1d.bias", m.inner);
        matrix("ssm_x", m.inner, m.time_rank + 2 * m.state);
        matrix("ssm_dt", m.time_rank, m.inner);
        vector("ssm_dt.bias", m.inner);
        file.put(layer_, "ssm_a", {m.state, m.inner}, ggml::f32);
        vector("ssm_d", m.inner);
        matrix("ssm_out", m.inner, h());
        if (!m.inner_norms) return;
        vector("ssm_dt_norm.weight", m.time_rank);
        vector("ssm_b_norm.weight", m.state);
        vector("ssm_c_norm.weight", m.state);
    }
    void operator()(const Mamba2& m) {
        const double inner = m.heads * m.head_dim;
        const double convolved = inner + 2 * m.groups * m.state;
        matrix("ssm_in", h(), inner + convolved + m.heads);
        matrix("ssm_conv1d", m.kernel, convolved);
        vector("ssm_conv1d.bias", convolved);
        file.put(layer_, "ssm_a", {1, m.heads}, ggml::f32);
        file.put(layer_, "ssm_d", {1, m.heads}, ggml::f32);
        vector("ssm_dt.bias", m.heads);
        file.put(layer_, "ssm_norm.weight", {inner / m.groups, m.groups}, ggml::f32);
        matrix("ssm_out", inner, h());
    }
    void operator()(const DeltaNet& m) {
        const double keys = m.key_heads * m.key_dim;
        const double values = m.value_heads * m.value_dim;
        matrix("attn_qkv", h(), 2 * keys + values);
        matrix("attn_gate", h(), values);
        if (layer_ % 2 == 0) {
            matrix("ssm_ba", h(), 2 * m.value_heads);
        } else {
            matrix("ssm_alpha", h(), m.value_heads);
            matrix("ssm_beta", h(), m.value_heads);
        }
        matrix("ssm_conv1d", m.kernel, 2 * keys + values);
        vector("ssm_a", m.value_heads);
        vector("ssm_dt.bias", m.value_heads);
        vector("ssm_norm.weight", m.value_dim);
        matrix("ssm_out", values, h());
    }
    void operator()(const ShortConvolution& m) {
        matrix("shortconv.conv", m.kernel, h());
        matrix("shortconv.in_proj", h(), 3 * h());
        matrix("shortconv.out_proj", h(), h());
    }
    void operator()(const DenseFeedForward& f) { dense(f.width, f.gated, f.bias); }
    void operator()(const Experts& f) {
        const double in = f.latent > 0 ? f.latent : h();
        matrix("ffn_gate_inp", h(), f.experts);
        if (f.router_bias) vector("exp_probs_b.bias", f.experts);
        if (f.gated && layer_ % 3 == 0) {
            matrix("ffn_gate_up_exps", in, 2 * f.width, f.experts);
        } else {
            if (f.gated) matrix("ffn_gate_exps", in, f.width, f.experts);
            matrix("ffn_up_exps", in, f.width, f.experts);
        }
        matrix("ffn_down_exps", f.width, in, f.experts);
        if (f.bias) {
            if (f.gated) file.put(layer_, "ffn_gate_exps.bias", {f.width, f.experts}, ggml::f32);
            file.put(layer_, "ffn_up_exps.bias", {f.width, f.experts}, ggml::f32);
            file.put(layer_, "ffn_down_exps.bias", {in, f.experts}, ggml::f32);
        }
        if (f.latent > 0) {
            matrix("ffn_latent_down", h(), f.latent);
            matrix("ffn_latent_up", f.latent, h());
        }
        if (f.shared_width > 0) {
            if (f.gated) matrix("ffn_gate_shexp", h(), f.shared_width);
            matrix("ffn_up_shexp", h(), f.shared_width);
            matrix("ffn_down_shexp", f.shared_width, h());
            if (f.shared_gate) vector("ffn_gate_inp_shexp.weight", h());
        }
        if (f.dense_width > 0) dense(f.dense_width, true, false);
        for (double k = 0; k < f.extra_norms; ++k) vector("post_norm_" + text(k), h());
    }

    ModelFile file;

  private:
    [[nodiscard]] double h() const { return model_.hidden; }
    static std::string text(double number) { return std::to_string(static_cast<int>(number)); }

    // Types by turns, those whose blocks fill the rows.
    void matrix(const std::string& name, double in, double out, double copies = 1) {
        constexpr std::array types{ggml::q4_k, ggml::f16, ggml::q8_0, ggml::q6_k, ggml::bf16};
        GgmlBlock type = types[turn_++ % types.size()];
        if (std::fmod(in, static_cast<double>(type.elements)) != 0) type = ggml::f16;
        std::vector<double> extents{in, out};
        if (copies != 1) extents.push_back(copies);
        file.put(layer_, name + ".weight", extents, type);
    }
    void vector(const std::string& name, double length) {
        file.put(layer_, name, {length}, turn_++ % 7 == 0 ? ggml::f16 : ggml::f32);
    }
    void norm(const std::string& name) {
        if (model_.norm == Norm::none) return;
        vector(name + ".weight", h());
        if (model_.norm == Norm::layer) vector("" + name + ".bias", h());
    }
    void dense(double width, bool gated_up, bool bias) {
        if (gated_up) matrix("ffn_gate", h(), width);
        matrix("ffn_up", h(), width);
        matrix("ffn_down", width, h());
        if (!bias) return;
        if (gated_up) vector("ffn_gate.bias", width);
        vector("ffn_up.bias", width);
        vector("ffn_down.bias", h());
    }

    void outside_layers() {
        file.put("token_embd.weight", {h(), model_.vocabulary}, ggml::f16);
        if (!model_.tied) file.put("output.weight", {h(), model_.vocabulary}, ggml::f16);
        for (const auto& [there, name] : {std::pair{model_.embedding_norm, "token_embd_norm"},
                                          std::pair{model_.final_norm, "output_norm"}}) {
            if (!there || model_.norm == Norm::none) continue;
            file.put(std::string(name) + ".weight", {h()}, ggml::f32);
            if (model_.norm == Norm::layer) file.put(std::string(name) + ".bias", {h()}, ggml::f32);
        }
        if (model_.positions > 0) {
            file.put("position_embd.weight", {h(), model_.positions}, ggml::f32);
        }
        if (model_.head_bias) file.put("output.bias", {model_.vocabulary}, ggml::f32);
        if (model_.extra_parameters > 0)
            file.put("more.weight", {model_.extra_parameters}, ggml::f16);
        if (model_.lookup_parameters > 0) {
            file.put("per_layer_token_embd.weight", {model_.lookup_parameters}, ggml::f16);
        }
    }

    void keys() {
        std::vector<double> heads, kv_heads;
        std::vector<bool> local;
        double window = 0;
        double count = 0;
        for (const Block& block : model_.blocks) {
            const auto* m = std::get_if<Attention>(&block.mixer);
            const auto* latent = std::get_if<LatentAttention>(&block.mixer);
            for (double i = 0; i < block.count; ++i) {
                heads.push_back(m != nullptr ? m->heads : latent != nullptr ? latent->heads : 0);
                kv_heads.push_back(m != nullptr ? m->kv_heads : latent != nullptr ? 1 : 0);
                local.push_back(m != nullptr && m->window > 0);
            }
            if (m != nullptr) {
                const std::string end = m->window > 0 ? "_swa" : "";
                once("attention.key_length" + end, m->head_dim);
                once("attention.value_length" + end, m->value_dim > 0 ? m->value_dim : m->head_dim);
                window = std::max(window, m->window);
            }
            sizes(block);
            count += block.count;
        }
        if (window > 0) {
            once("attention.sliding_window", window);
            file.flags("attention.sliding_window_pattern", local);
        }
        once("attention.key_length", 64);
        file.numbers("attention.head_count", heads).numbers("attention.head_count_kv", kv_heads);
        file.number("block_count", count).number("embedding_length", h());
        file.number("context_length", model_.max_context);
    }
    void sizes(const Block& block) {
        if (const auto* m = std::get_if<LatentAttention>(&block.mixer)) {
            once("attention.kv_lora_rank", m->latent_rank);
            once("attention.key_length_mla", m->nope_dim + m->rope_dim);
            once("attention.value_length_mla", m->value_dim);
            once("rope.dimension_count", m->rope_dim);
            if (m->query_rank > 0) once("attention.q_lora_rank", m->query_rank);
            if (m->index_heads > 0) {
                once("attention.indexer.head_count", m->index_heads);
                once("attention.indexer.key_length", m->index_dim);
                once("attention.indexer.top_k", m->index_top);
            }
        }
        if (const auto* m = std::get_if<Mamba1>(&block.mixer)) {
            ssm(m->inner, m->state, m->kernel, m->time_rank);
        }
        if (const auto* m = std::get_if<Mamba2>(&block.mixer)) {
            ssm(m->heads * m->head_dim, m->state, m->kernel, m->heads);
            once("ssm.group_count", m->groups);
        }
        if (const auto* m = std::get_if<DeltaNet>(&block.mixer)) {
            ssm(m->value_heads * m->value_dim, m->key_dim, m->kernel, m->value_heads);
            once("ssm.group_count", m->key_heads);
        }
        if (const auto* m = std::get_if<ShortConvolution>(&block.mixer)) {
            once("shortconv.l_cache", m->kernel);
        }
        if (const auto* f = std::get_if<Experts>(&block.feed_forward)) {
            once("expert_count", f->experts);
            once("expert_used_count", f->active);
        }
    }
    void ssm(double inner, double state, double kernel, double rank) {
        once("ssm.inner_size", inner);
        once("ssm.state_size", state);
        once("ssm.conv_kernel", kernel);
        once("ssm.time_step_rank", rank);
    }
    void once(const std::string& key, double value) {
        if (std::find(written_.begin(), written_.end(), key) != written_.end()) return;
        written_.push_back(key);
        file.number(key, value);
    }

    const Model& model_;
    std::size_t layer_{};
    std::size_t turn_{};
    std::vector<std::string> written_{};
};

}  // namespace napkin::test
