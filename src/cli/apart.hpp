// The answer of `serve --prefill-on`: prompts are read on one machine and answered on another.
#pragma once

#include "cli/demand.hpp"

namespace napkin::cli {

/// `question` is about the machine of --on, which generates.
[[nodiscard]] report::Document serve_apart(Resolver& resolver, Question& question, Demand demand);

}  // namespace napkin::cli
