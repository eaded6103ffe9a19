#include "napkin/number_format.hpp"

#include <cmath>

namespace napkin {
namespace {

constexpr std::array<std::string_view, arithmetic_count> names{
    "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp6", "fp4", "int8", "int4"};

}  // namespace

std::string_view name_of(Arithmetic arithmetic) {
    return names[static_cast<std::size_t>(arithmetic)];
}

std::optional<Arithmetic> arithmetic_named(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return static_cast<Arithmetic>(i);
    }
    return std::nullopt;
}

double bytes_per_weight(const NumberFormat& format) {
    return format.bytes / format.elements;
}

Bytes<> storage(const NumberFormat& format, double rows, double columns) {
    double bytes = rows * columns / format.elements * format.bytes;
    if (format.tile_bytes > 0) {
        bytes += std::ceil(rows / format.tile_rows) * std::ceil(columns / format.tile_columns) *
                 format.tile_bytes;
    }
    return Bytes<>(bytes + rows * format.row_bytes + columns * format.column_bytes +
                   format.matrix_bytes);
}

NumberFormat bfloat16() {
    NumberFormat format;
    format.id = "bf16";
    format.name = "bfloat16";
    format.bytes = 2;
    format.computes_in = Arithmetic::bf16;
    return format;
}

NumberFormat float32() {
    NumberFormat format;
    format.id = "fp32";
    format.name = "float32";
    format.bytes = 4;
    format.computes_in = Arithmetic::fp32;
    return format;
}

}  // namespace napkin
