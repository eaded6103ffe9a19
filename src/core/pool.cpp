#include "core/policy.hpp"

namespace napkin {

template <class R>
Pool<R> kv_pool(const Fit<R>& fit, const Inputs& inputs) {
    const Bytes<R> asked = bytes_of(fit.residents, ResidentKind::kv_cache);
    const Bytes<R> room = fit.margin + asked;
    Pool<R> pool{.bytes = or_zero(room), .shortfall = or_zero(Bytes<R>(R(0)) - room)};
    const Engine* engine = engine_of(inputs);
    const double block = engine != nullptr ? larger(1.0, engine->block) : 1;
    // Bytes of a block as the sequences of the question fill them.
    Inputs one = inputs;
    one.workload.context = larger(block, inputs.workload.context);
    one.workload.batch = inputs.layout.dp;
    const double each = bytes_of(inference_residents<double>(one), ResidentKind::kv_cache).value();
    if (each <= 0) return pool;
    const double blocks = cells<double>(one.workload.context, inputs) / block;
    pool.blocks = round_down(value_of(pool.bytes) * blocks / each);
    pool.tokens = pool.blocks * block;
    return pool;
}

std::optional<double> memory_fraction(const Inputs& inputs) {
    const Engine* engine = engine_of(inputs);
    if (engine == nullptr || engine->basis == PoolBasis::rest) return std::nullopt;
    if (engine->fraction) return engine->fraction;
    return 1 - margin_left<double>(*engine, inputs) / capacity(inputs.machine.accelerator);
}

std::optional<double> min_memory_fraction(const Inputs& inputs) {
    const Engine* engine = engine_of(inputs);
    if (engine == nullptr || engine->basis == PoolBasis::rest) return std::nullopt;
    const Residents<> list = inference_residents<double>(inputs);
    const Bytes<> cache = bytes_of(list, ResidentKind::kv_cache);
    const Bytes<> others = bytes_of(list, ResidentKind::in_use);
    const Bytes<> runtime = bytes_of(list, ResidentKind::runtime);
    const Bytes<> own =
        sum_but_cache(list) - bytes_of(list, ResidentKind::reserve) - others + cache;
    const Bytes<> whole = card<double>(*engine, inputs);
    const auto share = [](const Bytes<>& part, const Bytes<>& of) -> std::optional<double> {
        if (of <= Bytes<>(0) || part > of) return std::nullopt;
        return part / of;
    };
    if (own + others > whole) return std::nullopt;
    switch (engine->basis) {
        case PoolBasis::card:
            return share(engine->others_inside ? own + others : own, whole);
        case PoolBasis::static_memory:
            return share(own - runtime - bytes_of(list, ResidentKind::activations) -
                             bytes_of(list, ResidentKind::graphs),
                         whole - runtime - others);
        case PoolBasis::free_memory:
            return share(cache, whole - (own - cache) - others);
        case PoolBasis::rest:
            break;
    }
    return std::nullopt;
}

std::optional<double> max_memory_fraction(const Inputs& inputs) {
    const Engine* engine = engine_of(inputs);
    const Bytes<> others = inputs.assumptions.in_use;
    if (engine == nullptr || engine->basis != PoolBasis::card || engine->others_inside ||
        others <= Bytes<>(0)) {
        return std::nullopt;
    }
    return larger(0.0, 1 - others / card<double>(*engine, inputs));
}

template Pool<double> kv_pool<double>(const Fit<double>&, const Inputs&);
template Pool<Traced> kv_pool<Traced>(const Fit<Traced>&, const Inputs&);

}  // namespace napkin
