#include "formats/gguf/types.hpp"

#include <array>

#include "napkin/catalog.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;
using namespace napkin::formats;

namespace {

struct Row {
    std::uint32_t number;
    std::string_view name;
    std::uint64_t elements;
    std::uint64_t bytes;
};

// github:ggml-org/ggml include/ggml.h (enum ggml_type) and src/ggml-common.h (block structs and
// their size assertions).
constexpr std::array<Row, 35> ggml{{
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},
    {3, "Q4_1", 32, 20},      {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},
    {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},      {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74},  {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},
    {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},  {22, "IQ2_S", 256, 82},
    {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},
    {29, "IQ1_M", 256, 56},   {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},    {40, "NVFP4", 64, 36},
    {41, "Q1_0", 128, 18},    {42, "Q2_0", 64, 18},
}};

}  // namespace

TEST_CASE("the tensor types are those of ggml, with its blocks", "[gguf]") {
    for (const Row& row : ggml) {
        CAPTURE(row.number, row.name);
        const GgmlType* type = ggml_type(row.number);
        REQUIRE(type != nullptr);
        CHECK(type->name == row.name);
        CHECK(type->elements == row.elements);
        CHECK(type->bytes == row.bytes);
        CHECK(ggml_type_named(row.name) == type);
    }
    CHECK(catalog::ggml_types().size() == ggml.size());
}

TEST_CASE("each tensor type is one number format of the catalog", "[gguf]") {
    const Catalog catalog;
    for (const GgmlType& type : catalog::ggml_types()) {
        CAPTURE(type.name, type.format);
        const NumberFormat format = catalog.format(type.format);
        CHECK(format.id == type.format);
        CHECK(format.elements == static_cast<double>(type.elements));
        CHECK(format.bytes == static_cast<double>(type.bytes));
        CHECK(format.tile_bytes + format.row_bytes + format.matrix_bytes == 0);
        // Under ggml's name, too, but for NVFP4, which elsewhere has scalars of its own.
        if (type.name != "NVFP4") CHECK(catalog.format(type.name).id == type.format);
    }
}

TEST_CASE("numbers that ggml took back or never gave out have no type", "[gguf]") {
    for (const std::uint32_t number : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 43u, 99u, ~0u}) {
        CAPTURE(number);
        CHECK(ggml_type(number) == nullptr);
    }
    CHECK(unknown_ggml_type(99) == "99");
    CHECK(unknown_ggml_type(4) == "4 (Q4_2, removed from ggml)");
    CHECK(unknown_ggml_type(31) == "31 (Q4_0_4_4, removed from ggml)");
    CHECK(ggml_type_named("q4_k") == nullptr);
    CHECK(ggml_type_named("") == nullptr);
}
