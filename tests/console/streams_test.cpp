// What goes where: stdout holds the result and nothing else, whoever reads it.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/console/questions.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {
namespace {

TEST_CASE("- is a configuration on the standard input", "[console]") {
    // Llama 2 7B, by hand: 32 (4 x 4096^2 + 3 x 4096 x 11008 + 2 x 4096) + 2 x 32000 x 4096 + 4096.
    const Conditions piped{.environment = {},
                           .input = R"({"model_type": "llama", "torch_dtype": "float16",
            "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
            "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096})",
                           .terminal = false,
                           .columns = 80};
    const Outcome told = run_napkin({"model", "-", "--get", "parameters"}, piped);
    CHECK(told.exit == 0);
    CHECK(told.out == "6738415616\n");
    CHECK(told.err.empty());
    const Outcome fits = run_napkin({"fit", "-", "--on", "h100"}, piped);
    CHECK(fits.out.find("stdin (6.74B, fp16) on H100") == 0);
    const Conditions nothing{.environment = {}, .input = "", .terminal = false, .columns = 80};
    CHECK(run_napkin({"model", "-"}, nothing).exit == 2);
}

TEST_CASE("stdout holds the result only: notes, warnings and errors go to stderr", "[console]") {
    const auto says_napkin = [](const std::string& text) {
        return text.find("napkin: ") != std::string::npos;
    };
    const Outcome tight = ask("fit llama-3.1-70b --on 2xh100 --batch 4");
    CHECK(tight.exit == 0);
    CHECK_FALSE(says_napkin(tight.out));
    CHECK(tight.err.find("napkin: warning: ") == 0);

    const Outcome noted = ask("goodput --on 16384xh100");
    CHECK_FALSE(says_napkin(noted.out));
    CHECK(noted.err.find("napkin: note: ") == 0);

    const Outcome wrong = ask("fit llama-3.1-8b --on h10O");
    CHECK(wrong.exit == 2);
    CHECK(wrong.out.empty());
    CHECK(wrong.err.find("napkin: error: ") == 0);

    const Outcome bare = ask("fit llama-3.1-70b --on 2xh100 --batch 4 --get verdict");
    CHECK(bare.out == "fits\n");

    const Outcome quiet = ask("fit llama-3.1-70b --on 2xh100 --batch 4 -q");
    CHECK(quiet.out.empty());
    CHECK(quiet.err.empty());

    const Outcome fine = ask("fit llama-3.1-8b --on h100");
    CHECK(fine.err.empty());
}

TEST_CASE("help is a result: on stdout, with exit 0", "[console]") {
    for (const char* line : {"--help", "-h", "help", "fit --help", "fit -h", "help fit", ""}) {
        DYNAMIC_SECTION("napkin " << line) {
            const Outcome outcome = ask(line);
            CHECK(outcome.exit == 0);
            CHECK(outcome.out.find("napkin") == 0);
            CHECK(outcome.err.empty());
            for (const std::string& row : lines_of(outcome.out)) CHECK(row.size() <= 80);
        }
    }
}

// As `napkin gpu | head -1` ends: the reader is gone before a byte is written.
int exit_without_reader(std::vector<std::string> words) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[1]);
        std::string command(NAPKIN_BINARY);
        std::vector<char*> arguments{command.data()};
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        setenv("XDG_DATA_HOME", "/nonexistent", 1);
        setenv("XDG_DATA_DIRS", "/nonexistent", 1);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    close(ends[0]);
    close(ends[1]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_CASE("a reader that has gone away is no error", "[console]") {
    CHECK(exit_without_reader({"gpu"}) == 0);
    CHECK(exit_without_reader({"gpu", "--json"}) == 0);
    CHECK(exit_without_reader({"--help"}) == 0);
    CHECK(exit_without_reader({"schema", "models"}) == 0);
    // ... and the answer is still the answer.
    CHECK(exit_without_reader({"fit", "llama-3.1-70b", "--on", "h100"}) == 1);
}

}  // namespace
}  // namespace napkin::test
