#include "napkin/partition.hpp"

#include <algorithm>
#include <cmath>

#include "napkin/text.hpp"

namespace napkin {
namespace {

bool divides(double part, double whole) {
    return std::fmod(whole, part) == 0;
}

double greatest_divisor(double a, double b) {
    return b == 0 ? a : greatest_divisor(b, std::fmod(a, b));
}

// What stands in the way of cutting this kind of layer over tp ranks, and each expert over
// `expert_tp`; empty if nothing does.
std::string obstacle(const Block& block, const Model& model, double tp, double expert_tp) {
    const auto cannot = [&](double count, std::string_view what) {
        return shortest(count) + " " + std::string(what) + " do not split over " + shortest(tp);
    };
    if (const auto* attention = std::get_if<Attention>(&block.mixer)) {
        if (!divides(tp, attention->heads)) return cannot(attention->heads, "heads");
        if (!divides(tp, attention->kv_heads) && !divides(attention->kv_heads, tp)) {
            return shortest(attention->kv_heads) + " KV heads neither split over " + shortest(tp) +
                   " nor repeat on it evenly";
        }
    }
    if (const auto* latent = std::get_if<LatentAttention>(&block.mixer)) {
        if (!divides(tp, latent->heads)) return cannot(latent->heads, "heads");
    }
    const auto width_on = [&](double width, Role role, double ranks) -> std::string {
        const NumberFormat& format = format_of(model, role);
        if (!divides(ranks, width)) {
            return "the feed-forward width " + shortest(width) + " does not split over " +
                   shortest(ranks);
        }
        if (ranks == 1 || width == 0 || format.whole_group <= 0) return {};
        if (divides(format.whole_group, width / ranks)) return {};
        return "the feed-forward width " + shortest(width) + " over " + shortest(ranks) +
               " leaves no whole groups of " + shortest(format.whole_group) + " in " + format.id;
    };
    if (const auto* dense = std::get_if<DenseFeedForward>(&block.feed_forward)) {
        return width_on(dense->width, Role::feed_forward, tp);
    }
    if (const auto* experts = std::get_if<Experts>(&block.feed_forward)) {
        const std::string routed = width_on(experts->width, Role::expert, expert_tp);
        return routed.empty() ? width_on(experts->shared_width, Role::shared_expert, tp) : routed;
    }
    return {};
}

std::string obstacle(const Model& model, double tp, double ep) {
    const double expert_tp = expert_tensor_parallel({.tp = tp, .ep = ep});
    for (const Block& block : model.blocks) {
        std::string found = obstacle(block, model, tp, expert_tp);
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace

std::vector<double> valid_tensor_parallel(const Model& model, double most, double ep) {
    std::vector<double> valid;
    for (double tp = 1; tp <= most; ++tp) {
        const bool nests = divides(tp, ep) || divides(ep, tp);
        if (nests && obstacle(model, tp, ep).empty()) valid.push_back(tp);
    }
    return valid;
}

std::vector<double> valid_expert_parallel(const Model& model, double most) {
    double common = 0;  // what every mixture's number of experts is a multiple of
    for (const Block& block : model.blocks) {
        if (const auto* experts = std::get_if<Experts>(&block.feed_forward)) {
            common = common == 0 ? experts->experts : greatest_divisor(common, experts->experts);
        }
    }
    std::vector<double> valid{1};
    for (double ep = 2; ep <= smaller(most, common); ++ep) {
        if (divides(ep, common)) valid.push_back(ep);
    }
    return valid;
}

Layout draft_layout(const Model& draft, const Layout& layout) {
    double tp = 1;
    for (const double degree : valid_tensor_parallel(draft, layout.tp)) {
        if (divides(degree, layout.tp)) tp = degree;
    }
    const double pp = is_size(draft) ? layout.pp : smaller(layout.pp, layers(draft));
    return {.dp = layout.dp, .tp = tp, .pp = pp};
}

Sharding sharding(const Block& block, const Model& model, const Layout& layout) {
    return {.ranks = layout.tp,
            .kv_ranks = smaller(layout.tp, cache(block, model).heads),
            .expert_devices = expert_devices(layout),
            .ep = layout.ep};
}

namespace {

bool contains(const std::vector<double>& valid, double degree) {
    return std::find(valid.begin(), valid.end(), degree) != valid.end();
}

}  // namespace

double stage_layers(const Model& model, double pp) {
    return std::ceil(layers(model) / pp);
}

std::vector<Violation> violations(const Layout& layout, const Model& model,
                                  const Machine& machine) {
    std::vector<Violation> found;
    const double product = layout.dp * layout.tp * layout.pp;
    if (product > machine.devices) {
        found.push_back({.id = "layout-devices",
                         .message = "dp x tp x pp = " + shortest(product) +
                                    ", but the machine has " + shortest(machine.devices) +
                                    " devices",
                         .flag = "--on",
                         .valid = {}});
    }
    const std::vector<double> experts = valid_expert_parallel(model, machine.devices);
    const bool spreads = contains(experts, layout.ep);
    if (!spreads) {
        const bool any = experts.size() > 1 || layout.ep > machine.devices;
        found.push_back({.id = "layout-ep",
                         .message = "ep " + shortest(layout.ep) + " is not possible: " +
                                    (any ? "it must divide the number of experts of each layer"
                                         : "the model has no experts to spread"),
                         .flag = "--ep",
                         .valid = experts});
    }
    // Experts spread inside a replica, or over whole replicas.
    const double groups = attention_groups(layout);
    const bool nests = divides(layout.tp, layout.ep) || divides(layout.ep, layout.tp);
    if (spreads && (!nests || (groups > 1 && !divides(groups, layout.dp)))) {
        std::vector<double> nested;
        for (const double ep : experts) {
            const bool inside = ep <= layout.tp && divides(ep, layout.tp);
            const bool over = divides(layout.tp, ep) && divides(ep / layout.tp, layout.dp);
            if (inside || over) nested.push_back(ep);
        }
        found.push_back({.id = "layout-ep",
                         .message = "ep " + shortest(layout.ep) +
                                    " is not possible: it must divide tp " + shortest(layout.tp) +
                                    ", or be tp times a divisor of dp " + shortest(layout.dp),
                         .flag = "--ep",
                         .valid = nested});
    }
    const double ep = spreads && nests ? layout.ep : 1;
    const std::vector<double> valid = valid_tensor_parallel(model, machine.devices, ep);
    if (!contains(valid, layout.tp)) {
        const std::string reason = obstacle(model, layout.tp, ep);
        found.push_back({.id = "layout-tp",
                         .message = "tp " + shortest(layout.tp) + " is not possible: " +
                                    (reason.empty() ? "more ranks than devices" : reason) +
                                    "; pipeline stages (--pp) and replicas (--dp) take any number",
                         .flag = "--tp",
                         .valid = valid});
    }
    if (!is_size(model) && layout.pp > layers(model)) {
        found.push_back({.id = "layout-pp",
                         .message = "pp " + shortest(layout.pp) + " is more than the model's " +
                                    shortest(layers(model)) + " layers",
                         .flag = "--pp",
                         .valid = {}});
    }
    return found;
}

}  // namespace napkin
