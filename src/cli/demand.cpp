#include "cli/demand.hpp"

namespace napkin::cli {
namespace {

using report::number;

std::optional<Seconds<>> read_limit(Resolver& resolver, const std::string& flag) {
    const auto limit = resolver.optional(flag, read_duration);
    if (limit) {
        resolver.add_input(flag, number(limit->value(), "s", Style::duration), resolver.from(flag));
    }
    return limit;
}

// A number above zero, not above `most`.
double read_positive(Resolver& resolver, const std::string& flag, std::optional<double> value,
                     double least, double most, const std::string& expected, Style style) {
    if (!value) return 1;
    if (*value <= 0 || *value < least || *value > most) {
        resolver.refuse(flag, *resolver.setting(flag), expected);
    }
    resolver.add_input(flag, number(*value, "1", style), resolver.from(flag));
    return *value;
}

}  // namespace

Demand read_demand(Resolver& resolver) {
    Demand demand;
    if (resolver.setting("prefill-price") && !resolver.setting("prefill-on")) {
        resolver.problem(problem_of("--prefill-price", "no-prefill-machine",
                                    "no other machine reads the prompts", "--prefill-on MACHINE"));
    }
    demand.limits.time_to_first_token = read_limit(resolver, "ttft");
    demand.limits.time_per_output_token = read_limit(resolver, "tpot");
    demand.rate = resolver.optional("rate", read_number);
    if (demand.rate) {
        if (*demand.rate <= 0) {
            resolver.refuse("rate", *resolver.setting("rate"),
                            "expected a number of requests a second above 0");
        }
        resolver.add_input("rate", number(*demand.rate, "1/s", Style::plain),
                           resolver.from("rate"));
    }
    demand.utilization =
        read_positive(resolver, "utilization", resolver.optional("utilization", read_fraction), 0,
                      1, "expected a share above 0 and up to 100 %", Style::percent);
    demand.pue = read_positive(resolver, "pue", resolver.optional("pue", read_number), 1, 1e3,
                               "expected 1 or more", Style::plain);
    demand.per_kilowatt_hour = resolver.optional("kwh", read_money);
    if (demand.per_kilowatt_hour) {
        resolver.add_input("kwh", number(demand.per_kilowatt_hour->value(), "USD", Style::money),
                           resolver.from("kwh"));
    }
    return demand;
}

std::string at_usual_use(const Demand& demand, double value, Style style) {
    if (demand.utilization < 1) return "at " + to_text(demand.utilization, Style::percent) + " use";
    return to_text(value / usual_use, style) + " at 40 % use";
}

void add_token_prices(report::Document& answer, const TokenPrices<Traced>& prices,
                      const Demand& demand) {
    const auto row = [&](const char* key, const Dollars<Traced>& price, const char* label) {
        answer.results.push_back(result(key, price, Style::money, label,
                                        at_usual_use(demand, value_of(price), Style::money)));
    };
    row("usd_per_million_input_tokens", prices.per_million_input, "M tokens in");
    row("usd_per_million_output_tokens", prices.per_million_output, "M tokens out");
    row("usd_per_million_tokens", prices.per_million, "M of both");
}

void add_monthly_rent(report::Document& answer, const Dollars<Traced>& an_hour) {
    const Traced month = given<Traced>(unit::year / 12 / unit::hour, "hours_a_month");
    answer.results.push_back(result("usd_per_month", named(an_hour * month, "usd_per_month"),
                                    Style::money, "rent a month", "of all machines"));
}

void add_energy(report::Document& answer, const JoulesPerToken<Traced>& energy,
                const std::string& remark, const Demand& demand) {
    answer.results.push_back(
        result("energy_per_token", energy, Style::plain, "J a token", "generated; " + remark));
    if (!demand.per_kilowatt_hour) return;
    constexpr double kilo = 1000;
    constexpr double million = kilo * kilo;
    const double usd =
        value_of(energy) / (kilo * unit::hour) * million * demand.per_kilowatt_hour->value();
    answer.results.push_back(plain_result("usd_electricity_per_million_output_tokens",
                                          number(usd, "USD", Style::money), "its electricity",
                                          "of a million generated tokens"));
}

void add_limits(report::Document& answer, const Seconds<>& first, const Seconds<>& each,
                const Limits& limits) {
    const auto check = [&](const char* key, const Seconds<>& time,
                           const std::optional<Seconds<>>& limit) {
        if (!limit) return;
        answer.checks.push_back({.id = key,
                                 .result = key,
                                 .operation = "<=",
                                 .limit = number(limit->value(), "s", Style::duration),
                                 .value = number(time.value(), "s", Style::duration),
                                 .met = time <= *limit});
        const bool met = answer.checks.back().met;
        answer.yes = answer.yes && met;
        answer.verdict = answer.yes ? "meets" : "misses";
        answer.verdict_text = answer.verdict;
    };
    check("time_to_first_token", first, limits.time_to_first_token);
    check("time_per_output_token", each, limits.time_per_output_token);
}

}  // namespace napkin::cli
