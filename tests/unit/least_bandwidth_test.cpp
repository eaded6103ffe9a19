// From which bandwidths on neither memory nor links hold a step back.
#include "napkin/inference.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

TEST_CASE("at its least memory bandwidth a step takes as long as its FLOPs", "[roofline]") {
    Inputs inputs = inputs_for(llama_3_1_8b(), 1000, 4);
    const Decode<> now = decode(inputs);
    const LeastBandwidth<> least = least_bandwidth(now.totals, now.step);
    inputs.machine.accelerator.memory.bandwidth = least.memory;
    CHECK(decode(inputs).step.memory.value() == Approx(now.step.compute.value()).epsilon(1e-12));
    CHECK(decode(inputs).step.bound == Bound::memory);  // both alike: neither is above the other
    inputs.machine.accelerator.memory.bandwidth = least.memory * 1.001;
    CHECK(decode(inputs).step.bound == Bound::compute);
}

TEST_CASE("links that carry 64 payloads in the time of the work do not bind", "[roofline]") {
    // 32 layers, 2 sums each, of 4,096 x 2 bytes for each of 4 sequences
    Inputs inputs = inputs_for(llama_3_1_8b(), 0, 4, {.tp = 4});
    const Decode<> now = decode(inputs);
    const LeastBandwidth<> least = least_bandwidth(now.totals, now.step);
    const double payload = 4.0 * 4096 * 2;
    CHECK(least.scale_up.value() == Approx(64 * payload / now.step.memory.value()).epsilon(1e-12));
    CHECK(least.scale_out.value() == 0);
    inputs.machine.scale_up = least.scale_up * 0.999;
    CHECK(decode(inputs).step.bound == Bound::network);
    inputs.machine.scale_up = least.scale_up * 1.001;
    CHECK(decode(inputs).step.bound == Bound::memory);
}

TEST_CASE("one device needs no link", "[roofline]") {
    const Decode<> alone = decode(inputs_for(llama_3_1_8b(), 0, 1));
    CHECK(least_bandwidth(alone.totals, alone.step).scale_up.value() == 0);
}
