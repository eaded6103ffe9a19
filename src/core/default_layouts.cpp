// Which layouts are tried, and in which order, where none is given.
#include "napkin/partition.hpp"

#include <cmath>

#include "napkin/text.hpp"

namespace napkin {
namespace {

// A size has no layers to count stages by: powers of two and the deepest will do.
double next_depth(double pp, double groups, const Model& model) {
    if (!is_size(model)) return pp + 1;
    return pp < groups && pp * 2 > groups ? groups : pp * 2;
}

// Replicas of the model's attention that share one set of experts: each as wide as it can be
// without keeping a KV head twice, the experts over as many of them as the domain holds, then over
// as many as there are.
std::vector<Layout> shared_expert_layouts(const Model& model, const Machine& machine) {
    double heads = machine.devices;
    for (const Block& block : model.blocks) {
        const Cache kept = cache(block, model);
        if (kept.per_token > 0) heads = smaller(heads, kept.heads);
    }
    const double domain = smaller(machine.domain, machine.devices);
    std::vector<Layout> found;
    for (const double room : {domain, machine.devices}) {
        double widest = 1;
        for (const double ep : valid_expert_parallel(model, room)) widest = ep;
        double tp = 1;
        for (const double degree : valid_tensor_parallel(model, smaller(heads, domain), widest)) {
            if (std::fmod(widest, degree) == 0) tp = degree;
        }
        const double sets = std::floor(machine.devices / widest);
        if (widest <= tp || (!found.empty() && found.back().ep == widest)) continue;
        found.push_back({.dp = sets * widest / tp,
                         .tp = tp,
                         .pp = 1,
                         .ep = widest,
                         .zero = 0,
                         .why = "data-parallel attention, experts over " + shortest(widest) +
                                " devices: no replicated KV cache"});
    }
    return found;
}

// Whether tensor parallelism over `tp` keeps some keys and values more than once.
bool replicates_cache(const Model& model, double tp) {
    for (const Block& block : model.blocks) {
        const Cache kept = cache(block, model);
        if (kept.per_token > 0 && kept.heads < tp) return true;
    }
    return false;
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
        if (tp == degrees.rbegin() && replicates_cache(model, *tp)) {
            for (const Layout& shared : shared_expert_layouts(model, machine)) {
                order.push_back(shared);
            }
        }
    }
    return order;
}

}  // namespace napkin
