// A model that is partly in the memory of the host: what of it is whose.
#pragma once

#include <vector>

#include "napkin/inputs.hpp"

namespace napkin {

/// Of the layers of a kind: those that are the host's, and those of whose routed experts alone are.
struct HostLayers {
    double whole{};
    double experts{};
};
/// For each kind of layer of the model. The host has the first layers; where the order of the kinds
/// is unknown, they are taken to alternate evenly.
[[nodiscard]] std::vector<HostLayers> host_layers(const Model& model, const Offload& offload);

/// The model as the devices have it: without the host's layers and experts.
[[nodiscard]] Inputs device_part(const Inputs& inputs);
/// The host's layers, or the experts that it keeps of others, as the model of a machine that is the
/// host; it serves all sequences.
[[nodiscard]] Inputs host_part(const Inputs& inputs, Portion portion);

/// At most what crosses from the host to its devices in a second: the lower of its memory bandwidth
/// and their PCIe links together. Zero: unknown.
[[nodiscard]] BytesPerSecond<> streaming_bandwidth(const Inputs& inputs);

}  // namespace napkin
