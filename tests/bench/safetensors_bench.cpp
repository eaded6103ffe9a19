// Reading long safetensors headers: time has to grow with the length, memory has to stay a small
// multiple of it. Prints MB/s and the peak of the process above where it began.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "formats/safetensors/safetensors.hpp"
#include "tests/support/safetensors_builder.hpp"

namespace {

using namespace napkin;

/// Tensors of a model with experts, as many as a header of `size` bytes lists.
std::string write_header(const test::TemporaryFolder& folder, std::size_t size) {
    test::SafetensorsBuilder builder;
    const std::string shape = "[2048,7168]";
    std::size_t length = builder.header().size();
    for (std::size_t i = 0; length < size; ++i) {
        const std::string name = "model.layers." + std::to_string(i / 768 % 61) + ".mlp.experts." +
                                 std::to_string(i / 3 % 256) + "." + std::to_string(i / 46848) +
                                 ".proj_" + std::to_string(i % 3) + ".weight";
        builder.add(name, "BF16", shape, std::uint64_t{2048} * 7168 * 2);
        length += name.size() + 80;
    }
    return builder.write(folder, "model.safetensors");
}

/// "VmHWM" or "VmRSS" of this process, in bytes (proc(5)).
double memory(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(key + ":")) return std::stod(line.substr(key.size() + 1)) * 1024;
    }
    return 0;
}

void reset_peak() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

struct Cost {
    double seconds{};
    double peak{};  // bytes
    double header{};
    std::size_t tensors{};
};

Cost cost_of(const formats::InputFile& file) {
    const auto begin = std::chrono::steady_clock::now();
    reset_peak();
    const double before = memory("VmRSS");
    const formats::SafetensorsHeader header = formats::read_safetensors(file);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return {.seconds = taken.count(),
            .peak = memory("VmHWM") - before,
            .header = static_cast<double>(file.size() - 8 - header.bytes),
            .tensors = header.tensors.size()};
}

TEST_CASE("safetensors headers of 25 and 50 MB") {
    constexpr double mega = 1e6;
    for (const std::size_t size : {std::size_t{25}, std::size_t{50}}) {
        const test::TemporaryFolder folder;
        const formats::InputFile file(write_header(folder, size * 1'000'000));
        Cost best = cost_of(file);
        for (int i = 0; i < 4; ++i) {
            const Cost again = cost_of(file);
            best.seconds = std::min(best.seconds, again.seconds);
            best.peak = std::max(best.peak, again.peak);
        }
        std::printf("%5.1f MB, %zu tensors: %.0f ms, %.0f MB/s, peak %.2f bytes a byte\n",
                    best.header / mega, best.tensors, best.seconds * 1e3,
                    best.header / mega / best.seconds, best.peak / best.header);
        CHECK(best.tensors > size * 5000);
    }
}

}  // namespace
