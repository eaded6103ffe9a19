// Kinds of layers in GGUF files: what each one's tensors make of it.
#include "tests/formats/gguf_model_file.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;
using namespace napkin::test;

TEST_CASE("Phi-3's fused matrices give their type to what they hold", "[gguf][model]") {
    const LlamaSizes s{.layers = 1, .kv_heads = 4};
    ModelFile file = outside("phi3", s);
    file.number("attention.sliding_window", 2047);  // which llama.cpp does not use
    file.put(0, "attn_norm.weight", {256}, ggml::f32);
    file.put(0, "attn_qkv.weight", {256, 3 * 256}, ggml::q5_k);
    file.put(0, "attn_output.weight", {256, 256}, ggml::q4_k);
    file.put(0, "ffn_norm.weight", {256}, ggml::f32);
    file.put(0, "ffn_up.weight", {256, 2 * 512}, ggml::q8_0);
    file.put(0, "ffn_down.weight", {512, 256}, ggml::q6_k);
    const Model model = file.read().model;
    check_exact(file, model);
    const auto& m = std::get<Attention>(model.blocks[0].mixer);
    CHECK(m.head_dim == 64);
    CHECK(m.window == 0);
    const auto& f = std::get<DenseFeedForward>(model.blocks[0].feed_forward);
    CHECK(f.width == 512);
    CHECK(f.gated);
    for (const Tensor& tensor : tensors(model.blocks[0], model)) {
        CAPTURE(tensor.name);
        const std::string_view n = tensor.name;
        if (n == "attn_q" || n == "attn_k" || n == "attn_v") CHECK(tensor.format->id == "q5_k");
        if (n == "ffn_gate" || n == "ffn_up") CHECK(tensor.format->id == "q8_0");
        if (n == "ffn_down") CHECK(tensor.format->id == "q6_k");
    }
}

TEST_CASE("Gemma 3: windows in five of six layers, norms around and inside", "[gguf][model]") {
    const LlamaSizes s{.layers = 12, .heads = 4, .kv_heads = 1, .head_dim = 128};
    ModelFile file = outside("gemma3", s);
    file.number("attention.key_length", 128).number("attention.value_length", 128);
    file.number("attention.sliding_window", 512);
    for (std::size_t i = 0; i < 12; ++i) {
        attention(file, i, s);
        gated(file, i, s);
        file.put(i, "attn_q_norm.weight", {128}, ggml::f32);
        file.put(i, "attn_k_norm.weight", {128}, ggml::f32);
        file.put(i, "post_attention_norm.weight", {256}, ggml::f32);
        file.put(i, "post_ffw_norm.weight", {256}, ggml::f32);
    }
    const Model model = file.read().model;
    check_exact(file, model);
    REQUIRE(model.order.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
        const auto& m = std::get<Attention>(model.blocks[model.order[i]].mixer);
        CHECK(m.window == (i % 6 == 5 ? 0 : 512));
        CHECK(m.norm_per_head);
    }
    CHECK(model.blocks[0].norms == 4);
    CHECK_FALSE(model.blocks[0].parallel);
}

TEST_CASE("gpt-oss: sinks, biases, experts in MXFP4, every second window", "[gguf][model]") {
    const LlamaSizes s{.layers = 2};
    ModelFile file = outside("gpt-oss", s);
    file.number("attention.sliding_window", 128);
    file.number("expert_count", 8).number("expert_used_count", 2);
    for (std::size_t i = 0; i < 2; ++i) {
        attention(file, i, s);
        for (const auto& [name, size] : {std::pair{"attn_q.bias", 256.0},
                                         {"attn_k.bias", 128.0},
                                         {"attn_v.bias", 128.0},
                                         {"attn_output.bias", 256.0},
                                         {"attn_sinks.weight", 4.0},
                                         {"ffn_gate_inp.bias", 8.0},
                                         {"post_attention_norm.weight", 256.0}}) {
            file.put(i, name, {size}, ggml::f32);
        }
        file.put(i, "ffn_gate_inp.weight", {256, 8}, ggml::f32);
        file.put(i, "ffn_gate_exps.weight", {256, 96, 8}, ggml::mxfp4);
        file.put(i, "ffn_up_exps.weight", {256, 96, 8}, ggml::mxfp4);
        file.put(i, "ffn_down_exps.weight", {96, 256, 8}, ggml::mxfp4);
        file.put(i, "ffn_gate_exps.bias", {96, 8}, ggml::f32);
        file.put(i, "ffn_up_exps.bias", {96, 8}, ggml::f32);
        file.put(i, "ffn_down_exps.bias", {256, 8}, ggml::f32);
    }
    const Model model = file.read().model;
    check_exact(file, model);
    const auto& m = std::get<Attention>(model.blocks[model.order[0]].mixer);
    CHECK(m.window == 128);
    CHECK(std::get<Attention>(model.blocks[model.order[1]].mixer).window == 0);
    CHECK((m.sinks && m.bias_q && m.bias_k && m.bias_v && m.bias_o));
    const auto& f = std::get<Experts>(model.blocks[0].feed_forward);
    CHECK((f.bias && f.router_bias && f.gated));
    CHECK(f.active == 2);
    CHECK(format_of(model, Role::expert).id == "mxfp4");
    CHECK(format_of(model, Role::expert_bias).id == "fp32");
    CHECK(format_of(model, Role::router).id == "fp32");
    CHECK(model.extra_parameters == 0);
}

