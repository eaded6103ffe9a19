// Rent: what a device-hour costs, as given or as the median of dated prices.
#pragma once

#include <optional>
#include <string>

#include "cli/question.hpp"

namespace napkin::cli {

struct Rent {
    Dollars<Traced> per_device_hour{};
    std::string remark{};  // its range and dates
};

/// --price (or what `flag` names), else the median of the dated prices of the part. None known: no
/// dollars, and a note.
[[nodiscard]] std::optional<Rent> rent_of(Resolver& resolver, const Accelerator& part,
                                          const std::string& flag = "price");

/// What a machine draws: wall power of the system where known, else the TDP of its devices.
struct Draw {
    Watts<Traced> watts{};
    std::string remark{};
};
[[nodiscard]] std::optional<Draw> power_of(const Machine& machine);

}  // namespace napkin::cli
