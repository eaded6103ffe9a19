// Every command explains itself, and what it explains can be re-computed from what it prints: the
// JSON to 1e-9, the text to the digits that it shows.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/evaluate.hpp"
#include "tests/support/process.hpp"

using napkin::test::Outcome;
using napkin::test::shell_words;

namespace {

// One question for each command that computes, and for each kind of layer.
const std::vector<std::string> questions{
    "llama-3.1-70b --on 2xh100",
    "llama-3.1-70b --on h100",
    "fit llama-3.1-70b --on 2xh100 --batch 4",
    "fit deepseek-v3 --on 8xh200 --context 32k --batch 8",
    "fit gpt-oss-120b --on h100",
    "fit gpt-oss-120b --on 2xh100 --engine vllm --context 100 --in-use 20GiB",
    "fit llama-3.1-70b --on h100 --engine sglang",
    "fit llama-3.1-8b --on rtx-4090 --engine trtllm --batch 3",
    "fit gemma-3-27b --on 2xrtx-4090 --engine llama.cpp --weights q4_k",
    "fit 70B --train --on h100",
    "fit llama-3.1-8b --train --on 8xh100",
    "fit 70B --context 8k --kv-per-token 320KiB --on 4xh100",
    "decode llama-3.1-70b --on h100 --context 0",
    "decode deepseek-v3 --on 8xh200 --batch 64",
    "decode deepseek-v3.2 --on 8xb200 --context 64k",
    "decode gemma-3-27b --on h100 --context 32k",
    "decode nemotron-nano-9b-v2 --on rtx-4090 --context 1k",
    "decode qwen3-next-80b-a3b --on 4xh100",
    "decode llama-3.1-405b --on 2xdgx-h100",
    "decode 671B:37B --on 8xh200 --context 0 --weights fp8",
    "decode llama-3.1-70b --on 2xh100 --draft llama-3.2-1b --draft-tokens 4 --acceptance 70%",
    "fit llama-3.1-70b --on 2xh100 --draft llama-3.2-1b",
    "decode gpt-oss-120b --on rtx-4090 --cpu-experts all --host desktop-ddr5-6000-dual",
    "fit llama-3.1-70b --on rtx-4090 --gpu-layers 40 --weights Q4_K_M --host "
    "desktop-ddr5-6000-dual",
    "prefill llama-3.1-70b --on rtx-4090 --gpu-layers 40 --weights Q4_K_M --host "
    "desktop-ddr5-6000-dual",
    "fit llama-3.1-405b --on 2xdgx-h100 --load-from 7GB/s",
    "prefill llama-3.1-8b --on h100 --prompt 8k",
    "prefill llama-3.1-70b --on 8xh100 --prompt 32k --prefix 24k",
    "prefill mixtral-8x7b --on 2xh100",
    "serve llama-3.1-70b --on 8xh100 --tpot 20ms --rate 50 --pue 1.2",
    "serve llama-3.1-70b --on 8xh200 --prefill-on 8xh100 --tpot 20ms --rate 50 --pue 1.2",
    "serve llama-3.1-8b --on 3xh100 --dp 3 --batch 100 --prefix 1k",
    "train llama-3.1-405b --on 16384xh100 --tokens 15.6T --mfu 41%",
    "train 7B --on 8xa100 --tokens 140B",
    "claim llama-3.1-405b --on 16384xh100 --tokens 15.6T --days 54",
    "claim --flops 3.14e23 --on 1024xa100 --device-hours 900k",
    "goodput --on 16384xh100 --checkpoint-stall 60s --restart 5min",
    "goodput --on 512xa100 --checkpoint-stall 60s --restart 5min --interval-rule saxena",
    "roofline --on h100 --intensity 100",
    "roofline llama-3.1-8b --on h100 --context 128 --batch 600",
    "roofline deepseek-v3 --on 8xh200 --phase prefill",
    "decode llama-3.1-8b --on h100 --context 128",
    "collective all-reduce --on 8xh100 --bytes 16KiB",
    "collective all-reduce --on 4xdgx-h100 --bytes 1GiB",
    "collective all-to-all --on 8xmi300x --bytes 64MiB",
    "collective send --on 2xrtx-4090 --bytes 16MiB --set collective.bandwidth=20GB/s",
    "roofline --on mi300x --gemm 4096x512x8192",
    "gpu h100",
    "model llama-3.1-70b",
    "model deepseek-v3",
    "model gemma-3-27b --kv fp8",
    "numbers"};

void recompute(const nlohmann::json& lines) {
    std::map<std::string, double> earlier;
    for (const auto& line : lines) {
        const std::string symbol = line.at("symbol");
        const double value = line.at("value");
        CAPTURE(symbol, value);
        if (line.contains("formula")) {
            const std::string formula = line.at("formula");
            CAPTURE(formula);
            napkin::test::Names names;
            for (const auto& operand : line.at("operands")) {
                const std::string name = operand.at("symbol");
                const double given = operand.at("value");
                REQUIRE(earlier.count(name) == 1);
                REQUIRE(earlier.at(name) == given);
                names[name] = given;
            }
            const double computed = napkin::test::evaluate(formula, names);
            REQUIRE(std::abs(computed - value) <= 1e-9 * std::abs(value));
        }
        REQUIRE(earlier.emplace(symbol, value).second);
    }
}

// ---- the text ----------------------------------------------------------------------------------

const std::vector<std::pair<std::string, double>> units{{"kB/token", 1e3},
                                                        {"MB/token", 1e6},
                                                        {"B/token", 1},
                                                        {"PFLOP/s", 1e15},
                                                        {"TFLOP/s", 1e12},
                                                        {"GFLOP/s", 1e9},
                                                        {"MFLOP/s", 1e6},
                                                        {"FLOP/s", 1},
                                                        {"FLOP/B", 1},
                                                        {"EFLOP/s", 1e18},
                                                        {"EFLOP", 1e18},
                                                        {"PFLOP", 1e15},
                                                        {"TFLOP", 1e12},
                                                        {"GFLOP", 1e9},
                                                        {"MFLOP", 1e6},
                                                        {"FLOP", 1},
                                                        {"PB/s", 1e15},
                                                        {"TB/s", 1e12},
                                                        {"GB/s", 1e9},
                                                        {"MB/s", 1e6},
                                                        {"kB/s", 1e3},
                                                        {"B/s", 1},
                                                        {"KiB", 1024.0},
                                                        {"MiB", 1048576.0},
                                                        {"GiB", 1073741824.0},
                                                        {"TiB", 1099511627776.0},
                                                        {"PB", 1e15},
                                                        {"TB", 1e12},
                                                        {"GB", 1e9},
                                                        {"MB", 1e6},
                                                        {"kB", 1e3},
                                                        {"B", 1},
                                                        {"token/s", 1},
                                                        {"GWh", 3.6e12},
                                                        {"MWh", 3.6e9},
                                                        {"kWh", 3.6e6},
                                                        {"J", 1},
                                                        {"USD", 1},
                                                        {"MW", 1e6},
                                                        {"kW", 1e3},
                                                        {"W", 1},
                                                        {"min", 60},
                                                        {"ms", 1e-3},
                                                        {"us", 1e-6},
                                                        {"ns", 1e-9},
                                                        {"h", 3600},
                                                        {"d", 86400},
                                                        {"s", 1}};

// "150.995 MB x 80" -> "(150.995*1e6) * 80": numbers with their units become plain factors.
std::string plain(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const bool digit = std::isdigit(static_cast<unsigned char>(text[at])) != 0;
        if (!digit) {
            const bool times = text.compare(at, 3, " x ") == 0;
            out += times ? " * " : std::string(1, text[at]);
            at += times ? 3 : 1;
            continue;
        }
        std::string number;
        while (at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.' ||
                text[at] == ',' || (text[at] == '-' && text[at - 1] == 'e'))) {
            const bool separator =
                text[at] == ',' && (at + 1 == text.size() || text[at + 1] == ' ');
            if (separator) break;
            if (text[at] != ',') number += text[at];
            ++at;
        }
        double factor = 1;
        if (at < text.size() && text[at] == ' ') {
            for (const auto& [unit, scale] : units) {
                const std::size_t end = at + 1 + unit.size();
                const bool ends =
                    end >= text.size() || text[end] == ' ' || text[end] == ')' || text[end] == ',';
                if (text.compare(at + 1, unit.size(), unit) != 0 || !ends) continue;
                factor = scale;
                at = end;
                break;
            }
        }
        std::ostringstream exact;
        exact.precision(17);
        exact << "(" << number << "*" << std::fixed << factor << ")";
        if (factor < 1) {
            exact.str("");
            exact << "(" << number << "/" << std::fixed << 1 / factor << ")";
        }
        out += exact.str();
    }
    return out;
}

