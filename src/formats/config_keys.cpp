#include "formats/config_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

// No dimension of a model is anywhere near; sums of products of them stay exact in a double.
constexpr double largest = 1e9;

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

// Lengths and vocabularies come in several true versions (trained and extended, used and padded);
// dimensions do not.
bool must_agree(std::string_view name) {
    return name != "max_context" && name != "vocabulary" && name != "window";
}

const json::Value* look_up(const json::Value& tree, std::string_view name) {
    const std::size_t dot = name.find('.');
    const json::Value* found = tree.find(name.substr(0, dot));
    if (found == nullptr || found->kind == json::Kind::null) return nullptr;
    return dot == std::string_view::npos ? found : look_up(*found, name.substr(dot + 1));
}

}  // namespace

const json::Value& text_config(const json::Value& config) {
    constexpr std::array<std::string_view, 5> nests{"text_config", "llm_config", "language_config",
                                                    "thinker_config", "language_model_config"};
    for (const std::string_view nest : nests) {
        const json::Value* inner = config.find(nest);
        if (inner != nullptr && inner->kind == json::Kind::object) return text_config(*inner);
    }
    return config;
}

double layers_of(ConfigKeys& keys) {
    if (const auto stated = keys.find("layers"); stated && *stated > 0) return *stated;
    for (const std::string_view list : {"layers_block_type", "layer_types"}) {
        const json::Value* found = keys.value(list);
        if (found != nullptr && found->kind == json::Kind::array && !found->items.empty()) {
            return static_cast<double>(found->items.size());
        }
    }
    return keys.need("layers");
}

ConfigKeys::ConfigKeys(const json::Value& outer, const json::Value& text, const json::Value& family,
                       const json::Source& source)
    : outer_(outer), text_(text), family_(family), source_(source) {}

const json::Value* ConfigKeys::value(std::string_view name) const {
    return look_up(text_, name);
}

std::optional<double> ConfigKeys::count_of(const json::Value& found, std::string_view name) {
    // A list holds one count for each layer; here only one for all will do.
    const json::Value* value = &found;
    if (found.kind == json::Kind::array && !found.items.empty()) {
        value = &found.items.front();
        const bool equal =
            std::all_of(found.items.begin(), found.items.end(), [&](const auto& one) {
                return one.kind == json::Kind::number && one.number == value->number;
            });
        if (!equal) value = &found;
    }
    const double number = value->number;
    if (value->kind == json::Kind::number && number >= 0 && number <= largest &&
        std::floor(number) == number) {
        return number;
    }
    if (reported_.insert(std::string(name)).second) {
        problem("bad-count", std::string(name) + " is no count", &found,
                "a whole number up to " + with_separators(largest));
    }
    return std::nullopt;
}

std::optional<double> ConfigKeys::find(std::string_view name) {
    std::optional<double> result;
    std::string_view first;
    for (const std::string_view key : keys_of(name)) {
        const json::Value* found = value(key);
        if (found == nullptr) continue;
        const auto count = count_of(*found, key);
        if (!count) continue;
        if (result && *result != *count && must_agree(name) &&
            reported_.insert(std::string(key)).second) {
            problem("inconsistent-keys",
                    std::string(first) + " says " + shortest(*result) + " and " + std::string(key) +
                        " says " + shortest(*count) + ": both mean the same",
                    found, "one of them, or both alike");
        }
        if (result) continue;
        result = count;
        first = key;
    }
    if (result) return result;
    const json::Value* supplied = family_.at("defaults").find(name);
    if (supplied == nullptr) return std::nullopt;
    const std::string key(keys_of(name).front());
    if (reported_.insert("default " + key).second) {
        note("class-default", key + " is not stated: its class has " + shortest(supplied->number));
    }
    return supplied->number;
}

double ConfigKeys::need(std::string_view name) {
    const auto found = find(name);
    if (found && *found > 0) return *found;
    const std::string key(keys_of(name).front());
    if (found) {
        problem("bad-count", key + " is 0", value(key), "a count above 0");
    } else if (!reported_.contains(key) && reported_.insert(key).second) {
        missing_.push_back(key);
    }
    return 0;
}

double ConfigKeys::get(std::string_view name, double otherwise) {
    return find(name).value_or(otherwise);
}

bool ConfigKeys::flag(std::string_view name, bool otherwise) const {
    const json::Value* found = value(name);
    return found != nullptr && found->kind == json::Kind::boolean ? found->boolean : otherwise;
}

std::string ConfigKeys::text(std::string_view name) const {
    const json::Value* found = value(name);
    return found != nullptr && found->kind == json::Kind::string ? found->string : std::string();
}

const json::Value* ConfigKeys::per_layer(std::string_view name, double layers) {
    const json::Value* found = value(name);
    if (found == nullptr) return nullptr;
    const bool fits =
        found->kind == json::Kind::array && static_cast<double>(found->items.size()) == layers;
    if (fits) return found;
    if (reported_.insert(std::string(name)).second) {
        problem("bad-list",
                std::string(name) + " has " + std::to_string(found->items.size()) +
                    " entries for " + shortest(layers) + " layers",
                found, "one entry for each layer");
    }
    return nullptr;
}

bool ConfigKeys::trait(std::string_view name, bool otherwise) const {
    const json::Value* found = family_.find(name);
    if (found == nullptr) return otherwise;
    if (found->kind == json::Kind::boolean) return found->boolean;
    if (found->kind == json::Kind::string) return flag(found->string);
    return flag(found->text("key"), found->flag("default"));
}

void ConfigKeys::problem(std::string id, std::string message, const json::Value* at,
                         std::string expected, std::string hint) {
    Where where;
    if (at == nullptr) {
        where.file = source_.name;
    } else {
        where = json::where_in(source_, at->offset);
    }
    problems_.push_back({.id = std::move(id),
                         .message = std::move(message),
                         .where = std::move(where),
                         .expected = std::move(expected),
                         .suggestions = {},
                         .hint = std::move(hint)});
}

void ConfigKeys::note(std::string id, std::string message, bool warning) {
    notes.push_back({std::move(id), std::move(message), warning});
}

void ConfigKeys::finish() {
    if (!missing_.empty()) {
        std::string all;
        for (const std::string& key : missing_) all += (all.empty() ? "" : ", ") + key;
        problem("missing-keys", "the configuration does not state " + all, nullptr,
                "every dimension of the architecture; none is guessed",
                "--set config." + missing_.front() + "=N gives one");
        missing_.clear();
    }
    if (!problems_.empty()) throw Error(std::move(problems_));
}

}  // namespace napkin::formats