TEST_CASE("latent attention stored whole is cached by heads, by heads it is not", "[gguf][model]") {
    for (const bool by_heads : {true, false}) {
        CAPTURE(by_heads);
        const LlamaSizes s{.layers = 2};
        ModelFile file = outside("deepseek2", s);
        file.number("nextn_predict_layers", 1).number("attention.kv_lora_rank", 64);
        file.number("rope.dimension_count", 32);
        file.put(0, "attn_norm.weight", {256}, ggml::f32);
        file.put(0, "attn_q.weight", {256, 4 * (48 + 32)}, ggml::f16);
        file.put(0, "attn_kv_a_mqa.weight", {256, 64 + 32}, ggml::q8_0);
        file.put(0, "attn_kv_a_norm.weight", {64}, ggml::f32);
        file.put(0, "attn_output.weight", {4 * 40, 256}, ggml::f16);
        if (by_heads) {
            file.put(0, "attn_k_b.weight", {48, 64, 4}, ggml::f16);
            file.put(0, "attn_v_b.weight", {64, 40, 4}, ggml::q8_0);
        } else {
            file.put(0, "attn_kv_b.weight", {64, 4 * (48 + 40)}, ggml::q8_0);
        }
        gated(file, 0, s);
        const double main = file.bytes;
        file.put(1, "nextn.eh_proj.weight", {512, 256}, ggml::f16);
        gated(file, 1, s);
        const Model model = file.read().model;
        CHECK(all_parameters(model) == file.elements);
        CHECK(std::abs(weight_bytes(model).value() - main) < 0.5);
        REQUIRE(model.parts.size() == 1);
        CHECK(model.parts[0].parameters == 512 * 256 + 3 * 256 * 512 + 256);
        CHECK(layers(model) == 1);
        CHECK(kv_bytes(model) == 2 * (by_heads ? 64 + 32 : 4 * (48 + 32 + 40)));
    }
}

TEST_CASE("Nemotron-H: the heads of each layer say which ones attend", "[gguf][model]") {
    LlamaSizes s{.layers = 3};
    ModelFile file("nemotron_h");
    file.number("block_count", 3).number("embedding_length", 256);
    file.number("attention.head_count", 4).numbers("attention.head_count_kv", {0, 2, 0});
    file.numbers("feed_forward_length", {0, 0, 1024});
    file.number("ssm.inner_size", 512).number("ssm.state_size", 16).number("ssm.conv_kernel", 4);
    file.number("ssm.time_step_rank", 8).number("ssm.group_count", 2);
    file.put("token_embd.weight", {256, 1000}, ggml::f16);
    file.put("output_norm.weight", {256}, ggml::f32);
    file.put("output.weight", {256, 1000}, ggml::f16);
    file.put(0, "attn_norm.weight", {256}, ggml::f32);
    file.put(0, "ssm_in.weight", {256, 512 + 512 + 64 + 8}, ggml::q8_0);
    file.put(0, "ssm_conv1d.weight", {4, 512 + 64}, ggml::f32);
    file.put(0, "ssm_conv1d.bias", {512 + 64}, ggml::f32);
    for (const char* name : {"ssm_a", "ssm_d"}) file.put(0, name, {1, 8}, ggml::f32);
    file.put(0, "ssm_dt.bias", {8}, ggml::f32);
    file.put(0, "ssm_norm.weight", {256, 2}, ggml::f32);
    file.put(0, "ssm_out.weight", {512, 256}, ggml::q8_0);
    attention(file, 1, s);
    file.put(2, "attn_norm.weight", {256}, ggml::f32);
    file.put(2, "ffn_up.weight", {256, 1024}, ggml::q8_0);
    file.put(2, "ffn_down.weight", {1024, 256}, ggml::q8_0);
    const Model model = file.read().model;
    check_exact(file, model);
    REQUIRE(model.order.size() == 3);
    CHECK(std::holds_alternative<Mamba2>(model.blocks[model.order[0]].mixer));
    CHECK(std::holds_alternative<Attention>(model.blocks[model.order[1]].mixer));
    CHECK(std::holds_alternative<NoMixer>(model.blocks[model.order[2]].mixer));
    CHECK(kv_bytes(model) == 2 * 2 * 64 * 2);
    // llama.cpp keeps states in 32 bits: 8 heads of 64 x 16, and three steps of the convolution.
    CHECK(state_bytes(model).value() == 4 * (8 * 64 * 16 + 3 * (512 + 64)));
}

