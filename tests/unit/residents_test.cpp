#include "napkin/residents.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

Fit<> inference_fit(const Inputs& inputs) {
    return fit(inference_residents<double>(inputs), inputs.machine.accelerator);
}

Residents<> training(const Model& model, double devices, double sequence = 8192) {
    Inputs inputs{.machine = h100s(devices), .model = model};
    inputs.workload.sequence = sequence;
    return training_residents<double>(inputs);
}

double bytes(const Residents<>& residents, ResidentKind kind) {
    return bytes_of(residents, kind).value();
}

constexpr double capacity_of_h100 = 85520809984;  // 81,559 MiB

}  // namespace

TEST_CASE("training 70B with Adam keeps 16 bytes a parameter: 1.12 TB", "[residents]") {
    const Residents<> residents = training(size_of(70e9, 70e9), 1);
    CHECK(bytes(residents, ResidentKind::weights) == 140e9);
    CHECK(bytes(residents, ResidentKind::gradients) == 140e9);
    CHECK(bytes(residents, ResidentKind::master_weights) == 280e9);
    CHECK(bytes(residents, ResidentKind::first_moment) == 280e9);
    CHECK(bytes(residents, ResidentKind::second_moment) == 280e9);
    const Fit<> result = fit(residents, h100());
    CHECK((result.required - bytes_of(residents, ResidentKind::reserve)).value() == 1.12e12);
    CHECK(!result.fits);
}

TEST_CASE("a size has states only; a model has activations as well", "[residents]") {
    CHECK(bytes(training(size_of(70e9, 70e9), 8), ResidentKind::activations) == 0);
    CHECK(bytes(training(size_of(70e9, 70e9), 8), ResidentKind::logits) == 0);
    CHECK(bytes(training(llama_3_1_70b(), 8), ResidentKind::activations) > 0);
    CHECK(bytes(training(llama_3_1_70b(), 8), ResidentKind::gathered_weights) > 0);
    CHECK(bytes(training(llama_3_1_70b(), 1), ResidentKind::gathered_weights) == 0);
}

TEST_CASE("ZeRO 3 shards the states over all devices", "[residents]") {
    const Residents<> residents = training(llama_3_1_70b(), 16);
    CHECK(bytes(residents, ResidentKind::weights) == 2 * 70553706496.0 / 16);
    CHECK(bytes(residents, ResidentKind::second_moment) == 4 * 70553706496.0 / 16);
}

TEST_CASE("full recompute keeps one checkpoint of 2 s b h bytes a layer", "[residents]") {
    // The difference between 80 and 40 layers is 40 checkpoints (Korthikanti 2022, Table 2).
    Model half = llama_3_1_70b();
    half.blocks.front().count = 40;
    const double more = bytes(training(llama_3_1_70b(), 16, 4096), ResidentKind::activations) -
                        bytes(training(half, 16, 4096), ResidentKind::activations);
    CHECK(more == 40.0 * 2 * 4096 * 8192);
}

TEST_CASE("70B does not fit one H100, and fits two with 0.97 GiB to spare", "[residents]") {
    CHECK(!inference_fit(inputs_for(llama_3_1_70b(), 8192, 4)).fits);
    // Norms, 161 * 8,192 * 2 = 2,637,824 bytes, stay on both devices; everything else is halved.
    const Fit<> two = inference_fit(inputs_for(llama_3_1_70b(), 8192, 4, {.tp = 2}));
    CHECK(two.fits);
    CHECK(two.tight);  // cli.md, "Human output": under 5 %
    CHECK(bytes(two.residents, ResidentKind::weights) == 70555025408);
    CHECK(bytes(two.residents, ResidentKind::kv_cache) == 5368709120);  // 5 GiB
    CHECK(bytes(two.residents, ResidentKind::reserve) == Approx(8552080998.4).epsilon(1e-12));
    CHECK(two.capacity.value() == capacity_of_h100);
    CHECK(two.margin.value() == Approx(1044994457.6).epsilon(1e-9));
}

TEST_CASE("the margin is signed, and exactly nothing left still fits", "[residents]") {
    Residents<> residents;
    residents.push({.kind = ResidentKind::weights, .bytes = Bytes<>(capacity_of_h100)});
    CHECK(fit(residents, h100()).fits);
    CHECK(fit(residents, h100()).margin.value() == 0);
    residents.push({.kind = ResidentKind::kv_cache, .bytes = Bytes<>(5e9)});
    CHECK(!fit(residents, h100()).fits);
    CHECK(fit(residents, h100()).margin.value() == -5e9);
}

