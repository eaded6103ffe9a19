#include "napkin/partition.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/models.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

using Degrees = std::vector<double>;

/// A model of which only the heads matter.
Model heads_only(double heads, double kv_heads) {
    Model model = llama_like({32, heads * 128, 32000, heads, kv_heads, 128, 0});
    model.blocks.front().feed_forward = NoFeedForward{};
    return model;
}

}  // namespace

TEST_CASE("28 heads and 4 KV heads split 1, 2, 4 or 28 ways", "[layout]") {
    // 28 % tp == 0 and (4 % tp == 0 or tp % 4 == 0): tests/cases/cases.json tp-004
    CHECK(valid_tensor_parallel(heads_only(28, 4), 32) == Degrees{1, 2, 4, 28});
}

TEST_CASE("a width of 18,944 takes the 28 away", "[layout]") {
    // 18,944 = 2^9 * 37; 18,944 / 28 is not whole
    CHECK(valid_tensor_parallel(qwen2_5_7b(), 32) == Degrees{1, 2, 4});
    CHECK(valid_tensor_parallel(qwen2_5_7b(), 7).back() == 4);  // on 7 devices: 4, not 7
}

TEST_CASE("52 and 40 heads do not split over 3 devices", "[layout]") {
    // tests/cases/cases.json tp-006; heads = KV heads
    CHECK(valid_tensor_parallel(heads_only(52, 52), 52) == Degrees{1, 2, 4, 13, 26, 52});
    CHECK(valid_tensor_parallel(heads_only(40, 40), 40) == Degrees{1, 2, 4, 5, 8, 10, 20, 40});
    for (const double heads : {52.0, 40.0}) {
        const auto found = violations({.tp = 3}, heads_only(heads, heads), h100s(3));
        REQUIRE(found.size() == 1);
        CHECK(found.front().id == "layout-tp");
        CHECK(found.front().valid == Degrees{1, 2});  // those that 3 devices can hold
        CHECK(found.front().flag == "--tp");
        CHECK(found.front().message.find("pipeline") != std::string::npos);
    }
}

TEST_CASE("KV heads may repeat, but only evenly", "[layout]") {
    CHECK(valid_tensor_parallel(heads_only(24, 8), 24) == Degrees{1, 2, 4, 8, 24});
    CHECK(valid_tensor_parallel(heads_only(64, 1), 64) == Degrees{1, 2, 4, 8, 16, 32, 64});
}

TEST_CASE("latent attention splits by its heads, experts by their widths", "[layout]") {
    // heads 128, dense width 18,432 = 2^11 * 9, experts 2,048 wide
    CHECK(valid_tensor_parallel(deepseek_v3(), 128) == Degrees{1, 2, 4, 8, 16, 32, 64, 128});
    // 64 heads, 8 KV heads, experts of 2,880 = 2^6 * 45
    CHECK(valid_tensor_parallel(gpt_oss_120b(), 128) == Degrees{1, 2, 4, 8, 16, 32, 64});
}

TEST_CASE("scales that belong to 128 weights are not cut", "[layout]") {
    NumberFormat grouped{.id = "int4", .bytes = 0.5};
    grouped.whole_group = 128;
    // tp-008: 29,568 = 128 * 231, which is odd
    Model odd = qwen2_5_72b();
    set_weights(odd, grouped);
    CHECK(valid_tensor_parallel(odd, 8) == Degrees{1});
    CHECK(valid_tensor_parallel(qwen2_5_72b(), 8) == Degrees{1, 2, 4, 8});
    // tp-009: 18,432 / 32 = 4.5 * 128 fails, 18,432 / 16 = 9 * 128 and 2,048 / 16 = 128 hold
    Model tiles = deepseek_v3();
    set_weights(tiles, grouped);
    CHECK(valid_tensor_parallel(tiles, 32) == Degrees{1, 2, 4, 8, 16});
}

