// The one table of flags: parsing, help and (later) completions are made from it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace napkin::cli {

struct Flag {
    std::string_view name{};   // without dashes
    std::string_view value{};  // what it takes, as shown in help; empty: a switch
    std::string_view help{};
    std::string_view group{};
    bool many{};  // may be repeated
    bool list{};  // takes commas: one row for each value
};

[[nodiscard]] std::span<const Flag> all_flags();
[[nodiscard]] const Flag* find_flag(std::string_view name);

/// Flags that every command takes.
[[nodiscard]] std::span<const std::string_view> common_flags();

}  // namespace napkin::cli
