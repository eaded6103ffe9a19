// What is asked of a service beside the request itself: limits, load, use and prices.
#pragma once

#include <optional>
#include <string>

#include "cli/price.hpp"
#include "napkin/cost.hpp"

namespace napkin::cli {

constexpr double usual_use = 0.4;  // the contract's second line beside full utilisation

struct Demand {
    Limits limits{};
    std::optional<double> rate{};
    double utilization{1};
    std::optional<Rent> rent{};
    std::optional<Dollars<>> per_kilowatt_hour{};
    double pue{1};
};

[[nodiscard]] Demand read_demand(Resolver& resolver);

/// "7.55 USD at 40 % use" beside a figure for full use; the share itself where it was given.
[[nodiscard]] std::string at_usual_use(const Demand& demand, double value, Style style);

/// Prices of a million tokens in, out and of both.
void add_token_prices(report::Document& answer, const TokenPrices<Traced>& prices,
                      const Demand& demand);
/// Rent of all machines in the mean month.
void add_monthly_rent(report::Document& answer, const Dollars<Traced>& an_hour);

/// Joules for each generated token, and what its electricity costs.
void add_energy(report::Document& answer, const JoulesPerToken<Traced>& energy,
                const std::string& remark, const Demand& demand);

/// Limits as checks: of the best point, or of a single sequence, which is the soonest there is.
void add_limits(report::Document& answer, const Seconds<>& first, const Seconds<>& each,
                const Limits& limits);

}  // namespace napkin::cli
