#include "napkin/offload.hpp"

namespace napkin {
namespace {

// Kinds of layers in the order that they run in: the model's, else each as evenly as its count
// allows.
std::vector<std::size_t> order_of(const Model& model) {
    if (!model.order.empty()) return {model.order.begin(), model.order.end()};
    const double all = layers(model);
    std::vector<double> taken(model.blocks.size());
    std::vector<std::size_t> order;
    for (double n = 1; n <= all; ++n) {
        std::size_t next = 0;
        double most = -all;
        for (std::size_t i = 0; i < model.blocks.size(); ++i) {
            const double due = model.blocks[i].count * n / all - taken[i];
            if (due > most) {
                most = due;
                next = i;
            }
        }
        taken[next] += 1;
        order.push_back(next);
    }
    return order;
}

bool has_experts(const Block& block) {
    return std::holds_alternative<Experts>(block.feed_forward);
}

}  // namespace

std::vector<HostLayers> host_layers(const Model& model, const Offload& offload) {
    std::vector<HostLayers> found(model.blocks.size());
    double layer = 0;
    double mixture = 0;
    for (const std::size_t kind : order_of(model)) {
        const bool routed = has_experts(model.blocks[kind]);
        if (layer < offload.layers) {
            found[kind].whole += 1;
        } else if (routed && mixture < offload.expert_layers) {
            found[kind].experts += 1;
        }
        layer += 1;
        if (routed) mixture += 1;
    }
    return found;
}

Inputs device_part(const Inputs& inputs) {
    Inputs part = inputs;
    const std::vector<HostLayers> away = host_layers(inputs.model, *inputs.offload);
    part.offload.reset();
    part.portion = Portion::device;
    part.model.order.clear();
    part.model.blocks.clear();
    for (std::size_t i = 0; i < away.size(); ++i) {
        Block block = inputs.model.blocks[i];
        block.count -= away[i].whole + away[i].experts;
        part.model.blocks.push_back(block);
        if (away[i].experts == 0) continue;
        // Router, shared and dense parts stay.
        auto& mixture = std::get<Experts>(block.feed_forward);
        mixture.width = 0;
        mixture.bias = false;
        block.count = away[i].experts;
        part.model.blocks.push_back(block);
    }
    return part;
}

Inputs host_part(const Inputs& inputs, Portion portion) {
    Inputs part = inputs;
    const Accelerator& host = inputs.offload->host;
    const std::vector<HostLayers> own = host_layers(inputs.model, *inputs.offload);
    part.machine = {.id = host.id, .name = host.name, .accelerator = host};
    part.layout = {};
    part.assumptions.reserve.size = Bytes<>(0);
    part.assumptions.engine.reset();
    part.assumptions.in_use = Bytes<>(0);
    part.draft.reset();
    part.offload.reset();
    part.portion = portion;
    part.model.order.clear();
    for (std::size_t i = 0; i < own.size(); ++i) {
        Block& block = part.model.blocks[i];
        const bool whole = portion == Portion::host_layers;
        block.count = whole ? own[i].whole : own[i].experts;
        if (!whole) block.mixer = NoMixer{};
    }
    return part;
}

BytesPerSecond<> streaming_bandwidth(const Inputs& inputs) {
    const Layout& layout = inputs.layout;
    const auto links = inputs.machine.accelerator.links.pcie * (layout.tp * layout.pp);
    return smaller(links, inputs.offload->host.memory.bandwidth);
}

}  // namespace napkin
