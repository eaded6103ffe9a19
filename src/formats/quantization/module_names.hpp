// What checkpoints call the matrices that a layer multiplies by.
#pragma once

#include <array>
#include <string_view>

namespace napkin::formats {

/// Our name of a tensor, and the modules that hold it, below "layers.N.", alone or fused with
/// others. What stands in none (routers, an indexer's weights) is never quantised.
struct ModuleNames {
    std::string_view tensor{};
    std::array<std::string_view, 5> modules{};
};

inline constexpr std::array module_names{
    ModuleNames{"attn_q",
                {"self_attn.q_proj", "mixer.q_proj", "attn.q_proj", "self_attn.qkv_proj"}},
    ModuleNames{"attn_k",
                {"self_attn.k_proj", "mixer.k_proj", "attn.k_proj", "self_attn.qkv_proj"}},
    ModuleNames{"attn_v",
                {"self_attn.v_proj", "mixer.v_proj", "attn.v_proj", "self_attn.qkv_proj"}},
    ModuleNames{"attn_output",
                {"self_attn.o_proj", "mixer.o_proj", "attn.o_proj", "self_attn.out_proj",
                 "self_attn.dense"}},
    ModuleNames{"attn_q_a", {"self_attn.q_a_proj"}},
    ModuleNames{"attn_q_b", {"self_attn.q_b_proj"}},
    ModuleNames{"attn_kv_a", {"self_attn.kv_a_proj_with_mqa"}},
    ModuleNames{"attn_kv_b", {"self_attn.kv_b_proj"}},
    ModuleNames{"indexer_q", {"self_attn.indexer.wq_b"}},
    ModuleNames{"indexer_k", {"self_attn.indexer.wk"}},
    ModuleNames{"ffn_gate",
                {"mlp.gate_proj", "feed_forward.gate_proj", "feed_forward.w1", "mlp.gate_up_proj"}},
    ModuleNames{"ffn_up",
                {"mlp.up_proj", "feed_forward.up_proj", "feed_forward.w3", "mixer.up_proj",
                 "mlp.gate_up_proj"}},
    ModuleNames{"ffn_down",
                {"mlp.down_proj", "feed_forward.down_proj", "feed_forward.w2", "mixer.down_proj"}},
    ModuleNames{"expert_gate",
                {"mlp.experts.0.gate_proj", "block_sparse_moe.experts.0.w1",
                 "feed_forward.experts.0.gate_proj", "experts.0.gate_proj"}},
    ModuleNames{"expert_up",
                {"mlp.experts.0.up_proj", "block_sparse_moe.experts.0.w3",
                 "feed_forward.experts.0.up_proj", "mixer.experts.0.up_proj", "experts.0.up_proj"}},
    ModuleNames{
        "expert_down",
        {"mlp.experts.0.down_proj", "block_sparse_moe.experts.0.w2",
         "feed_forward.experts.0.down_proj", "mixer.experts.0.down_proj", "experts.0.down_proj"}},
    ModuleNames{"shared_gate",
                {"mlp.shared_experts.gate_proj", "mlp.shared_expert.gate_proj",
                 "feed_forward.shared_expert.gate_proj"}},
    ModuleNames{"shared_up",
                {"mlp.shared_experts.up_proj", "mlp.shared_expert.up_proj",
                 "feed_forward.shared_expert.up_proj", "mixer.shared_experts.up_proj"}},
    ModuleNames{"shared_down",
                {"mlp.shared_experts.down_proj", "mlp.shared_expert.down_proj",
                 "feed_forward.shared_expert.down_proj", "mixer.shared_experts.down_proj"}},
    ModuleNames{"latent_in", {"mixer.fc1_latent_proj"}},
    ModuleNames{"latent_out", {"mixer.fc2_latent_proj"}},
    ModuleNames{"ssm_in", {"mixer.in_proj", "mamba.in_proj"}},
    ModuleNames{"ssm_out", {"mixer.out_proj", "mamba.out_proj"}},
    ModuleNames{"ssm_x", {"mixer.x_proj", "mamba.x_proj"}},
    ModuleNames{"ssm_dt", {"mixer.dt_proj", "mamba.dt_proj"}},
    ModuleNames{"lightning_qkv", {"self_attn.qkv_proj"}},
    ModuleNames{"lightning_gate", {"self_attn.output_gate"}},
    ModuleNames{"lightning_out", {"self_attn.out_proj"}},
    ModuleNames{"delta_ba",
                {"linear_attn.in_proj_ba", "linear_attn.in_proj_b", "linear_attn.in_proj_a"}},
    ModuleNames{"delta_qkvz", {"linear_attn.in_proj_qkvz", "linear_attn.in_proj_qkv"}},
    ModuleNames{"delta_out", {"linear_attn.out_proj"}},
    ModuleNames{"conv_in", {"conv.in_proj"}},
    ModuleNames{"conv_out", {"conv.out_proj"}}};

}  // namespace napkin::formats