// Lines of the text: "  symbol = words", then "    = numbers", then "    = value"; continued ones
// are indented deeper.
std::vector<std::vector<std::string>> steps_of(const std::string& text) {
    std::vector<std::vector<std::string>> steps;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("given", 0) == 0) break;
        if (line.rfind("      ", 0) == 0 && !steps.empty()) {
            steps.back().back().append(" ").append(line, 6);
        } else if (line.rfind("    = ", 0) == 0 && !steps.empty()) {
            steps.back().push_back(line.substr(6));
        } else if (line.rfind("  ", 0) == 0 && line.find(" = ") != std::string::npos) {
            steps.push_back({line.substr(2)});
        }
    }
    return steps;
}

}  // namespace

TEST_CASE("each answer's explanation re-computes from its own operands, as JSON to 1e-9") {
    for (const std::string& question : questions) {
        CAPTURE(question);
        std::vector<std::string> words = shell_words(question);
        words.insert(words.end(), {"--explain", "--json"});
        const Outcome outcome = napkin::test::run_napkin(words);
        REQUIRE(outcome.exit <= 1);
        std::istringstream rows(outcome.out);
        std::size_t lines = 0;
        for (std::string row; std::getline(rows, row);) {
            const auto answer = nlohmann::json::parse(row);
            REQUIRE(answer.contains("explanation"));
            lines += answer.at("explanation").size();
            recompute(answer.at("explanation"));
        }
        REQUIRE(lines > 0);
    }
}