TEST_CASE("what fits but for its reserve is told so", "[residents]") {
    Residents<> residents;
    residents.push({.kind = ResidentKind::weights, .bytes = Bytes<>(80e9)});
    residents.push({.kind = ResidentKind::reserve, .bytes = Bytes<>(8e9)});
    const Fit<> result = fit(residents, h100());
    CHECK(!result.fits);
    CHECK(result.fits_without_reserve);
    CHECK(!result.tight);
}

TEST_CASE("a margin under 5 % of capacity is tight", "[residents]") {
    const auto with_margin = [](double share) {
        Residents<> residents;
        residents.push(
            {.kind = ResidentKind::weights, .bytes = Bytes<>(capacity_of_h100 * (1 - share))});
        return fit(residents, h100()).tight;
    };
    CHECK(with_margin(0.049));
    CHECK(!with_margin(0.051));
}

TEST_CASE("a reserve in bytes replaces the share", "[residents]") {
    Inputs inputs = inputs_for(llama_3_1_8b(), 0, 1);
    inputs.assumptions.reserve.size = Bytes<>(2e9);
    CHECK(bytes(inference_residents<double>(inputs), ResidentKind::reserve) == 2e9);
}

TEST_CASE("tp 8 over 4 KV heads: 24,576 bytes a token and device", "[residents]") {
    // tests/cases/cases.json tp-001: one head per rank, 2 * 48 * 1 * 128 * 2
    const auto cache = [](double tp) {
        return bytes(inference_residents<double>(inputs_for(qwen3_30b_a3b(), 1, 1, {.tp = tp})),
                     ResidentKind::kv_cache);
    };
    CHECK(cache(1) == 98304);
    CHECK(cache(4) == 24576);
    CHECK(cache(8) == 24576);
}

TEST_CASE("every rank holds all of DeepSeek-V3's latents", "[residents]") {
    // tests/cases/cases.json mla-004: 32,768 * 70,272 bytes = 2.14 GiB
    const auto residents =
        inference_residents<double>(inputs_for(deepseek_v3(), 32768, 1, {.tp = 8}));
    CHECK(bytes(residents, ResidentKind::kv_cache) == 32768.0 * 70272);
}

TEST_CASE("gpt-oss keeps half of its layers in a window", "[residents]") {
    // 18 layers of 8,192 tokens and 18 of 128, 2,048 bytes an entry, 32 sequences
    const auto residents = inference_residents<double>(inputs_for(gpt_oss_120b(), 8192, 32));
    CHECK(bytes(residents, ResidentKind::kv_cache) == 32.0 * 2048 * 18 * (8192 + 128));
}

TEST_CASE("recurrent state is the same at any context", "[residents]") {
    const auto residents = inference_residents<double>(inputs_for(mamba_130m(), 1e6, 4));
    CHECK(bytes(residents, ResidentKind::state) == 4 * 29184.0 * 4 * 24);
    CHECK(bytes(residents, ResidentKind::kv_cache) == 0);
}

TEST_CASE("the fullest replica decides: 9 sequences on 8 replicas are 2", "[residents]") {
    const auto cache = [](double batch, double dp) {
        return bytes(
            inference_residents<double>(inputs_for(llama_3_1_8b(), 1000, batch, {.dp = dp})),
            ResidentKind::kv_cache);
    };
    CHECK(cache(9, 8) == cache(2, 1));
    CHECK(cache(8, 8) == cache(1, 1));
}

TEST_CASE("the fullest pipeline stage holds its layers and one end of the model", "[residents]") {
    const auto residents =
        inference_residents<double>(inputs_for(llama_3_1_8b(), 1000, 1, {.pp = 2}));
    const double layer = 2.0 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096);
    const double head = 2.0 * 128256 * 4096 + 2 * 4096;
    CHECK(bytes(residents, ResidentKind::weights) == 16 * layer + head);
    CHECK(bytes(residents, ResidentKind::kv_cache) == 1000.0 * 131072 / 2);
}

TEST_CASE("the search for the largest finds the last that holds", "[residents]") {
    for (const double last : {0., 1., 2., 3., 7., 8., 9., 1000., 131071., 131072.}) {
        for (const double most : {1., 2., 100., 131072.}) {
            CAPTURE(last, most);
            const auto holds = [&](double n) { return n <= last; };
            REQUIRE(largest_that(holds, most) == std::min(last, most));
        }
    }
}
