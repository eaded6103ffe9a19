#include "napkin/training.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/models.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

constexpr double day = 86400;

/// Llama-3.1-405B on 15.6T tokens: arXiv 2407.21783.
Flops<> llama_405b() {
    return training_flops(llama_3_1_405b(), Tokens<>(15.6e12));
}

PublishedRun run_of(const char* id, const char* family, double mfu) {
    PublishedRun run;
    run.id = id;
    run.family = family;
    run.mfu = mfu;
    run.peak = "bf16";
    return run;
}

}  // namespace

TEST_CASE("405B on 15.6T tokens is 3.80e25 FLOPs", "[training]") {
    // 6 * 405,853,388,800 * 15.6e12; the paper says 3.8e25
    CHECK(llama_405b().value() == Approx(3.798787719168e25).epsilon(1e-12));
}

TEST_CASE("6ND counts active parameters", "[training]") {
    CHECK(training_flops(deepseek_v3(), Tokens<>(14.8e12)).value() ==
          Approx(6 * 37552297472.0 * 14.8e12).epsilon(1e-14));
    CHECK(training_flops(size_of(671e9, 37e9), Tokens<>(1e12)).value() ==
          Approx(6 * 37e9 * 1e12).epsilon(1e-14));
}

TEST_CASE("at 41 % on 16,384 H100 that takes 66.2 days", "[training]") {
    // 3.798787719168e25 / (16,384 * 989.4e12 * 0.41) / 86,400 = 66.154
    const Run<> run = run_at(llama_405b(), h100s(16384), Arithmetic::bf16, 0.41);
    CHECK(run.duration.value() / day == Approx(66.1539).epsilon(1e-5));
    CHECK(run.mfu == 0.41);
    CHECK(run.flops == llama_405b());
    CHECK(run.flops_per_device.value() == Approx(3.798787719168e25 / 16384).epsilon(1e-12));
    CHECK(run.device_time.value() / 3600 == Approx(66.1539 * 24 * 16384).epsilon(1e-5));
}

TEST_CASE("a claim of 54 days would be 50.2 % of the peak", "[training]") {
    const Run<> run = run_in(llama_405b(), h100s(16384), Arithmetic::bf16, Seconds<>(54 * day));
    CHECK(run.mfu > 0.502);
    CHECK(run.mfu < 0.503);
    CHECK(run.mfu == Approx(0.50228).epsilon(1e-5));
    CHECK(run.duration.value() == 54 * day);
}

TEST_CASE("duration and utilisation are each other's inverse", "[training]") {
    for (const double mfu : {0.05, 0.3, 0.41, 0.55, 1.0}) {
        CAPTURE(mfu);
        const Run<> there = run_at(llama_405b(), h100s(1024), Arithmetic::bf16, mfu);
        const Run<> back = run_in(llama_405b(), h100s(1024), Arithmetic::bf16, there.duration);
        CHECK(back.mfu == Approx(mfu).epsilon(1e-14));
        CHECK(back.device_time == there.device_time);
    }
}

TEST_CASE("utilisation is told of the peak that is asked for", "[training]") {
    const Run<> half = run_in(llama_405b(), h100s(16384), Arithmetic::fp8, Seconds<>(54 * day));
    CHECK(half.mfu == Approx(0.5022798 * 989.4 / 1978.9).epsilon(1e-6));
}

TEST_CASE("twice the devices halve the time and keep the device-hours", "[training]") {
    const Run<> one = run_at(llama_405b(), h100s(8192), Arithmetic::bf16, 0.4);
    const Run<> two = run_at(llama_405b(), h100s(16384), Arithmetic::bf16, 0.4);
    CHECK(two.duration.value() == Approx(one.duration.value() / 2).epsilon(1e-14));
    CHECK(two.device_time.value() == Approx(one.device_time.value()).epsilon(1e-14));
}

TEST_CASE("the published range is that of the accelerator's family", "[training]") {
    const std::vector<PublishedRun> runs{run_of("a", "hopper", 0.41), run_of("b", "ampere", 0.57),
                                         run_of("c", "hopper", 0.33), run_of("d", "hopper", 0.55)};
    const auto range = published_range(runs, h100(), Arithmetic::bf16);
    REQUIRE(range.has_value());
    CHECK(range->count == 3);
    CHECK(range->lowest.id == "c");
    CHECK(range->median.id == "a");
    CHECK(range->highest.id == "d");
}

TEST_CASE("runs stated against another peak do not count", "[training]") {
    std::vector<PublishedRun> runs{run_of("a", "hopper", 0.41), run_of("b", "hopper", 0.39)};
    runs[0].peak = "fp8";
    const auto half = published_range(runs, h100(), Arithmetic::bf16);
    REQUIRE(half.has_value());
    CHECK(half->highest.id == "b");
    CHECK(published_range(runs, h100(), Arithmetic::fp8)->highest.id == "a");
}

TEST_CASE("no published run, no range", "[training]") {
    CHECK(!published_range({}, h100(), Arithmetic::bf16));
    const std::vector<PublishedRun> runs{run_of("b", "ampere", 0.57)};
    CHECK(!published_range(runs, h100(), Arithmetic::bf16));
}

TEST_CASE("a single run is both ends of its range", "[training]") {
    const std::vector<PublishedRun> runs{run_of("a", "hopper", 0.41)};
    const auto range = published_range(runs, h100(), Arithmetic::bf16);
    REQUIRE(range.has_value());
    CHECK(range->lowest.id == "a");
    CHECK(range->median.id == "a");
    CHECK(range->highest.id == "a");
}
