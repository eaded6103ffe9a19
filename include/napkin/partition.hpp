// Which layouts a model and a machine allow, and what each stage of one holds.
#pragma once

#include <string>
#include <vector>

#include "napkin/layout.hpp"
#include "napkin/machine.hpp"
#include "napkin/model.hpp"

namespace napkin {

/// A rule that a layout breaks, with the values that would keep it.
struct Violation {
    std::string id{};
    std::string message{};
    std::string flag{};  // the input that breaks it
    std::vector<double> valid{};
};

/// Every rule that `layout` breaks on this model and machine; empty when valid.
[[nodiscard]] std::vector<Violation> violations(const Layout& layout, const Model& model,
                                                const Machine& machine);

/// Tensor-parallel degrees up to `most` that divide the model's heads, KV heads (or are divided by
/// them) and feed-forward widths; experts are cut over what `ep` leaves of them.
[[nodiscard]] std::vector<double> valid_tensor_parallel(const Model& model, double most,
                                                        double ep = 1);
/// Expert-parallel degrees up to `most` that divide the number of experts of every layer; 1 alone
/// where there are none.
[[nodiscard]] std::vector<double> valid_expert_parallel(const Model& model, double most);

/// How a draft model is laid out beside its model: the same replicas, tensor parallel and in stages
/// as far as its own rules allow, repeated where they allow less.
[[nodiscard]] Layout draft_layout(const Model& draft, const Layout& layout);

/// Over how many devices of `layout` the weights of a layer are spread.
[[nodiscard]] Sharding sharding(const Block& block, const Model& model, const Layout& layout);

/// Layers of the fullest of `pp` stages: the whole layers that an even split leaves on it.
[[nodiscard]] double stage_layers(const Model& model, double pp);
/// How many layers of each kind (as in `model.blocks`) the fullest stage may hold: whole layers, no
/// more of a kind than an even interleaving puts on one stage, the heaviest first. `weight` says
/// how heavy a layer of a kind is.
template <class Weight>
[[nodiscard]] double layers_on_fullest_stage(std::size_t kind, const Model& model, double pp,
                                             Weight weight) {
    const double room = stage_layers(model, pp);
    const double all = layers(model);
    const auto most = [&](std::size_t i) { return round_up(model.blocks[i].count * room / all); };
    double heavier = 0;
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
        const bool before = weight(i) > weight(kind) || (weight(i) == weight(kind) && i < kind);
        if (before) heavier += most(i);
    }
    return smaller(most(kind), larger(0.0, room - heavier));
}

/// Inference layouts for the whole machine in the order of preference: tensor parallel inside one
/// scale-up domain as far as the rules allow; beyond it replicas, then pipeline stages.
[[nodiscard]] std::vector<Layout> inference_layouts(const Model& model, const Machine& machine);

}  // namespace napkin
