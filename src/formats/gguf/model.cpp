#include "formats/gguf/model.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "formats/gguf/blocks.hpp"
#include "formats/gguf/outside.hpp"
#include "formats/gguf/size.hpp"
#include "formats/gguf/sorted.hpp"
#include "formats/gguf/windows.hpp"

namespace napkin::formats {
namespace {

constexpr double most_layers = 4096;

void refuse_side_files(const GgufKeys& keys, const GgufMetadata& metadata) {
    const std::string type = gguf_text(metadata, "general.type");
    const auto refuse = [&](const std::string& what) {
        keys.refuse("not-a-language-model", what + ", not a model",
                    "the file of the language model itself");
    };
    if (keys.architecture() == "clip" || type == "mmproj") {
        refuse("a projector of images or sounds for another file's model (mmproj)");
    }
    if (type == "adapter") refuse("an adapter (LoRA) for another file's model");
    if (type == "imatrix") refuse("an importance matrix, which was made to quantize a model");
}

// Scales of rotations are stored with the weights, and known.
bool expected(std::string_view name) {
    return name.find("rope_f") != std::string_view::npos ||
           name.find("attn_rot_embd") != std::string_view::npos;
}

// Names without their layers, with how many tensors have each.
class RestNote {
  public:
    void add(std::string_view name, double elements) {
        if (expected(name)) return;
        if (gguf_layer_in(name)) name = name.substr(name.find('.', 4) + 1);
        ++counts_[name];
        elements_ += elements;
    }
    void write(std::vector<Note>& notes) const {
        if (counts_.empty()) return;
        constexpr std::size_t most = 6;
        std::string names;
        std::size_t written = 0;
        for (const auto& [name, count] : counts_) {
            if (written++ == most) break;
            names += (names.empty() ? "" : ", ") + std::string(name.substr(0, 100));
            if (count > 1) names += " (" + grouped(count) + ")";
        }
        if (counts_.size() > most) {
            names += ", " + grouped(counts_.size() - most) + " more kinds";
        }
        notes.push_back({"tensors-without-place",
                         digits(elements_) +
                             " weights have no place in a layer here and count as read for each "
                             "token: " +
                             names,
                         false});
    }