TEST_CASE("each answer's explanation re-computes from its text, to the digits that it prints") {
    for (const std::string& question : questions) {
        if (question == "numbers") continue;  // a list of answers: the others show each of them
        CAPTURE(question);
        std::vector<std::string> words = shell_words(question);
        words.emplace_back("--explain");
        const Outcome outcome = napkin::test::run_napkin(words);
        const std::size_t begins = outcome.out.find("\n\n");
        REQUIRE(begins != std::string::npos);
        std::size_t checked = 0;
        for (const auto& step : steps_of(std::string(outcome.out, begins + 2))) {
            if (step.size() < 3) continue;  // a second name, or an input
            CAPTURE(step[0], step[1], step[2], plain(step[1]), plain(step[2]));
            const double computed = napkin::test::evaluate(plain(step[1]));
            const double printed = napkin::test::evaluate(plain(step[2]));
            // Six digits on each operand; differences of near equals lose some of them.
            double scale = std::abs(printed);
            const std::string minuend = step[1].substr(0, step[1].find(" - "));
            if (minuend != step[1] && minuend.find('(') == std::string::npos) {
                scale = napkin::test::evaluate(plain(minuend));
            }
            REQUIRE(std::abs(computed - printed) <= 5e-5 * std::abs(scale));
            ++checked;
        }
        REQUIRE(checked > 0);
    }
}
