#include "napkin/partition.hpp"

#include <algorithm>
#include <cmath>

#include "napkin/text.hpp"

namespace napkin {
namespace {

bool divides(double part, double whole) {
    return std::fmod(whole, part) == 0;
}

// What stands in the way of cutting this kind of layer over tp ranks; empty if nothing does.
std::string obstacle(const Block& block, const Model& model, double tp) {
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
    const auto width_on = [&](double width, Role role) -> std::string {
        const NumberFormat& format = format_of(model, role);
        if (!divides(tp, width)) {
            return "the feed-forward width " + shortest(width) + " does not split over " +
                   shortest(tp);
        }
        if (tp == 1 || width == 0 || format.whole_group <= 0) return {};
        if (divides(format.whole_group, width / tp)) return {};
        return "the feed-forward width " + shortest(width) + " over " + shortest(tp) +
               " leaves no whole groups of " + shortest(format.whole_group) + " in " + format.id;
    };
    if (const auto* dense = std::get_if<DenseFeedForward>(&block.feed_forward)) {
        return width_on(dense->width, Role::feed_forward);
    }
    if (const auto* experts = std::get_if<Experts>(&block.feed_forward)) {
        const std::string routed = width_on(experts->width, Role::expert);
        return routed.empty() ? width_on(experts->shared_width, Role::shared_expert) : routed;
    }
    return {};
}

std::string obstacle(const Model& model, double tp) {
    for (const Block& block : model.blocks) {
        std::string found = obstacle(block, model, tp);
        if (!found.empty()) return found;
    }
    return {};
}

}  // namespace

std::vector<double> valid_tensor_parallel(const Model& model, double most) {
    std::vector<double> valid;
    for (double tp = 1; tp <= most; ++tp) {
        if (obstacle(model, tp).empty()) valid.push_back(tp);
    }
    return valid;
}

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
    const std::vector<double> valid = valid_tensor_parallel(model, machine.devices);
    if (std::find(valid.begin(), valid.end(), layout.tp) == valid.end()) {
        const std::string reason = obstacle(model, layout.tp);
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

namespace {

// A size has no layers to count stages by: powers of two and the deepest will do.
double next_depth(double pp, double groups, const Model& model) {
    if (!is_size(model)) return pp + 1;
    return pp < groups && pp * 2 > groups ? groups : pp * 2;
}

}  // namespace

std::vector<Layout> inference_layouts(const Model& model, const Machine& machine) {
    const double devices = machine.devices;
    const double domain = smaller(machine.domain, devices);
    const double deepest = is_size(model) ? devices : layers(model);
    std::vector<Layout> order;
    const std::vector<double> degrees = valid_tensor_parallel(model, domain);
    for (auto tp = degrees.rbegin(); tp != degrees.rend(); ++tp) {
        // Groups of tp devices, each inside one domain; what is left over stays idle.
        const double groups = std::floor(domain / *tp) * std::floor(devices / domain) +
                              std::floor(std::fmod(devices, domain) / *tp);
        const std::string inside = "tp " + shortest(*tp) + " inside one scale-up domain";
        const std::string beyond = groups > 1 ? ", replicas beside it" : "";
        order.push_back({.dp = groups, .tp = *tp, .pp = 1, .zero = 0, .why = inside + beyond});
        for (double pp = 2; pp <= smaller(groups, deepest); pp = next_depth(pp, groups, model)) {
            const double dp = std::floor(groups / pp);
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
