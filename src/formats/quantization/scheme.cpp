#include "formats/quantization/scheme.hpp"

#include <cmath>

#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

constexpr std::string_view cited = "the checkpoint's quantization configuration";

bool is_bits(double bits) {
    return bits >= 1 && bits <= 16 && std::floor(bits) == bits;
}

bool is_group(double group) {
    return group >= 8 && group <= 65536 && std::floor(group) == group;
}

// Weights alone are narrow: they are expanded, and computed in the activations' format.
NumberFormat weight_only(NumberFormat format) {
    format.computes_in.reset();
    return format;
}

// A scale for each tile of the sides that `list` states; 128 x 128 where it states none.
std::optional<NumberFormat> tiles(const json::Value& list, const Catalog& catalog) {
    NumberFormat format = catalog.format("fp8-block");
    if (list.kind == json::Kind::null) return format;
    const auto& sides = list.items;
    if (sides.size() != 2 || !is_group(sides[0].number) || !is_group(sides[1].number)) {
        return std::nullopt;
    }
    format.tile_rows = sides[0].number;
    format.tile_columns = sides[1].number;
    format.whole_group = sides[0].number;
    if (format.tile_rows != 128 || format.tile_columns != 128) {
        format.id = "fp8-" + shortest(format.tile_rows) + "x" + shortest(format.tile_columns);
    }
    return format;
}

// The size under one of two names: `otherwise` where neither is there, negative where it is no
// number.
double size_in(const json::Value& config, std::string_view name, std::string_view other,
               double otherwise) {
    for (const std::string_view key : {name, other}) {
        const json::Value* found = config.find(key);
        if (found == nullptr || found->kind == json::Kind::null) continue;
        return found->kind == json::Kind::number ? found->number : -2;
    }
    return otherwise;
}

// GPTQ and AWQ; a group of -1 is a whole row.
std::optional<NumberFormat> from_bits(const json::Value& config, const std::string& method) {
    const double bits = size_in(config, "bits", "w_bit", method == "awq" ? 4 : 0);
    const double group = size_in(config, "group_size", "q_group_size", 128);
    const bool whole_row = group == -1 || group == 0;
    if (!is_bits(bits) || !(whole_row || is_group(group))) return std::nullopt;
    Packing packing{.bits = bits, .group = whole_row ? 0 : group};
    packing.index = method == "gptq";
    packing.symmetric =
        method == "awq" && config.find("zero_point") != nullptr && !config.flag("zero_point");
    std::string id = method + "-" + shortest(bits) + "bit";
    if (packing.group > 0) id += "-g" + shortest(packing.group);
    return packed(packing, id, std::string(cited));
}

// ModelOpt's AWQ: symmetric, in groups of 128 where it says nothing else.
std::optional<NumberFormat> modelopt_awq(const json::Value& config, const Catalog& catalog) {
    const double group = size_in(config, "group_size", "group_size", 128);
    if (group == 128) return catalog.format("int4-sym-g128");
    if (!is_group(group)) return std::nullopt;
    return packed({.bits = 4, .group = group, .symmetric = true}, "int4-sym-g" + shortest(group),
                  std::string(cited));
}

std::optional<NumberFormat> by_algorithm(const json::Value& config, const std::string& algorithm,
                                         const Catalog& catalog) {
    if (algorithm == "NVFP4" || algorithm == "NVFP4_AWQ") return catalog.format("nvfp4");
    if (algorithm == "W4A16_NVFP4") return weight_only(catalog.format("nvfp4"));
    if (algorithm == "FP8") {
        NumberFormat format = catalog.format("fp8");
        format.matrix_bytes = 8;  // a scale of the weights and one of the inputs
        return format;
    }
    if (algorithm == "FP8_PB_WO" || algorithm == "FP8_PB") return catalog.format("fp8-block");
    if (algorithm == "FP8_PER_CHANNEL_PER_TOKEN") return catalog.format("fp8-channel");
    if (algorithm == "MXFP8") return catalog.format("mxfp8");
    if (algorithm == "MXFP4" || algorithm == "W4A8_MXFP4_FP8") return catalog.format("mxfp4");
    if (algorithm == "W4A16_AWQ" || algorithm == "W4A8_AWQ") return modelopt_awq(config, catalog);
    if (algorithm == "W8A8_SQ_PER_CHANNEL" || algorithm == "INT8_SQ") return catalog.format("int8");
    return std::nullopt;
}

std::optional<NumberFormat> bitsandbytes(const json::Value& config, const Catalog& catalog) {
    if (config.flag("load_in_8bit") || config.flag("_load_in_8bit")) {
        return catalog.format("bnb-int8");
    }
    if (!config.flag("load_in_4bit") && !config.flag("_load_in_4bit")) return std::nullopt;
    const bool twice = config.flag("bnb_4bit_use_double_quant");
    NumberFormat format = catalog.format(twice ? "nf4-double" : "nf4");
    // The code book of each matrix: 16 floats, and 256 for the scales of scales.
    format.matrix_bytes = 4 * 16 + (twice ? 4 * 256 : 0);
    return format;
}

