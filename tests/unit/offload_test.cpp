#include "napkin/offload.hpp"

#include <cmath>
#include <utility>

#include "napkin/capacity.hpp"
#include "napkin/inference.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

/// A host whose memory gives 50 GB/s and that computes as fast as need be.
Accelerator slow_memory() {
    Accelerator host{.id = "host", .name = "host", .kind = "cpu"};
    host.memory.bandwidth = BytesPerSecond<>(50e9);
    return host;
}

/// 40 layers of 200 MB each, nothing around them.
Model forty_layers() {
    Block block{.count = 40, .norms = 0};
    block.feed_forward = DenseFeedForward{.width = 50000};  // two matrices of 1,000 x 50,000
    Model model{.id = "forty", .hidden = 1000, .vocabulary = 0, .final_norm = false};
    model.blocks = {block};
    return in_bfloat16(model);
}

Inputs offloaded(const Model& model, double context, double layers_away, double experts_away = 0) {
    Inputs inputs = inputs_for(model, context, 1);
    inputs.offload = {.layers = layers_away, .expert_layers = experts_away, .host = slow_memory()};
    return inputs;
}

double weights(const Residents<>& list) {
    return bytes_of(list, ResidentKind::weights).value();
}

}  // namespace

TEST_CASE("30 of 40 layers at 936 GB/s and 10 at 50 GB/s: 21.5 tokens a second", "[offload]") {
    Inputs inputs = offloaded(forty_layers(), 0, 10);
    inputs.machine.accelerator.memory.bandwidth = BytesPerSecond<>(936e9);
    const Decode<> result = decode(inputs);
    CHECK(result.step_time.value() == Approx(6e9 / 936e9 + 2e9 / 50e9).epsilon(1e-6));
    CHECK(result.tokens_per_second.value() == Approx(21.546961326).epsilon(1e-6));
    CHECK(result.host.step.time.value() == Approx(2e9 / 50e9).epsilon(1e-6));
    CHECK(result.host.step.bound == Bound::memory);
}

TEST_CASE("a slow host computes long, and its layers stream to the device instead", "[offload]") {
    // 512 tokens, two FLOP for each of 1e9 weights and token, at 1 TFLOP/s: 1.02 s; the 2 GB cross
    // 32 GB/s of PCIe in 62.5 ms, with 512 embeddings of 2,000 B, while the device computes all 40
    // layers in 4.1 ms.
    Inputs inputs = offloaded(forty_layers(), 512, 10);
    inputs.workload.prompt = 512;
    inputs.offload->host.compute.peak[index_of(Arithmetic::fp32)] = FlopsPerSecond<>(1e12);
    CHECK(prefill(inputs).time_to_first_token.value() ==
          Approx(2 * 512 * 1e9 / 1e12 + 2 * 512 * 3e9 / 989.4e12).epsilon(1e-6));
    inputs.machine.accelerator.links.pcie = BytesPerSecond<>(32e9);
    const Prefill<> streamed = prefill(inputs);
    CHECK(streamed.host.streams);
    CHECK(streamed.time_to_first_token.value() == Approx((2e9 + 512 * 2000) / 32e9).epsilon(1e-9));
}

TEST_CASE("PCIe streams no faster than the host's memory reads", "[offload]") {
    Inputs inputs = offloaded(forty_layers(), 0, 10);
    inputs.machine.accelerator.links.pcie = BytesPerSecond<>(63e9);
    CHECK(streaming_bandwidth(inputs).value() == 50e9);
    inputs.machine.accelerator.links.pcie = BytesPerSecond<>(32e9);
    CHECK(streaming_bandwidth(inputs).value() == 32e9);
    CHECK_FALSE(decode(inputs).host.streams);  // a token: reading it there is sooner
}

TEST_CASE("device and host keep the whole model between them, and its cache", "[offload]") {
    for (const Model& model : {llama_3_1_8b(), deepseek_v3(), gpt_oss_120b(), mixtral_8x7b()}) {
        Inputs whole = inputs_for(model, 4096, 3);
        const auto all = inference_residents<double>(whole);
        for (const auto& [layers_away, experts_away] :
             {std::pair{1., 0.}, std::pair{7., 0.}, std::pair{0., 5.}, std::pair{4., 11.}}) {
            CAPTURE(model.id, layers_away, experts_away);
            Inputs inputs = whole;
            inputs.offload = {
                .layers = layers_away, .expert_layers = experts_away, .host = slow_memory()};
            const auto device = inference_residents<double>(inputs);
            const auto host = host_residents<double>(inputs);
            CHECK(weights(device) + weights(host) == Approx(weights(all)).epsilon(1e-13));
            const auto kept = [](const Residents<>& list) {
                return bytes_of(list, ResidentKind::kv_cache).value();
            };
            CHECK(kept(device) + kept(host) == Approx(kept(all)).epsilon(1e-13));
            const Decode<> split = decode(inputs);
            const Decode<> together = decode(whole);
            CHECK((split.step.flops + split.host.step.flops).value() ==
                  Approx(together.step.flops.value()).epsilon(1e-12));
            CHECK((split.step.bytes + split.host.step.bytes).value() ==
                  Approx(together.step.bytes.value()).epsilon(1e-12));
        }
    }
}

