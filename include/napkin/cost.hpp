// What tokens cost: the rent and the power of a machine, shared among what it reads and generates.
#pragma once

#include "napkin/disaggregation.hpp"

namespace napkin {

/// Dollars for a million tokens. A machine's time is paid for by what it is spent on: the share
/// that reads prompts by their tokens, the share that generates by those. Reading uses each weight
/// for a whole prompt, a step uses it once for each sequence, so input tokens are the cheaper ones
/// as long as the batch is below the critical one.
///   price = usd/s * share / (token/s) * 10^6 / utilization
template <class R = double>
struct TokenPrices {
    Dollars<R> per_million_input{};   // read; a cached prefix is not
    Dollars<R> per_million_output{};  // generated
    Dollars<R> per_million{};         // of both together
};
/// `utilization` is the share of the time in which there are requests to fill the batch.
template <class R = double>
[[nodiscard]] TokenPrices<R> token_prices(const Serving<R>& point, const Dollars<R>& per_hour,
                                          const R& utilization);

/// Of a machine for each side, as many of either as the other keeps busy: tokens in pay for the
/// prefill side, tokens out for the decode side.
template <class R = double>
[[nodiscard]] TokenPrices<R> token_prices(const Disaggregated<R>& point,
                                          const Dollars<R>& prefill_per_hour,
                                          const Dollars<R>& decode_per_hour, const R& utilization);

/// Energy for each generated token, its prompt included: power / token rate, in J/token.
template <class R = double>
using JoulesPerToken = Quantity<dimension::joule / dimension::token, R>;
template <class R = double>
[[nodiscard]] JoulesPerToken<R> energy_per_token(const Serving<R>& point, const Watts<R>& power);

template <class R = double>
[[nodiscard]] JoulesPerToken<R> energy_per_token(const Disaggregated<R>& point,
                                                 const Watts<R>& prefill_power,
                                                 const Watts<R>& decode_power);

/// Machines for `rate` requests a second, each used up to `utilization`.
template <class R = double>
[[nodiscard]] R replicas_for(const Serving<R>& point, const Hertz<R>& rate, const R& utilization);
/// The same of each side, apart.
template <class R = double>
struct Machines {
    R prefill{};
    R decode{};
};
template <class R = double>
[[nodiscard]] Machines<R> machines_for(const Disaggregated<R>& point, const Hertz<R>& rate,
                                       const R& utilization);

}  // namespace napkin
