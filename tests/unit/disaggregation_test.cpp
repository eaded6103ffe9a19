#include "napkin/disaggregation.hpp"

#include "napkin/cost.hpp"
#include "napkin/derivation.hpp"
#include "tests/support/random_inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

// Llama-3.1-70B in bf16, 2,048 tokens in and 512 out, generated on 8 H100 with 64 in flight and
// read on 8 others. As in serving_test.cpp, by hand: a step 6.98972 ms, a prompt 36.1176 ms.
const Layout eight{.dp = 1, .tp = 8};
Inputs on_eight(double batch) {
    Inputs inputs = prompts_for(llama_3_1_70b(), 2048, 0, batch, eight);
    inputs.workload.output = 512;
    inputs.workload.context = tokens_held(inputs);
    return inputs;
}
Inputs reader(double devices) {
    return reader_on(h100s(devices), on_eight(1));
}
constexpr double by_hand = 1e-3;  // of the norms, which every device reads

}  // namespace

TEST_CASE("8 H100 generate 17.9 requests a second that 8 others read at 27.7", "[apart]") {
    const Disaggregated<> point = serve_apart(on_eight(64), reader(8));
    CHECK(point.time_per_output_token.value() == Approx(6.98972e-3).epsilon(by_hand));
    CHECK(point.time_to_first_token.value() == Approx(36.1176e-3).epsilon(by_hand));
    CHECK(point.decode_requests_per_second.value() ==
          Approx(64 / (511 * 6.98972e-3)).epsilon(by_hand));  // 17.918
    CHECK(point.prefill_requests_per_second.value() == Approx(1 / 36.1176e-3).epsilon(by_hand));
    CHECK(point.requests_per_second == point.decode_requests_per_second);
    CHECK(point.bottleneck == Bottleneck::decode);
    // 17.918 / 27.687
    CHECK(point.prefill_machines_per_decode_machine == Approx(0.64716).epsilon(2 * by_hand));
}

TEST_CASE("the keys and values of 2,048 tokens cross 8 links of 50 GB/s in 1.68 ms", "[apart]") {
    // 2 x 80 layers x 8 heads x 128 x 2 B = 327,680 B a token: 671,088,640 B / 400e9
    Inputs reading = reader(8);
    Inputs generating = on_eight(64);
    reading.machine.scale_out = generating.machine.scale_out = BytesPerSecond<>(50e9);
    const Disaggregated<> point = serve_apart(generating, reading);
    CHECK_FALSE(point.one_domain);
    CHECK(point.kv_transfer_bytes.value() == 671088640);
    CHECK(point.kv_transfer_time.value() == Approx(1.6777216e-3).epsilon(1e-12));
    // 36.118 + 1.678 + 6.990; layer by layer the transfer hides behind the prefill
    CHECK(point.time_to_second_token.value() == Approx(44.785e-3).epsilon(by_hand));
    CHECK(point.time_to_second_token_overlapped.value() == Approx(43.107e-3).epsilon(by_hand));
}

TEST_CASE("the slower side's links decide, and one that is unknown does not count", "[apart]") {
    Inputs reading = reader(8);
    Inputs generating = on_eight(64);
    reading.machine.scale_out = BytesPerSecond<>(10e9);
    generating.machine.scale_out = BytesPerSecond<>(50e9);
    CHECK(serve_apart(generating, reading).link.value() == 80e9);
    reading.machine.scale_out = BytesPerSecond<>(0);
    CHECK(serve_apart(generating, reading).link.value() == 400e9);
    generating.machine.scale_out = BytesPerSecond<>(0);
    const Disaggregated<> unknown = serve_apart(generating, reading);
    CHECK(unknown.link.value() == 0);
    CHECK(unknown.kv_transfer_time.value() == 0);
}

TEST_CASE("links of 1 GB/s pass 11.9 requests a second, whatever the devices could do", "[apart]") {
    Inputs reading = reader(8);
    reading.machine.scale_out = BytesPerSecond<>(1e9);
    const Disaggregated<> point = serve_apart(on_eight(64), reading);
    CHECK(point.requests_per_second.value() == Approx(8e9 / 671088640).epsilon(1e-12));
    CHECK(point.bottleneck == Bottleneck::transfer);
}

