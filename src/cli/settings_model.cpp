// Figures of a model that --set overrides.
#include <cmath>

#include "cli/settings.hpp"

namespace napkin::cli {
namespace {

// What an engine keeps of latent attention (llama.cpp: -mla 2 or 3, 1, 0).
std::string keep_latent(Model& model, LatentCache keeps) {
    bool any = false;
    for (Block& block : model.blocks) {
        if (auto* m = std::get_if<LatentAttention>(&block.mixer)) {
            m->keeps = keeps;
            any = true;
        }
    }
    return any ? "" : "the model has no latent attention";
}

// What the files hold, they hold in however many weights are said to be in them.
void keep_stored_bytes(Model& model) {
    if (model.stored_bytes <= 0 || model.size_total <= 0) return;
    NumberFormat stored = format_of(model, Role::feed_forward);
    stored.elements = model.size_total;
    stored.bytes = model.stored_bytes;
    set_weights(model, stored);
}

constexpr std::array model_settings{
    Setting<Model>{
        "model.max_context",
        [](Model& m, std::string_view text) { return store(read_length(text), m.max_context); }},
    Setting<Model>{"model.parameters",
                   [](Model& m, std::string_view text) {
                       // The layers no longer describe it: only the size is left.
                       const auto count = read_count(text);
                       if (!count.value) return count.problem;
                       const double kv = m.size_kv_bytes_per_token;
                       m.blocks.clear();
                       m.size_total = m.size_active = *count.value;
                       m.size_kv_bytes_per_token = kv;
                       keep_stored_bytes(m);
                       return std::string();
                   }},
    Setting<Model>{"model.latent_cache",
                   [](Model& m, std::string_view text) {
                       for (const LatentCache keeps :
                            {LatentCache::latent, LatentCache::latent_and_values,
                             LatentCache::expanded}) {
                           if (text == name_of(keeps)) return keep_latent(m, keeps);
                       }
                       return std::string("expected latent, latent-and-values or expanded");
                   }},
    Setting<Model>{"model.active_parameters", [](Model& m, std::string_view text) {
                       const auto count = read_count(text);
                       if (!count.value) return count.problem;
                       if (!is_size(m)) return std::string("only a size can be given active ones");
                       if (*count.value > m.size_total) return std::string("more than there are");
                       m.size_active = *count.value;
                       return std::string();
                   }}};

}  // namespace

void apply_model_settings(Model& model, const Settings& settings, Resolver& resolver) {
    double held = parameters(model);
    for (const Part& part : model.parts) held += part.parameters;
    apply(model_settings, model, settings, resolver);
    const bool replaced = settings.contains("model.parameters") && model.size_total > 0;
    if (!replaced || model.stored_elements <= 0 || model.size_total == held) return;
    const auto bits = [&](double weights) {
        return shortest(std::round(800 * model.stored_bytes / weights) / 100);
    };
    resolver.note("parameters-differ",
                  "the files hold " + with_separators(held) + " parameters of " + bits(held) +
                      " bits; " + with_separators(model.size_total) + " would be of " +
                      bits(model.size_total),
                  true);
}

std::vector<std::string> model_setting_names() {
    return names_of(model_settings);
}

}  // namespace napkin::cli
