#include "formats/safetensors/stored_weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "formats/safetensors/tensor_kinds.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

using Shapes = std::unordered_map<std::string_view, const StoredTensor*>;

double count(std::uint64_t number) {
    return static_cast<double>(number);
}

// Weights in a packed tensor; nothing where its neighbours do not tell.
// GPTQ and AWQ: zero points are packed like the weights, one for each scale.
std::optional<double> packed_weights(const StoredTensor& tensor, const Shapes& shapes) {
    if (tensor.type == "U8" || tensor.type == "I8") return 2 * count(tensor.elements);
    const std::size_t dot = tensor.name.rfind('.');
    const std::string stem = tensor.name.substr(0, dot == std::string::npos ? 0 : dot);
    const auto zeros = shapes.find(stem + ".qzeros");
    const auto scales = shapes.find(stem + ".scales");
    if (zeros == shapes.end() || scales == shapes.end()) return std::nullopt;
    if (zeros->second->elements == 0) return std::nullopt;
    return count(tensor.elements) * count(scales->second->elements) /
           count(zeros->second->elements);
}

struct Weights {
    double known{};          // parameters, unpacked
    double unknown_words{};  // packed words of which nothing says how many weights they hold
};

Weights weights_in(const Checkpoint& checkpoint) {
    Shapes shapes;
    for (const StoredTensor& tensor : checkpoint.tensors) shapes.emplace(tensor.name, &tensor);
    Weights result;
    for (const StoredTensor& tensor : checkpoint.tensors) {
        const TensorKind kind = kind_of(tensor);
        if (kind == TensorKind::weight) result.known += count(tensor.elements);
        if (kind != TensorKind::packed) continue;
        if (const auto weights = packed_weights(tensor, shapes)) {
            result.known += *weights;
        } else {
            result.unknown_words += count(tensor.elements);
        }
    }
    return result;
}

std::string whole(double number) {
    return grouped(static_cast<std::uint64_t>(std::abs(number)));
}

// The type of nearly all bytes; empty where there are several.
std::string main_type(const Checkpoint& checkpoint) {
    constexpr double nearly_all = 0.99;
    if (checkpoint.types.empty()) return {};
    const TypeTotal& most = checkpoint.types.front();
    return count(most.bytes) >= nearly_all * count(checkpoint.bytes) ? most.type : std::string();
}

void note(ReadModel& read, std::string id, std::string message, bool warning) {
    read.notes.push_back({std::move(id), std::move(message), warning});
}

// Parts that the files leave out, as bits: the first choice whose parameters are exactly `missing`.
std::optional<unsigned> parts_absent(const std::vector<Part>& parts, double missing) {
    const auto all = static_cast<unsigned>(std::min<std::size_t>(parts.size(), 8));
    for (unsigned choice = 0; choice < 1u << all; ++choice) {
        double sum = 0;
        for (unsigned i = 0; i < all; ++i) sum += (choice >> i & 1u) != 0 ? parts[i].parameters : 0;
        if (sum == missing) return choice;
    }
    return std::nullopt;
}

void leave_out(unsigned choice, ReadModel& read) {
    std::vector<Part> kept;
    for (unsigned i = 0; i < read.model.parts.size(); ++i) {
        const Part& part = read.model.parts[i];
        if (i >= 8 || (choice >> i & 1u) == 0) {
            kept.push_back(part);
            continue;
        }
        note(read, "part-not-stored",
             "the files leave out what the configuration names: " + part.name + ", " +
                 whole(part.parameters) + " parameters",
             false);
    }
    read.model.parts = std::move(kept);
}

// What the files hold beyond the parameters that the configuration gives, or less.
void compare_parameters(double stored, ReadModel& read) {
    const Model& model = read.model;
    double computed = parameters(model);
    for (const Part& part : model.parts) computed += part.parameters;
    const double head = model.tied ? model.vocabulary * model.hidden : 0;
    for (const double copy : {0.0, head}) {
        const auto absent = parts_absent(model.parts, computed + copy - stored);
        if (!absent) continue;
        if (copy > 0) {
            note(read, "tied-head-stored",
                 "the files hold the tied head as a second copy: " + whole(copy) +
                     " elements that are no parameters",
                 false);
        }
        leave_out(*absent, read);
        return;
    }
    const double rest = stored - computed;
    note(read, "parameters-differ",
         "the files hold " + whole(stored) + " parameters, the configuration gives " +
             whole(computed) + ": " + whole(rest) + (rest > 0 ? " more" : " fewer"),
         true);
}