TEST_CASE("two halves of a node exchange over its scale-up fabric", "[apart]") {
    Inputs half = prompts_for(llama_3_1_8b(), 2048, 0, 8, {.dp = 1, .tp = 4});
    half.workload.output = 512;
    half.machine.scale_up = BytesPerSecond<>(450e9);
    half.machine.accelerator.links.domain = 8;
    const Disaggregated<> point = serve_apart(half, reader_on(half.machine, half));
    CHECK(point.one_domain);
    // 131,072 B a token, 4 links
    CHECK(point.kv_transfer_time.value() == Approx(2048 * 131072 / (4 * 450e9)).epsilon(1e-12));
}

TEST_CASE("a side that is slow at reading is what binds", "[apart]") {
    // A 70B on 2 devices reads 4 times slower than on 8: 6.92 a second.
    const Disaggregated<> point = serve_apart(on_eight(64), reader(2));
    CHECK(point.bottleneck == Bottleneck::prefill);
    CHECK(point.requests_per_second.value() == Approx(0.25 / 36.1176e-3).epsilon(2 * by_hand));
    CHECK(point.prefill_machines_per_decode_machine == Approx(2.5886).epsilon(3 * by_hand));
}

TEST_CASE("at 16 USD an hour each: 0.0784 USD for a million tokens in, 0.484 out", "[cost]") {
    // 16 / 3600 x 36.1176e-3 / 2048 x 1e6; 16 / 3600 / 17.918 / 512 x 1e6
    const Disaggregated<> point = serve_apart(on_eight(64), reader(8));
    const TokenPrices<> prices = token_prices(point, Dollars<>(16), Dollars<>(16), 1.0);
    CHECK(prices.per_million_input.value() == Approx(0.078381).epsilon(by_hand));
    CHECK(prices.per_million_output.value() == Approx(0.484470).epsilon(by_hand));
    // (0.078381 x 2,048 + 0.484470 x 512) / 2,560
    CHECK(prices.per_million.value() == Approx(0.159599).epsilon(by_hand));
    const TokenPrices<> half = token_prices(point, Dollars<>(8), Dollars<>(16), 0.5);
    CHECK(half.per_million_input.value() == Approx(0.078381).epsilon(by_hand));
    CHECK(half.per_million_output.value() == Approx(2 * 0.484470).epsilon(by_hand));
    // 100 requests a second: 100 / 27.687 = 3.6, 100 / 17.918 = 5.6
    const Machines<> machines = machines_for(point, Hertz<>(100), 1.0);
    CHECK(machines.prefill == 4);
    CHECK(machines.decode == 6);
}

TEST_CASE("the best batch apart keeps a step within its time", "[apart]") {
    Limits limits;
    limits.time_per_output_token = Seconds<>(7e-3);  // 64 take 6.990 ms, 65 7.018
    CHECK(best_batch(on_eight(1), reader(8), 565, limits) == 64);
    limits.time_to_first_token = Seconds<>(36e-3);  // 36.1 ms by hand
    CHECK(best_batch(on_eight(1), reader(8), 565, limits) == 0);
}

TEST_CASE("apart, no token comes later than where prompts come in between", "[property]") {
    for_random_inputs(100, true, [](Inputs inputs) {
        inputs.workload.batch = smaller(inputs.workload.batch, 200);
        Inputs reading = inputs;
        const Disaggregated<> apart = serve_apart(inputs, reading);
        const Serving<> together = serve(inputs);
        REQUIRE(apart.time_per_output_token == together.step_time);
        REQUIRE(apart.time_to_first_token == together.time_to_first_token);
        REQUIRE(apart.time_to_second_token >= apart.time_to_second_token_overlapped);
        const Disaggregated<Traced> traced = serve_apart<Traced>(inputs, reading);
        REQUIRE(value_of(traced.requests_per_second) == apart.requests_per_second.value());
        REQUIRE(value_of(traced.time_to_second_token) == apart.time_to_second_token.value());
    });
}
