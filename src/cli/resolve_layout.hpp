// Layouts: the one that flags give, the ones to choose among, and how a layout is written.
#pragma once

#include <optional>
#include <vector>

#include "cli/question.hpp"

namespace napkin::cli {

/// The layout of the flags, if there is one, held to the rules of the model and machine.
[[nodiscard]] std::optional<Layout> read_layout(Resolver& resolver, const Inputs& inputs);

/// Lists the layout of a question among the inputs.
void add_layout(Resolver& resolver, const Question& question);

/// Degrees of parallelism as members of an input.
[[nodiscard]] std::vector<std::pair<std::string, report::Value>> degrees_of(const Layout& layout);

/// Warns of `devices` that a layout leaves without work.
void note_idle_devices(Resolver& resolver, const Machine& machine, const Layout& layout,
                       std::string_view devices);

/// The candidates that are one replica, all that a host serves; one stage a layer if none is.
[[nodiscard]] std::vector<Layout> one_replica(std::vector<Layout> candidates, const Inputs& inputs);

}  // namespace napkin::cli
