#include "formats/safetensors/tensor_kinds.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace napkin::formats;

namespace {

StoredTensor tensor(const std::string& name, const std::string& type,
                    const std::vector<std::uint64_t>& extents) {
    StoredTensor result{.name = name, .type = type, .extents = extents, .elements = 1};
    for (const std::uint64_t extent : extents) result.elements *= extent;
    return result;
}

TensorKind kind(const std::string& name, const std::string& type = "BF16",
                const std::vector<std::uint64_t>& extents = {8, 8}) {
    return kind_of(tensor(name, type, extents));
}

}  // namespace

TEST_CASE("packed words, scales and buffers are told apart by the end of a name") {
    for (const char* name : {"model.layers.0.mlp.up_proj.qweight", "a.weight_packed", "qweight",
                             "model.layers.0.mlp.experts.gate_up_proj_blocks"}) {
        CAPTURE(name);
        CHECK(kind(name) == TensorKind::packed);
    }
    for (const char* name :
         {"a.qzeros", "a.scales", "a.g_idx", "a.weight_scale", "a.weight_scale_inv",
          "a.weight_shape", "a.weight_zero_point", "mlp.experts.down_proj_scales",
          "a.weight.absmax", "a.weight.quant_map", "a.weight.nested_absmax",
          "a.weight.quant_state.bitsandbytes__nf4", "a.input_scale", "self_attn.k_scale",
          "self_attn.v_scale"}) {
        CAPTURE(name);
        CHECK(kind(name) == TensorKind::scale);
    }
    for (const char* name : {"model.layers.0.self_attn.rotary_emb.inv_freq",
                             "gpt_neox.layers.0.attention.masked_bias"}) {
        CAPTURE(name);
        CHECK(kind(name) == TensorKind::buffer);
    }
    for (const char* name :
         {"model.embed_tokens.weight", "a.bias", "xqweight", "logit_scale", "a.rescales",
          "transformer_blocks.0.weight", "qweight.lora", "time_blocks.0"}) {
        CAPTURE(name);
        CHECK(kind(name) == TensorKind::weight);
    }
}

TEST_CASE("a causal mask is told from a bias by its dimensions") {
    CHECK(kind("h.0.attn.bias", "F32", {1, 1, 1024, 1024}) == TensorKind::buffer);
    CHECK(kind("layers.0.attention.bias", "U8", {1, 1, 2048, 2048}) == TensorKind::buffer);
    CHECK(kind("h.0.attn.bias", "F32", {768}) == TensorKind::weight);
}

TEST_CASE("the type tells what a name does not") {
    CHECK(kind("a.weight", "U8") == TensorKind::packed);
    CHECK(kind("a.weight", "I8") == TensorKind::weight);
    CHECK(kind("a.weight", "F8_E4M3") == TensorKind::weight);
    CHECK(kind("a.scale", "F8_E8M0") == TensorKind::scale);
    CHECK(kind("a.scale", "F32") == TensorKind::weight);
}

TEST_CASE("no suffix stands twice in the table") {
    for (const TensorSuffix& row : tensor_suffixes) {
        CAPTURE(row.suffix);
        CHECK(std::count_if(tensor_suffixes.begin(), tensor_suffixes.end(),
                            [&](const auto& other) { return other.suffix == row.suffix; }) == 1);
    }
}

TEST_CASE("stored elements of an MXFP4 expert tensor: words and scales") {
    const std::vector<StoredTensor> tensors{tensor("gate_up_proj_blocks", "U8", {32, 5760, 90, 16}),
                                            tensor("gate_up_proj_scales", "U8", {32, 5760, 90}),
                                            tensor("gate_up_proj_bias", "BF16", {32, 5760}),
                                            tensor("h.0.attn.masked_bias", "F32", {})};
    const ElementsByKind elements = elements_by_kind(tensors);
    CHECK(elements.packed * 2 == 530841600);  // each byte holds two weights
    CHECK(elements.scales == 16588800);
    CHECK(elements.weights == 184320);
    CHECK(elements.buffers == 1);
}