TEST_CASE("a layout cannot use more devices than there are", "[layout]") {
    CHECK(violations({.tp = 8}, llama_3_1_70b(), h100s(8)).empty());
    CHECK(violations({.dp = 2, .tp = 2, .pp = 2}, llama_3_1_70b(), h100s(8)).empty());
    const auto found = violations({.dp = 4, .tp = 4}, llama_3_1_70b(), h100s(8));
    REQUIRE(found.size() == 1);
    CHECK(found.front().id == "layout-devices");
    CHECK(found.front().message.find("16") != std::string::npos);
    CHECK(found.front().message.find('8') != std::string::npos);
}

TEST_CASE("every broken rule is told at once", "[layout]") {
    // 3 * 33 = 99 of 8 devices, 32 heads on 3 ranks, 33 stages of 32 layers
    const auto found = violations({.tp = 3, .pp = 33}, llama_3_1_8b(), h100s(8));
    REQUIRE(found.size() == 3);
    CHECK(found[0].id == "layout-devices");
    CHECK(found[1].id == "layout-tp");
    CHECK(found[1].valid == Degrees{1, 2, 4, 8});
    CHECK(found[2].id == "layout-pp");
    CHECK(found[2].message.find("32") != std::string::npos);
}

TEST_CASE("the fullest stage holds the rounded-up share of the layers", "[layout]") {
    CHECK(stage_layers(llama_3_1_70b(), 1) == 80);
    CHECK(stage_layers(llama_3_1_70b(), 4) == 20);
    CHECK(stage_layers(deepseek_v3(), 8) == 8);  // 61 / 8 = 7.6
}

TEST_CASE("stages hold whole layers, the heaviest kind first", "[layout]") {
    // DeepSeek-V3 on 8 stages: 61 layers, 8 on the fullest; all of them may be mixtures of experts.
    const Model model = deepseek_v3();
    const auto weight = [](std::size_t kind) { return kind == 1 ? 10.0 : 1.0; };
    CHECK(layers_on_fullest_stage(1, model, 8, weight) == 8);
    CHECK(layers_on_fullest_stage(0, model, 8, weight) == 0);
    // Were the dense layers the heavy ones: an even spread puts one of the three on a stage.
    const auto dense = [](std::size_t kind) { return kind == 0 ? 10.0 : 1.0; };
    CHECK(layers_on_fullest_stage(0, model, 8, dense) == 1);
    CHECK(layers_on_fullest_stage(1, model, 8, dense) == 7);
}

TEST_CASE("inference prefers tensor parallelism over the whole domain", "[layout]") {
    const auto layouts = inference_layouts(llama_3_1_70b(), h100s(8));
    REQUIRE(!layouts.empty());
    CHECK(layouts.front().tp == 8);
    CHECK(layouts.front().dp == 1);
    CHECK(layouts.front().pp == 1);
    CHECK(!layouts.front().why.empty());
    // 28 heads and 4 KV heads: no further than 4
    CHECK(inference_layouts(qwen2_5_7b(), h100s(8)).front().tp == 4);
}

TEST_CASE("across domains come replicas, then stages", "[layout]") {
    const auto layouts = inference_layouts(llama_3_1_70b(), h100s(16));
    REQUIRE(layouts.size() >= 2);
    CHECK(layouts[0].tp == 8);
    CHECK(layouts[0].dp == 2);
    CHECK(layouts[1].tp == 8);
    CHECK(layouts[1].pp == 2);
}

TEST_CASE("every layout that is proposed is valid", "[layout]") {
    for (const Model& model : {llama_3_1_8b(), llama_3_1_405b(), qwen2_5_7b(), qwen3_30b_a3b(),
                               deepseek_v3(), gpt_oss_120b(), mamba_130m(), size_of(70e9, 70e9)}) {
        for (const double devices : {1., 2., 3., 4., 6., 7., 8., 16., 24., 64.}) {
            CAPTURE(model.id, devices);
            const auto layouts = inference_layouts(model, h100s(devices));
            REQUIRE(!layouts.empty());
            for (const Layout& layout : layouts) {
                CAPTURE(layout.dp, layout.tp, layout.pp);
                REQUIRE(violations(layout, model, h100s(devices)).empty());
                REQUIRE(layout.tp <= h100s(devices).domain);
            }
        }
    }
}
