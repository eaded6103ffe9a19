// Weights beside a configuration, and weights alone.
#include "tests/formats/model_files.hpp"

using namespace napkin;
using namespace napkin::test;

TEST_CASE("weights beside a configuration that hold what it says need no remark") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    folder.write("model.safetensors", small_llama_file());
    for (const std::string& path : {folder.path(), folder.path("model.safetensors")}) {
        const formats::ReadModel read = open(path);
        CHECK(parameters(read.model) == small_llama_parameters);
        CHECK(read.model.stored_elements == small_llama_parameters);
        CHECK(read.model.stored_bytes == 2 * small_llama_parameters);
        CHECK(read.notes.empty());
    }
}

TEST_CASE("a tied head that is stored a second time is no parameter") {
    const TemporaryFolder folder;
    write_config(folder, with(small_llama(), {{"tie_word_embeddings", true}}));
    folder.write("model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    CHECK(parameters(read.model) == small_llama_parameters - 6400);
    CHECK(read.model.stored_elements == small_llama_parameters);
    CHECK(has(note_in(read, "tied-head-stored").message, "6,400"));
    CHECK(note_in(read, "parameters-differ").message.empty());
}

TEST_CASE("multi-token prediction that the configuration names and the files leave out") {
    const TemporaryFolder folder;
    write_config(folder, with(small_llama(), {{"num_nextn_predict_layers", 1}}));
    folder.write("model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    // A layer, 2 x 64 x 64 to join two states, three norms.
    CHECK(has(note_in(read, "part-not-stored").message, "multi-token prediction, 37,184 para"));
    CHECK(read.model.parts.empty());
    CHECK_FALSE(warned(read));
    // DeepSeek's files hold copies of embedding and head with it: both may be left out together.
    write_config(folder, with(small_llama(),
                              {{"model_type", "deepseek_v3"}, {"num_nextn_predict_layers", 1}}));
    const formats::ReadModel both = open(folder.path());
    CHECK(both.model.parts.empty());
    CHECK(note_in(both, "parameters-differ").message.empty());
    // And the tied head may stand there twice as well.
    write_config(folder, with(small_llama(),
                              {{"tie_word_embeddings", true}, {"num_nextn_predict_layers", 1}}));
    const formats::ReadModel tied = open(folder.path());
    CHECK_FALSE(note_in(tied, "tied-head-stored").message.empty());
    CHECK_FALSE(note_in(tied, "part-not-stored").message.empty());
    CHECK(note_in(tied, "parameters-differ").message.empty());
}

TEST_CASE("files of 32 bit where the configuration says bfloat16: the files count") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    folder.write("model.safetensors", small_llama_file("F32", 4));
    const formats::ReadModel read = open(folder.path());
    CHECK(weight_bytes(read.model).value() == 4 * small_llama_parameters);
    CHECK(note_in(read, "stored-format").warning);
    CHECK(has(note_in(read, "stored-format").message, "fp32"));
    CHECK(note_in(read, "bytes-differ").message.empty());
    // Where it says nothing there is nothing to contradict.
    write_config(folder, without(small_llama(), "torch_dtype"));
    const formats::ReadModel silent = open(folder.path());
    CHECK(weight_bytes(silent.model).value() == 4 * small_llama_parameters);
    CHECK_FALSE(warned(silent));
}

TEST_CASE("scales, masks and rotary frequencies are no parameters, other tensors are") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    SafetensorsBuilder masks;
    add_small_llama(masks, "BF16", 2);
    masks.add("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", "[4]", 16);
    folder.write("model.safetensors", masks.bytes());
    const formats::ReadModel read = open(folder.path());
    CHECK(read.model.stored_elements == small_llama_parameters + 4);
    CHECK(note_in(read, "parameters-differ").message.empty());

    masks.add("adapter.weight", "BF16", "[10,10]", 200);
    folder.write("model.safetensors", masks.bytes());
    const Note note = note_in(open(folder.path()), "parameters-differ");
    CHECK(note.warning);
    CHECK(has(note.message, "128,164"));
    CHECK(has(note.message, "100 more"));

    SafetensorsBuilder headless;
    folder.write("model.safetensors", add_small_llama(headless, "BF16", 2, false).bytes());
    CHECK(has(note_in(open(folder.path()), "parameters-differ").message, "6,400 fewer"));
}

