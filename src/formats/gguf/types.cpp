#include "formats/gguf/types.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace napkin::formats {
namespace {

// Source: github:ggml-org/ggml docs/gguf.md, enum ggml_type, "support has been removed".
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 8> removed{{{4, "Q4_2"},
                                                                             {5, "Q4_3"},
                                                                             {31, "Q4_0_4_4"},
                                                                             {32, "Q4_0_4_8"},
                                                                             {33, "Q4_0_8_8"},
                                                                             {36, "IQ4_NL_4_4"},
                                                                             {37, "IQ4_NL_4_8"},
                                                                             {38, "IQ4_NL_8_8"}}};

template <class Matches>
const GgmlType* first(Matches matches) {
    const auto types = catalog::ggml_types();
    const auto at = std::find_if(types.begin(), types.end(), matches);
    return at == types.end() ? nullptr : &*at;
}

}  // namespace

const GgmlType* ggml_type(std::uint32_t number) {
    return first([&](const GgmlType& type) { return type.number == number; });
}

const GgmlType* ggml_type_named(std::string_view name) {
    return first([&](const GgmlType& type) { return type.name == name; });
}

std::string unknown_ggml_type(std::uint32_t number) {
    std::string text = std::to_string(number);
    for (const auto& [known, name] : removed) {
        if (known == number) text += " (" + std::string(name) + ", removed from ggml)";
    }
    return text;
}

}  // namespace napkin::formats
