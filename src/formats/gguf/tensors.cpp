#include "formats/gguf/tensors.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "formats/gguf/types.hpp"
#include "formats/gguf/value.hpp"

namespace napkin::formats {
namespace {

// The format says 64 bytes for a name; other writers than llama.cpp exceed it.
constexpr std::uint64_t longest_name = 1024;
constexpr std::uint32_t most_extents = 4;
constexpr std::uint64_t least_entry = 8 + 4 + 8 + 4 + 8;  // a name without letters, one extent
constexpr std::uint64_t most_elements = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t most_tensors = 1u << 20;  // the largest models have some 100,000 matrices

std::string read_name(ByteReader& reader) {
    const std::uint64_t at = reader.offset();
    const std::uint64_t length = reader.u64();
    if (length > longest_name) {
        reader.refuse("invalid-tensor-name",
                      "a tensor's name of " + grouped(length) + " bytes at byte " + grouped(at),
                      "at most 1,024 bytes");
    }
    return reader.take(length);
}

// Fills in the extents and their product.
void read_extents(ByteReader& reader, StoredTensor& tensor) {
    const std::uint64_t at = reader.offset();
    const std::uint32_t count = reader.u32();
    if (count == 0 || count > most_extents) {
        reader.refuse("invalid-extents",
                      "the tensor " + shown(tensor.name) + " has " + grouped(count) +
                          " extents at byte " + grouped(at),
                      "1 to 4");
    }
    tensor.elements = 1;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint64_t extent = reader.u64();
        // An extent of 0 is legal: nothing is stored. The others keep their bound.
        const std::uint64_t others = tensor.elements == 0 ? 1 : tensor.elements;
        if (extent > most_elements / others) {
            reader.refuse("tensor-too-large", "the extents of the tensor " + shown(tensor.name) +
                                                  " at byte " + grouped(at) +
                                                  " have a product beyond 2^63");
        }
        tensor.extents.push_back(extent);
        tensor.elements *= extent;
    }
}

void read_type(ByteReader& reader, StoredTensor& tensor) {
    const std::uint64_t at = reader.offset();
    const std::uint32_t number = reader.u32();
    const GgmlType* type = ggml_type(number);
    if (type == nullptr) {
        reader.refuse("unknown-tensor-type",
                      "the tensor " + shown(tensor.name) + " has type " +
                          unknown_ggml_type(number) + " at byte " + grouped(at),
                      "a type of ggml: 0 (F32), 1 (F16), 12 (Q4_K), ...");
    }
    tensor.type = type->name;
    if (tensor.extents.front() % type->elements != 0) {
        reader.refuse("partial-block", "the tensor " + shown(tensor.name) + " has rows of " +
                                           grouped(tensor.extents.front()) + " elements, " +
                                           tensor.type + " stores blocks of " +
                                           grouped(type->elements));
    }
    const std::uint64_t blocks = tensor.elements / type->elements;
    if (blocks > most_elements / type->bytes) {
        reader.refuse("tensor-too-large",
                      "the tensor " + shown(tensor.name) + " takes more than 2^63 bytes");
    }
    tensor.bytes = blocks * type->bytes;
}

PlacedTensor read_entry(ByteReader& reader, std::uint64_t alignment) {
    PlacedTensor placed;
    placed.tensor.name = read_name(reader);
    read_extents(reader, placed.tensor);
    read_type(reader, placed.tensor);
    const std::uint64_t at = reader.offset();
    placed.offset = reader.u64();
    if (placed.offset % alignment != 0) {
        reader.refuse("misaligned-tensor",
                      "the tensor " + shown(placed.tensor.name) + " has the offset " +
                          grouped(placed.offset) + " at byte " + grouped(at),
                      "a multiple of " + grouped(alignment));
    }
    return placed;
}

// The tensors in an order of their own.
template <class Before>
std::vector<const PlacedTensor*> sorted(const std::vector<PlacedTensor>& tensors, Before before) {
    std::vector<const PlacedTensor*> order;
    order.reserve(tensors.size());
    for (const PlacedTensor& tensor : tensors) order.push_back(&tensor);
    std::sort(order.begin(), order.end(),
              [&](const PlacedTensor* a, const PlacedTensor* b) { return before(*a, *b); });
    return order;
}

}  // namespace

std::vector<PlacedTensor> read_gguf_tensors(ByteReader& reader, std::uint64_t count,
                                            std::uint64_t alignment) {
    check_gguf_count(reader, count, least_entry, "tensors");
    if (count > most_tensors) {
        reader.refuse("count-too-large", "lists " + grouped(count) + " tensors",
                      "at most 1,048,576");
    }
    std::vector<PlacedTensor> tensors;
    tensors.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) tensors.push_back(read_entry(reader, alignment));
    const auto by_name = sorted(tensors, [](const PlacedTensor& a, const PlacedTensor& b) {
        return a.tensor.name < b.tensor.name;
    });
    for (std::size_t i = 1; i < by_name.size(); ++i) {
        const std::string& name = by_name[i]->tensor.name;
        if (by_name[i - 1]->tensor.name == name) {
            reader.refuse("duplicate-tensor", "the tensor " + shown(name) + " is listed twice");
        }
    }
    return tensors;
}

void check_gguf_places(const ByteReader& reader, const std::vector<PlacedTensor>& tensors,
                       std::uint64_t data_offset) {
    const auto by_offset = sorted(
        tensors, [](const PlacedTensor& a, const PlacedTensor& b) { return a.offset < b.offset; });
    const PlacedTensor* before = nullptr;
    std::uint64_t end = 0;
    for (const PlacedTensor* one : by_offset) {
        if (one->tensor.bytes == 0) continue;  // stands nowhere
        const std::string name = shown(one->tensor.name);
        const std::uint64_t room = most_elements - data_offset;
        if (one->tensor.bytes > room || one->offset > room - one->tensor.bytes) {
            reader.refuse("misplaced-tensor",
                          "the tensor " + name + " of " + grouped(one->tensor.bytes) +
                              " bytes has the offset " + grouped(one->offset) + ", beyond 2^63");
        }
        if (before != nullptr && one->offset < end) {
            reader.refuse("overlapping-tensors",
                          "the tensors " + shown(before->tensor.name) + " and " + name +
                              " overlap: one begins at byte " + grouped(data_offset + one->offset) +
                              ", the other ends at " + grouped(data_offset + end));
        }
        before = one;
        end = one->offset + one->tensor.bytes;
    }
    if (before != nullptr && data_offset + end > reader.size()) {
        reader.refuse("truncated-file", "truncated: the tensor " + shown(before->tensor.name) +
                                            " ends at byte " + grouped(data_offset + end) +
                                            ", the file has " + grouped(reader.size()));
    }
}

}  // namespace napkin::formats
