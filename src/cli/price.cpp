#include "cli/price.hpp"

#include <algorithm>

namespace napkin::cli {

std::optional<Rent> rent_of(Resolver& resolver, const Accelerator& part, const std::string& flag) {
    std::string key = flag;
    std::replace(key.begin(), key.end(), '-', '_');
    if (const auto price = resolver.optional(flag, read_money)) {
        resolver.add_input(key, report::number(price->value(), "USD", Style::money),
                           resolver.from(flag));
        return Rent{given<Traced>(*price, "rent_per_device_hour", "--" + flag), "as given"};
    }
    const auto median = median_rent(part);
    if (!median) {
        resolver.note("no-price",
                      "no dated rent of " + part.name + " is known: --" + flag + " gives one");
        return std::nullopt;
    }
    double low = part.rent.front().low;
    double high = part.rent.front().high;
    std::string from = part.rent.front().date;
    std::string to = from;
    for (const DatedPrice& price : part.rent) {
        low = smaller(low, price.low);
        high = larger(high, price.high);
        from = std::min(from, price.date);
        to = std::max(to, price.date);
    }
    const std::string dates = from == to ? from : from + " to " + to;
    const std::string count = std::to_string(part.rent.size());
    resolver.add_input(key, report::number(*median, "USD", Style::money), "default");
    std::string remark = to_text(*median, Style::money) + " a device-hour, " + dates;
    if (low < high) {
        remark = to_text(*median, Style::money) + " a device-hour: median of " + count + ", " +
                 to_text(low, Style::plain) + " to " + to_text(high, Style::plain) + ", " + dates;
    }
    return Rent{given<Traced>(Dollars<>(*median), "rent_per_device_hour",
                              "median of " + count + " prices, " + dates),
                remark};
}

std::optional<Draw> power_of(const Machine& machine) {
    const Accelerator& part = machine.accelerator;
    const bool wall = machine.system_power > Watts<>(0);
    const Watts<> watts = wall ? machine.system_power : part.power.tdp * machine.devices;
    if (watts <= Watts<>(0)) return std::nullopt;
    return Draw{given<Traced>(watts, "power", part.power.provenance.source),
                wall ? "wall power of the system" : "TDP: excludes host and cooling"};
}

}  // namespace napkin::cli
