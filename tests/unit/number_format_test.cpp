#include "napkin/number_format.hpp"

#include <random>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/models.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

NumberFormat packed(double elements, double bytes) {
    return {.elements = elements, .bytes = bytes};
}

}  // namespace

TEST_CASE("block formats take the bytes of their blocks, not a rounded width", "[format]") {
    // Bytes of a block / weights in it.
    CHECK(bytes_per_weight(packed(32, 18)) == 0.5625);       // Q4_0
    CHECK(bytes_per_weight(packed(32, 34)) == 1.0625);       // Q8_0
    CHECK(bytes_per_weight(packed(256, 144)) == 0.5625);     // Q4_K: 4.5 bits
    CHECK(bytes_per_weight(packed(256, 210)) == 0.8203125);  // Q6_K: 6.5625 bits
    CHECK(bytes_per_weight(packed(16, 9)) == 0.5625);        // NVFP4: 4.5 bits
    CHECK(bytes_per_weight(mxfp4()) * 8 == 4.25);            // MXFP4: 4.25 bits
    CHECK(bytes_per_weight(bfloat16()) == 2);
    CHECK(bytes_per_weight(float32()) == 4);
}

TEST_CASE("an 8B model's head in bf16 takes 1.05 GB", "[format]") {
    CHECK(storage(bfloat16(), 128256, 4096).value() == 1050673152);  // 128,256 * 4,096 * 2
}

TEST_CASE("tiles have one scale each, and a tile that is cut still has one", "[format]") {
    // 128 x 128 tiles with 4-byte scales.
    CHECK(storage(fp8_tiles(), 128, 128).value() == 128 * 128 + 4);
    CHECK(storage(fp8_tiles(), 129, 128).value() == 129 * 128 + 2 * 4);
    CHECK(storage(fp8_tiles(), 129, 129).value() == 129 * 129 + 4 * 4);
    CHECK(storage(fp8_tiles(), 1, 1).value() == 1 + 4);
    // DeepSeek-V3's latent projection, 576 x 7,168: 5 x 56 tiles.
    CHECK(storage(fp8_tiles(), 576, 7168).value() == 576.0 * 7168 + 280 * 4);
}

TEST_CASE("scales of a row and of a matrix are added once each", "[format]") {
    NumberFormat rows{.bytes = 1, .row_bytes = 4};
    CHECK(storage(rows, 100, 64).value() == 100 * 64 + 100 * 4);
    NumberFormat matrix{.bytes = 1, .matrix_bytes = 4};
    CHECK(storage(matrix, 100, 64).value() == 100 * 64 + 4);
}

TEST_CASE("arithmetics are known by their names", "[format]") {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        const auto arithmetic = static_cast<Arithmetic>(i);
        CHECK(arithmetic_named(name_of(arithmetic)) == arithmetic);
        names.insert(name_of(arithmetic));
    }
    CHECK(names.size() == arithmetic_count);
    CHECK(name_of(Arithmetic::bf16) == "bf16");
    CHECK(name_of(Arithmetic::tf32) == "tf32");
    CHECK(!arithmetic_named("bf17"));
    CHECK(!arithmetic_named(""));
}

TEST_CASE("the built-in formats compute in what they store", "[format]") {
    CHECK(bfloat16().computes_in == Arithmetic::bf16);
    CHECK(float32().computes_in == Arithmetic::fp32);
    CHECK(bfloat16().id == "bf16");
    CHECK(float32().id == "fp32");
}

TEST_CASE("scales never make a matrix smaller, and never more than 4 bytes a tile", "[format]") {
    std::mt19937_64 random(11);
    std::uniform_int_distribution<int> size(1, 20000);
    for (int i = 0; i < 1000; ++i) {
        const double rows = size(random);
        const double columns = size(random);
        CAPTURE(rows, columns);
        const double bytes = storage(fp8_tiles(), rows, columns).value();
        REQUIRE(bytes > rows * columns);
        const double tiles = (rows / 128 + 1) * (columns / 128 + 1);
        REQUIRE(bytes <= rows * columns + 4 * tiles);
    }
}
