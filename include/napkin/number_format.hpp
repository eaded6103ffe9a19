// Number formats: how many bytes a weight takes with its scales, and what arithmetic it runs in.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "napkin/units.hpp"

namespace napkin {

/// The arithmetic that a matrix unit performs; each accelerator states a peak for those it has.
enum class Arithmetic { fp64, fp32, tf32, fp16, bf16, fp8, fp6, fp4, int8, int4 };
inline constexpr std::size_t arithmetic_count = 10;

[[nodiscard]] std::string_view name_of(Arithmetic arithmetic);
[[nodiscard]] std::optional<Arithmetic> arithmetic_named(std::string_view name);

/// Storage of a matrix. `elements` weights share a block of `bytes` bytes (block scales are inside:
/// Q4_K stores 256 in 144); scales outside the blocks are counted per tile, row or matrix.
struct NumberFormat {
    std::string id{};
    std::string name{};
    double elements{1};
    double bytes{};
    double tile_rows{}, tile_columns{}, tile_bytes{};  // one scale for each tile (DeepSeek FP8)
    double row_bytes{};                                // one scale for each output row
    double column_bytes{};                             // for each input (GPTQ's order of groups)
    double matrix_bytes{};                             // scalars for the whole matrix
    /// Absent for weight-only formats: they are expanded and computed in the activations' format.
    std::optional<Arithmetic> computes_in{};
    /// What fast kernels requantise to: llama.cpp multiplies its blocks in int8.
    std::optional<Arithmetic> also_computes_in{};
    /// Kernels need whole groups or tiles on every tensor-parallel rank, of this many weights a
    /// side; 0: they pad or do not care.
    double whole_group{};
    // Roles that a checkpoint in this format leaves alone, and in which width it leaves them.
    bool keeps_embedding{}, keeps_head{}, keeps_norm{}, keeps_router{};
    bool keeps_32_bit{};
    std::string source{};

    bool operator==(const NumberFormat&) const = default;
};

/// Bytes of one weight inside a block: 2 for bf16, 0.5625 for Q4_K. Scales outside are extra.
[[nodiscard]] double bytes_per_weight(const NumberFormat& format);

/// Bytes of a rows x columns matrix in `format`, scales included.
[[nodiscard]] Bytes<> storage(const NumberFormat& format, double rows, double columns);

[[nodiscard]] NumberFormat bfloat16();
[[nodiscard]] NumberFormat float32();

}  // namespace napkin
