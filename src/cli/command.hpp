// What a command is: a name, what it takes, and how it answers one question.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "napkin/catalog.hpp"
#include "report/document.hpp"

namespace napkin::cli {

struct Command {
    std::string_view name{};
    std::string_view synopsis{};
    std::string_view summary{};
    std::vector<std::string_view> examples{};
    std::vector<std::string_view> flags{};  // beside the common ones
    std::size_t most_positionals{};
    bool first_is_model{};  // lists of models are taken apart
    std::vector<report::Document> (*answer)(const Arguments&, const Catalog&){};
};

/// All commands, in the order of the help.
[[nodiscard]] std::span<const Command> commands();
/// By name, singular or plural; null if there is none.
[[nodiscard]] const Command* find_command(std::string_view name);

// One source each in cli/commands; a list of rows or a single answer.
using Documents = std::vector<report::Document>;
[[nodiscard]] Documents envelope(const Arguments&, const Catalog&);
[[nodiscard]] Documents gpu(const Arguments&, const Catalog&);
[[nodiscard]] Documents model(const Arguments&, const Catalog&);
[[nodiscard]] Documents roofline(const Arguments&, const Catalog&);
[[nodiscard]] Documents collective(const Arguments&, const Catalog&);
[[nodiscard]] Documents fit(const Arguments&, const Catalog&);
[[nodiscard]] Documents decode(const Arguments&, const Catalog&);
[[nodiscard]] Documents prefill(const Arguments&, const Catalog&);
[[nodiscard]] Documents serve(const Arguments&, const Catalog&);
[[nodiscard]] Documents train(const Arguments&, const Catalog&);
[[nodiscard]] Documents claim(const Arguments&, const Catalog&);
[[nodiscard]] Documents goodput(const Arguments&, const Catalog&);
[[nodiscard]] Documents numbers(const Arguments&, const Catalog&);
[[nodiscard]] Documents version(const Arguments&, const Catalog&);

}  // namespace napkin::cli
