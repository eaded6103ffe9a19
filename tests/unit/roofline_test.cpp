#include "napkin/roofline.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/machines.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

Roofline<> at(double intensity, Arithmetic arithmetic = Arithmetic::bf16) {
    return roofline(Intensity<>(intensity), h100(), arithmetic);
}

Totals<> totals_of(double flops, double weight_bytes) {
    Totals<> totals;
    totals.flops[index_of(Arithmetic::bf16)] = Flops<>(flops);
    totals.weight_bytes = Bytes<>(weight_bytes);
    return totals;
}

Rates<> rates() {
    return ceiling_rates<double>(h100s(8));
}

}  // namespace

TEST_CASE("at 1 FLOP/B an H100 attains 3.35 TFLOP/s and waits for memory", "[roofline]") {
    CHECK(at(1).attainable.value() == 3.35e12);
    CHECK(at(1).bound == Bound::memory);
    CHECK(at(1).headroom == Approx(295.34328).epsilon(1e-7));
    CHECK(at(1).ridge.value() == Approx(295.34328).epsilon(1e-7));
}

TEST_CASE("above the ridge it attains its peak and no more", "[roofline]") {
    CHECK(at(1000).attainable.value() == 989.4e12);
    CHECK(at(1000).bound == Bound::compute);
    CHECK(at(1000).headroom == 1);
    CHECK(at(1000, Arithmetic::fp8).attainable.value() == 1978.9e12);
    CHECK(at(400, Arithmetic::fp8).bound == Bound::memory);
}

TEST_CASE("at the ridge itself compute is full", "[roofline]") {
    const double ridge = 989.4e12 / 3.35e12;
    CHECK(at(ridge).bound == Bound::compute);
    CHECK(at(ridge).attainable.value() == Approx(989.4e12).epsilon(1e-15));
}

TEST_CASE("a square GEMM of n does n / 3 FLOPs a byte in bf16", "[roofline]") {
    // 2 n^3 / (3 n^2 * 2)
    CHECK(intensity_of<double>({.m = 4096, .n = 4096, .k = 4096}, bfloat16()).value() ==
          Approx(4096.0 / 3).epsilon(1e-14));
    CHECK(intensity_of<double>({.m = 1, .n = 1, .k = 1}, bfloat16()).value() ==
          Approx(1.0 / 3).epsilon(1e-14));
}

TEST_CASE("a matrix times a vector does one FLOP a byte", "[roofline]") {
    // 2 n k / (2 (n k + n + k)): the decode of one sequence
    const double intensity =
        intensity_of<double>({.m = 1, .n = 4096, .k = 4096}, bfloat16()).value();
    CHECK(intensity == Approx(4096.0 * 4096 / (4096.0 * 4096 + 8192)).epsilon(1e-14));
    CHECK(intensity < 1);
}

TEST_CASE("a ceiling allows for the highest clock, a roofline does not", "[roofline]") {
    Machine machine = h100s(1);
    machine.accelerator = h100_with_clocks();
    const Rates<> highest = ceiling_rates<double>(machine);
    CHECK(highest.flops[index_of(Arithmetic::bf16)].value() ==
          Approx(132.0 * 4096 * 1980e6).epsilon(1e-12));
    CHECK(highest.memory.value() == 3.35e12);
    CHECK(roofline(Intensity<>(1e6), machine.accelerator, Arithmetic::bf16).attainable.value() ==
          989.4e12);
    CHECK(highest.flops[index_of(Arithmetic::fp4)].value() == 0);  // the part has none
}

TEST_CASE("the slowest of compute, memory and network sets the time", "[roofline]") {
    const Step<> memory = ceiling(totals_of(1e12, 335e9), rates());
    CHECK(memory.memory.value() == Approx(0.1).epsilon(1e-12));
    CHECK(memory.time == memory.memory);
    CHECK(memory.bound == Bound::memory);

    const Step<> compute = ceiling(totals_of(989.4e12, 1e9), rates());
    CHECK(compute.time.value() == Approx(1).epsilon(1e-12));
    CHECK(compute.bound == Bound::compute);

    Totals<> joined = totals_of(1e12, 1e9);
    joined.scale_up_bytes = Bytes<>(450e9);  // one second at 450 GB/s
    const Step<> network = ceiling(joined, rates());
    CHECK(network.time.value() == Approx(1).epsilon(1e-12));
    CHECK(network.bound == Bound::network);

    joined.scale_out_bytes = Bytes<>(100e9);  // two seconds at 50 GB/s, beside the other
    CHECK(ceiling(joined, rates()).network.value() == Approx(2).epsilon(1e-12));
}

TEST_CASE("work in different arithmetics runs one after the other", "[roofline]") {
    Totals<> totals = totals_of(989.4e12, 0);
    totals.flops[index_of(Arithmetic::fp8)] = Flops<>(1978.9e12);
    const Step<> step = ceiling(totals, rates());
    CHECK(step.compute.value() == Approx(2).epsilon(1e-12));
    CHECK(step.flops.value() == Approx(989.4e12 + 1978.9e12).epsilon(1e-15));
}

TEST_CASE("bytes of every kind cross the same memory", "[roofline]") {
    Totals<> totals = totals_of(1, 1e9);
    totals.kv_bytes = Bytes<>(2e9);
    totals.activation_bytes = Bytes<>(4e9);
    CHECK(ceiling(totals, rates()).bytes.value() == 7e9);
}

TEST_CASE("rows are added as often as their layers", "[roofline]") {
    Operations<> rows;
    rows.push({.flops = Flops<>(3), .weight_bytes = Bytes<>(5), .kv_bytes = Bytes<>(7)});
    rows.push({.arithmetic = Arithmetic::fp8,
               .times = 2,
               .flops = Flops<>(11),
               .activation_bytes = Bytes<>(13)});
    rows.push({.times = 2, .link = Link::scale_up, .link_bytes = Bytes<>(17)});
    rows.push({.link = Link::scale_out, .link_bytes = Bytes<>(19)});
    Totals<> totals;
    add(totals, rows, 10);
    add(totals, rows, 1);
    CHECK(totals.flops[index_of(Arithmetic::bf16)].value() == 33);
    CHECK(totals.flops[index_of(Arithmetic::fp8)].value() == 242);
    CHECK(totals.weight_bytes.value() == 55);
    CHECK(totals.kv_bytes.value() == 77);
    CHECK(totals.activation_bytes.value() == 286);
    CHECK(totals.scale_up_bytes.value() == 374);
    CHECK(totals.scale_out_bytes.value() == 209);
}

TEST_CASE("bounds have the names of the contract", "[roofline]") {
    CHECK(name_of(Bound::compute) == "compute");
    CHECK(name_of(Bound::memory) == "memory");
    CHECK(name_of(Bound::network) == "network");
}