TEST_CASE("bytes that the configuration does not explain are a warning, unless formats are given") {
    const TemporaryFolder folder;
    const Json fp8{{"quant_method", "fp8"}};
    write_config(folder, with(small_llama(), {{"quantization_config", fp8}}));
    folder.write("model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    CHECK(note_in(read, "bytes-differ").warning);
    CHECK(has(note_in(read, "bytes-differ").message, "256,128 bytes"));
    ModelFileOptions given;
    given.weights_given = true;
    CHECK_FALSE(warned(open(folder.path(), given)));
}

TEST_CASE("multi-token prediction in the weights' own narrow format is explained") {
    // FP8 with a tile a matrix: 115,200 - 512 in the layers; the module has 37,184, as narrow.
    const TemporaryFolder folder;
    const Json fp8{{"quant_method", "fp8"}};
    write_config(folder, with(small_llama(),
                              {{"num_nextn_predict_layers", 1}, {"quantization_config", fp8}}));
    SafetensorsBuilder builder;
    const auto add = [&](const char* name, const char* type, int elements, int bytes) {
        builder.add(name, type, shape({elements}), static_cast<std::uint64_t>(elements * bytes));
    };
    add("layers.weight", "F8_E4M3", 4 * 28672, 1);
    add("mtp.weight", "F8_E4M3", 37184, 1);
    add("others.weight", "BF16", 2 * 6400 + 9 * 64, 2);
    add("layers.weight_scale_inv", "F32", 28, 4);
    folder.write("model.safetensors", builder.bytes());
    const formats::ReadModel read = open(folder.path());
    CHECK(note_in(read, "parameters-differ").message.empty());
    CHECK(note_in(read, "bytes-differ").message.empty());
}

TEST_CASE("a folder with a consolidated copy beside its shards: one of them counts") {
    const TemporaryFolder folder;
    write_config(folder, small_llama());
    SafetensorsBuilder first;
    folder.write("model-00001-of-00002.safetensors",
                 add_small_llama(first, "BF16", 2, false).bytes());
    SafetensorsBuilder second;
    second.add("lm_head.weight", "BF16", "[100,64]", 12800);
    folder.write("model-00002-of-00002.safetensors", second.bytes());
    folder.write("consolidated.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path());
    CHECK(read.model.stored_bytes == 2 * small_llama_parameters);
    CHECK(has(note_in(read, "weights-left-out").message, "consolidated"));
    CHECK_FALSE(warned(read));
    // The first shard names the set.
    CHECK(open(folder.path("model-00001-of-00002.safetensors")).model.stored_bytes ==
          2 * small_llama_parameters);
}

TEST_CASE("safetensors alone: a size without layers") {
    const TemporaryFolder folder;
    folder.write("Tiny/model.safetensors", small_llama_file());
    const formats::ReadModel read = open(folder.path("Tiny"));
    CHECK(is_size(read.model));
    CHECK(read.model.id == "Tiny");
    CHECK(parameters(read.model) == small_llama_parameters);
    CHECK(weight_bytes(read.model).value() == 2 * small_llama_parameters);
    CHECK(note_in(read, "no-architecture").warning);
    CHECK(open(folder.path("Tiny/model.safetensors")).model.size_total == small_llama_parameters);
}

TEST_CASE("GPTQ alone: words are unpacked by their zero points, also three bits in 32") {
    const TemporaryFolder folder;
    const auto packed = [&](int bits) {
        const int in = 256, out = 128, group = 128;
        const int words = in * bits / 32 * out;
        const int scales = in / group * out;
        SafetensorsBuilder builder;
        const auto add = [&](const char* name, const char* type, int rows, int columns, int bytes) {
            builder.add(std::string("model.layers.0.mlp.up_proj.") + name, type,
                        shape({rows, columns}), static_cast<std::uint64_t>(rows * columns * bytes));
        };
        add("qweight", "I32", words / out, out, 4);
        add("qzeros", "I32", in / group, out * bits / 32, 4);
        add("scales", "F16", in / group, out, 2);
        add("g_idx", "I32", in, 1, 4);
        builder.add("model.norm.weight", "F16", "[256]", 512);
        folder.write("model.safetensors", builder.bytes());
        const formats::ReadModel read = open(folder.path());
        CHECK(weight_bytes(read.model).value() ==
              4 * words + 4 * scales * bits / 32 + 2 * scales + 4 * in + 512);
        return parameters(read.model);
    };
    for (const int bits : {2, 3, 4, 8}) {
        CAPTURE(bits);
        CHECK(packed(bits) == 256 * 128 + 256);
    }
}

TEST_CASE("a GPTQ copy of Llama-3.1-8B holds 8,030,261,248 parameters in 1,923,354,624 elements") {
    const TemporaryFolder folder;
    SafetensorsBuilder builder;
    const auto linear = [&](const std::string& name, std::uint64_t in, std::uint64_t out) {
        const auto add = [&](const char* part, const char* type, std::uint64_t a, std::uint64_t b,
                             std::uint64_t bytes) {
            builder.add(name + "." + part, type, shape({static_cast<int>(a), static_cast<int>(b)}),
                        a * b * bytes);
        };
        add("qweight", "I32", in / 8, out, 4);
        add("qzeros", "I32", in / 128, out / 8, 4);
        add("scales", "F16", in / 128, out, 2);
    };
    for (int i = 0; i < 32; ++i) {
        const std::string layer = "model.layers." + std::to_string(i) + ".";
        linear(layer + "self_attn.q_proj", 4096, 4096);
        linear(layer + "self_attn.k_proj", 4096, 1024);
        linear(layer + "self_attn.v_proj", 4096, 1024);
        linear(layer + "self_attn.o_proj", 4096, 4096);
        linear(layer + "mlp.gate_proj", 4096, 14336);
        linear(layer + "mlp.up_proj", 4096, 14336);
        linear(layer + "mlp.down_proj", 14336, 4096);
    }
    builder.add("others.weight", "BF16", "[1050939392]", 2 * 1050939392ULL);
    builder.write(folder, "model.safetensors");
    CHECK(parameters(open(folder.path("model.safetensors")).model) == 8030261248);
}

TEST_CASE("MXFP4 alone: two weights a byte, scales are none") {
    const TemporaryFolder folder;
    SafetensorsBuilder builder;
    const std::uint64_t blocks = 32ULL * 5760 * 90 * 16;
    builder.add("block.0.mlp.experts.gate_up_proj_blocks", "U8", "[32,5760,90,16]", blocks);
    builder.add("block.0.mlp.experts.gate_up_proj_scales", "U8", "[32,5760,90]", blocks / 16);
    builder.write(folder, "model.safetensors");
    const formats::ReadModel read = open(folder.path("model.safetensors"));
    CHECK(parameters(read.model) == 530841600);
    CHECK(read.model.stored_bytes == static_cast<double>(blocks + blocks / 16));
}

TEST_CASE("packed words without zero points do not tell how many weights they hold") {
    const TemporaryFolder folder;
    SafetensorsBuilder builder;
    builder.add("layers.0.up_proj.weight_packed", "I32", "[128,32]", 16384);
    builder.add("layers.0.up_proj.weight_scale", "BF16", "[128,2]", 512);
    folder.write("model.safetensors", builder.bytes());
    const Problem problem = refusal(folder.path());
    CHECK(problem.id == "unknown-parameters");
    CHECK(has(problem.expected, "config.json"));
    CHECK(has(problem.hint, "--set model.parameters"));
}
