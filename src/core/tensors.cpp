// Which weights a layer stores. Shapes: h hidden, a query heads, k KV heads, d head dim, f width.
// Recipes were checked against published totals; sources are in data/models.
#include "napkin/model.hpp"

namespace napkin {
namespace {

class Builder {
  public:
    explicit Builder(const Model& model, const Block* block = nullptr)
        : h(model.hidden), model_(model), block_(block) {
        norm_width = model.norm == Norm::none ? 0 : model.norm == Norm::layer ? 2 * h : h;
    }

    void matrix(Role role, std::string_view name, double rows, double columns, Split split,
                double copies = 1) {
        if (rows * columns * copies <= 0) return;
        list.push({role, name, rows, columns, copies, split, true, format_for(role, name)});
    }
    void vector(Role role, std::string_view name, double length, Split split = Split::whole) {
        if (length <= 0) return;
        list.push({role, name, length, 1, 1, split, false, format_for(role, name)});
    }

    void operator()(const NoMixer&) {}
    void operator()(const NoFeedForward&) {}

    void operator()(const Attention& m) {
        const double values = m.value_dim > 0 ? m.value_dim : m.head_dim;
        const double queries = m.heads * m.head_dim * (m.gated ? 2 : 1);
        matrix(Role::attention, "attn_q", queries, h, Split::ranks);
        if (!m.shares_cache) {
            matrix(Role::attention, "attn_k", m.kv_heads * m.head_dim, h, Split::kv_heads);
            if (!m.key_is_value) {
                matrix(Role::attention, "attn_v", m.kv_heads * values, h, Split::kv_heads);
            }
        }
        matrix(Role::attention, "attn_output", h, m.heads * values, Split::ranks);
        double bias = (m.bias_q ? queries : 0) + (m.bias_o ? h : 0) + (m.sinks ? m.heads : 0);
        if (!m.shares_cache) {
            bias += (m.bias_k ? m.kv_heads * m.head_dim : 0) + (m.bias_v ? m.kv_heads * values : 0);
        }
        vector(Role::norm, "attn_bias", bias);
        const double key_norms = m.shares_cache ? 0 : 1;
        if (m.norm_per_head) vector(Role::norm, "attn_qk_norm", (1 + key_norms) * m.head_dim);
        if (m.norm_full) {
            vector(Role::norm, "attn_qk_norm", (m.heads + key_norms * m.kv_heads) * m.head_dim);
        }
    }

    void operator()(const LatentAttention& m) {
        const double query_dim = m.heads * (m.nope_dim + m.rope_dim);
        if (m.query_rank > 0) {
            matrix(Role::attention, "attn_q_a", m.query_rank, h, Split::whole);
            vector(Role::norm, "attn_q_a_norm", m.query_rank);
            matrix(Role::attention, "attn_q_b", query_dim, m.query_rank, Split::ranks);
        } else {
            matrix(Role::attention, "attn_q", query_dim, h, Split::ranks);
        }
        matrix(Role::attention, "attn_kv_a", m.latent_rank + m.rope_dim, h, Split::whole);
        vector(Role::norm, "attn_kv_a_norm", m.latent_rank);
        matrix(Role::attention, "attn_kv_b", m.heads * (m.nope_dim + m.value_dim), m.latent_rank,
               Split::ranks);
        matrix(Role::attention, "attn_output", h, m.heads * m.value_dim, Split::ranks);
        if (m.index_heads > 0 && !m.index_shared) {
            matrix(Role::attention, "indexer_q", m.index_heads * m.index_dim, m.query_rank,
                   Split::whole);
            matrix(Role::attention, "indexer_k", m.index_dim, h, Split::whole);
            vector(Role::norm, "indexer_k_norm", 2 * m.index_dim);
            matrix(Role::attention, "indexer_weights", m.index_heads, h, Split::whole);
        }
    }

    void operator()(const Mamba1& m) {
        matrix(Role::recurrence, "ssm_in", 2 * m.inner, h, Split::ranks);
        vector(Role::norm, "ssm_conv", m.inner * m.kernel + m.inner, Split::ranks);
        matrix(Role::recurrence, "ssm_x", m.time_rank + 2 * m.state, m.inner, Split::ranks);
        matrix(Role::recurrence, "ssm_dt", m.inner, m.time_rank, Split::ranks);
        vector(Role::norm, "ssm_dt_bias", m.inner, Split::ranks);
        vector(Role::norm, "ssm_a_d", m.inner * m.state + m.inner, Split::ranks);
        matrix(Role::recurrence, "ssm_out", h, m.inner, Split::ranks);
        if (m.inner_norms) vector(Role::norm, "ssm_norms", m.time_rank + 2 * m.state);
    }

    void operator()(const Mamba2& m) {
        const double inner = m.heads * m.head_dim;
        const double convolved = inner + 2 * m.groups * m.state;
        matrix(Role::recurrence, "ssm_in", inner + convolved + m.heads, h, Split::ranks);
        vector(Role::norm, "ssm_conv", convolved * m.kernel + convolved, Split::ranks);
        vector(Role::norm, "ssm_a_d_dt", 3 * m.heads, Split::ranks);
        vector(Role::norm, "ssm_norm", inner, Split::ranks);
        matrix(Role::recurrence, "ssm_out", h, inner, Split::ranks);
    }

