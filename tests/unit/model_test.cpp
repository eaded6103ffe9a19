#include "napkin/model.hpp"

#include <set>

#include "napkin/derivation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/models.hpp"

using namespace napkin;
using namespace napkin::test;

// Expected counts are the publishers' totals, which the layers below
// reproduce to the last digit by hand.

TEST_CASE("GPT-2 small has 124,439,808 parameters", "[model]") {
    // 50,257 * 768 + 1,024 * 768 + 12 * (12 * 768^2 + 13 * 768) + 2 * 768
    CHECK(parameters(gpt2()) == 124439808);
    CHECK(active_parameters(gpt2()) == 124439808);
    // A tied embedding is the head as well (published totals count positions, too).
    CHECK(active_without_embedding(gpt2()) == 124439808);
}

TEST_CASE("Qwen3-4B has 4,022,468,096 parameters", "[model]") {
    // 151,936 * 2,560 + 36 * (2 * 2,560 * 4,096 + 2 * 2,560 * 1,024 + 2 * 128 + 3 * 2,560 * 9,728
    // + 2 * 2,560) + 2,560
    CHECK(parameters(qwen3_4b()) == 4022468096);
    CHECK(active_without_embedding(qwen3_4b()) == 4022468096);
}

TEST_CASE("Qwen2.5-72B has 72,706,203,648 parameters", "[model]") {
    CHECK(parameters(qwen2_5_72b()) == 72706203648);  // biases on q, k and v
}

TEST_CASE("Llama-3.1 has 8,030,261,248, 70,553,706,496 and 405,853,388,800", "[model]") {
    CHECK(parameters(llama_3_1_8b()) == 8030261248);
    CHECK(parameters(llama_3_1_70b()) == 70553706496);
    CHECK(parameters(llama_3_1_405b()) == 405853388800);
    CHECK(active_without_embedding(llama_3_1_8b()) == 8030261248.0 - 128256.0 * 4096);
}

TEST_CASE("Mixtral-8x7B has 46,702,792,704, of which 12,879,925,248 are active", "[model]") {
    CHECK(parameters(mixtral_8x7b()) == 46702792704);
    CHECK(active_parameters(mixtral_8x7b()) == 12879925248);
}

TEST_CASE("Qwen3-30B-A3B has 30,532,122,624, of which 3,353,032,704 are active", "[model]") {
    CHECK(parameters(qwen3_30b_a3b()) == 30532122624);
    CHECK(active_parameters(qwen3_30b_a3b()) ==
          3353032704);  // 48 * 120 experts of 3 * 2,048 * 768 less
}

TEST_CASE("DeepSeek-V3 has 671,026,419,200, of which 37,552,297,472 are active", "[model]") {
    CHECK(parameters(deepseek_v3()) == 671026419200);
    CHECK(active_parameters(deepseek_v3()) == 37552297472);
    CHECK(active_without_embedding(deepseek_v3()) == 36625618432);  // 36.6256e9
    CHECK(layers(deepseek_v3()) == 61);
}

TEST_CASE("gpt-oss-120b has 116,829,156,672 and Mamba-130m 129,135,360", "[model]") {
    CHECK(parameters(gpt_oss_120b()) == 116829156672);
    CHECK(parameters(mamba_130m()) == 129135360);
}

TEST_CASE("70B in bf16 weighs 141 GB", "[model]") {
    CHECK(weight_bytes(llama_3_1_70b()).value() == 141107412992);  // 2 * 70,553,706,496
    CHECK(weight_bytes(size_of(70e9, 70e9)).value() == 140e9);
}

TEST_CASE("gpt-oss-120b takes 65,248,815,744 bytes", "[model]") {
    // Experts: 36 * 128 * 3 * 2,880^2 weights * 17 / 32; everything else, the experts' biases
    // among it, in bf16: that is the size of the published file.
    CHECK(weight_bytes(gpt_oss_120b()).value() == 65248815744);
}

