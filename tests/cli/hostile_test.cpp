// Odd and hostile command lines: an answer or a clear refusal, in bounded time, and never a number
// that is none.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

using napkin::test::Outcome;

Outcome ask(std::vector<std::string> words) {
    words.emplace_back("--json");
    return napkin::test::run_napkin(words);
}

void is_sound(const Outcome& outcome) {
    CAPTURE(outcome.out.substr(0, 400), outcome.err.substr(0, 400));
    REQUIRE(outcome.exit <= 2);
    const auto answer = nlohmann::json::parse(outcome.out);  // "inf" and "nan" are no JSON
    REQUIRE(answer.at("schema") == "napkin/1");
    REQUIRE(answer.contains("errors") == (outcome.exit == 2));
}

// A file for one question, gone with it.
class File {
  public:
    explicit File(const std::string& content)
        : path_(std::filesystem::temp_directory_path() /
                ("napkin-hostile-" + std::to_string(::getpid()) + ".json")) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~File() { std::filesystem::remove(path_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_{};
};

bool controls_a_terminal(const std::string& text) {
    const bool c0 = std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n') || byte == 0x7F;
    });
    return c0 || text.find("\xc2\x9b") != std::string::npos;
}

}  // namespace

TEST_CASE("what is no number, no name or no size is refused") {
    for (const std::string text :
         {"", "nan", "inf", "-1", "1e400", "1e309", "2,0", "0x10", "1e+-5", "99999999999999999999",
          "1e100", "\xff\xfe", "\x1b[31m", "1 2"}) {
        CAPTURE(text);
        const Outcome outcome = ask({"decode", "llama-3.1-8b", "--on", "h100", "--batch", text});
        is_sound(outcome);
        CHECK(outcome.exit == 2);
    }
}

TEST_CASE("names of any length and content are refused with their beginning") {
    const std::string long_name(100000, 'x');
    for (const std::string& name :
         {long_name, std::string("../../etc/passwd"), std::string("%s%n"), std::string("h100\n"),
          std::string("llama-3.1-8b;"), std::string("\xc3\x28")}) {
        is_sound(ask({"fit", name, "--on", "h100"}));
        is_sound(ask({"fit", "llama-3.1-8b", "--on", name}));
        CHECK(ask({"fit", name, "--on", "h100"}).err.size() < 2000);
    }
}

TEST_CASE("the largest and smallest inputs give finite numbers") {
    const std::string most = "9007199254740991";
    is_sound(ask({"decode", "llama-3.1-8b", "--on", "h100", "--batch", most}));
    is_sound(ask({"fit", "deepseek-v3", "--on", "8xh200", "--context", most, "--batch", most}));
    is_sound(ask({"prefill", "llama-3.1-8b", "--on", "h100", "--prompt", most}));
    is_sound(ask({"train", "9000T", "--on", "999999999xh100", "--tokens", "9000T"}));
    is_sound(ask({"claim", "--flops", "1e59", "--on", "h100", "--days", "1e-50"}));
    for (const std::string value : {"1e-300B/s", "1e-59B/s", "1e59B/s", "1e300B/s", "0B/s"}) {
        is_sound(ask(
            {"decode", "llama-3.1-8b", "--on", "h100", "--set", "gpu.memory_bandwidth=" + value}));
    }
    is_sound(
        ask({"goodput", "--on", "h100", "--checkpoint-stall", "1e59s", "--restart", "1e-59s"}));
    is_sound(ask({"fit", "1k", "--on", "h100", "--context", "0"}));
}

TEST_CASE("values out of a gate's reach are no answer") {
    for (const std::string size : {"0", "0B", "0GB"}) {
        CAPTURE(size);
        CHECK(ask({"fit", size, "--on", "h100", "--context", "0"}).exit == 2);
    }
    CHECK(ask({"fit", "llama-3.1-8b", "--on", "0xh100"}).exit == 2);
    CHECK(ask({"fit", "llama-3.1-8b", "--on", "h100", "--require", "margin >= "}).exit == 2);
    CHECK(ask({"fit", "llama-3.1-8b", "--on", "h100", "--require", "margin >= 5 s"}).exit == 2);
    CHECK(ask({"fit", "llama-3.1-8b", "--on", "h100", "--require", "margin >= NaN"}).exit == 2);
}

TEST_CASE("a file or a command line cannot drive the terminal through what is shown of it") {
    // Clears the screen, moves up, renames the window: as ESC, as DEL and as the one-character CSI.
    const std::string drives =
        "a\x1b[2J\x1b[1A\x1b]0;b\x07\x7f\xc2\x9b"
        "2J";
    CHECK(controls_a_terminal(drives));

    const File broken("{\"name\": \t\"" + drives + "\", \xff\xfe");
    const Outcome refused =
        napkin::test::run_napkin({"decode", "llama-3.1-8b", "--on", broken.path()});
    CHECK(refused.exit == 2);
    CHECK(refused.err.find("a?[2J?[1A?]0;b???2J") != std::string::npos);
    CHECK_FALSE(controls_a_terminal(refused.err));
    CHECK(refused.err.find('\xff') == std::string::npos);

    const Outcome named = napkin::test::run_napkin({"fit", drives, "--on", "h100"});
    CHECK(named.exit == 2);
    CHECK(named.err.find("a?[2J") != std::string::npos);
    CHECK_FALSE(controls_a_terminal(named.err));
}

TEST_CASE("the name of a valid preset cannot drive the terminal either") {
    std::ifstream example(NAPKIN_SOURCE_DIR "/examples/lab-gpu.json");
    nlohmann::json presets = nlohmann::json::parse(example);
    const std::string name =
        "lab\x1b[2J\xc2\x9b"
        "2J \xc3\xa9";
    presets.at("accelerators").at(0).at("name") = name;
    const File file(presets.dump());
    for (const char* const format : {"--explain", "--markdown", "--csv"}) {
        CAPTURE(format);
        const Outcome answer =
            napkin::test::run_napkin({"fit", "llama-3.1-8b", "--on", file.path(), format});
        CHECK(answer.exit == 0);
        CHECK_FALSE(controls_a_terminal(answer.out + answer.err));
    }
    const Outcome title = napkin::test::run_napkin({"fit", "llama-3.1-8b", "--on", file.path()});
    CHECK(title.out.find("lab?[2J?2J \xc3\xa9") != std::string::npos);  // letters stay
}
