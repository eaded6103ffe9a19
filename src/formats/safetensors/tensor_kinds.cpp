#include "formats/safetensors/tensor_kinds.hpp"

namespace napkin::formats {
namespace {

bool ends_as(std::string_view name, std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.remove_suffix(suffix.size());
    return suffix.front() == '_' || name.empty() || name.back() == '.';
}

}  // namespace

TensorKind kind_of(const StoredTensor& tensor) {
    for (const TensorSuffix& row : tensor_suffixes) {
        if (tensor.extents.size() >= row.least_dimensions && ends_as(tensor.name, row.suffix)) {
            return row.kind;
        }
    }
    if (tensor.type == "F8_E8M0") return TensorKind::scale;
    if (tensor.type == "U8" && ends_as(tensor.name, "weight")) return TensorKind::packed;
    return TensorKind::weight;
}

ElementsByKind elements_by_kind(std::span<const StoredTensor> tensors) {
    ElementsByKind elements;
    for (const StoredTensor& tensor : tensors) {
        switch (kind_of(tensor)) {
            case TensorKind::weight:
                elements.weights += tensor.elements;
                break;
            case TensorKind::packed:
                elements.packed += tensor.elements;
                break;
            case TensorKind::scale:
                elements.scales += tensor.elements;
                break;
            case TensorKind::buffer:
                elements.buffers += tensor.elements;
                break;
        }
    }
    return elements;
}

}  // namespace napkin::formats
