// What goes where: stdout holds the result and nothing else, machine output keeps the contract's
// shape, and nothing but the named settings changes an answer.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/console/transcript.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {
namespace {

using nlohmann::json;
using Environment = std::map<std::string, std::string>;

Outcome ask(const std::string& line, const Environment& more = {}) {
    Conditions conditions = usual_conditions();
    conditions.environment["COLUMNS"] = "80";
    for (const auto& [name, value] : more) conditions.environment[name] = value;
    return run_napkin(shell_words(line), conditions);
}

Outcome ask_in_terminal(const std::string& line, const Environment& more = {}) {
    Conditions conditions = usual_conditions();
    conditions.terminal = true;
    conditions.columns = 80;
    for (const auto& [name, value] : more) conditions.environment[name] = value;
    return run_napkin(shell_words(line), conditions);
}

bool colored(const Outcome& outcome) {
    return outcome.out.find('\x1b') != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
    return split_lines(text);
}

// One question for every command, and the result keys that the contract promises of it.
struct Question {
    std::string line{};
    std::string command{};
    std::vector<std::string> keys{};
};

const std::vector<Question>& questions() {
    static const std::vector<Question> all{
        {"gpu h100",
         "gpu",
         {"peak_flops", "peak_flops_bf16", "ridge_intensity", "memory_capacity", "memory_bandwidth",
          "on_chip_memory", "on_chip_bandwidth", "scale_up_bandwidth", "scale_out_bandwidth",
          "compute_units", "power"}},
        {"model llama-3.1-70b",
         "model",
         {"parameters", "active_parameters", "weight_bytes", "kv_bytes_per_token",
          "state_bytes_per_sequence"}},
        {"roofline --on h100 --intensity 100",
         "roofline",
         {"ridge_intensity", "intensity", "attainable_flops", "bound", "headroom"}},
        {"fit llama-3.1-70b --on 2xh100",
         "fit",
         {"required", "capacity", "margin", "weights", "kv_cache", "reserve", "max_context",
          "max_batch", "min_devices"}},
        {"fit llama-3.1-8b --train --on 8xh100",
         "fit",
         {"required", "capacity", "margin", "weights", "reserve", "min_devices"}},
        {"decode llama-3.1-70b --on 2xh100",
         "decode",
         {"tokens_per_second", "tokens_per_second_per_user", "step_time", "intensity", "bound",
          "compute_utilization", "critical_batch"}},
        {"prefill llama-3.1-8b --on h100",
         "prefill",
         {"time_to_first_token", "tokens_per_second", "intensity", "bound", "compute_utilization"}},
        {"train llama-3.1-405b --on 16384xh100 --tokens 15.6T --mfu 41%",
         "train",
         {"duration", "flops", "device_hours", "mfu", "required", "margin", "usd_total", "energy"}},
        {"claim llama-3.1-405b --on 16384xh100 --tokens 15.6T --days 54",
         "claim",
         {"mfu", "flops", "flops_per_device", "duration", "device_hours"}},
        {"goodput --on 16384xh100 --checkpoint-stall 60s --restart 5min",
         "goodput",
         {"goodput", "mtbf", "checkpoint_interval", "interruptions_per_day"}},
        {"llama-3.1-70b --on 2xh100",
         "envelope",
         {"required", "margin", "max_context", "tokens_per_second", "time_to_first_token"}},
        {"version", "version", {"version", "accelerators", "models"}},
    };
    return all;
}

const std::set<std::string> base_units{"B",   "s", "token/s", "FLOP", "FLOP/s", "B/s",    "FLOP/B",
                                       "USD", "J", "W",       "1",    "token",  "B/token"};

void check_result(const json& result) {
    REQUIRE(result.contains("value"));
    const json& value = result.at("value");
    CHECK((value.is_number() || value.is_string()));
    if (value.is_number()) {
        REQUIRE(result.contains("unit"));
        CHECK(base_units.count(result.at("unit").get<std::string>()) == 1);
    }
    if (!result.contains("expected")) return;
    for (const char* level : {"worst", "typical", "best"}) {
        CHECK(result.at("expected").at(level).is_number());
    }
}

TEST_CASE("JSON has the members of the contract for every command", "[console][json]") {
    for (const Question& question : questions()) {
        DYNAMIC_SECTION(question.line) {
            const Outcome outcome = ask(question.line + " --json");
            CHECK(lines_of(outcome.out).size() == 1);
            CHECK(outcome.out.back() == '\n');
            const json answer = json::parse(outcome.out);
            CHECK(answer.at("schema") == "napkin/1");
            CHECK(answer.at("command") == question.command);
            CHECK(answer.at("version").at("napkin").is_string());
            CHECK((answer.at("verdict").is_string() || answer.at("verdict").is_null()));
            CHECK(answer.at("inputs").is_object());
            CHECK(answer.at("results").is_object());
            CHECK(answer.at("terms").is_array());
            CHECK(answer.at("checks").is_array());
            CHECK(answer.at("notes").is_array());
            for (const std::string& key : question.keys) {
                INFO(key);
                CHECK(answer.at("results").contains(key));
            }
            for (const auto& [key, result] : answer.at("results").items()) {
                INFO(key);
                check_result(result);
            }
            for (const auto& [key, input] : answer.at("inputs").items()) {
                INFO(key);
                CHECK(input.contains("from"));
            }
        }
    }
}

TEST_CASE("--get prints what JSON says, bare", "[console][json]") {
    for (const Question& question : questions()) {
        DYNAMIC_SECTION(question.line) {
            const json answer = json::parse(ask(question.line + " --json").out);
            std::string keys;
            for (const std::string& key : question.keys) keys += (keys.empty() ? "" : ",") + key;
            const std::vector<std::string> got =
                lines_of(ask(question.line + " --get " + keys).out);
            REQUIRE(got.size() == question.keys.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
                INFO(question.keys[i]);
                const json& value = answer.at("results").at(question.keys[i]).at("value");
                if (value.is_string()) {
                    CHECK(got[i] == value.get<std::string>());
                } else {
                    // The shortest form reads back exactly: equal doubles, not near ones.
                    CHECK(std::strtod(got[i].c_str(), nullptr) == value.get<double>());
                }
            }
        }
    }
}

TEST_CASE("a plan that does not fit has no rates among its results", "[console][json]") {
    const Outcome outcome = ask("decode llama-3.1-70b --on h100 --context 0 --json");
    CHECK(outcome.exit == 1);
    const json answer = json::parse(outcome.out);
    CHECK(answer.at("verdict") == "does-not-fit");
    CHECK_FALSE(answer.at("results").contains("tokens_per_second"));
    CHECK(answer.at("results").at("margin").at("value").get<double>() < 0);
    // 69,503,033,344 weights of 2 B over 3.35 TB/s, and next to nothing beside them.
    const json& rate = answer.at("if_it_fit").at("tokens_per_second");
    CHECK(rate.get<double>() == Approx(3.35e12 / (2 * 69503033344.0)).epsilon(1e-4));
    const json small = json::parse(ask("decode llama-3.1-8b --on h100 --json").out);
    CHECK_FALSE(small.contains("if_it_fit"));
}

TEST_CASE("lists are one JSON object a line", "[console][json]") {
    const Outcome outcome = ask("fit llama-3.1-8b,llama-3.1-70b --on h100,h200 --json");
    CHECK(outcome.exit == 0);
    const std::vector<std::string> rows = lines_of(outcome.out);
    REQUIRE(rows.size() == 4);
    for (const std::string& row : rows) CHECK(json::parse(row).at("command") == "fit");
    CHECK(json::parse(rows[0]).at("verdict") == "fits");
    CHECK(json::parse(rows[3]).at("verdict") == "does-not-fit");
}

TEST_CASE("every accelerator and model answers in JSON and CSV", "[console][json]") {
    for (const char* list : {"gpu", "model", "numbers"}) {
        DYNAMIC_SECTION(list) {
            const std::vector<std::string> rows = lines_of(ask(std::string(list) + " --json").out);
            CHECK(rows.size() > 10);
            for (const std::string& row : rows) CHECK(json::parse(row).at("schema") == "napkin/1");
            const std::vector<std::string> table = lines_of(ask(std::string(list) + " --csv").out);
            CHECK(table.size() == rows.size() + 1);
        }
    }
}

TEST_CASE("errors with --json are on stdout too, all of them", "[console][json]") {
    const Outcome outcome = ask("fit nosuch --on h10O --batch 0 --weights foo --json");
    CHECK(outcome.exit == 2);
    const json answer = json::parse(outcome.out);
    CHECK(answer.at("schema") == "napkin/1");
    REQUIRE(answer.at("errors").is_array());
    CHECK(answer.at("errors").size() == 4);
    for (const json& error : answer.at("errors")) {
        CHECK(error.at("id").is_string());
        CHECK(error.at("message").is_string());
        CHECK(error.at("where").is_object());
        CHECK(error.contains("expected"));
        CHECK(error.at("suggestions").is_array());
    }
    CHECK(outcome.err.find("napkin: error: ") == 0);
}

TEST_CASE("checks of requirements are in JSON", "[console][json]") {
    const Outcome outcome = ask("fit llama-3.1-8b --on h100 --require 'margin >= 60GiB' --json");
    CHECK(outcome.exit == 1);
    const json answer = json::parse(outcome.out);
    CHECK(answer.at("verdict") == "misses");
    REQUIRE(answer.at("checks").size() == 1);
    CHECK(answer.at("checks").at(0).at("met") == false);
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
        words.insert(words.begin(), NAPKIN_BINARY);
        std::vector<char*> arguments;
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

TEST_CASE("--color beats FORCE_COLOR beats NO_COLOR beats TERM beats the terminal", "[console]") {
    const std::string line = "fit llama-3.1-8b --on h100";
    CHECK(colored(ask_in_terminal(line)));
    CHECK_FALSE(colored(ask(line)));

    CHECK_FALSE(colored(ask_in_terminal(line, {{"TERM", "dumb"}})));
    CHECK_FALSE(colored(ask_in_terminal(line, {{"NO_COLOR", "1"}})));
    CHECK_FALSE(colored(ask(line, {{"NO_COLOR", "1"}, {"TERM", "xterm"}})));

    CHECK(colored(ask(line, {{"FORCE_COLOR", "1"}})));
    CHECK(colored(ask(line, {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}, {"TERM", "dumb"}})));
    CHECK_FALSE(colored(ask_in_terminal(line, {{"FORCE_COLOR", "0"}})));

    CHECK_FALSE(colored(ask_in_terminal(line + " --color never", {{"FORCE_COLOR", "1"}})));
    CHECK(colored(ask(line + " --color always", {{"NO_COLOR", "1"}, {"TERM", "dumb"}})));
    CHECK(colored(ask_in_terminal(line + " --color auto")));
    CHECK_FALSE(colored(ask(line + " --color auto")));
}

TEST_CASE("colour is never the only carrier of meaning", "[console]") {
    for (const char* line : {"fit llama-3.1-8b --on h100", "fit llama-3.1-70b --on h100",
                             "decode llama-3.1-8b --on h100 --require 'tokens_per_second >= 300'",
                             "claim --flops 3.14e23 --on 1024xa100 --days 34"}) {
        DYNAMIC_SECTION(line) {
            std::string text = ask(std::string(line) + " --color always").out;
            while (text.find('\x1b') != std::string::npos) {
                const std::size_t from = text.find('\x1b');
                text.erase(from, text.find('m', from) + 1 - from);
            }
            CHECK(text == ask(line).out);
        }
    }
}

TEST_CASE("machine output knows no colour, width or locale", "[console][json]") {
    const std::vector<Environment> surroundings{{{"NO_COLOR", "1"}},
                                                {{"FORCE_COLOR", "1"}},
                                                {{"COLUMNS", "40"}},
                                                {{"COLUMNS", "200"}},
                                                {{"LC_ALL", "C"}},
                                                {{"LC_ALL", "de_DE.UTF-8"}},
                                                {{"LC_NUMERIC", "de_DE.UTF-8"}, {"LC_ALL", ""}},
                                                {{"TERM", "dumb"}},
                                                {{"TZ", "Asia/Tokyo"}},
                                                {{"HOME", "/nonexistent"}}};
    for (const char* line :
         {"fit llama-3.1-70b --on 2xh100 --json", "gpu h100 --csv",
          "fit llama-3.1-8b,llama-3.1-70b --on h100 --markdown",
          "decode llama-3.1-8b --on h100 --get tokens_per_second,bound", "numbers --json"}) {
        DYNAMIC_SECTION(line) {
            const std::string usual = ask(line).out;
            CHECK_FALSE(usual.empty());
            for (const Environment& environment : surroundings) {
                INFO(environment.begin()->first << "=" << environment.begin()->second);
                CHECK(ask(line, environment).out == usual);
            }
            // A terminal puts a carriage return before every end of line; CSV has its own.
            CHECK(without_returns(ask_in_terminal(line).out) == without_returns(usual));
        }
    }
}

TEST_CASE("human output keeps to ASCII where the locale knows no more", "[console]") {
    for (const Question& question : questions()) {
        DYNAMIC_SECTION(question.line) {
            for (const char c : ask(question.line, {{"LC_ALL", "C"}}).out) {
                REQUIRE(static_cast<unsigned char>(c) < 128);
            }
        }
    }
}

TEST_CASE("no human line is wider than asked for", "[console]") {
    const auto width = [](const std::string& line) {
        return std::count_if(line.begin(), line.end(),
                             [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    };
    for (const Question& question : questions()) {
        for (const char* columns : {"60", "80", "120"}) {
            DYNAMIC_SECTION(question.line << " in " << columns) {
                for (const std::string& line :
                     lines_of(ask(question.line, {{"COLUMNS", columns}}).out)) {
                    INFO(line);
                    CHECK(width(line) <= std::atoi(columns));
                }
            }
        }
    }
}

TEST_CASE("schemas are JSON and name themselves", "[console][json]") {
    const std::vector<std::string> names = lines_of(ask("schema").out);
    CHECK(names.size() >= 6);
    for (const std::string& name : names) {
        DYNAMIC_SECTION(name) {
            const json schema = json::parse(ask("schema " + name).out);
            CHECK(schema.at("$schema").is_string());
            CHECK(schema.at("title").is_string());
            CHECK(schema.value("$id", name + ".schema.json") == name + ".schema.json");
        }
    }
}

TEST_CASE("errors name flags that exist", "[console]") {
    const Outcome outcome = ask("fit llama-3.1-70b --on 8xh100 --tp 2 --dp 2");
    CHECK(outcome.exit == 2);
    CHECK(outcome.err.find("--devices") == std::string::npos);
}

// What the contract asks for and napkin does not do yet. Each becomes a plain test once it passes:
// take its tag away then.

TEST_CASE("flags may stand before the model", "[console]") {
    CHECK(ask("fit --on h100 llama-3.1-8b --get verdict").out == "fits\n");
    CHECK(ask("decode --batch 2 llama-3.1-8b --on h100 -q").exit == 0);
}

TEST_CASE("no machines are no machine", "[console]") {
    CHECK(ask("fit llama-3.1-8b --on 0xh100").exit == 2);
}

TEST_CASE("--color takes its three words only", "[console]") {
    CHECK(ask("fit llama-3.1-8b --on h100 --color sometimes").exit == 2);
}

TEST_CASE("--color holds for errors too", "[console]") {
    CHECK_FALSE(colored(ask_in_terminal("fit llama-3.1-8b --on h10O --color never")));
    CHECK(ask("fit llama-3.1-8b --on h10O --color always").err.find('\x1b') != std::string::npos);
}

TEST_CASE("a size fits over more devices than one domain has", "[console]") {
    // 405e9 x 2 B / 16 = 50.6 GB beside 8.55 GB of reserve on each of 16 H100.
    CHECK(ask("fit 405B --on 16xh100 --context 0").exit == 0);
    CHECK(ask("fit 671B:37B --on nxh100 --weights fp8 --context 0").exit == 0);
}

TEST_CASE("a full disk is an error", "[console]") {
    const Outcome outcome = run({"/bin/sh", "-c", NAPKIN_BINARY " gpu > /dev/full"});
    CHECK(outcome.exit == 2);
}

TEST_CASE("rows of a list of formats can be told apart in CSV", "[console]") {
    const std::vector<std::string> rows =
        lines_of(ask("fit llama-3.1-8b --on h100 --weights fp8,int4 --csv").out);
    REQUIRE(rows.size() == 3);
    CHECK(rows[1].find("fp8") != std::string::npos);
    CHECK(rows[2].find("int4") != std::string::npos);
}

TEST_CASE("every input that was given or defaulted is in JSON", "[console]") {
    const json roofline = json::parse(ask("roofline --on h100 --intensity 100 --json").out);
    CHECK(roofline.at("inputs").contains("intensity"));
    const json goodput =
        json::parse(ask("goodput --on 8xh100 --checkpoint-stall 60s --restart 5min --json").out);
    CHECK(goodput.at("inputs").contains("interval_rule"));
}

TEST_CASE("a ceiling of one sequence through a pipeline is the sum of its stages", "[console]") {
    // 139.006 GB of weights and 2.684 GB of cache pass 3.35 TB/s once, on whichever device they
    // are.
    const Outcome outcome =
        ask("decode llama-3.1-70b --on 8xh100 --pp 8 --get tokens_per_second_per_user");
    CHECK(std::strtod(outcome.out.c_str(), nullptr) >= 3.35e12 / (139.007e9 + 2.685e9));
}

TEST_CASE("columns of a band are no wider than the terminal", "[console]") {
    const std::string line = "train llama-3.1-405b --on 16384xh100 --tokens 15.6T";
    for (const std::string& row : lines_of(ask(line, {{"COLUMNS", "60"}, {"LC_ALL", "C"}}).out)) {
        CHECK(row.size() <= 60);
    }
}

TEST_CASE("a remark stands apart from its bar", "[console]") {
    const Outcome outcome =
        ask("fit llama-3.1-70b --on 8xh100 --context 128k --batch 8", {{"LC_ALL", "C"}});
    CHECK(outcome.out.find("#8 sequences") == std::string::npos);
}

TEST_CASE("the values of all flags are checked, whatever else is wrong", "[console]") {
    const Outcome outcome = ask("fit nosuch --on h100 --context -5");
    CHECK(outcome.err.find("--context cannot be '-5'") != std::string::npos);
}

TEST_CASE("a claim of two works or of two durations is refused", "[console]") {
    CHECK(ask("claim llama-3.1-8b --on h100 --tokens 1T --flops 1e24 --days 3").exit == 2);
    CHECK(ask("claim llama-3.1-8b --on h100 --tokens 1T --days 3000 --device-hours 5").exit == 2);
}

TEST_CASE("a training run of a size says that it counts states only", "[console]") {
    CHECK(ask("train 70B --on 64xh100 --tokens 1T").err.find("states only") != std::string::npos);
}

}  // namespace
}  // namespace napkin::test