void take_type(const Checkpoint& checkpoint, const Catalog& catalog, ReadModel& read) {
    Model& model = read.model;
    const std::string type = main_type(checkpoint);
    const NumberFormat& current = format_of(model, Role::attention);
    const bool plain = current.elements == 1 && current.bytes >= 2;
    if (!plain || type.empty() || !catalog.has(PresetKind::format, type)) return;
    const NumberFormat stored = catalog.format(type);
    if (!stored.computes_in || (stored.id == current.id && !model.weights_as.empty())) return;
    if (!model.weights_as.empty()) {
        note(read, "stored-format",
             "the files are in " + stored.id + ", the configuration says " + model.weights_as +
                 ": the files count",
             true);
    }
    set_weights(model, stored);
}

// Nothing says what the parts are kept in: as the model's narrowest weights, or as its embedding.
void compare_bytes(const Checkpoint& checkpoint, ReadModel& read) {
    constexpr double explained = 0.01;
    const Model& model = read.model;
    const double wide = bytes_per_weight(format_of(model, Role::embedding));
    double narrow = wide;
    for (const Role role : {Role::attention, Role::feed_forward, Role::expert}) {
        narrow = std::min(narrow, bytes_per_weight(format_of(model, role)));
    }
    double beside = 0;
    for (const Part& part : model.parts) beside += part.parameters;
    const double main = weight_bytes(model).value();
    const double stored = count(checkpoint.bytes);
    const double least = (1 - explained) * (main + narrow * beside);
    const double most = (1 + explained) * (main + wide * beside);
    if (stored >= least && stored <= most) return;
    note(read, "bytes-differ",
         "the files hold " + grouped(checkpoint.bytes) + " bytes, the configuration explains " +
             whole(main + wide * beside),
         true);
}

}  // namespace

void compare_with(const Checkpoint& checkpoint, const Catalog& catalog, bool weights_given,
                  ReadModel& read) {
    read.notes.insert(read.notes.end(), checkpoint.notes.begin(), checkpoint.notes.end());
    read.model.stored_bytes = count(checkpoint.bytes);
    if (checkpoint.headers_missing) return;
    read.model.stored_elements = count(checkpoint.elements);
    const Weights weights = weights_in(checkpoint);
    if (weights.unknown_words == 0) compare_parameters(weights.known, read);
    if (weights_given) return;
    take_type(checkpoint, catalog, read);
    compare_bytes(checkpoint, read);
}

ReadModel size_of(const Checkpoint& checkpoint, std::string name) {
    const std::string& path = checkpoint.files.empty() ? name : checkpoint.files.front();
    const Weights weights = weights_in(checkpoint);
    if (checkpoint.headers_missing || weights.unknown_words > 0) {
        throw Error(problem_in(
            path, "unknown-parameters",
            checkpoint.headers_missing ? "an index alone does not say how many parameters there are"
                                       : "nothing says how many weights its packed words hold",
            "the config.json of the model beside it", "--set model.parameters=SIZE gives them"));
    }
    ReadModel read;
    read.notes = checkpoint.notes;
    read.model.id = read.model.name = std::move(name);
    read.model.source = path;
    read.model.size_total = read.model.size_active = weights.known;
    read.model.stored_elements = count(checkpoint.elements);
    read.model.stored_bytes = count(checkpoint.bytes);
    NumberFormat stored;
    stored.id = stored.name = main_type(checkpoint).empty() ? "mixed types" : main_type(checkpoint);
    stored.elements = std::max(1.0, weights.known);
    stored.bytes = count(checkpoint.bytes);
    stored.source = path;
    set_weights(read.model, stored);
    note(read, "no-architecture",
         "no config.json beside the weights: their size is known, their layers are not", true);
    return read;
}

}  // namespace napkin::formats
