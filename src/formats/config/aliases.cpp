#include "formats/config/aliases.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace napkin::formats {
namespace {

struct Aliases {
    std::string_view name{};
    std::array<std::string_view, 8> keys{};
};

// Our name, then the names that configurations use; the first is the one that errors ask for.
constexpr std::array aliases{
    Aliases{"hidden", {"hidden_size", "n_embd", "d_model", "n_embed"}},
    Aliases{"layers", {"num_hidden_layers", "n_layer", "num_layers", "n_layers"}},
    Aliases{"heads", {"num_attention_heads", "n_head", "num_heads", "n_heads"}},
    Aliases{"kv_heads",
            {"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num",
             "attn_config.kv_n_heads"}},
    Aliases{"head_dim", {"head_dim", "attention_head_dim", "kv_channels", "d_kv"}},
    Aliases{"value_dim", {"v_head_dim"}},
    Aliases{"width",
            {"intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "d_ff", "block_ff_dim",
             "ffn_config.ffn_hidden_size"}},
    Aliases{"vocabulary", {"vocab_size", "padded_vocab_size"}},
    Aliases{"max_context",
            {"max_position_embeddings", "n_positions", "seq_length", "max_seq_len",
             "max_sequence_length", "context_length"}},
    Aliases{"window", {"sliding_window", "sliding_window_attention_size", "attention_chunk_size"}},
    Aliases{"experts",
            {"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts",
             "ffn_config.moe_num_experts"}},
    Aliases{"experts_per_token",
            {"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk",
             "moe_k", "top_k_experts", "ffn_config.moe_top_k"}},
    Aliases{"expert_width", {"moe_intermediate_size"}},
    Aliases{
        "shared_experts",
        {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"}},
    Aliases{"shared_width",
            {"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
             "shared_intermediate_size", "share_expert_dim"}},
    Aliases{"dense_width", {"intermediate_size_mlp", "dense_intermediate_size"}},
    Aliases{"kernel", {"conv_kernel", "mamba_d_conv", "linear_conv_kernel_dim", "conv_L_cache"}},
    Aliases{"state", {"state_size", "ssm_state_size", "mamba_d_state"}},
    Aliases{"mamba_heads", {"mamba_num_heads", "mamba_n_heads"}},
    Aliases{"mamba_head_dim", {"mamba_head_dim", "mamba_d_head"}},
    Aliases{"groups", {"n_groups", "mamba_n_groups"}},
    Aliases{"time_rank", {"time_step_rank", "mamba_dt_rank"}},
    Aliases{"expand", {"expand", "mamba_expand"}},
    Aliases{"mtp", {"num_nextn_predict_layers", "mtp_num_hidden_layers"}}};

}  // namespace

std::vector<std::string_view> keys_of(std::string_view name) {
    for (const Aliases& one : aliases) {
        if (one.name != name) continue;
        std::vector<std::string_view> keys;
        std::copy_if(one.keys.begin(), one.keys.end(), std::back_inserter(keys),
                     [](std::string_view key) { return !key.empty(); });
        return keys;
    }
    return {name};
}

bool must_agree(std::string_view name) {
    return name != "max_context" && name != "vocabulary" && name != "window";
}

}  // namespace napkin::formats
