#include "napkin/layout.hpp"

#include <algorithm>
#include <cmath>

#include "napkin/text.hpp"

namespace napkin {
namespace {

bool divides(double part, double whole) {
    return std::fmod(whole, part) == 0;
}

bool allows(const Block& block, double tp) {
    if (const auto* attention = std::get_if<Attention>(&block.mixer)) {
        const bool kv = divides(tp, attention->kv_heads) || divides(attention->kv_heads, tp);
        if (!divides(tp, attention->heads) || !kv) return false;
    }
    if (const auto* latent = std::get_if<LatentAttention>(&block.mixer)) {
        if (!divides(tp, latent->heads)) return false;
    }
    if (const auto* dense = std::get_if<DenseFeedForward>(&block.feed_forward)) {
        if (!divides(tp, dense->width)) return false;
    }
    if (const auto* experts = std::get_if<Experts>(&block.feed_forward)) {
        if (!divides(tp, experts->width) || !divides(tp, experts->shared_width)) return false;
    }
    return true;
}

std::string list_of(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ", ") + shortest(value);
    return text;
}

std::string explain_tp(const Model& model, double tp) {
    for (const Block& block : model.blocks) {
        if (allows(block, tp)) continue;
        const auto* attention = std::get_if<Attention>(&block.mixer);
        if (attention != nullptr && !divides(tp, attention->heads)) {
            return shortest(attention->heads) + " heads do not split over " + shortest(tp);
        }
        if (attention != nullptr && !divides(tp, attention->kv_heads) &&
            !divides(attention->kv_heads, tp)) {
            return shortest(attention->kv_heads) + " KV heads neither split over " + shortest(tp) +
                   " nor repeat on it evenly";
        }
        if (const auto* latent = std::get_if<LatentAttention>(&block.mixer)) {
            if (!divides(tp, latent->heads)) {
                return shortest(latent->heads) + " heads do not split over " + shortest(tp);
            }
        }
        return "a feed-forward width does not split over " + shortest(tp);
    }
    return {};
}

}  // namespace

std::vector<double> valid_tensor_parallel(const Model& model, double most) {
    std::vector<double> valid;
    for (double tp = 1; tp <= most; ++tp) {
        const bool ok = std::all_of(model.blocks.begin(), model.blocks.end(),
                                    [&](const Block& block) { return allows(block, tp); });
        if (ok) valid.push_back(tp);
    }
    return valid;
}

double stage_layers(const Model& model, double pp) {
    return std::ceil(layers(model) / pp);
}

double layers_on_stage(const Block& block, const Model& model, double pp) {
    return pp == 1 ? block.count : block.count * stage_layers(model, pp) / layers(model);
}

std::vector<Violation> violations(const Layout& layout, const Model& model,
                                  const Machine& machine) {
    std::vector<Violation> found;
    const double product = layout.dp * layout.tp * layout.pp;
    if (product != machine.devices) {
        found.push_back({"layout-devices",
                         "dp x tp x pp = " + shortest(product) + ", but the machine has " +
                             shortest(machine.devices) + " devices",
                         {}});
    }
    const std::vector<double> valid = valid_tensor_parallel(model, machine.devices);
    if (std::find(valid.begin(), valid.end(), layout.tp) == valid.end()) {
        const std::string reason = explain_tp(model, layout.tp);
        found.push_back({"layout-tp",
                         "tp " + shortest(layout.tp) + " is not possible: " +
                             (reason.empty() ? "more ranks than devices" : reason) +
                             "; valid: " + list_of(valid) +
                             "; other device counts need pipeline stages (--pp) or replicas (--dp)",
                         valid});
    }
    const double deepest = is_size(model) ? 1 : layers(model);
    if (layout.pp > deepest) {
        found.push_back({"layout-pp",
                         "pp " + shortest(layout.pp) + " is more than the model's " +
                             shortest(deepest) + " layers",
                         {deepest}});
    }
    return found;
}

std::vector<Layout> inference_layouts(const Model& model, const Machine& machine) {
    const double devices = machine.devices;
    const double domain = smaller(machine.domain, devices);
    std::vector<double> degrees = valid_tensor_parallel(model, domain);
    std::erase_if(degrees,
                  [&](double tp) { return !divides(tp, devices) || !divides(tp, domain); });
    std::vector<Layout> order;
    for (auto tp = degrees.rbegin(); tp != degrees.rend(); ++tp) {
        const double rest = devices / *tp;
        const std::string inside = "tp " + shortest(*tp) + " inside one scale-up domain";
        if (rest == 1) {
            order.push_back({.dp = 1, .tp = *tp, .pp = 1, .zero = 0, .why = inside});
            continue;
        }
        order.push_back(
            {.dp = rest, .tp = *tp, .pp = 1, .zero = 0, .why = inside + ", replicas beyond it"});
        for (double pp = 2; pp <= rest && pp <= layers(model); ++pp) {
            if (!divides(pp, rest)) continue;
            const double dp = rest / pp;
            order.push_back({.dp = dp,
                             .tp = *tp,
                             .pp = pp,
                             .zero = 0,
                             .why = inside + ", pipeline stages" + (dp > 1 ? " and replicas" : "") +
                                    " beyond it"});
        }
    }
    return order;
}

}  // namespace napkin
