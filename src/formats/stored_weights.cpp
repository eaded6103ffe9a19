#include "formats/stored_weights.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "formats/tensor_kinds.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

using Shapes = std::unordered_map<std::string_view, const StoredTensor*>;

double count(std::uint64_t number) {
    return static_cast<double>(number);
}

// Weights in one stored element of a packed tensor; 0 where its neighbours do not tell.
// GPTQ and AWQ: zero points are packed like the weights, one for each scale.
double weights_per_element(const StoredTensor& tensor, const Shapes& shapes) {
    if (tensor.type == "U8" || tensor.type == "I8") return 2;
    const std::size_t dot = tensor.name.rfind('.');
    const std::string stem = tensor.name.substr(0, dot == std::string::npos ? 0 : dot);
    const auto zeros = shapes.find(stem + ".qzeros");
    const auto scales = shapes.find(stem + ".scales");
    if (zeros == shapes.end() || scales == shapes.end()) return 0;
    return count(scales->second->elements) / std::max(1.0, count(zeros->second->elements));
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
        const double each = weights_per_element(tensor, shapes);
        if (each > 0) {
            result.known += each * count(tensor.elements);
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

// What the files hold beyond the parameters that the configuration gives, or less.
void compare_parameters(double stored, ReadModel& read) {
    Model& model = read.model;
    double computed = parameters(model);
    for (const Part& part : model.parts) computed += part.parameters;
    double rest = stored - computed;
    if (rest == 0) return;
    if (model.tied && rest == model.vocabulary * model.hidden) {
        note(read, "tied-head-stored",
             "the files hold the tied head as a second copy: " + whole(rest) +
                 " elements that are no parameters",
             false);
        return;
    }
    const auto absent = std::find_if(model.parts.begin(), model.parts.end(),
                                     [&](const Part& part) { return part.parameters == -rest; });
    if (absent != model.parts.end()) {
        note(read, "part-not-stored",
             "the files leave out what the configuration names: " + absent->name + ", " +
                 whole(rest) + " parameters",
             false);
        model.parts.erase(absent);
        return;
    }
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

void compare_bytes(const Checkpoint& checkpoint, ReadModel& read) {
    constexpr double explained = 0.01;
    const Model& model = read.model;
    double expected = weight_bytes(model).value();
    for (const Part& part : model.parts) {
        expected += part.parameters * bytes_per_weight(format_of(model, Role::embedding));
    }
    if (std::abs(count(checkpoint.bytes) - expected) <= explained * expected) return;
    note(read, "bytes-differ",
         "the files hold " + grouped(checkpoint.bytes) + " bytes, the configuration explains " +
             whole(expected),
         true);
}

}  // namespace

void compare_with(const Checkpoint& checkpoint, const Catalog& catalog, ReadModel& read) {
    read.notes.insert(read.notes.end(), checkpoint.notes.begin(), checkpoint.notes.end());
    read.model.stored_bytes = count(checkpoint.bytes);
    if (checkpoint.headers_missing) return;
    read.model.stored_elements = count(checkpoint.elements);
    const Weights weights = weights_in(checkpoint);
    if (weights.unknown_words == 0) compare_parameters(weights.known, read);
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
