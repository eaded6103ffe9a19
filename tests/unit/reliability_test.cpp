#include "napkin/reliability.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

/// 419 unexpected stops in 54 days on 16,384 H100 (arXiv 2407.21783, 3.3.4).
FailureRecord llama_3() {
    FailureRecord record;
    record.devices = 16384;
    record.duration = Seconds<>(54 * 86400.0);
    record.interruptions = 419;
    return record;
}

double interval(IntervalRule rule, double stall, double restart, double mtbf) {
    return checkpoint_interval(rule, Seconds<>(stall), Seconds<>(restart), Seconds<>(mtbf)).value();
}

double share_of_training(double interval, double stall, double restart, double mtbf) {
    return goodput(Seconds<>(interval), Seconds<>(stall), Seconds<>(restart), Seconds<>(mtbf));
}

}  // namespace

TEST_CASE("419 stops in 54 days on 16,384 devices: 50,677 h for a device", "[reliability]") {
    // 54 * 24 h * 16,384 / 419: tests/cases/cases.json rel-001
    CHECK(device_mtbf<double>(llama_3()).value() / 3600 ==
          Approx(50677.00238663484).epsilon(1e-12));
}

TEST_CASE("and 3.09 h for the job", "[reliability]") {
    const Seconds<> device = device_mtbf<double>(llama_3());
    CHECK(job_mtbf(device, 16384).value() / 3600 == Approx(3.0930787589).epsilon(1e-10));
    CHECK(job_mtbf(device, 1) == device);
}

TEST_CASE("100,000 such devices stop every 30.4 minutes", "[reliability]") {
    // rel-002
    CHECK(job_mtbf(device_mtbf<double>(llama_3()), 1e5).value() / 60 ==
          Approx(30.406201432).epsilon(1e-9));
}

TEST_CASE("saving for 60 s with 3.09 h between stops: 1,156 s by Young's rule", "[reliability]") {
    // sqrt(2 * 60 * 11,135.0835) = 1,155.9455
    CHECK(interval(IntervalRule::young, 60, 300, 11135.083532219569) ==
          Approx(1155.9455107687).epsilon(1e-12));
}

TEST_CASE("Daly and Saxena count the restart as well", "[reliability]") {
    // sqrt(2 * 60 * 11,435.0835) - 60 and 60 + sqrt(2 * 11,435.0835 * 60 + 60^2)
    CHECK(interval(IntervalRule::daly, 60, 300, 11135.083532219569) ==
          Approx(1111.4136860505).epsilon(1e-12));
    CHECK(interval(IntervalRule::saxena, 60, 300, 11135.083532219569) ==
          Approx(1232.9492844392).epsilon(1e-12));
    // M 6,000 s, R 600 s, d 10 s: sqrt(2 * 6,600 * 10) = 363 s
    CHECK(interval(IntervalRule::daly, 10, 600, 6000) + 10 == Approx(363.318).epsilon(1e-6));
}

TEST_CASE("at that interval 13.0753 % of the time is lost", "[reliability]") {
    // rel-005: 60 / T + T / (2 M) + 300 / M
    const double share = share_of_training(1155.9455107687163, 60, 300, 11135.083532219569);
    CHECK(1 - share == Approx(0.130752994044).epsilon(1e-11));
}

TEST_CASE("no other interval loses less than Young's", "[reliability]") {
    const double best = share_of_training(1155.9455107687163, 60, 300, 11135.083532219569);
    for (double t = 100; t < 10000; t *= 1.1) {
        CAPTURE(t);
        CHECK(share_of_training(t, 60, 300, 11135.083532219569) <= best);
    }
}

TEST_CASE("a job that stops faster than it restarts trains nothing, not less", "[reliability]") {
    CHECK(share_of_training(600, 60, 3600, 600) == 0);
    CHECK(share_of_training(10, 600, 0, 1e9) == 0);
}

TEST_CASE("a job that never stops loses only its saving", "[reliability]") {
    CHECK(share_of_training(1000, 10, 300, 1e30) == Approx(0.99).epsilon(1e-12));
}

TEST_CASE("more devices, a slower save or a slower restart never help", "[reliability]") {
    double before = 1;
    for (double devices = 1000; devices < 1e6; devices *= 2) {
        const double mtbf = job_mtbf(device_mtbf<double>(llama_3()), devices).value();
        const double share =
            share_of_training(interval(IntervalRule::young, 60, 300, mtbf), 60, 300, mtbf);
        CAPTURE(devices);
        CHECK(share <= before);
        before = share;
    }
    CHECK(share_of_training(1000, 90, 300, 10000) < share_of_training(1000, 60, 300, 10000));
    CHECK(share_of_training(1000, 60, 400, 10000) < share_of_training(1000, 60, 300, 10000));
}
