// Any text as any quantity: a finite amount, or what is wrong with it; never both, never neither.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "napkin/text.hpp"

namespace {

using namespace napkin;

void require(bool condition) {
    if (!condition) std::abort();
}

double amount(double value) {
    return value;
}

template <class Q>
double amount(const Q& quantity) {
    return quantity.value();
}

template <class T>
void check(const Reading<T>& reading) {
    require(reading.value.has_value() == reading.problem.empty());
    if (!reading.value) return;
    const double value = amount(*reading.value);
    require(std::isfinite(value) && value >= 0);
    // What a machine prints reads back as the same number.
    const Reading<double> again = read_number(shortest(value));
    require(again.value && *again.value == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check(read_bytes(text));
    check(read_byte_rate(text));
    check(read_flop_rate(text));
    check(read_flops(text));
    check(read_count(text));
    check(read_whole(text));
    check(read_length(text));
    check(read_duration(text));
    check(read_fraction(text));
    check(read_money(text));
    check(read_power(text));
    check(read_frequency(text));
    check(read_number(text));
    return 0;
}
