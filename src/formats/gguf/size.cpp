#include "formats/gguf/size.hpp"

#include <algorithm>
#include <utility>

namespace napkin::formats {

bool is_only_tensors(const GgufFile& file) {
    const auto says = [&](std::string_view key) {
        return file.metadata.find(key) != file.metadata.end();
    };
    return !file.tensors.empty() && !says("general.architecture") && !says("general.type");
}

ReadModel size_of_gguf(const GgufFile& file, std::string name) {
    ReadModel read;
    Model& model = read.model;
    model.id = model.name = std::move(name);
    model.source = file.path;
    for (const StoredTensor& tensor : file.tensors) {
        model.stored_elements += static_cast<double>(tensor.elements);
        model.stored_bytes += static_cast<double>(tensor.bytes);
    }
    model.size_total = model.size_active = model.stored_elements;
    const std::string& type = file.tensors.front().type;
    const bool one_type = std::all_of(file.tensors.begin(), file.tensors.end(),
                                      [&](const StoredTensor& one) { return one.type == type; });
    NumberFormat stored;
    stored.id = stored.name = one_type ? type : "mixed types";
    stored.elements = std::max(1.0, model.stored_elements);
    stored.bytes = model.stored_bytes;
    stored.source = file.path;
    set_weights(model, stored);
    const std::string count = std::to_string(file.tensors.size());
    read.notes.push_back({"no-architecture",
                          "the file has no general.architecture: the size of its " + count +
                              (file.tensors.size() == 1 ? " tensor" : " tensors") +
                              " is known, layers are not",
                          true});
    return read;
}

}  // namespace napkin::formats