TEST_CASE("a tied table is looked up on the host and multiplied on the device", "[offload]") {
    const Inputs inputs = offloaded(qwen3_4b(), 0, 1);
    const double table = 151936.0 * 2560 * 2;
    const double both =
        weights(inference_residents<double>(inputs)) + weights(host_residents<double>(inputs));
    CHECK(both == Approx(4022468096.0 * 2 + table).epsilon(1e-13));
}

TEST_CASE("the routed experts of all layers on the host leave router and shared expert",
          "[offload]") {
    const Inputs inputs = offloaded(deepseek_v3(), 0, 0, 58);
    const double expert = 3.0 * 7168 * 2048;
    const double table = 129280.0 * 7168;
    CHECK(weights(host_residents<double>(inputs)) ==
          Approx(2 * (58 * 256 * expert + table)).epsilon(1e-13));
    // Of 256 experts a token reads 8 in each layer.
    CHECK(decode(inputs).host.totals.weight_bytes.value() ==
          Approx(2 * 58 * 8 * expert).epsilon(1e-12));
}

TEST_CASE("the host has the first layers; kinds whose order is unknown alternate", "[offload]") {
    Model model = deepseek_v3();
    const auto dense_away = [&](double layers_away) {
        return host_layers(model, {.layers = layers_away})[0].whole;
    };
    CHECK(dense_away(61) == 3);
    CHECK(dense_away(30) <= 2);  // evenly: 30 * 3 / 61
    for (int i = 0; i < 61; ++i) model.order.push_back(i < 3 ? 0 : 1);
    CHECK(dense_away(2) == 2);
    CHECK(dense_away(30) == 3);
    const auto half = host_layers(gpt_oss_120b(), {.layers = 10});
    CHECK(half[0].whole == 5);
    CHECK(half[1].whole == 5);
}

TEST_CASE("one H100 holds 42 of the 80 layers of a 70B in bf16", "[offload]") {
    // A layer: 2 x (2 x 8,192^2 + 2 x 1,024 x 8,192 + 3 x 8,192 x 28,672 + 2 x 8,192) B and 4,096 B
    // of cache for each of 8,192 tokens. Besides: the head, a norm, a tenth in reserve.
    const double layer =
        2 * (2 * 8192.0 * 8192 + 2 * 1024.0 * 8192 + 3 * 8192.0 * 28672 + 2 * 8192.0) +
        4096.0 * 8192;
    const double room = 0.9 * 81559 * 1048576 - 2 * (128256.0 * 8192 + 8192);
    const Layout one;
    const Inputs inputs = inputs_for(llama_3_1_70b(), 8192, 1);
    CHECK(max_gpu_layers(inputs, {&one, 1}) == std::floor(room / layer));
    CHECK(std::floor(room / layer) == 42);
}

TEST_CASE("what the host's memory does not hold does not fit", "[offload]") {
    Inputs inputs = offloaded(llama_3_1_70b(), 0, 60);  // 60 layers of 1.71 GB: 103 GB
    CHECK(inference_fit<double>(inputs).fits);          // unknown: not held against it
    inputs.offload->host.memory.sold = Bytes<>(128e9);
    CHECK(inference_fit<double>(inputs).fits);
    inputs.offload->host.memory.sold = Bytes<>(96e9);
    CHECK_FALSE(inference_fit<double>(inputs).fits);
    CHECK_FALSE(inference_fit<double>(inputs).host_holds);
}

TEST_CASE("the cache of the host's layers is read from its memory", "[offload]") {
    // 16 of 32 layers of 4,096 B a token each; 100,000 tokens
    const auto time = [](double context) {
        return decode(offloaded(llama_3_1_8b(), context, 16)).host.step.time.value();
    };
    CHECK(time(100000) - time(0) == Approx(100000 * 4096.0 * 16 / 50e9).epsilon(1e-9));
}

TEST_CASE("a sequence passes two stages and the host one after the other", "[offload]") {
    Inputs inputs = inputs_for(forty_layers(), 0, 1, {.pp = 2});
    inputs.offload = {.layers = 10, .host = slow_memory()};
    CHECK(decode(inputs).step_time.value() == Approx(6e9 / 3.35e12 + 2e9 / 50e9).epsilon(1e-6));
}
