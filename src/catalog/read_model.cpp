#include "catalog/read.hpp"
#include "napkin/catalog.hpp"
#include "napkin/text.hpp"

namespace napkin {
namespace catalog {
namespace {

bool lists(const json::Value& value, std::string_view name, std::string_view item) {
    for (const json::Value& one : value.at(name).items) {
        if (one.string == item) return true;
    }
    return false;
}

Mixer read_mixer(const json::Value& m) {
    const std::string kind = m.text("kind");
    if (kind == "attention") {
        return Attention{.heads = m.count("heads"),
                         .kv_heads = m.count("kv_heads", m.count("heads")),
                         .head_dim = m.count("head_dim"),
                         .value_dim = m.count("value_dim"),
                         .window = larger(m.count("window"), m.count("chunk")),
                         .bias_q = lists(m, "bias", "q"),
                         .bias_k = lists(m, "bias", "k"),
                         .bias_v = lists(m, "bias", "v"),
                         .bias_o = lists(m, "bias", "o"),
                         .norm_per_head = m.text("qk_norm") == "head",
                         .norm_full = m.text("qk_norm") == "full",
                         .gated = m.flag("gate"),
                         .sinks = m.flag("sinks"),
                         .key_is_value = m.flag("key_is_value"),
                         .shares_cache = m.flag("shares_kv")};
    }
    if (kind == "latent") {
        const json::Value& indexer = m.at("indexer");
        return LatentAttention{.heads = m.count("heads"),
                               .query_rank = m.count("query_rank"),
                               .latent_rank = m.count("latent_rank"),
                               .nope_dim = m.count("nope_dim"),
                               .rope_dim = m.count("rope_dim"),
                               .value_dim = m.count("value_dim"),
                               .index_heads = indexer.count("heads"),
                               .index_dim = indexer.count("dim"),
                               .index_top = indexer.count("top_k"),
                               .index_shared = m.flag("indexer_shared")};
    }
    if (kind == "mamba1") {
        return Mamba1{.inner = m.count("inner"),
                      .state = m.count("state"),
                      .kernel = m.count("kernel"),
                      .time_rank = m.count("dt_rank"),
                      .inner_norms = m.flag("norms")};
    }
    if (kind == "mamba2") {
        return Mamba2{.heads = m.count("heads"),
                      .head_dim = m.count("head_dim"),
                      .groups = m.count("groups"),
                      .state = m.count("state"),
                      .kernel = m.count("kernel")};
    }
    if (kind == "delta") {
        return DeltaNet{.key_heads = m.count("key_heads"),
                        .value_heads = m.count("value_heads"),
                        .key_dim = m.count("key_dim"),
                        .value_dim = m.count("value_dim"),
                        .kernel = m.count("kernel")};
    }
    if (kind == "conv") return ShortConvolution{.kernel = m.count("kernel")};
    if (kind == "lightning") {
        return Lightning{.heads = m.count("heads"), .head_dim = m.count("head_dim")};
    }
    return NoMixer{};
}

FeedForward read_feed_forward(const json::Value& f) {
    const std::string kind = f.text("kind");
    if (kind == "experts") {
        return Experts{.experts = f.count("experts"),
                       .active = f.count("active"),
                       .width = f.count("width"),
                       .gated = f.find("gated") == nullptr || f.flag("gated"),
                       .bias = f.flag("bias"),
                       .shared_width = f.count("shared_width"),
                       .shared_gate = f.flag("shared_gate"),
                       .router_bias = f.flag("router_bias"),
                       .latent = f.count("latent"),
                       .dense_width = f.count("dense_width"),
                       .extra_norms = f.count("extra_norms")};
    }
    if (kind == "gated" || kind == "plain") {
        return DenseFeedForward{
            .width = f.count("width"), .gated = kind == "gated", .bias = f.flag("bias")};
    }
    return NoFeedForward{};
}

Norm norm_named(std::string_view name) {
    if (name == "layer") return Norm::layer;
    if (name == "layer-no-bias") return Norm::layer_no_bias;
    if (name == "none") return Norm::none;
    return Norm::rms;
}

void read_weights(Model& model, const json::Value& entry, const FormatNamed& format) {
    const json::Value* weights = entry.find("weights");
    if (weights == nullptr) {
        set_weights(model, format("bf16"));
        model.weights_as.clear();  // the checkpoint says nothing: the caller warns
        return;
    }
    set_weights(model, format(weights->text("format")));
    if (const std::string experts = weights->text("experts"); !experts.empty()) {
        model.weights.of[static_cast<std::size_t>(Role::expert)] = format(experts);
        model.weights_as += ", experts " + experts;
    }
}

}  // namespace

Model read_model(const json::Value& entry, const FormatNamed& format) {
    const json::Value& published = entry.at("published");
    Model model;
    model.id = entry.text("id");
    model.name = entry.text("name");
    model.hidden = entry.count("hidden");
    model.vocabulary = entry.count("vocabulary");
    model.tied = entry.flag("tied");
    model.max_context = entry.count("max_context");
    model.norm = norm_named(entry.text("norm"));
    model.positions = entry.count("positions");
    model.embedding_norm = entry.flag("embedding_norm");
    model.final_norm = entry.find("final_norm") == nullptr || entry.flag("final_norm");
    model.head_bias = entry.flag("head_bias");
    model.extra_parameters = entry.at("extra_parameters").count("parameters");
    model.published_parameters = published.count("parameters");
    model.published_exact = published.flag("exact");
    model.published_source = published.text("source");
    model.source = entry.text("source");
    model.unverified = entry.flag("unverified");
    for (const json::Value& block : entry.at("blocks").items) {
        const json::Value& mixer = block.at("mixer");
        const std::string state = mixer.text("state_format");
        model.blocks.push_back(
            {.count = block.count("count", 1),
             .norms = block.count("norms"),
             .mixer = read_mixer(mixer),
             .feed_forward = read_feed_forward(block.at("feed_forward")),
             .state_bytes = bytes_per_weight(format(state.empty() ? "bf16" : state)),
             .parallel = block.flag("parallel")});
    }
    for (const json::Value& part : entry.at("parts").items) {
        model.parts.push_back({.name = part.text("name"), .parameters = part.count("parameters")});
    }
    read_weights(model, entry, format);
    if (const std::string kv = entry.text("kv_cache"); !kv.empty()) model.kv_format = format(kv);
    return model;
}

NumberFormat read_format(const json::Value& entry) {
    NumberFormat format;
    format.id = entry.text("id");
    format.name = entry.text("name");
    format.elements = entry.count("elements", 1);
    format.bytes = entry.count("bytes");
    const json::Value& tile = entry.at("tile");
    format.tile_rows = tile.count("rows");
    format.tile_columns = tile.count("columns");
    format.tile_bytes = tile.count("bytes");
    format.row_bytes = entry.count("row_bytes");
    format.matrix_bytes = entry.count("matrix_bytes");
    format.whole_group = entry.count("whole_group");
    format.computes_in = arithmetic_named(entry.text("computes_in"));
    format.also_computes_in = arithmetic_named(entry.text("also_computes_in"));
    format.keeps_32_bit = entry.find("keeps_32_bit") != nullptr;
    const std::string_view kept = format.keeps_32_bit ? "keeps_32_bit" : "keeps_16_bit";
    format.keeps_embedding = lists(entry, kept, "embedding");
    format.keeps_head = lists(entry, kept, "head");
    format.keeps_norm = lists(entry, kept, "norm");
    format.keeps_router = lists(entry, kept, "router");
    format.source = entry.text("source");
    return format;
}

}  // namespace catalog

std::optional<Model> size_model(std::string_view text) {
    const auto size = [](std::string_view part) -> std::optional<double> {
        constexpr std::string_view letters = "kKmMbBtT";
        if (part.empty() || letters.find(part.back()) == std::string_view::npos) return {};
        return read_count(part).value;
    };
    const std::size_t colon = text.find(':');
    const auto total = size(text.substr(0, colon));
    if (!total) return std::nullopt;
    const auto active = colon == std::string_view::npos ? total : size(text.substr(colon + 1));
    if (!active || *active > *total) return std::nullopt;
    Model model;
    model.id = std::string(text);
    model.name = std::string(text);
    model.size_total = *total;
    model.size_active = *active;
    model.source = "the size given";
    set_weights(model, bfloat16());
    model.weights_as.clear();
    return model;
}

}  // namespace napkin
