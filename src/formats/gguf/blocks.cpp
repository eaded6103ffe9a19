#include "formats/gguf/blocks.hpp"

#include <algorithm>

namespace napkin::formats {
namespace {

double sum_of(const std::vector<StoredWeights>& stored) {
    double sum = 0;
    for (const StoredWeights& one : stored) sum += one.elements;
    return sum;
}

bool is_norm(const StoredTensor& tensor, double width) {
    return is_vector(tensor) && elements_of(tensor) == width &&
           tensor.name.find("norm") != std::string::npos;
}

std::string_view without_layer(const GgufLayer& layer, const StoredTensor& tensor) {
    return std::string_view(tensor.name).substr(layer.named("").size());
}

// Norms of the width of the model. A layer with one of them alone runs its two parts side by side.
double read_norms(GgufLayer& layer, double width) {
    double norms = 0;
    for (const StoredTensor* tensor : layer.left_over()) {
        if (!is_norm(*tensor, layer.hidden)) continue;
        layer.put("norms", without_layer(layer, *tensor));
        norms += layer.hidden;
    }
    return width > 0 ? norms / width : 2;  // norms without weights are not stored
}

bool is_parallel(GgufLayer& layer, const ReadLayer& read) {
    const Block& last = read.blocks.back();
    const bool both = !std::holds_alternative<NoMixer>(last.mixer) &&
                      !std::holds_alternative<NoFeedForward>(last.feed_forward);
    if (!both || !layer.has("attn_norm.weight")) return false;
    if (layer.keys.flag("use_parallel_residual", false)) return true;
    return layer
        .one_of({"ffn_norm.weight", "post_attention_norm.weight", "post_ffw_norm.weight",
                 "attn_post_norm.weight", "ffn_norm_exps.weight"})
        .empty();
}

// A vector that our recipe has and the file has not (the bias of a convolution) is taken from the
// norms, so that the sum stays what it is.
bool borrow(ReadLayer& read, std::string_view place, double elements, double norm_width) {
    const auto norms = read.places.find("norms");
    if (norms == read.places.end() || norms->second.front().elements < elements) return false;
    StoredWeights& lender = norms->second.front();
    StoredWeights part = lender;
    part.elements = elements;
    part.bytes = lender.bytes / lender.elements * elements;
    lender.elements -= elements;
    lender.bytes -= part.bytes;
    read.blocks.front().norms -= elements / norm_width;
    read.places[std::string(place)].push_back(std::move(part));
    return true;
}

// The norms of a layer, as one: their types may still differ.
void join_norms(Places& places) {
    const auto norms = places.find("norms");
    if (norms == places.end()) return;
    std::vector<StoredWeights> joined;
    for (const StoredWeights& one : norms->second) {
        const auto same = std::find_if(joined.begin(), joined.end(),
                                       [&](const auto& other) { return other.type == one.type; });
        if (same == joined.end()) {
            joined.push_back(one);
        } else {
            same->elements += one.elements;
            same->bytes += one.bytes;
        }
    }
    std::sort(joined.begin(), joined.end(),
              [](const auto& a, const auto& b) { return a.elements > b.elements; });
    norms->second = std::move(joined);
}

// Every tensor of the blocks must have its weights, and no place any beyond them.
void settle(GgufLayer& layer, ReadLayer& read, const Model& model, double norm_width) {
    std::vector<std::string_view> known;
    for (const Block& block : read.blocks) {
        for (const Tensor& tensor : tensors(block, model)) {
            known.push_back(tensor.name);
            const auto at = read.places.find(tensor.name);
            const double has = at == read.places.end() ? 0 : sum_of(at->second);
            const double wants = elements(tensor);
            if (tensor.name == "norms" || has == wants) continue;
            if (!tensor.matrix && has < wants && borrow(read, tensor.name, wants - has, norm_width))
                continue;
            layer.unsupported("has " + digits(has) + " weights where " + digits(wants) +
                              " are expected for " + std::string(tensor.name));
        }
    }
    for (auto at = read.places.begin(); at != read.places.end();) {
        if (std::find(known.begin(), known.end(), at->first) != known.end()) {
            ++at;
            continue;
        }
        for (StoredWeights& one : at->second) {
            if (one.elements > 0) read.rest_weights.push_back(std::move(one));
        }
        at = read.places.erase(at);
    }
}

void check_kind(GgufLayer& layer, const ReadLayer& read, bool mixes) {
    if (mixes) return;
    if (layer.empty()) return;  // left out by a search over architectures
    for (const StoredTensor* tensor : read.rest) {
        // A layer of attention that was replaced by one matrix (Llama-Nemotron) keeps that.
        const bool replaced = without_layer(layer, *tensor) == "attn_output.weight";
        if (!is_vector(*tensor) && !replaced) {
            layer.unsupported("has neither attention nor another mixer that is known here");
        }
    }
    const bool feeds = !std::holds_alternative<NoFeedForward>(read.blocks.front().feed_forward);
    if (!feeds && read.rest.empty()) {
        layer.unsupported("has neither a mixer nor a feed-forward layer");
    }
}

const std::vector<StoredWeights>* stored_for(const ReadLayer& layer, const Tensor& tensor) {
    const auto at = layer.places.find(tensor.name);
    return at == layer.places.end() ? nullptr : &at->second;
}

}  // namespace

ReadLayer read_gguf_layer(GgufLayer& layer, const Model& model) {
    ReadLayer read;
    const std::vector<Mixer> mixers = gguf_mixers(layer);
    const FeedForward feed_forward = gguf_feed_forward(layer);
    const double norm_width = model.norm == Norm::none    ? 0
                              : model.norm == Norm::layer ? 2 * model.hidden
                                                          : model.hidden;
    for (const Mixer& mixer : mixers)
        read.blocks.push_back({.count = 1, .norms = 0, .mixer = mixer});
    if (mixers.empty()) read.blocks.push_back({.count = 1, .norms = 0});
    for (std::size_t i = 1; i < read.blocks.size(); ++i) read.blocks[i].continues = true;
    read.blocks.back().feed_forward = feed_forward;
    read.blocks.front().norms = read_norms(layer, norm_width);
    read.blocks.back().parallel = is_parallel(layer, read);
    read.rest = layer.left_over();
    for (const StoredTensor* tensor : read.rest) read.rest_weights.push_back(all_of(*tensor));
    check_kind(layer, read, !mixers.empty());
    read.places = std::move(layer.places());
    join_norms(read.places);
    settle(layer, read, model, norm_width);
    return read;
}

void count_bytes(const ReadLayer& layer, const Model& model, ByteCount& count) {
    for (const Block& block : layer.blocks) {
        for (const Tensor& tensor : tensors(block, model)) {
            const auto* stored = stored_for(layer, tensor);
            if (stored == nullptr) continue;
            for (const StoredWeights& one : *stored) count.add(tensor.role, one);
        }
    }
}

void set_formats(ReadLayer& layer, const Model& model, GgufFormats& formats) {
    for (Block& block : layer.blocks) {
        std::vector<TensorFormat> own;
        for (const Tensor& tensor : tensors(block, model)) {
            const auto* stored = stored_for(layer, tensor);
            if (stored == nullptr) continue;
            const NumberFormat& format = formats.of(*stored);
            if (format.id == format_of(model, tensor.role).id) continue;
            own.push_back({std::string(tensor.name), format});
        }
        block.formats = std::move(own);
    }
}

}  // namespace napkin::formats
