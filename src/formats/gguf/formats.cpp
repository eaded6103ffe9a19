#include "formats/gguf/formats.hpp"

#include <algorithm>

#include "formats/gguf/types.hpp"
#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

// By number; empty where it was never given out, or its type was removed.
constexpr std::array<std::string_view, 42> file_types{
    "F32",   "F16",     "Q4_0",      "Q4_1",   "",       "",        "",       "Q8_0",   "Q5_0",
    "Q5_1",  "Q2_K",    "Q3_K_S",    "Q3_K_M", "Q3_K_L", "Q4_K_S",  "Q4_K_M", "Q5_K_S", "Q5_K_M",
    "Q6_K",  "IQ2_XXS", "IQ2_XS",    "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S",  "IQ4_NL", "IQ3_S",
    "IQ3_M", "IQ2_S",   "IQ2_M",     "IQ4_XS", "IQ1_M",  "BF16",    "",       "",       "",
    "TQ1_0", "TQ2_0",   "MXFP4_MOE", "NVFP4",  "Q1_0",   "Q2_0"};

std::string largest(const std::map<std::string, double, std::less<>>& bytes) {
    const auto most =
        std::max_element(bytes.begin(), bytes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == bytes.end() ? std::string() : most->first;
}

}  // namespace

const NumberFormat& GgufFormats::of(const std::vector<StoredWeights>& stored) {
    const std::string& first = stored.front().type;
    const bool same = std::all_of(stored.begin(), stored.end(),
                                  [&](const StoredWeights& one) { return one.type == first; });
    return same ? of_type(first) : mix(stored);
}

const NumberFormat& GgufFormats::of_type(const std::string& type) {
    const auto at = known_.find(type);
    if (at != known_.end()) return at->second;
    const GgmlType* ggml = ggml_type_named(type);
    NumberFormat format = ggml == nullptr ? float32() : catalog_.format(ggml->format);
    if (ggml != nullptr) {
        // A user's own preset of that name does not change what the file holds.
        format.elements = static_cast<double>(ggml->elements);
        format.bytes = static_cast<double>(ggml->bytes);
        format.tile_bytes = format.row_bytes = format.matrix_bytes = 0;
    }
    return known_.emplace(type, std::move(format)).first->second;
}

const NumberFormat& GgufFormats::mix(const std::vector<StoredWeights>& stored) {
    NumberFormat format;
    format.elements = 0;
    std::vector<std::string> names;
    bool first = true;
    for (const StoredWeights& one : stored) {
        const NumberFormat& own = of_type(one.type);
        format.elements += one.elements;
        format.bytes += one.bytes;
        if (first) format.computes_in = own.computes_in;
        if (first) format.also_computes_in = own.also_computes_in;
        if (own.computes_in != format.computes_in) format.computes_in.reset();
        if (own.also_computes_in != format.also_computes_in) format.also_computes_in.reset();
        if (std::find(names.begin(), names.end(), own.id) == names.end()) names.push_back(own.id);
        first = false;
    }
    std::sort(names.begin(), names.end());
    format.id = "mix";
    for (const std::string& name : names) {
        format.id += '-';
        format.id += name;
    }
    // Formats of one id are taken for the same.
    format.id += '-';
    format.id += shortest(bytes_per_weight(format));
    format.name = format.id;
    format.source = "the file's tensors";
    return known_.emplace(format.id, format).first->second;
}

void ByteCount::add(Role role, const StoredWeights& stored) {
    bytes_[static_cast<std::size_t>(role)][stored.type] += stored.bytes;
}

std::string ByteCount::most(Role role) const {
    return largest(bytes_[static_cast<std::size_t>(role)]);
}

std::string ByteCount::most() const {
    std::map<std::string, double, std::less<>> all;
    for (const auto& role : bytes_) {
        for (const auto& [type, bytes] : role) all[type] += bytes;
    }
    return largest(all);
}

std::string_view gguf_file_type(double number) {
    if (!(number >= 0 && number < static_cast<double>(file_types.size()))) return {};
    return file_types[static_cast<std::size_t>(number)];
}

}  // namespace napkin::formats
