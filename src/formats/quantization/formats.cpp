#include "formats/quantization/formats.hpp"

#include <algorithm>

#include "formats/config/config.hpp"
#include "formats/quantization/module_names.hpp"

namespace napkin::formats {
namespace {

// A layer of the model, or layers of which nothing says which block they are of.
struct Place {
    std::size_t block{};
    std::size_t layer{};
};

std::vector<Place> places_of(const Model& model) {
    std::vector<Place> places;
    if (model.order.empty()) {  // an encoder and a decoder
        for (std::size_t block = 0; block < model.blocks.size(); ++block) {
            places.push_back({block, block});
        }
    }
    for (std::size_t layer = 0; layer < model.order.size(); ++layer) {
        places.push_back({model.order[layer], layer});
    }
    return places;
}

// The format of a layer's tensor; null where it stays as it was.
const NumberFormat* format_for(const QuantizationRules& rules, std::string_view tensor,
                               std::size_t layer) {
    const auto known = std::find_if(module_names.begin(), module_names.end(),
                                    [&](const ModuleNames& one) { return one.tensor == tensor; });
    if (known == module_names.end()) return nullptr;
    const std::string below = "layers." + std::to_string(layer) + ".";
    std::vector<std::string> names;
    for (const std::string_view module : known->modules) {
        if (!module.empty()) names.push_back(below + std::string(module));
    }
    return rules.format_of(names);
}

struct Formats {
    std::vector<std::vector<TensorFormat>> matrices{};  // of each place
    RoleElements elements{};
};

Formats formats_of(const QuantizationRules& rules, const Model& model,
                   const std::vector<Place>& places) {
    Formats result;
    result.matrices.resize(places.size());
    std::vector<Tensors> lists;
    for (const Block& block : model.blocks) lists.push_back(tensors(block, model));
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (const Tensor& tensor : lists[places[i].block]) {
            if (!tensor.matrix || tensor.role == Role::router) continue;
            const NumberFormat* own = format_for(rules, tensor.name, places[i].layer);
            const NumberFormat& format = own != nullptr ? *own : *tensor.format;
            result.matrices[i].push_back({std::string(tensor.name), format});
            const double layers = model.order.empty() ? model.blocks[places[i].block].count : 1;
            result.elements[static_cast<std::size_t>(tensor.role)][format.id] +=
                layers * elements(tensor);
        }
    }
    return result;
}

// Roles take the format of most of their weights.
void set_roles(const Formats& formats, const std::vector<Place>& places, Model& model) {
    std::vector<Tensors> lists;
    for (const Block& block : model.blocks) lists.push_back(tensors(block, model));
    std::array<const NumberFormat*, role_count> most{};
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::size_t at = 0;
        for (const Tensor& tensor : lists[places[i].block]) {
            if (!tensor.matrix || tensor.role == Role::router) continue;
            const NumberFormat& format = formats.matrices[i][at++].format;
            const auto role = static_cast<std::size_t>(tensor.role);
            if (format.id == most_of(formats.elements[role])) most[role] = &format;
        }
    }
    for (std::size_t role = 0; role < role_count; ++role) {
        if (most[role] != nullptr) model.weights.of[role] = *most[role];
    }
}

// Layers that differ from their roles say so tensor by tensor.
Block with_own(Block block, const std::vector<TensorFormat>& matrices, const Model& model) {
    std::vector<TensorFormat> own;
    for (const Tensor& tensor : tensors(block, model)) {
        const auto found = std::find_if(matrices.begin(), matrices.end(),
                                        [&](const auto& one) { return one.tensor == tensor.name; });
        if (found == matrices.end() || found->format.id == tensor.format->id) continue;
        own.push_back(*found);
    }
    block.formats = std::move(own);
    return block;
}

}  // namespace

std::string most_of(const std::map<std::string, double>& elements) {
    const auto most =
        std::max_element(elements.begin(), elements.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == elements.end() ? "" : most->first;
}

RoleElements apply_to_layers(const QuantizationRules& rules, Model& model) {
    const std::vector<Place> places = places_of(model);
    Formats formats = formats_of(rules, model, places);
    set_roles(formats, places, model);
    const Model before = model;
    if (before.order.empty()) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            model.blocks[i] = with_own(before.blocks[i], formats.matrices[i], before);
        }
        return formats.elements;
    }
    model.blocks.clear();
    model.order.clear();
    for (std::size_t i = 0; i < places.size(); ++i) {
        Block block = before.blocks[places[i].block];
        block.count = 1;
        add_layer(model, with_own(std::move(block), formats.matrices[i], before));
    }
    return formats.elements;
}

}  // namespace napkin::formats
