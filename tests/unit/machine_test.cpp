#include "napkin/machine.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/machines.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

Accelerator with_peak(Arithmetic arithmetic, double flops) {
    Accelerator part;
    part.compute.peak[index_of(arithmetic)] = FlopsPerSecond<>(flops);
    return part;
}

}  // namespace

TEST_CASE("an 80 GB H100 holds the 81,559 MiB that its driver reports", "[machine]") {
    CHECK(capacity(h100()).value() == 85520809984);  // 81,559 * 2^20
}

TEST_CASE("where nothing is reported, the smaller reading of the sold figure counts", "[machine]") {
    Accelerator part = h100();
    part.memory.reported = Bytes<>(0);
    CHECK(capacity(part).value() == 80e9);
}

TEST_CASE("H100: 295 FLOP for each byte in bf16, twice that in fp8", "[machine]") {
    CHECK(ridge(h100(), Arithmetic::bf16).value() == Approx(295.34328).epsilon(1e-7));
    CHECK(ridge(h100(), Arithmetic::fp8).value() == Approx(590.71642).epsilon(1e-7));
}

TEST_CASE("H100: shared memory runs at 30.9 TB/s, 9.2 times HBM", "[machine]") {
    // 132 SMs * 128 B * 1.83 GHz = 30.92e12
    const Accelerator part = h100_with_clocks();
    CHECK(on_chip_bandwidth(part).value() == Approx(30.91968e12).epsilon(1e-12));
    CHECK(on_chip_bandwidth(part) / part.memory.bandwidth == Approx(9.23).epsilon(1e-3));
    CHECK(on_chip_memory(part).value() == 132.0 * 233472);
}

TEST_CASE("an unknown figure makes the on-chip level zero, not a guess", "[machine]") {
    CHECK(on_chip_bandwidth(h100()).value() == 0);
    CHECK(on_chip_memory(h100()).value() == 0);
}

TEST_CASE("bf16 falls back to fp16 and fp16 to fp32 where a part lacks them", "[machine]") {
    CHECK(usable(h100(), Arithmetic::bf16) == Arithmetic::bf16);
    const Accelerator half_only = with_peak(Arithmetic::fp16, 125e12);  // V100
    CHECK(usable(half_only, Arithmetic::bf16) == Arithmetic::fp16);
    CHECK(peak(half_only, Arithmetic::bf16).value() == 125e12);
    const Accelerator single_only = with_peak(Arithmetic::fp32, 10e12);
    CHECK(usable(single_only, Arithmetic::bf16) == Arithmetic::fp32);
    CHECK(usable(single_only, Arithmetic::fp16) == Arithmetic::fp32);
    CHECK(peak(single_only, Arithmetic::fp16).value() == 10e12);
}

TEST_CASE("a peak is never borrowed from another width", "[machine]") {
    CHECK(!usable(h100(), Arithmetic::fp4));
    CHECK(peak(h100(), Arithmetic::fp4).value() == 0);
    const Accelerator ampere = with_peak(Arithmetic::bf16, 312e12);
    CHECK(!usable(ampere, Arithmetic::fp8));
    CHECK(!usable(ampere, Arithmetic::int8));
    CHECK(!usable(Accelerator{}, Arithmetic::bf16));
    CHECK(peak(Accelerator{}, Arithmetic::bf16).value() == 0);
}

TEST_CASE("an H100 at 1,980 MHz runs 8.2 % above its data sheet", "[machine]") {
    // The sheet's 989.4e12 is 132 * 4,096 FLOP at 1,829.9 MHz: 1,980 / 1,829.945 = 1.0820.
    const double headroom = clock_headroom(h100_with_clocks());
    CHECK(headroom == Approx(1980e6 * 132 * 4096 / 989.4e12).epsilon(1e-12));
    CHECK(headroom == Approx(1.0820).epsilon(1e-4));
}

TEST_CASE("the highest clock never lowers a peak", "[machine]") {
    Accelerator part = h100_with_clocks();
    part.compute.max_clock = Hertz<>(1000e6);
    part.compute.boost_clock = Hertz<>(1500e6);
    CHECK(clock_headroom(part) == 1);
    CHECK(clock_headroom(h100()) == 1);  // no clocks known
    part = Accelerator{};
    part.compute.boost_clock = Hertz<>(1000e6);
    part.compute.max_clock = Hertz<>(1100e6);  // the rated clock is all that is known
    CHECK(clock_headroom(part) == Approx(1.1).epsilon(1e-12));
}

TEST_CASE("on a switch every device keeps its link, in a mesh it shares out its pairs",
          "[machine]") {
    CHECK(with_devices(h100s(8), 2).scale_up.value() == 450e9);
    CHECK(with_devices(h100s(8), 2).devices == 2);
    Machine mesh = h100s(8);  // 8 x MI300X: 64 GB/s to each of 7 others
    mesh.accelerator.links.topology = Topology::mesh;
    mesh.accelerator.links.pair = BytesPerSecond<>(64e9);
    mesh.accelerator.links.scale_up = BytesPerSecond<>(448e9);
    CHECK(with_devices(mesh, 8).scale_up.value() == 448e9);
    CHECK(with_devices(mesh, 4).scale_up.value() == 192e9);
    CHECK(with_devices(mesh, 2).scale_up.value() == 64e9);
    CHECK(with_devices(with_devices(mesh, 2), 16).scale_up.value() == 448e9);
}

TEST_CASE("a machine of another size does not draw the power of the first", "[machine]") {
    Machine machine = h100s(8);
    machine.system_power = Watts<>(10200);  // DGX H100, whole
    CHECK(with_devices(machine, 8).system_power.value() == 10200);
    CHECK(with_devices(machine, 16).system_power.value() != 10200);
}

TEST_CASE("the rent is the median of the middles of dated prices", "[machine]") {
    Accelerator part;
    CHECK(!median_rent(part));
    part.rent = {{.low = 2.99, .high = 2.99}};
    CHECK(median_rent(part) == 2.99);
    part.rent.push_back({.low = 10, .high = 12});
    CHECK(*median_rent(part) == Approx((2.99 + 11) / 2).epsilon(1e-15));
    part.rent.push_back({.low = 1, .high = 3});
    CHECK(median_rent(part) == 2.99);  // 2, 2.99, 11
}
