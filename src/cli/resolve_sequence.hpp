// What a sequence of a question holds: its prompt and output, and how its tokens choose experts.
#pragma once

#include "cli/resolve.hpp"

namespace napkin::cli {

/// --prompt and --prefix: a prompt to read.
void read_prompt(Resolver& resolver, Inputs& inputs);

/// A prompt, and --output tokens after it, of --batch requests if that is given.
void read_request(Resolver& resolver, Inputs& inputs);

/// An encoder's prompt stays in a cache of its own; elsewhere it is part of the context.
void read_encoded_prompt(Resolver& resolver, Inputs& inputs);

/// How unevenly tokens choose their experts: a ceiling assumes that they do not.
void read_skew(Resolver& resolver, Inputs& inputs);

}  // namespace napkin::cli
