// The core's answers explained: the same numbers to the bit, and every line of them re-computed.
#include "tests/support/explanation.hpp"
#include "napkin/derivation.hpp"
#include "napkin/inference.hpp"
#include "napkin/reliability.hpp"
#include "napkin/residents.hpp"
#include "napkin/training.hpp"
#include "tests/support/random_inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

bool same(const Traced& traced, double bare) {
    return traced.value() == bare;
}
template <Dimension D>
bool same(const Quantity<D, Traced>& traced, const Quantity<D>& bare) {
    return traced.value().value() == bare.value();
}

template <Dimension D>
Traced value(const Quantity<D, Traced>& quantity) {
    return quantity.value();
}

}  // namespace

TEST_CASE("decode and prefill are the same to the bit with and without derivation", "[property]") {
    for_random_inputs(300, true, [](const Inputs& inputs) {
        const Decode<> bare = decode<double>(inputs);
        const Decode<Traced> traced = decode<Traced>(inputs);
        REQUIRE(same(traced.tokens_per_second, bare.tokens_per_second));
        REQUIRE(same(traced.step_time, bare.step_time));
        REQUIRE(same(traced.step.bytes, bare.step.bytes));
        REQUIRE(same(traced.step.flops, bare.step.flops));
        REQUIRE(same(traced.intensity, bare.intensity));
        REQUIRE(same(traced.compute_utilization, bare.compute_utilization));
        REQUIRE(same(traced.critical_batch, bare.critical_batch));
        REQUIRE(traced.step.bound == bare.step.bound);
        const Prefill<> read = prefill<double>(inputs);
        const Prefill<Traced> told = prefill<Traced>(inputs);
        REQUIRE(same(told.time_to_first_token, read.time_to_first_token));
        REQUIRE(same(told.tokens_per_second, read.tokens_per_second));
        REQUIRE(same(told.intensity, read.intensity));
    });
}

TEST_CASE("residents, parameters and runs are the same to the bit as well", "[property]") {
    for_random_inputs(300, true, [](const Inputs& inputs) {
        const auto check = [&](const auto& bare, const auto& traced) {
            REQUIRE(bare.count == traced.count);
            for (std::size_t i = 0; i < bare.count; ++i) {
                REQUIRE(same(traced.at[i].bytes, bare.at[i].bytes));
            }
            const auto& part = inputs.machine.accelerator;
            REQUIRE(same(fit(traced, part).margin, fit(bare, part).margin));
        };
        check(inference_residents<double>(inputs), inference_residents<Traced>(inputs));
        check(training_residents<double>(inputs), training_residents<Traced>(inputs));
        const Model& model = inputs.model;
        REQUIRE(same(parameters<Traced>(model), parameters<double>(model)));
        REQUIRE(same(active_parameters<Traced>(model), active_parameters<double>(model)));
        REQUIRE(
            same(active_without_embedding<Traced>(model), active_without_embedding<double>(model)));
        REQUIRE(same(weight_bytes<Traced>(model), weight_bytes<double>(model)));
        REQUIRE(same(kv_bytes_per_token<Traced>(model, bfloat16()),
                     kv_bytes_per_token<double>(model, bfloat16())));
        REQUIRE(same(training_flops(model, Tokens<Traced>(Traced(1e12))),
                     training_flops(model, Tokens<>(1e12))));
    });
}

TEST_CASE("every line of every explanation re-computes from its own operands", "[property]") {
    for_random_inputs(60, true, [](const Inputs& inputs) {
        const Decode<Traced> generated = decode<Traced>(inputs);
        check_lines(explain({value(generated.tokens_per_second), value(generated.intensity),
                             generated.compute_utilization, generated.critical_batch}));
        const Prefill<Traced> read = prefill<Traced>(inputs);
        check_lines(explain({value(read.time_to_first_token), value(read.tokens_per_second)}));
        const auto& part = inputs.machine.accelerator;
        check_lines(explain({value(fit(inference_residents<Traced>(inputs), part).margin),
                             value(fit(training_residents<Traced>(inputs), part).margin)}));
        check_lines(
            explain({parameters<Traced>(inputs.model), active_parameters<Traced>(inputs.model),
                     active_without_embedding<Traced>(inputs.model),
                     value(weight_bytes<Traced>(inputs.model)),
                     value(kv_bytes_per_token<Traced>(inputs.model, bfloat16()))}));
    });
}

TEST_CASE("runs, failures and rooflines explain themselves as well", "[property]") {
    const Machine machine = h100s(16384);
    const auto work = training_flops(llama_3_1_405b(), Tokens<Traced>(Traced(15.6e12)));
    const auto run = run_at(work, machine, Arithmetic::bf16, given<Traced>(0.41, "mfu"));
    const auto claim = run_in(work, machine, Arithmetic::bf16,
                              given<Traced>(Seconds<>(54 * 86400.0), "claimed_duration"));
    check_lines(explain(
        {value(run.duration), value(run.device_time), value(run.flops_per_device), claim.mfu}));
    REQUIRE(same(run.duration, run_at(training_flops(llama_3_1_405b(), Tokens<>(15.6e12)), machine,
                                      Arithmetic::bf16, 0.41)
                                   .duration));

    FailureRecord record;
    record.devices = 16384;
    record.duration = Seconds<>(54 * 86400.0);
    record.interruptions = 419;
    const auto mtbf = job_mtbf(device_mtbf<Traced>(record), 16384);
    const auto stall = given<Traced>(Seconds<>(60), "checkpoint_stall");
    const auto restart = given<Traced>(Seconds<>(300), "restart");
    for (const auto rule : {IntervalRule::young, IntervalRule::daly, IntervalRule::saxena}) {
        const auto interval = checkpoint_interval(rule, stall, restart, mtbf);
        check_lines(explain({value(interval), goodput(interval, stall, restart, mtbf)}));
    }
    const auto intensity = intensity_of<Traced>({.m = 8, .n = 4096, .k = 4096}, bfloat16());
    const auto roof = roofline(intensity, h100(), Arithmetic::bf16);
    check_lines(explain({value(roof.attainable), roof.headroom, value(roof.ridge)}));
}
