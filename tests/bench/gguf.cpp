// What a GGUF header with the vocabulary of a current model costs: time in proportion to its bytes,
// memory that does not follow them. Each size is read in a process of its own.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "formats/gguf/gguf.hpp"
#include "tests/support/gguf_builder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using namespace napkin;

// The lists of a byte-pair tokenizer: 150,000 tokens with scores and types, 280,000 merges.
test::GgufBuilder vocabulary(std::size_t tokens, std::size_t merges) {
    std::vector<std::string> words;
    std::string scores;
    std::string types;
    for (std::size_t i = 0; i < tokens; ++i) {
        words.push_back("tok" + std::to_string(i % 1000));
        scores += test::little_endian(static_cast<std::uint32_t>(i));
        types += test::little_endian(std::uint32_t{1});
    }
    std::vector<std::string> pairs;
    for (std::size_t i = 0; i < merges; ++i) pairs.push_back("ab " + std::to_string(i % 10000));
    test::GgufBuilder builder;
    builder.text("general.architecture", "llama");
    builder.texts("tokenizer.ggml.tokens", words);
    builder.array("tokenizer.ggml.scores", test::gguf::f32, tokens, scores);
    builder.array("tokenizer.ggml.token_type", test::gguf::i32, tokens, types);
    builder.texts("tokenizer.ggml.merges", pairs);
    for (int i = 0; i < 400; ++i) {
        builder.tensor("blk." + std::to_string(i) + ".ffn_up.weight", {256}, 12, 144);
    }
    return builder;
}

// Runs `work` in a process of its own; returns that process's largest memory in KiB.
template <class Work>
long in_child(Work work) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        work();
        std::fflush(stdout);
        _exit(0);
    }
    rusage usage{};
    int status = 0;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
        throw std::runtime_error("a process failed");
    }
    return usage.ru_maxrss;
}

void time_reading(const std::string& path) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i < 30; ++i) {
        const auto begin = Clock::now();
        (void)formats::open_gguf(path);
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    std::printf("%6.2f MB in %6.3f ms, %5.0f MB/s", bytes / 1e6, best * 1e3, bytes / best / 1e6);
}

}  // namespace

int main() {
    const test::TemporaryFolder folder;
    const long idle = in_child([] {});
    for (const std::size_t part : {2u, 1u}) {
        const std::string path = folder.path("vocabulary.gguf");
        in_child([&] {
            (void)folder.write("vocabulary.gguf",
                               vocabulary(150'000 / part, 280'000 / part).file());
        });
        const long peak = in_child([&] { time_reading(path); });
        std::printf(", %ld KiB of memory more than none\n", peak - idle);
    }
}