  private:
    std::map<std::string_view, std::uint64_t> counts_{};
    double elements_{};
};

const NumberFormat& format_of_role(Role role, const OutsideWeights& outside, const ByteCount& count,
                                   GgufFormats& formats) {
    // Outside the layers a role has one format: of several types, one of their bytes together.
    const auto& stored = outside.stored[static_cast<std::size_t>(role)];
    if (!stored.empty()) return formats.of(stored);
    const std::string most = count.most(role);
    return formats.of({{.type = most.empty() ? count.most() : most}});
}

void set_roles(Model& model, const OutsideWeights& outside, ByteCount& count,
               GgufFormats& formats) {
    for (std::size_t i = 0; i < role_count; ++i) {
        model.weights.of[i] = format_of_role(static_cast<Role>(i), outside, count, formats);
    }
    if (model.tied) {
        model.weights.of[static_cast<std::size_t>(Role::head)] = format_of(model, Role::embedding);
    }
}

std::string checkpoint_name(const GgufMetadata& metadata, const ByteCount& count) {
    const auto at = metadata.find("general.file_type");
    const auto* number = at == metadata.end() ? nullptr : std::get_if<double>(&at->second);
    const std::string_view named = number == nullptr ? std::string_view() : gguf_file_type(*number);
    return named.empty() ? count.most() : std::string(named);
}

bool attends(const GgufFile& file) {
    return std::any_of(file.tensors.begin(), file.tensors.end(), [](const StoredTensor& tensor) {
        return tensor.name.find(".attn_q") != std::string::npos;
    });
}

GgufSizes sizes_of(GgufKeys& keys, const GgufFile& file) {
    GgufSizes sizes{
        .layers = keys.need("block_count"), .main = 0, .hidden = keys.need("embedding_length")};
    if (attends(file) && !keys.has("attention.head_count")) {
        (void)keys.need("attention.head_count");
    }
    const double predicting = keys.get("nextn_predict_layers", 0);
    if (sizes.layers > most_layers) {
        keys.problem("bad-count",
                     "the key " + shown(keys.full("block_count")) + " is " + digits(sizes.layers),
                     "at most 4,096");
    } else if (sizes.layers > 0 && predicting >= sizes.layers) {
        keys.problem(
            "bad-count",
            "the key " + shown(keys.full("nextn_predict_layers")) + " is " + digits(predicting),
            "fewer than " + shown(keys.full("block_count")));
    }
    sizes.main = sizes.layers - predicting;
    return sizes;
}

// Layers one by one, and what none of them has a place for.
struct Inside {
    std::vector<ReadLayer> layers{};
    ByteCount count{};
    RestNote rest{};
};

Inside read_layers(GgufKeys& keys, GgufTensors& all, const GgufWindows& windows, Model& model,
                   OutsideWeights& outside) {
    Inside inside;
    auto& extra = outside.stored[static_cast<std::size_t>(Role::norm)];
    Part rotary{.name = "rotary factors"};
    for (const StoredTensor* tensor : outside.rest) {
        if (tensor->name.starts_with("rope_f")) {  // rope_freqs, rope_factors_long: no parameters
            rotary.parameters += elements_of(*tensor);
            rotary.bytes += static_cast<double>(tensor->bytes);
            continue;
        }
        inside.rest.add(tensor->name, elements_of(*tensor));
        extra.push_back(all_of(*tensor));
        model.extra_parameters += elements_of(*tensor);
    }
    if (rotary.parameters > 0) model.parts.push_back(rotary);
    const bool bidirectional = !keys.flag("attention.causal", true);
    for (GgufLayer& layer : all.layers) {
        layer.window = windows.of[layer.number];
        layer.borrows_cache = static_cast<double>(layer.number) >= windows.own_caches;
        layer.bidirectional = bidirectional;
        const ReadLayer& read = inside.layers.emplace_back(read_gguf_layer(layer, model));
        for (const StoredTensor* tensor : read.rest) {
            inside.rest.add(tensor->name, elements_of(*tensor));
        }
        for (const StoredWeights& one : read.rest_weights) {
            extra.push_back(one);
            model.extra_parameters += one.elements;
        }
        count_bytes(read, model, inside.count);
    }
    for (std::size_t i = 0; i < role_count; ++i) {
        for (const StoredWeights& one : outside.stored[i]) {
            inside.count.add(static_cast<Role>(i), one);
        }
    }
    return inside;
}

}  // namespace

ReadModel read_gguf_model(const GgufFile& file, std::string name, const Catalog& catalog) {
    if (is_only_tensors(file)) return size_of_gguf(file, std::move(name));
    GgufKeys keys(file, file.path.empty() ? name : file.path);
    refuse_side_files(keys, file.metadata);
    ReadModel result;
    Model& model = result.model;
    model.id = name;
    model.name = std::move(name);
    model.source = keys.path();
    const GgufSizes sizes = sizes_of(keys, file);
    model.max_context = keys.get("context_length", 0);
    keys.finish();
    keys.expect_layers(sizes.layers, sizes.main);
    model.hidden = sizes.hidden;
    model.norm = gguf_norm(file.tensors, model.hidden);
    GgufTensors all = sort_gguf(keys, file, sizes);
    check_gguf_layers(keys, all);
    OutsideWeights outside = read_gguf_outside(keys, all.outside, model);
    const GgufWindows windows = gguf_windows(keys, all.layers.size());
    keys.finish();
    Inside inside = read_layers(keys, all, windows, model, outside);
    GgufFormats formats(catalog);
    set_roles(model, outside, inside.count, formats);
    for (ReadLayer& layer : inside.layers) {
        set_formats(layer, model, formats);
        for (Block& block : layer.blocks) add_layer(model, std::move(block));
    }
    if (all.predicting.parameters > 0) model.parts.push_back(all.predicting);
    model.weights_as = checkpoint_name(file.metadata, inside.count);
    result.notes = windows.notes;
    inside.rest.write(result.notes);
    return result;
}

}  // namespace napkin::formats