TEST_CASE("Falcon-H1: attention and Mamba side by side, no norm of the state", "[gguf][model]") {
    const LlamaSizes s{.layers = 2};
    ModelFile file = outside("falcon-h1", s);
    file.number("ssm.inner_size", 384).number("ssm.state_size", 16).number("ssm.conv_kernel", 4);
    file.number("ssm.time_step_rank", 6).number("ssm.group_count", 1);
    for (std::size_t i = 0; i < 2; ++i) {
        attention(file, i, s);
        gated(file, i, s);
        file.put(i, "ssm_in.weight", {256, 2 * 384 + 32 + 6}, ggml::f16);
        file.put(i, "ssm_conv1d.weight", {4, 384 + 32}, ggml::f32);
        file.put(i, "ssm_conv1d.bias", {384 + 32}, ggml::f32);
        for (const char* name : {"ssm_a", "ssm_d"}) file.put(i, name, {1, 6}, ggml::f32);
        file.put(i, "ssm_dt.bias", {6}, ggml::f32);
        file.put(i, "ssm_out.weight", {384, 256}, ggml::f16);
    }
    const Model model = file.read().model;
    check_exact(file, model);
    CHECK(layers(model) == 2);
    REQUIRE(model.blocks.size() == 2);
    CHECK(std::holds_alternative<Attention>(model.blocks[0].mixer));
    CHECK(std::holds_alternative<Mamba2>(model.blocks[1].mixer));
    CHECK(model.blocks[1].continues);
    CHECK(kv_bytes(model) == 2 * 2 * 2 * 64 * 2);
}

TEST_CASE("experts may each be tensors of their own", "[gguf][model]") {
    const LlamaSizes s{.layers = 1};
    ModelFile file = outside("llama", s);
    file.number("expert_count", 3).number("expert_used_count", 2);
    attention(file, 0, s);
    file.put(0, "ffn_norm.weight", {256}, ggml::f32);
    file.put(0, "ffn_gate_inp.weight", {256, 3}, ggml::f16);
    for (const char* number : {".0.weight", ".1.weight", ".2.weight"}) {
        file.put(0, std::string("ffn_gate") + number, {256, 512}, ggml::q4_0);
        file.put(0, std::string("ffn_up") + number, {256, 512}, ggml::q4_0);
        // One expert's type differs: the bytes must still be those of the file.
        file.put(0, std::string("ffn_down") + number, {512, 256},
                 number[1] == '1' ? ggml::q8_0 : ggml::q4_0);
    }
    const Model model = file.read().model;
    check_exact(file, model);
    const auto& f = std::get<Experts>(model.blocks[0].feed_forward);
    CHECK(f.experts == 3);
    CHECK(f.width == 512);
}

TEST_CASE("norms of different types weigh what each of them does", "[gguf][model]") {
    const LlamaSizes s{.layers = 1};
    ModelFile file = outside("llama", s);
    attention(file, 0, s);
    file.put(0, "ffn_norm.weight", {256}, ggml::bf16);
    file.put(0, "ffn_gate.weight", {256, 512}, ggml::f16);
    file.put(0, "ffn_up.weight", {256, 512}, ggml::f16);
    file.put(0, "ffn_down.weight", {512, 256}, ggml::f16);
    check_exact(file, file.read().model);
}

TEST_CASE("layers that share keys and values store none, or do not keep them", "[gguf][model]") {
    const LlamaSizes s{.layers = 3};
    ModelFile file = outside("gemma4", s);
    file.number("attention.shared_kv_layers", 2);
    for (std::size_t i = 0; i < 3; ++i) {
        if (i < 2) attention(file, i, s);
        gated(file, i, s);
    }
    file.put(2, "attn_norm.weight", {256}, ggml::f32);
    file.put(2, "attn_q.weight", {256, 256}, ggml::f16);
    file.put(2, "attn_output.weight", {256, 256}, ggml::f16);
    const Model model = file.read().model;
    check_exact(file, model);
    CHECK(std::get<Attention>(model.blocks[model.order[1]].mixer).uncached);
    CHECK(std::get<Attention>(model.blocks[model.order[2]].mixer).shares_cache);
    CHECK(kv_bytes(model) == 2 * 2 * 64 * 2);
}