// A scale and a bias of 16 bits for each group, or one of the microscaling formats.
std::optional<NumberFormat> mlx(const json::Value& config, const Catalog& catalog) {
    const std::string mode = config.text("mode");
    const bool affine = mode.empty() || mode == "affine";
    const double bits = config.count("bits");
    const double group = size_in(config, "group_size", "group_size", 64);
    NumberFormat format;
    if (mode == "mxfp4" || mode == "nvfp4" || mode == "mxfp8") {
        format = weight_only(catalog.format(mode));
        format.matrix_bytes = 0;
    } else if (affine && is_bits(bits) && is_group(group)) {
        format.elements = group;
        format.bytes = group * bits / 8 + 4;
        format.source = cited;
    } else {
        return std::nullopt;
    }
    const std::string usual = affine && group != 64 ? "-g" + shortest(group) : "";
    format.id = affine ? "mlx-" + shortest(bits) + "bit" + usual : "mlx-" + mode;
    format.name = format.id;
    format.keeps_embedding = format.keeps_head = false;
    format.keeps_norm = format.keeps_router = true;
    return format;
}

// Float weights of compressed-tensors and ModelOpt; `as` finds a format by its name.
template <class As>
std::optional<NumberFormat> float_group(const json::Value& group, const Catalog& catalog, As as) {
    const json::Value& weights = group.at("weights");
    const double bits = weights.count("num_bits");
    const double size = weights.count("group_size");
    const std::string strategy = weights.text("strategy");
    const json::Value& inputs = group.at("input_activations");
    if (bits == 4 && size == 32) return as(catalog.format("mxfp4"));
    if (bits == 4 && size == 16) return as(catalog.format("nvfp4"));
    if (bits != 8) return std::nullopt;
    if (strategy == "channel") return as(catalog.format("fp8-channel"));
    if (strategy == "block") {
        const auto format = tiles(weights.at("block_structure"), catalog);
        return format ? std::optional(as(*format)) : std::nullopt;
    }
    if (size == 32) return as(catalog.format("mxfp8"));
    if (size > 0 || (!strategy.empty() && strategy != "tensor")) return std::nullopt;
    NumberFormat format = as(catalog.format("fp8"));
    const bool scaled = inputs.kind == json::Kind::object && !inputs.flag("dynamic");
    format.matrix_bytes = scaled ? 8 : 4;
    return format;
}

}  // namespace

NumberFormat packed(const Packing& packing, std::string id, std::string source) {
    NumberFormat format;
    format.id = std::move(id);
    format.name = format.id;
    const double each = packing.bits / 8;
    const double scale = 2 + (packing.symmetric ? 0 : each);
    format.elements = packing.group > 0 ? packing.group : 1;
    format.bytes = format.elements * each + (packing.group > 0 ? scale : 0);
    if (packing.group <= 0) format.row_bytes = scale;  // one group a row
    if (packing.index) format.column_bytes = 4;
    format.whole_group = packing.group;
    format.keeps_embedding = format.keeps_head = format.keeps_norm = format.keeps_router = true;
    format.source = std::move(source);
    return format;
}

std::optional<NumberFormat> group_format(const json::Value& group, const Catalog& catalog) {
    const json::Value& weights = group.at("weights");
    const bool inputs = group.at("input_activations").kind == json::Kind::object;
    const auto as = [&](const NumberFormat& format) {
        return inputs ? format : weight_only(format);
    };
    if (weights.text("type") == "float") return float_group(group, catalog, as);
    const double bits = weights.count("num_bits");
    const std::string strategy = weights.text("strategy");
    if (!is_bits(bits)) return std::nullopt;
    if (bits == 8 && strategy == "channel") return as(catalog.format("int8"));
    const double size = size_in(weights, "group_size", "group_size", 0);
    const bool whole_row = size == 0 || size == -1;
    if (!whole_row && !is_group(size)) return std::nullopt;
    const bool symmetric = weights.find("symmetric") == nullptr || weights.flag("symmetric");
    std::string id = "int" + shortest(bits) + (symmetric ? "-sym" : "-asym");
    if (!whole_row) id += "-g" + shortest(size);
    if (id == "int4-sym-g32") id = "int4-g32";  // as the catalog calls it
    return packed({.bits = bits, .group = whole_row ? 0 : size, .symmetric = symmetric}, id,
                  std::string(cited));
}

bool is_mlx(const json::Value& config) {
    return config.text("quant_method").empty() && config.text("quant_algo").empty() &&
           config.find("bits") != nullptr;
}

std::optional<NumberFormat> scheme_format(const json::Value& config, const Catalog& catalog) {
    const std::string method = config.text("quant_method");
    const std::string algorithm = config.text("quant_algo");
    if (!algorithm.empty()) {
        if (const auto known = by_algorithm(config, algorithm, catalog)) return known;
    }
    if (method == "fp8") return tiles(config.at("weight_block_size"), catalog);
    if (method == "fbgemm_fp8") return catalog.format("fp8-channel");
    if (method == "mxfp4") return catalog.format("mxfp4");
    if (method == "bitsandbytes") return bitsandbytes(config, catalog);
    if (method == "gptq" || method == "awq") return from_bits(config, method);
    if (is_mlx(config)) return mlx(config, catalog);
    return std::nullopt;
}

}  // namespace napkin::formats
