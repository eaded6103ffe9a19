// How far a verdict holds: the largest context and batch, what flips it, and what else would fit.
#pragma once

#include <optional>
#include <string>

#include "cli/question.hpp"

namespace napkin::cli {

/// A limit as a whole number; null where there is none.
void add_limit(report::Document& document, std::string key, std::optional<double> value,
               std::string unit);

/// "flips above context 10,485, or a batch of 5": the defaults that the verdict hangs on.
void add_flips(report::Document& document, const Resolver& resolver, const Question& question,
               std::optional<double> context, std::optional<double> batch);

/// N and N + 1: the largest number that still fits, with what is required on either side of it.
[[nodiscard]] Traced proof(const Question& question, double n, bool is_context);

/// Where the whole does not fit: how much of it does, beside a host that keeps the rest.
void add_way_out(report::Document& answer, const Question& question, bool fits);

}  // namespace napkin::cli
