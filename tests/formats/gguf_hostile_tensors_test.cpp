// GGUF files whose tensors cannot be: extents, types, names and places.
#include <limits>

#include "tests/formats/gguf_refusal.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

// One tensor with room for its data, if they are small.
GgufBuilder one_tensor(const std::vector<std::uint64_t>& extents, std::uint32_t type,
                       std::uint64_t offset = 0) {
    GgufBuilder builder;
    builder.entry("w", extents, type, offset).data(4096);
    return builder;
}

}  // namespace

TEST_CASE("tensors have one to four extents", "[gguf][hostile]") {
    CHECK(id(one_tensor({}, 0)) == "invalid-extents");
    CHECK(id(one_tensor({1, 1, 1, 1}, 0)) == "none");
    CHECK(id(one_tensor({1, 1, 1, 1, 1}, 0)) == "invalid-extents");
    GgufBuilder many;
    many.entry("w", std::vector<std::uint64_t>(1000, 1), 0, 0);
    CHECK(message(many) == "test.gguf: the tensor \"w\" has 1,000 extents at byte 33");
}

TEST_CASE("products of extents beyond 2^63 do not wrap around", "[gguf][hostile]") {
    constexpr std::uint64_t half = std::uint64_t{1} << 32;
    CHECK(id(one_tensor({std::uint64_t{1} << 63}, 0)) == "tensor-too-large");
    CHECK(id(one_tensor({half, half}, 0)) == "tensor-too-large");
    CHECK(id(one_tensor({half, half / 2}, 0)) == "tensor-too-large");
    CHECK(id(one_tensor({half, half, half, half}, 0)) == "tensor-too-large");
    CHECK(id(one_tensor({largest}, 24)) == "tensor-too-large");
    // Elements below 2^63, bytes beyond it; and bytes below it, beyond any file.
    CHECK(id(one_tensor({half, half / 4}, 28)) == "tensor-too-large");
    CHECK(id(one_tensor({half, half / 4}, 24)) == "truncated-file");
    CHECK(id(one_tensor({largest / 2}, 24)) == "misplaced-tensor");
}

TEST_CASE("a type that ggml does not have is named with its tensor", "[gguf][hostile]") {
    CHECK(id(one_tensor({256}, 99)) == "unknown-tensor-type");
    CHECK(message(one_tensor({256}, 99)) == "test.gguf: the tensor \"w\" has type 99 at byte 45");
    CHECK(message(one_tensor({256}, 4)) ==
          "test.gguf: the tensor \"w\" has type 4 (Q4_2, removed from ggml) at byte 45");
    CHECK(id(one_tensor({256}, ~0u)) == "unknown-tensor-type");
}

TEST_CASE("rows are whole blocks", "[gguf][hostile]") {
    CHECK(id(one_tensor({256, 3}, 12)) == "none");
    CHECK(id(one_tensor({128, 6}, 12)) == "partial-block");  // as many elements
    CHECK(id(one_tensor({33}, 8)) == "partial-block");
    CHECK(message(one_tensor({33}, 8)) ==
          "test.gguf: the tensor \"w\" has rows of 33 elements, Q8_0 stores blocks of 32");
}

TEST_CASE("names of tensors are bounded and not repeated", "[gguf][hostile]") {
    GgufBuilder longest;
    longest.tensor(std::string(1024, 'w'), {1}, 0, 4);
    CHECK(id(longest) == "none");
    GgufBuilder longer;
    longer.tensor(std::string(1025, 'w'), {1}, 0, 4);
    CHECK(id(longer) == "invalid-tensor-name");
    GgufBuilder twice;
    twice.tensor("a", {1}, 0, 4).tensor("b", {1}, 0, 4).tensor("a", {1}, 0, 4);
    CHECK(id(twice) == "duplicate-tensor");
    CHECK(message(twice) == "test.gguf: the tensor \"a\" is listed twice");
}

TEST_CASE("data are aligned, inside the file and apart", "[gguf][hostile]") {
    CHECK(id(one_tensor({4}, 0, 4064)) == "none");
    CHECK(id(one_tensor({4}, 0, 16)) == "misaligned-tensor");
    CHECK(id(one_tensor({4}, 0, 4096)) == "truncated-file");
    CHECK(id(one_tensor({4}, 0, largest - 31)) == "misplaced-tensor");
    CHECK(id(one_tensor({4}, 0, std::uint64_t{1} << 63)) == "misplaced-tensor");
    CHECK(id(one_tensor({4}, 0, std::uint64_t{1} << 62)) == "truncated-file");
    GgufBuilder same;
    same.entry("a", {4}, 0, 0).entry("b", {4}, 0, 0).data(64);
    CHECK(id(same) == "overlapping-tensors");
    GgufBuilder inside;
    inside.entry("small", {4}, 0, 32).entry("large", {32}, 0, 0).data(128);
    CHECK(id(inside) == "overlapping-tensors");
    CHECK(holds(message(inside), "the tensors \"large\" and \"small\" overlap"));
    GgufBuilder touching;
    touching.entry("a", {8}, 0, 0).entry("b", {8}, 0, 32).data(64);
    CHECK(id(touching) == "none");
}
