// Questions for every command, asked as a script or at a terminal.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/console/transcript.hpp"

namespace napkin::test {

using nlohmann::json;
using Environment = std::map<std::string, std::string>;

inline Outcome ask(const std::string& line, const Environment& more = {}) {
    Conditions conditions = usual_conditions();
    conditions.environment["COLUMNS"] = "80";
    for (const auto& [name, value] : more) conditions.environment[name] = value;
    return run_napkin(shell_words(line), conditions);
}

inline Outcome ask_in_terminal(const std::string& line, const Environment& more = {}) {
    Conditions conditions = usual_conditions();
    conditions.terminal = true;
    conditions.columns = 80;
    for (const auto& [name, value] : more) conditions.environment[name] = value;
    return run_napkin(shell_words(line), conditions);
}

inline bool colored(const Outcome& outcome) {
    return outcome.out.find('\x1b') != std::string::npos;
}

inline std::vector<std::string> lines_of(const std::string& text) {
    return split_lines(text);
}

// One question for every command, and the result keys that the contract promises of it.
struct Question {
    std::string line{};
    std::string command{};
    std::vector<std::string> keys{};
};

inline const std::vector<Question>& questions() {
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
        {"roofline llama-3.1-8b --on 8xh100 --batch 64",
         "roofline",
         {"ridge_intensity", "intensity", "attainable_flops", "bound", "headroom",
          "attention_bytes_fused", "attention_bytes_unfused", "attention_time_fused",
          "attention_time_unfused", "on_chip_time"}},
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
        {"decode llama-3.1-70b --on 2xh100 --context 1k",
         "decode",
         {"tokens_per_second", "tokens_per_second_per_user", "step_time", "intensity", "bound",
          "compute_utilization", "critical_batch", "attention_intensity", "step_critical_batch",
          "turning_context", "max_batch"}},
        {"prefill llama-3.1-8b --on h100",
         "prefill",
         {"time_to_first_token", "tokens_per_second", "intensity", "bound", "compute_utilization"}},
        {"serve llama-3.1-70b --on 8xh100 --tpot 20ms --ttft 1s --rate 50",
         "serve",
         {"requests_per_second", "tokens_per_second", "max_batch", "time_to_first_token",
          "time_per_output_token", "usd_per_million_output_tokens", "usd_per_million_input_tokens",
          "energy_per_token"}},
        {"train llama-3.1-405b --on 16384xh100 --tokens 15.6T --mfu 41%",
         "train",
         {"duration", "flops", "device_hours", "mfu", "required", "margin", "usd_total", "energy"}},
        {"claim llama-3.1-405b --on 16384xh100 --tokens 15.6T --days 54",
         "claim",
         {"mfu", "flops", "flops_per_device", "duration", "device_hours"}},
        {"collective all-reduce --on 8xh100 --bytes 16MiB",
         "collective",
         {"time", "bus_bandwidth", "algorithm_bandwidth"}},
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

}  // namespace napkin::test
