// Measured speeds, the inputs that each was measured with, and how much of the ceiling it reaches.
#pragma once

#include <string>
#include <vector>

#include "napkin/inputs.hpp"
#include "tests/measured/memory_logs.hpp"

namespace napkin::test {

/// Files of tests/measured/speeds, without their extension.
inline const std::vector<std::string> speed_files{"xiongjiedai",    "gptfast",  "fastertransformer",
                                                  "qwen",           "consumer", "moe-and-peers",
                                                  "aiconfigurator", "trtllm"};

/// The records of a file.
const nlohmann::json& speeds(const std::string& file);

/// Where its records are from, by their `source`.
const nlohmann::json& sources(const std::string& file);

/// A record as the library is asked for it: model, formats, machine, layout, lengths. The context
/// is the mean over the output.
Inputs inputs_of(const nlohmann::json& record);

/// Seconds that the record took: of a step, of a prompt, of a whole request, or of a token of all.
double measured_time(const nlohmann::json& record);

/// The same at the ceiling.
double ceiling_time(const nlohmann::json& record);

}  // namespace napkin::test
