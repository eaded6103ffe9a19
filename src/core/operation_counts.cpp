// How many experts tokens touch, and how many keys they see.
#include "napkin/derivation.hpp"
#include "napkin/operations.hpp"

namespace napkin {

template <class R>
R distinct_experts(const R& experts, const R& active, const R& tokens) {
    return experts * (R(1) - power(R(1) - active / experts, tokens));
}

template <class R>
R causal_pairs(const R& fresh, const R& prefix, double window) {
    // Token i (1-based) of the new ones sees min(prefix + i, window) keys.
    const R all = fresh * prefix + fresh * (fresh + R(1)) / R(2);
    if (window <= 0 || value_of(prefix) + value_of(fresh) <= window) return all;
    const double ramp = larger(0.0, window - value_of(prefix));  // tokens that see less than it
    const R grows = R(ramp) * prefix + R(ramp) * R(ramp + 1) / R(2);
    return grows + (fresh - R(ramp)) * R(window);
}

template double distinct_experts<double>(const double&, const double&, const double&);
template Traced distinct_experts<Traced>(const Traced&, const Traced&, const Traced&);
template double causal_pairs<double>(const double&, const double&, double);
template Traced causal_pairs<Traced>(const Traced&, const Traced&, double);

}  // namespace napkin
