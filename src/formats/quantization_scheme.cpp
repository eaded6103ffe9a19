#include "formats/quantization_scheme.hpp"

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

NumberFormat tiles(const json::Value& config, const Catalog& catalog) {
    NumberFormat format = catalog.format("fp8-block");
    const auto& sides = config.at("weight_block_size").items;
    if (sides.size() == 2 && is_group(sides[0].number) && is_group(sides[1].number)) {
        format.tile_rows = sides[0].number;
        format.tile_columns = sides[1].number;
        format.whole_group = sides[0].number;
        if (format.tile_rows != 128 || format.tile_columns != 128) {
            format.id = "fp8-" + shortest(format.tile_rows) + "x" + shortest(format.tile_columns);
        }
    }
    return format;
}

std::optional<NumberFormat> from_bits(const json::Value& config, const std::string& method) {
    const double bits = config.count("bits", config.count("w_bit", 4));
    const double group = config.count("group_size", config.count("q_group_size", 128));
    if (!is_bits(bits)) return std::nullopt;
    Packing packing{.bits = bits, .group = is_group(group) ? group : 0};
    packing.index = method == "gptq";
    packing.symmetric =
        method == "awq" && config.find("zero_point") != nullptr && !config.flag("zero_point");
    std::string id = method + "-" + shortest(bits) + "bit";
    if (packing.group > 0) id += "-g" + shortest(packing.group);
    return packed(packing, id, std::string(cited));
}

std::optional<NumberFormat> by_algorithm(const std::string& algorithm, const Catalog& catalog) {
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
    if (algorithm == "W4A16_AWQ" || algorithm == "W4A8_AWQ") return catalog.format("int4-sym-g128");
    if (algorithm == "W8A8_SQ_PER_CHANNEL" || algorithm == "INT8_SQ") return catalog.format("int8");
    return std::nullopt;
}

std::optional<NumberFormat> bitsandbytes(const json::Value& config, const Catalog& catalog) {
    if (config.flag("load_in_8bit") || config.flag("_load_in_8bit")) {
        return catalog.format("bnb-int8");
    }
    const bool twice = config.flag("bnb_4bit_use_double_quant");
    return catalog.format(twice ? "nf4-double" : "nf4");
}

std::optional<NumberFormat> mlx(const json::Value& config) {
    const double bits = config.count("bits");
    const double group = config.count("group_size", 64);
    if (!is_bits(bits) || !is_group(group)) return std::nullopt;
    NumberFormat format;  // a scale and a bias of 16 bits for each group
    format.id = "mlx-" + shortest(bits) + "bit" + (group == 64 ? "" : "-g" + shortest(group));
    format.name = format.id;
    format.elements = group;
    format.bytes = group * bits / 8 + 4;
    format.keeps_norm = format.keeps_router = true;
    format.source = cited;
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
    const double bits = weights.count("num_bits");
    const double size = weights.count("group_size");
    const std::string strategy = weights.text("strategy");
    const auto as = [&](std::string_view name) {
        const NumberFormat format = catalog.format(name);
        return inputs ? format : weight_only(format);
    };
    if (weights.text("type") == "float") {
        if (bits == 8 && strategy == "channel") return as("fp8-channel");
        if (bits == 8 && strategy == "block") return as("fp8-block");
        if (bits == 8) {
            NumberFormat format = as("fp8");
            format.matrix_bytes = inputs && !group.at("input_activations").flag("dynamic") ? 8 : 4;
            return format;
        }
        if (bits == 4 && size == 32) return as("mxfp4");
        if (bits == 4 && size == 16) return as("nvfp4");
        return std::nullopt;
    }
    if (!is_bits(bits)) return std::nullopt;
    if (bits == 8 && strategy == "channel") return as("int8");
    const bool grouped = is_group(size);
    const bool symmetric = weights.find("symmetric") == nullptr || weights.flag("symmetric");
    std::string id = "int" + shortest(bits) + (symmetric ? "-sym" : "-asym");
    if (grouped) id += "-g" + shortest(size);
    if (id == "int4-sym-g32") id = "int4-g32";  // as the catalog calls it
    return packed({.bits = bits, .group = grouped ? size : 0, .symmetric = symmetric}, id,
                  std::string(cited));
}

std::optional<NumberFormat> scheme_format(const json::Value& config, const Catalog& catalog) {
    const std::string method = config.text("quant_method");
    const std::string algorithm = config.text("quant_algo");
    if (!algorithm.empty()) {
        if (const auto known = by_algorithm(algorithm, catalog)) return known;
    }
    if (method == "fp8") return tiles(config, catalog);
    if (method == "fbgemm_fp8") return catalog.format("fp8-channel");
    if (method == "mxfp4") return catalog.format("mxfp4");
    if (method == "bitsandbytes") return bitsandbytes(config, catalog);
    if (method == "gptq" || method == "awq") return from_bits(config, method);
    if (method.empty() && config.find("bits") != nullptr) return mlx(config);
    return std::nullopt;
}

}  // namespace napkin::formats
