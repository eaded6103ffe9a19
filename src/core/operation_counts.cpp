// How many experts tokens touch, and how many keys they see.
#include "napkin/derivation.hpp"
#include "napkin/operations.hpp"

namespace napkin {

template <class R>
R distinct_experts(const R& experts, const R& active, const R& tokens) {
    return experts * (R(1) - power(R(1) - active / experts, tokens));
}

template <class R>
R distinct_ranks(double ranks, const R& active) {
    return R(ranks) * (R(1) - power(R(1 - 1 / ranks), active));
}

RankLoad busiest_rank(double experts, double active, double tokens, double ranks, double skew) {
    double sum = 0;
    for (double rank = 1; rank <= experts; ++rank) sum += power(rank, -skew);
    RankLoad load;
    // Dealt out in the order of popularity: the first of each round is on the busiest rank.
    for (double rank = 1; rank <= experts; rank += ranks) {
        // No token passes an expert twice.
        const double chance = smaller(1.0, active * power(rank, -skew) / sum);
        load.distinct += 1 - power(1 - chance, tokens);
        load.passes += chance * tokens;
    }
    return load;
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
template double distinct_ranks<double>(double, const double&);
template Traced distinct_ranks<Traced>(double, const Traced&);
template double causal_pairs<double>(const double&, const double&, double);
template Traced causal_pairs<Traced>(const Traced&, const Traced&, double);

}  // namespace napkin