TEST_CASE("DeepSeek-V3 in FP8 carries 40,838,232 scales of 4 bytes", "[model]") {
    // The file counts 41,540,496; 702,264 of them belong to its MTP layer.
    Model model = deepseek_v3();
    set_weights(model, fp8_tiles());
    double wide = 129280.0 * 7168 * 2;                                      // embedding and head
    wide += 7168 + 61 * (2 * 7168 + 1536 + 512) + 58 * (256 + 256 * 7168);  // norms and routers
    const double narrow = 671026419200.0 - wide;
    CHECK(weight_bytes(model).value() == narrow + 2 * wide + 4 * 40838232.0);
}

TEST_CASE("a format leaves alone what checkpoints in it leave alone", "[model]") {
    Model model = deepseek_v3();
    set_weights(model, fp8_tiles());
    const auto stored = [&](Role role) {
        return model.weights.of[static_cast<std::size_t>(role)].id;
    };
    CHECK(model.weights_as == "fp8_tiles");
    CHECK(stored(Role::expert) == "fp8_tiles");
    CHECK(stored(Role::attention) == "fp8_tiles");
    for (const Role role : {Role::embedding, Role::head, Role::norm, Role::router}) {
        CHECK(stored(role) == "bf16");
    }
    NumberFormat careful = fp8_tiles();
    careful.keeps_32_bit = true;
    set_weights(model, careful);
    CHECK(stored(Role::norm) == "fp32");
    // A size has one kind of weight: all of it is in the format.
    Model size = size_of(70e9, 70e9);
    set_weights(size, fp8_tiles());
    CHECK(weight_bytes(size).value() == 70e9);
}

TEST_CASE("KV cache: 327,680 bytes a token for 70B, 70,272 for DeepSeek-V3", "[model]") {
    const auto bytes = [](const Model& model) {
        return kv_bytes_per_token(model, bfloat16()).value();
    };
    CHECK(bytes(llama_3_1_8b()) == 131072);    // 2 * 32 * 8 * 128 * 2
    CHECK(bytes(llama_3_1_70b()) == 327680);   // 2 * 80 * 8 * 128 * 2
    CHECK(bytes(llama_3_1_405b()) == 516096);  // 2 * 126 * 8 * 128 * 2
    CHECK(bytes(deepseek_v3()) == 70272);      // 61 * (512 + 64) * 2: once, not per head
    CHECK(bytes(qwen3_30b_a3b()) == 98304);    // 2 * 48 * 4 * 128 * 2
    CHECK(bytes(mamba_130m()) == 0);
    CHECK(bytes(size_of(70e9, 70e9)) == 0);
    CHECK(kv_bytes_per_token(llama_3_1_8b(), {.id = "fp8", .bytes = 1}).value() == 65536);
    Model size = size_of(70e9, 70e9);
    size.size_kv_bytes_per_token = 327680;
    CHECK(bytes(size) == 327680);
}

TEST_CASE("a window keeps at most its own length", "[model]") {
    const Model model = gpt_oss_120b();
    const Cache narrow = cache(model.blocks[0], model);
    const Cache full = cache(model.blocks[1], model);
    const double entry = 2 * 8 * 64 * 2;  // keys and values of 8 heads of 64, 2 bytes each
    CHECK(cache_bytes(narrow, 100.0, bfloat16()).value() == entry * 100);
    CHECK(cache_bytes(narrow, 8192.0, bfloat16()).value() == entry * 128);
    CHECK(cache_bytes(full, 8192.0, bfloat16()).value() == entry * 8192);
}

TEST_CASE("KV heads spread over ranks until each rank has one", "[model]") {
    const Model grouped = qwen3_30b_a3b();
    const Cache heads = cache(grouped.blocks.front(), grouped);
    const auto share = [&](const Cache& kept, double ranks) {
        return cache_bytes(kept, 1.0, bfloat16(), ranks).value();
    };
    CHECK(share(heads, 1) == 2048);  // 2 * 4 * 128 * 2
    CHECK(share(heads, 2) == 1024);
    CHECK(share(heads, 4) == 512);
    CHECK(share(heads, 8) == 512);  // replicated from here on
    const Model latent = deepseek_v3();
    const Cache one = cache(latent.blocks.front(), latent);
    CHECK(share(one, 8) == share(one, 1));  // a latent cannot be split
}