    void operator()(const DeltaNet& m) {
        const double keys = m.key_heads * m.key_dim;
        const double values = m.value_heads * m.value_dim;
        matrix(Role::recurrence, "delta_qkvz", 2 * keys + 2 * values, h, Split::ranks);
        matrix(Role::recurrence, "delta_ba", 2 * m.value_heads, h, Split::ranks);
        vector(Role::norm, "delta_conv", (2 * keys + values) * m.kernel, Split::ranks);
        vector(Role::norm, "delta_a_dt", 2 * m.value_heads, Split::ranks);
        vector(Role::norm, "delta_norm", m.value_dim);
        matrix(Role::recurrence, "delta_out", h, values, Split::ranks);
    }

    void operator()(const ShortConvolution& m) {
        matrix(Role::recurrence, "conv_in", 3 * h, h, Split::ranks);
        vector(Role::norm, "conv_kernel", h * m.kernel, Split::ranks);
        matrix(Role::recurrence, "conv_out", h, h, Split::ranks);
    }

    void operator()(const Lightning& m) {
        const double width = m.heads * m.head_dim;
        matrix(Role::recurrence, "lightning_qkv", 3 * width, h, Split::ranks);
        matrix(Role::recurrence, "lightning_gate", width, h, Split::ranks);
        vector(Role::norm, "lightning_norm", width, Split::ranks);
        matrix(Role::recurrence, "lightning_out", h, width, Split::ranks);
    }

    void operator()(const DenseFeedForward& f) {
        dense(Role::feed_forward, f.width, f.gated, f.bias);
    }

    void operator()(const Experts& f) {
        const double in = f.latent > 0 ? f.latent : h;
        const double ups = f.gated ? 2 : 1;
        matrix(Role::router, "router", f.experts, h, Split::whole);
        if (f.router_bias) vector(Role::norm, "router_bias", f.experts);
        if (f.gated) matrix(Role::expert, "expert_gate", f.width, in, Split::experts, f.experts);
        matrix(Role::expert, "expert_up", f.width, in, Split::experts, f.experts);
        matrix(Role::expert, "expert_down", in, f.width, Split::experts, f.experts);
        if (f.bias) {
            vector(Role::expert_bias, "expert_bias", f.experts * (ups * f.width + in),
                   Split::whole_experts);
        }
        if (f.latent > 0) {
            matrix(Role::feed_forward, "latent_in", f.latent, h, Split::whole);
            matrix(Role::feed_forward, "latent_out", h, f.latent, Split::whole);
        }
        if (f.shared_width > 0) {
            if (f.gated)
                matrix(Role::shared_expert, "shared_gate", f.shared_width, h, Split::ranks);
            matrix(Role::shared_expert, "shared_up", f.shared_width, h, Split::ranks);
            matrix(Role::shared_expert, "shared_down", h, f.shared_width, Split::ranks);
            if (f.shared_gate) matrix(Role::router, "shared_router", 1, h, Split::whole);
        }
        if (f.dense_width > 0) dense(Role::feed_forward, f.dense_width, true, false);
        vector(Role::norm, "expert_norms", f.extra_norms * h);
    }

    void norms(double count) {
        if (count > 0) vector(Role::norm, "norms", count * norm_width);
    }

    double h{};
    double norm_width{};
    Tensors list{};

  private:
    [[nodiscard]] const NumberFormat* format_for(Role role, std::string_view name) const {
        if (block_ != nullptr) {
            for (const TensorFormat& own : block_->formats) {
                if (own.tensor == name) return &own.format;
            }
        }
        return &format_of(model_, role);
    }

    const Model& model_;
    const Block* block_;

    void dense(Role role, double width, bool gated, bool bias) {
        if (gated) matrix(role, "ffn_gate", width, h, Split::ranks);
        matrix(role, "ffn_up", width, h, Split::ranks);
        matrix(role, "ffn_down", h, width, Split::ranks);
        if (bias) vector(Role::norm, "ffn_bias", (gated ? 2 : 1) * width + h);
    }
};

}  // namespace

double elements(const Tensor& tensor) {
    return tensor.rows * tensor.columns * tensor.copies;
}

Tensors tensors(const Block& block, const Model& model) {
    Builder builder(model, &block);
    builder.norms(block.norms);
    std::visit(builder, block.mixer);
    std::visit(builder, block.feed_forward);
    return builder.list;
}

Tensors outer_tensors(const Model& model) {
    Builder builder(model);
    const bool narrow = model.embedding_width > 0;
    const double width = narrow ? model.embedding_width : model.hidden;
    builder.matrix(Role::embedding, "token_embedding", model.vocabulary, width, Split::ranks);
    if (narrow) {
        builder.matrix(Role::head, "project_in", model.hidden, width, Split::whole);
        builder.matrix(Role::head, "project_out", width, model.hidden, Split::whole);
    }
    builder.matrix(Role::positions, "position_embedding", model.positions, model.hidden,
                   Split::whole);
    builder.vector(Role::positions, "lookup_tables", model.lookup_parameters);
    builder.norms((model.embedding_norm ? 1 : 0) + (model.final_norm ? 1 : 0));
    if (!model.tied) {
        builder.matrix(Role::head, "head", model.vocabulary, width, Split::ranks);
    }
    if (model.head_bias) builder.vector(Role::norm, "head_bias", model.vocabulary);
    builder.vector(Role::norm, "extra", model.extra_parameters);
    return builder.list;
}

}  // namespace napkin
