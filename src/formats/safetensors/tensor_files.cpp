#include "formats/safetensors/tensor_files.hpp"

#include <algorithm>
#include <iterator>

#include "formats/safetensors/safetensors.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

std::uint64_t sum(std::uint64_t a, std::uint64_t b, const std::string& path) {
    std::uint64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) {
        throw Error(problem_in(path, "too-much-data", "with it the set exceeds 2^64 bytes"));
    }
    return result;
}

void add_totals(Checkpoint& checkpoint) {
    for (const StoredTensor& tensor : checkpoint.tensors) {
        auto total = std::find_if(checkpoint.types.begin(), checkpoint.types.end(),
                                  [&](const TypeTotal& one) { return one.type == tensor.type; });
        if (total == checkpoint.types.end()) {
            total = checkpoint.types.insert(total, {.type = tensor.type});
        }
        ++total->tensors;
        total->elements += tensor.elements;
        total->bytes += tensor.bytes;
    }
    std::sort(checkpoint.types.begin(), checkpoint.types.end(),
              [](const TypeTotal& a, const TypeTotal& b) {
                  return a.bytes != b.bytes ? a.bytes > b.bytes : a.type < b.type;
              });
    checkpoint.tensor_count = checkpoint.tensors.size();
}

void append(std::vector<StoredTensor>& all, std::vector<StoredTensor> more) {
    if (all.empty()) {
        all = std::move(more);
        return;
    }
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

}  // namespace

TensorFiles read_tensor_files(std::vector<std::string> paths) {
    TensorFiles read;
    Checkpoint& checkpoint = read.checkpoint;
    checkpoint.files = std::move(paths);
    for (std::uint32_t file = 0; file < checkpoint.files.size(); ++file) {
        const std::string& path = checkpoint.files[file];
        SafetensorsHeader header = read_safetensors(InputFile(path));
        checkpoint.bytes = sum(checkpoint.bytes, header.bytes, path);
        for (const StoredTensor& tensor : header.tensors) {
            checkpoint.elements = sum(checkpoint.elements, tensor.elements, path);
        }
        append(checkpoint.tensors, std::move(header.tensors));
        while (read.by_name.size() < checkpoint.tensors.size()) {
            read.by_name.push_back({static_cast<std::uint32_t>(read.by_name.size()), file});
        }
        for (auto& [key, value] : header.metadata) {
            if (key == "format" && checkpoint.format.empty()) checkpoint.format = std::move(value);
        }
    }
    const auto name_of = [&](const TensorFiles::Place& one) -> const std::string& {
        return checkpoint.tensors[one.tensor].name;
    };
    std::sort(read.by_name.begin(), read.by_name.end(),
              [&](const TensorFiles::Place& a, const TensorFiles::Place& b) {
                  return name_of(a) < name_of(b);
              });
    const auto twice =
        std::adjacent_find(read.by_name.begin(), read.by_name.end(),
                           [&](const TensorFiles::Place& a, const TensorFiles::Place& b) {
                               return name_of(a) == name_of(b);
                           });
    if (twice != read.by_name.end()) {
        throw Error(problem_in(checkpoint.files[twice->file], "duplicate-tensor",
                               "tensor " + shown(name_of(*twice)) + " stands in " +
                                   checkpoint.files[std::next(twice)->file] + " too"));
    }
    add_totals(checkpoint);
    return read;
}

}  // namespace napkin::formats
