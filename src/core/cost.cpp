#include "napkin/cost.hpp"

#include "napkin/derivation.hpp"

namespace napkin {
namespace {

constexpr double quoted = 1000 * 1000;  // prices of tokens are quoted for a million of them

}  // namespace

template <class R>
TokenPrices<R> token_prices(const Serving<R>& point, const Dollars<R>& per_hour,
                            const R& utilization) {
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
TokenPrices<R> token_prices(const Disaggregated<R>& point, const Dollars<R>& prefill_per_hour,
                            const Dollars<R>& decode_per_hour, const R& utilization) {
    const Tokens<R> million(given<R>(quoted, "million", {}, "token"));
    const Seconds<R> hour(given<R>(unit::hour, "hour", {}, "s"));
    const auto of_request = [&](const Dollars<R>& per_hour, const Hertz<R>& rate, const char* key) {
        return named(per_hour / hour / utilization / rate, key);
    };
    const Dollars<R> read =
        of_request(prefill_per_hour, point.prefill_requests_per_second, "usd_to_read_a_prompt");
    const Dollars<R> generated =
        of_request(decode_per_hour, point.decode_requests_per_second, "usd_to_answer_it");
    return {
        .per_million_input = named(read / point.input * million, "usd_per_million_input_tokens"),
        .per_million_output =
            named(generated / point.output * million, "usd_per_million_output_tokens"),
        .per_million = named((read + generated) / (point.input + point.output) * million,
                             "usd_per_million_tokens")};
}

template <class R>
Machines<R> machines_for(const Disaggregated<R>& point, const Hertz<R>& rate,
                         const R& utilization) {
    return {.prefill = named(round_up(rate / (point.prefill_requests_per_second * utilization)),
                             "prefill_machines"),
            .decode = named(round_up(rate / (point.decode_requests_per_second * utilization)),
                            "decode_machines")};
}

template <class R>
JoulesPerToken<R> energy_per_token(const Serving<R>& point, const Watts<R>& power) {
    return named(power / point.tokens_per_second, "energy_per_token");
}

template <class R>
JoulesPerToken<R> energy_per_token(const Disaggregated<R>& point, const Watts<R>& prefill_power,
                                   const Watts<R>& decode_power) {
    return named((prefill_power / point.prefill_requests_per_second +
                  decode_power / point.decode_requests_per_second) /
                     point.output,
                 "energy_per_token");
}

template <class R>
R replicas_for(const Serving<R>& point, const Hertz<R>& rate, const R& utilization) {
    return named(round_up(rate / (point.requests_per_second * utilization)), "replicas");
}

template TokenPrices<double> token_prices<double>(const Serving<double>&, const Dollars<double>&,
                                                  const double&);
template TokenPrices<Traced> token_prices<Traced>(const Serving<Traced>&, const Dollars<Traced>&,
                                                  const Traced&);
template TokenPrices<double> token_prices<double>(const Disaggregated<double>&,
                                                  const Dollars<double>&, const Dollars<double>&,
                                                  const double&);
template TokenPrices<Traced> token_prices<Traced>(const Disaggregated<Traced>&,
                                                  const Dollars<Traced>&, const Dollars<Traced>&,
                                                  const Traced&);
template Machines<double> machines_for<double>(const Disaggregated<double>&, const Hertz<double>&,
                                               const double&);
template Machines<Traced> machines_for<Traced>(const Disaggregated<Traced>&, const Hertz<Traced>&,
                                               const Traced&);
template JoulesPerToken<double> energy_per_token<double>(const Disaggregated<double>&,
                                                         const Watts<double>&,
                                                         const Watts<double>&);
template JoulesPerToken<Traced> energy_per_token<Traced>(const Disaggregated<Traced>&,
                                                         const Watts<Traced>&,
                                                         const Watts<Traced>&);
template JoulesPerToken<double> energy_per_token<double>(const Serving<double>&,
                                                         const Watts<double>&);
template JoulesPerToken<Traced> energy_per_token<Traced>(const Serving<Traced>&,
                                                         const Watts<Traced>&);
template double replicas_for<double>(const Serving<double>&, const Hertz<double>&, const double&);
template Traced replicas_for<Traced>(const Serving<Traced>&, const Hertz<Traced>&, const Traced&);

}  // namespace napkin
