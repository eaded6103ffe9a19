// Laws that hold for any model, machine and workload; inputs are random with a fixed seed.
#include "napkin/inference.hpp"
#include "napkin/residents.hpp"
#include "tests/support/random_inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

constexpr double rounding = 1e-12;  // of sums that are ordered differently

}  // namespace

TEST_CASE("required is the sum of the residents, and the margin what is left", "[property]") {
    for_random_inputs(500, true, [](const Inputs& inputs) {
        for (const auto& residents :
             {inference_residents<double>(inputs), training_residents<double>(inputs)}) {
            const Fit<> result = fit(residents, inputs.machine.accelerator);
            double sum = 0;
            for (const Resident<>& resident : residents) {
                REQUIRE(resident.bytes.value() >= 0);
                sum += resident.bytes.value();
            }
            REQUIRE(result.required.value() == Approx(sum).epsilon(rounding));
            REQUIRE(result.margin == result.capacity - result.required);
            REQUIRE(result.fits == (result.margin.value() >= 0));
        }
    });
}

TEST_CASE("totals are the sum of their terms", "[property]") {
    for_random_inputs(300, false, [](const Inputs& inputs) {
        const double batch = inputs.workload.batch;
        double flops = 0, bytes = 0;
        const auto sum = [&](const Operations<>& rows, double count) {
            for (const Operation<>& row : rows) {
                flops += count * row.times * row.flops.value();
                bytes += count * row.times *
                         (row.weight_bytes + row.kv_bytes + row.activation_bytes).value();
            }
        };
        for (const Block& block : inputs.model.blocks) {
            sum(lower(block, inputs, Phase::decode, even_load<double>(batch, inputs.layout)),
                block.count);
        }
        sum(lower_outer(inputs, Phase::decode, even_load<double>(batch, inputs.layout)), 1);
        const Decode<> result = decode(inputs);
        REQUIRE(result.step.flops.value() == Approx(flops).epsilon(rounding));
        REQUIRE(result.step.bytes.value() == Approx(bytes).epsilon(rounding));
        REQUIRE(result.intensity.value() == Approx(flops / bytes).epsilon(rounding));
    });
}

TEST_CASE("faster memory, compute or links never slow a step", "[property]") {
    for_random_inputs(300, true, [](const Inputs& inputs) {
        const Seconds<> decoded = decode(inputs).step_time;
        const Seconds<> read = prefill(inputs).time_to_first_token;
        Inputs faster = inputs;
        faster.machine.accelerator.memory.bandwidth =
            inputs.machine.accelerator.memory.bandwidth * 1.5;
        REQUIRE(decode(faster).step_time <= decoded);
        REQUIRE(prefill(faster).time_to_first_token <= read);
        faster = inputs;
        for (auto& peak : faster.machine.accelerator.compute.peak) peak = peak * 1.5;
        REQUIRE(decode(faster).step_time <= decoded);
        REQUIRE(prefill(faster).time_to_first_token <= read);
        faster = inputs;
        faster.machine.scale_up = inputs.machine.scale_up * 1.5;
        faster.machine.scale_out = inputs.machine.scale_out * 1.5;
        REQUIRE(decode(faster).step_time <= decoded);
        REQUIRE(prefill(faster).time_to_first_token <= read);
    });
}

TEST_CASE("what a kernel attains is under both roofs", "[property]") {
    Dice dice(5);
    for (int i = 0; i < 2000; ++i) {
        const Intensity<> intensity(dice.size(1, 1e6) / 1000);
        CAPTURE(intensity.value());
        const Roofline<> result = roofline(intensity, h100(), Arithmetic::bf16);
        REQUIRE(result.attainable <= peak(h100(), Arithmetic::bf16));
        REQUIRE(result.attainable <= intensity * h100().memory.bandwidth);
        REQUIRE(result.headroom >= 1);
    }
}

TEST_CASE("a longer context or a larger batch never widens the margin", "[property]") {
    for_random_inputs(300, true, [](const Inputs& inputs) {
        const auto margin = [](const Inputs& any) {
            return fit(inference_residents<double>(any), any.machine.accelerator).margin.value();
        };
        Inputs longer = inputs;
        longer.workload.context += 1 + std::floor(inputs.workload.context / 3);
        REQUIRE(margin(longer) <= margin(inputs));
        Inputs larger_batch = inputs;
        larger_batch.workload.batch += 1 + std::floor(inputs.workload.batch / 3);
        REQUIRE(margin(larger_batch) <= margin(inputs));
    });
}

TEST_CASE("a larger batch never lowers the ceiling on tokens a second", "[property]") {
    for_random_inputs(300, false, [](const Inputs& inputs) {
        Inputs more = inputs;
        for (const double batch : {1.0, 7.0, 64.0}) {
            more.workload.batch = inputs.workload.batch + batch;
            REQUIRE(decode(more).tokens_per_second.value() >=
                    decode(inputs).tokens_per_second.value() * (1 - rounding));
            REQUIRE(decode(more).step_time >= decode(inputs).step_time * (1 - rounding));
        }
    });
}

TEST_CASE("no answer is negative, infinite or not a number", "[property]") {
    for_random_inputs(500, true, [](const Inputs& inputs) {
        const Decode<> generated = decode(inputs);
        const Prefill<> read = prefill(inputs);
        for (const double number :
             {generated.tokens_per_second.value(), generated.step_time.value(),
              generated.intensity.value(), generated.compute_utilization, generated.critical_batch,
              read.time_to_first_token.value(), read.tokens_per_second.value(),
              read.intensity.value(), read.compute_utilization}) {
            REQUIRE(std::isfinite(number));
            REQUIRE(number > 0);
        }
        REQUIRE(generated.compute_utilization <= 1 + rounding);
        REQUIRE(read.compute_utilization <= 1 + rounding);
    });
}
