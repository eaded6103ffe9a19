#include "formats/gguf/sorted.hpp"

namespace napkin::formats {

std::optional<std::size_t> gguf_layer_in(std::string_view name) {
    constexpr std::string_view prefix = "blk.";
    constexpr std::size_t most_digits = 9;
    if (!name.starts_with(prefix)) return std::nullopt;
    const std::string_view rest = name.substr(prefix.size());
    const std::size_t end = rest.find('.');
    if (end == 0 || end == std::string_view::npos || end > most_digits) return std::nullopt;
    std::size_t number = 0;
    for (const char c : rest.substr(0, end)) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    const bool canonical = end == 1 || rest.front() != '0';
    return canonical ? std::optional(number) : std::nullopt;
}

GgufTensors sort_gguf(GgufKeys& keys, const GgufFile& file, const GgufSizes& sizes) {
    GgufTensors all;
    for (std::size_t i = 0; static_cast<double>(i) < sizes.main; ++i) {
        all.layers.emplace_back(keys, i, sizes.hidden);
    }
    for (const StoredTensor& tensor : file.tensors) {
        if (tensor.elements == 0) continue;  // legal, and nothing
        const auto layer = gguf_layer_in(tensor.name);
        const bool predicts = tensor.name.starts_with("nextn.");
        if (!layer && !predicts) {
            all.outside.push_back(&tensor);
        } else if (predicts || (static_cast<double>(*layer) >= sizes.main &&
                                static_cast<double>(*layer) < sizes.layers)) {
            all.predicting.parameters += elements_of(tensor);
            all.predicting.bytes += static_cast<double>(tensor.bytes);
        } else if (static_cast<double>(*layer) >= sizes.layers) {
            keys.refuse("tensor-mismatch",
                        "the tensor " + shown(tensor.name) + " is of a layer beyond " +
                            shown(keys.full("block_count")) + ", which is " + digits(sizes.layers));
        } else {
            const std::size_t begin = tensor.name.find('.', 4) + 1;
            all.layers[*layer].add(tensor, std::string_view(tensor.name).substr(begin));
        }
    }
    return all;
}

void check_gguf_layers(GgufKeys& keys, const GgufTensors& all) {
    const std::vector<GgufLayer>& layers = all.layers;
    std::vector<std::size_t> missing;
    for (const GgufLayer& layer : layers) {
        if (!layer.empty()) continue;
        // A search over architectures may leave out both parts of a layer, and says so.
        const bool left_out = layer.value("attention.head_count", 1) == 0 &&
                              layer.value("feed_forward_length", 1) == 0;
        if (!left_out) missing.push_back(layer.number);
    }
    keys.finish();
    if (missing.empty()) return;
    for (const StoredTensor* tensor : all.outside) {
        if (tensor->name.starts_with("dec.blk.")) {
            keys.refuse("unsupported-architecture",
                        "the architecture " + shown(keys.architecture()) +
                            " has an encoder and a decoder: " + shown(tensor->name),
                        "layers named 'blk.N. ...'",
                        "--set model.parameters=SIZE answers what a size can");
        }
    }
    keys.refuse(
        "missing-layers",
        grouped(missing.size()) + " of " + grouped(layers.size()) +
            " layers have no tensors, the first is " + grouped(missing.front()),
        "tensors 'blk.N. ...' for each layer that " + shown(keys.full("block_count")) + " counts");
}

}  // namespace napkin::formats