TEST_CASE("Mamba keeps a constant state in 32 bit", "[model]") {
    // inner * state + inner * (kernel - 1) = 29,184 elements of 4 bytes in each of 24 layers
    CHECK(state_bytes(mamba_130m()).value() == 29184.0 * 4 * 24);
    CHECK(state_bytes(llama_3_1_8b()).value() == 0);
}

TEST_CASE("tensor parallelism repeats KV projections and norms, and splits the rest", "[model]") {
    const Model model = qwen3_30b_a3b();
    const Tensors list = tensors(model.blocks.front(), model);
    const Sharding eight{.ranks = 8, .kv_ranks = 4, .expert_devices = 8};
    // q and o: 2 * 2,048 * 4,096 over 8; k and v: 2 * 2,048 * 512 over 4 KV heads
    CHECK(elements_of(list, Role::attention, eight) == 2097152 + 524288);
    CHECK(elements_of(list, Role::norm, eight) == elements_of(list, Role::norm));
    CHECK(elements_of(list, Role::router, eight) == 128 * 2048);
    CHECK(elements_of(list, Role::expert, eight) == 128.0 * 3 * 2048 * 768 / 8);
}

TEST_CASE("a tensor may be kept in a format of its own", "[model]") {
    Model model = llama_3_1_8b();
    model.blocks.front().formats = {{"attn_v", mxfp4()}};
    // 32 layers of 1,024 x 4,096: 17/32 byte a weight instead of 2.
    CHECK(weight_bytes(llama_3_1_8b()).value() - weight_bytes(model).value() ==
          32.0 * 1024 * 4096 * (2 - 17.0 / 32));
    CHECK(parameters(model) == parameters(llama_3_1_8b()));
    set_weights(model, bfloat16());  // one format for all again
    CHECK(weight_bytes(model).value() == weight_bytes(llama_3_1_8b()).value());
}

TEST_CASE("what an engine keeps of latent attention decides its cache", "[model]") {
    Model model = deepseek_v3();
    const auto kept = [&](LatentCache keeps) {
        for (Block& block : model.blocks) std::get<LatentAttention>(block.mixer).keeps = keeps;
        return kv_bytes_per_token(model, bfloat16()).value();
    };
    // llama.cpp's logs of 61 layers in 16 bit: 1,098 and 2,074 MiB at 16,384 tokens, 2,440 at 512.
    CHECK(kept(LatentCache::latent) == 1098.0 * 1024 * 1024 / 16384);
    CHECK(kept(LatentCache::latent_and_values) == 2074.0 * 1024 * 1024 / 16384);
    CHECK(kept(LatentCache::expanded) == 2440.0 * 1024 * 1024 / 512);
}

TEST_CASE("labs count active parameters in three ways", "[model]") {
    // DeepSeek-V3: 37.6B all matrices, 36.6B without the lookup, 35.7B in its layers.
    const Model model = deepseek_v3();
    const double table = 129280.0 * 7168;
    CHECK(active_parameters(model) == 37552297472);
    CHECK(active_without_embedding(model) == 37552297472 - table);
    CHECK(active_in_layers(model) == 37552297472 - 2 * table);
}

TEST_CASE("lookup tables are weights that no token multiplies", "[model]") {
    Model model = llama_3_1_8b();
    model.lookup_parameters = 1e6;
    CHECK(parameters(model) == parameters(llama_3_1_8b()) + 1e6);
    CHECK(weight_bytes(model).value() == weight_bytes(llama_3_1_8b()).value() + 2e6);
}

TEST_CASE("a size answers what a size can", "[model]") {
    const Model model = size_of(671e9, 37e9);
    CHECK(is_size(model));
    CHECK(parameters(model) == 671e9);
    CHECK(active_parameters(model) == 37e9);
    CHECK(layers(model) == 0);
    CHECK(!is_size(llama_3_1_8b()));
}

TEST_CASE("every role has a name of its own", "[model]") {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < role_count; ++i) names.insert(name_of(static_cast<Role>(i)));
    CHECK(names.size() == role_count);
}
