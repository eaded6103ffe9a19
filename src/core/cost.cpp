#include "napkin/cost.hpp"

#include "napkin/derivation.hpp"

namespace napkin {

template <class R>
TokenPrices<R> token_prices(const Serving<R>& point, const Dollars<R>& per_hour,
                            const R& utilization) {
    constexpr double quoted = 1000 * 1000;  // prices of tokens are quoted for a million of them
    const Tokens<R> million(given<R>(quoted, "million", {}, "token"));
    const auto per_second =
        named(per_hour / Seconds<R>(given<R>(unit::hour, "hour", {}, "s")) / utilization,
              "usd_per_second");
    const R reading = named(point.reading / point.request_time, "reading_share");
    const R generating = named(point.generating / point.request_time, "generating_share");
    const auto both = point.input_tokens_per_second + point.tokens_per_second;
    return {
        .per_million_input = named(per_second * reading / point.input_tokens_per_second * million,
                                   "usd_per_million_input_tokens"),
        .per_million_output = named(per_second * generating / point.tokens_per_second * million,
                                    "usd_per_million_output_tokens"),
        .per_million = named(per_second / both * million, "usd_per_million_tokens")};
}

template <class R>
JoulesPerToken<R> energy_per_token(const Serving<R>& point, const Watts<R>& power) {
    return named(power / point.tokens_per_second, "energy_per_token");
}

template <class R>
R replicas_for(const Serving<R>& point, const Hertz<R>& rate, const R& utilization) {
    return named(round_up(rate / (point.requests_per_second * utilization)), "replicas");
}

template TokenPrices<double> token_prices<double>(const Serving<double>&, const Dollars<double>&,
                                                  const double&);
template TokenPrices<Traced> token_prices<Traced>(const Serving<Traced>&, const Dollars<Traced>&,
                                                  const Traced&);
template JoulesPerToken<double> energy_per_token<double>(const Serving<double>&,
                                                         const Watts<double>&);
template JoulesPerToken<Traced> energy_per_token<Traced>(const Serving<Traced>&,
                                                         const Watts<Traced>&);
template double replicas_for<double>(const Serving<double>&, const Hertz<double>&, const double&);
template Traced replicas_for<Traced>(const Serving<Traced>&, const Hertz<Traced>&, const Traced&);

}  // namespace napkin
