#include "formats/safetensors/entry.hpp"

#include <algorithm>

#include "formats/safetensors/types.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

struct Product {
    std::uint64_t value{};
    bool overflows{};
};

Product times(std::uint64_t a, std::uint64_t b) {
    Product result;
    result.overflows = __builtin_mul_overflow(a, b, &result.value);
    return result;
}

Product elements_of(const std::vector<std::uint64_t>& shape) {
    // An extent of 0 leaves no element, however large the others are.
    if (std::find(shape.begin(), shape.end(), 0U) != shape.end()) return {};
    Product elements{.value = 1, .overflows = false};
    for (const std::uint64_t extent : shape) {
        elements = times(elements.value, extent);
        if (elements.overflows) break;
    }
    return elements;
}

}  // namespace

Problem header_problem(const std::string& path, std::size_t at, std::string id,
                       const std::string& message, std::string expected) {
    return problem_in(path, std::move(id),
                      message + " (at byte " + grouped(safetensors_header_begin + at) + ")",
                      std::move(expected));
}

StoredTensor stored(const SafetensorsEntry& entry, const std::string& path, std::size_t at) {
    const auto refuse = [&](const std::string& message) {
        throw Error(
            header_problem(path, at, "invalid-tensor", "tensor " + shown(entry.name) + message));
    };
    const auto bits = safetensors_bits(entry.type);
    if (!bits) {
        Problem problem = header_problem(
            path, at, "unknown-dtype",
            "tensor " + shown(entry.name) + " is of the unknown type " + shown(entry.type),
            "a dtype of safetensors: F32, BF16, F8_E4M3 ...");
        std::vector<std::string> names;
        for (const SafetensorsType& type : safetensors_types) names.emplace_back(type.name);
        problem.suggestions = nearest(entry.type, names);
        throw Error(problem);
    }
    const Product elements = elements_of(entry.shape);
    const Product size = times(elements.value, *bits);
    if (elements.overflows || size.overflows) refuse(" has more than 2^64 bits");
    if (size.value % 8 != 0) {
        refuse(" has " + grouped(elements.value) + " elements of " + std::to_string(*bits) +
               " bits: not a whole number of bytes");
    }
    if (entry.offsets.size() != 2) refuse(" lacks an offset: a begin and an end are needed");
    const std::uint64_t begin = entry.offsets[0];
    const std::uint64_t end = entry.offsets[1];
    if (end < begin) {
        refuse(" ends at byte " + grouped(end) + " of the data, before its begin at " +
               grouped(begin));
    }
    if (end - begin != size.value / 8) {
        refuse(" spans " + grouped(end - begin) + " bytes, its " + grouped(elements.value) +
               " elements of " + entry.type + " take " + grouped(size.value / 8));
    }
    return {.name = entry.name,
            .type = entry.type,
            .extents = entry.shape,
            .elements = elements.value,
            .bytes = size.value / 8};
}

}  // namespace napkin::formats
