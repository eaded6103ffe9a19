// What an engine gives the KV cache, as rows of an answer.
#pragma once

#include "cli/question.hpp"

namespace napkin::cli {

/// "92 % of the card, vLLM 0.21 to 0.28": what the reserve of an engine is. Empty without one.
[[nodiscard]] std::string policy_remark(const Inputs& inputs);

/// The pool in bytes and tokens, the fraction that would do where it is too small, and the version
/// that is described. Nothing without an engine.
void add_pool(report::Document& document, const Question& question, const Fit<Traced>& fit);

}  // namespace napkin::cli
