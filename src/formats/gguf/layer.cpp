#include "formats/gguf/layer.hpp"

#include <algorithm>
#include <utility>

namespace napkin::formats {

double extent(const StoredTensor& tensor, std::size_t index) {
    return index < tensor.extents.size() ? static_cast<double>(tensor.extents[index]) : 1;
}

bool is_vector(const StoredTensor& tensor) {
    return inputs(tensor) == elements_of(tensor);
}

StoredWeights all_of(const StoredTensor& tensor) {
    return {.type = tensor.type,
            .elements = elements_of(tensor),
            .bytes = static_cast<double>(tensor.bytes)};
}

std::string digits(double number) {
    return number < 0x1p63 ? grouped(static_cast<std::uint64_t>(number)) : "more than 2^63";
}

std::string shape_of(const StoredTensor& tensor) {
    std::string text;
    for (const std::uint64_t one : tensor.extents) {
        text += (text.empty() ? "" : " x ") + grouped(one);
    }
    return text;
}

const StoredTensor* GgufLayer::find(std::string_view name) const {
    const auto at = tensors_.find(name);
    return at == tensors_.end() ? nullptr : at->second;
}

std::string_view GgufLayer::one_of(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        if (has(name)) return name;
    }
    return {};
}

const StoredTensor& GgufLayer::need(std::string_view name) const {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr) unsupported("has no " + shown(named(name)));
    return *tensor;
}

const StoredTensor& GgufLayer::need(std::string_view name, double in, double out,
                                    double copies) const {
    const StoredTensor& tensor = need(name);
    const bool fits = inputs(tensor) == in && outputs(tensor) == out &&
                      extent(tensor, 2) == copies && extent(tensor, 3) == 1;
    if (!fits) {
        mismatch(name, "is " + shape_of(tensor),
                 digits(in) + " x " + digits(out) + (copies == 1 ? "" : " x " + digits(copies)) +
                     " by the metadata and the other tensors");
    }
    return tensor;
}

void GgufLayer::put(std::string_view place, std::string_view name) {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr || !taken_.emplace(name).second) return;
    places_[std::string(place)].push_back(all_of(*tensor));
}

void GgufLayer::put(std::string_view place, std::string_view name, double elements) {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr || elements <= 0) return;
    taken_.emplace(name);
    const auto row = static_cast<double>(tensor->extents.front());
    const auto rows = static_cast<double>(tensor->elements / tensor->extents.front());
    places_[std::string(place)].push_back(
        {.type = tensor->type,
         .elements = elements,
         .bytes = static_cast<double>(tensor->bytes) / rows * (elements / row)});
}

bool GgufLayer::put_if(std::string_view place, std::string_view name, double elements) {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr || elements_of(*tensor) != elements) return false;
    put(place, name);
    return true;
}

std::vector<const StoredTensor*> GgufLayer::left_over() const {
    std::vector<const StoredTensor*> left;
    for (const auto& [name, tensor] : tensors_) {
        if (!taken_.contains(name)) left.push_back(tensor);
    }
    return left;
}

std::string GgufLayer::named(std::string_view name) const {
    return ("blk." + std::to_string(number) + ".").append(name);
}

void GgufLayer::mismatch(std::string_view name, const std::string& says,
                         std::string expected) const {
    keys.refuse("tensor-mismatch", "the tensor " + shown(named(name)) + " " + says,
                std::move(expected));
}

void GgufLayer::unsupported(const std::string& why) const {
    constexpr std::size_t most = 4;
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, tensor] : tensors_) {
        if (count++ < most) names += (names.empty() ? "" : ", ") + name.substr(0, 100);
    }
    if (count > most) names += ", " + grouped(count - most) + " more";
    keys.refuse("unsupported-architecture",
                "layer " + grouped(number) + " of the architecture " + shown(keys.architecture()) +
                    " " + why + "; it holds " + (names.empty() ? "nothing" : names),
                "attention or a recurrent mixer, and a feed-forward layer, as llama.cpp names them",
                "--set model.parameters=SIZE answers what a size can");
}

}  // namespace napkin::formats
