#include "napkin/allocation.hpp"

#include <algorithm>

#include "core/policy.hpp"
#include "napkin/partition.hpp"

namespace napkin {
namespace {

// Tokens and sequences of the largest step, which the engine tries out before it takes its pool.
struct LargestStep {
    double tokens{};
    double sequences{};
};
LargestStep largest_step(const Engine& engine, const Inputs& inputs) {
    const Engine::CardClass& card = card_class(engine, inputs.machine.accelerator);
    LargestStep step{card.tokens, smaller(card.sequences, card.tokens)};
    if (engine.context_up_to > 0) {
        const bool whole = inputs.workload.context <= engine.context_up_to;
        if (whole) step.tokens = larger(step.tokens, inputs.workload.context);
        if (!whole) step.sequences = 0;  // chunks of prompts have no logits
    }
    return step;
}

double widest_feed_forward(const Model& model) {
    double widest = 0;
    for (const Block& block : model.blocks) {
        if (const auto* dense = std::get_if<DenseFeedForward>(&block.feed_forward)) {
            widest = larger(widest, dense->width);
        } else if (const auto* experts = std::get_if<Experts>(&block.feed_forward)) {
            widest = larger(widest, experts->active * experts->width + experts->shared_width +
                                        experts->dense_width);
        }
    }
    return widest;
}

// The larger of the two moments of a step: the feed-forward of all its tokens, or the logits.
template <class R>
Bytes<R> activations(const Engine& engine, const Inputs& inputs) {
    const Engine::Activations& width = engine.activations;
    if (width.size) return given<R>(*width.size, "activations_size", "--set engine.activations");
    const Model& model = inputs.model;
    if (is_size(model)) return Bytes<R>(R(0));
    const LargestStep step = largest_step(engine, inputs);
    const R hidden = R(width.per_hidden) * given<R>(model.hidden, "hidden", model.source);
    const R inner = R(width.per_width) *
                    given<R>(widest_feed_forward(model), "feed_forward_width", model.source) /
                    R(inputs.layout.tp);
    const R logits = R(width.per_logit) * given<R>(model.vocabulary, "vocabulary", model.source);
    const R tokens = given<R>(step.tokens, "tokens_of_a_step", engine.cards_source, "token");
    const R sequences = given<R>(step.sequences, "sequences_of_a_step", engine.cards_source);
    return Bytes<R>(larger(tokens * (hidden + inner), sequences * (hidden + logits)));
}

// Memory that the engine leaves alone, given everything else but the KV cache that is held.
template <class R>
Bytes<R> left_alone(const Residents<R>& list, const Engine& engine, const Inputs& inputs) {
    if (inputs.assumptions.reserve.size) return plain_reserve<R>(inputs);
    const Bytes<R> whole = card<R>(engine, inputs);
    const Bytes<R> beyond = reported<R>(inputs) - whole;
    if (engine.basis == PoolBasis::rest) return beyond + margin_left<R>(engine, inputs);
    const R fraction =
        given<R>(memory_fraction(inputs).value_or(1), "memory_fraction", engine.share_source);
    const R others_share = R(1) - fraction;
    const Bytes<R> others = bytes_of(list, ResidentKind::in_use);
    if (engine.basis == PoolBasis::free_memory) {
        return beyond + others_share * or_zero(whole - sum_but_cache(list));
    }
    if (engine.basis == PoolBasis::static_memory) {
        const Bytes<R> start = whole - bytes_of(list, ResidentKind::runtime) - others;
        const Bytes<R> moving =
            bytes_of(list, ResidentKind::activations) + bytes_of(list, ResidentKind::graphs);
        return beyond + or_zero(others_share * or_zero(start) - moving);
    }
    if (engine.others_inside || value_of(others) == 0) return beyond + others_share * whole;
    const Bytes<R> room = others_share * whole - others;
    if (value_of(room) >= 0) return beyond + room;
    // Others hold part of the engine's share: it does not start, whatever it would need of it.
    return beyond + or_zero(fraction * whole - (sum_but_cache(list) - others));
}

}  // namespace

template <class R>
R cells(const R& tokens, const Inputs& inputs) {
    const Engine* engine = engine_of(inputs);
    if (engine == nullptr || engine->block <= 1) return tokens;
    const R block = given<R>(engine->block, "block", engine->id, "token");
    return named(round_up(tokens / block) * block, "cells", "token");
}

Cache as_allocated(Cache cache, double tokens, const Inputs& inputs) {
    const Engine* engine = engine_of(inputs);
    if (engine == nullptr || cache.window <= 0) return cache;
    if (engine->window == WindowPolicy::all) {
        cache.window = 0;
    } else if (engine->window == WindowPolicy::ratio) {
        cache.window = engine->window_ratio * tokens;
    } else {
        const double held = cache.window + largest_step(*engine, inputs).tokens;
        cache.window = round_up(held / engine->block) * engine->block;
    }
    return cache;
}

Tensors as_loaded(Tensors weights, const Inputs& inputs) {
    const Engine* engine = engine_of(inputs);
    if (engine == nullptr || !engine->padding) return weights;
    const Engine::Padding& padding = *engine->padding;
    const auto padded = [](double width, double multiple) {
        return round_up(width / multiple) * multiple;
    };
    const double parts = expert_tensor_parallel(inputs.layout);
    for (std::size_t i = 0; i < weights.count; ++i) {
        Tensor& tensor = weights.at[i];
        if (tensor.role != Role::expert || tensor.format->id != padding.format) continue;
        const bool down = tensor.name == "expert_down";  // back to the hidden width
        double& inner = down ? tensor.columns : tensor.rows;
        double& hidden = down ? tensor.rows : tensor.columns;
        inner = padded(inner / parts, padding.width) * parts;
        hidden = padded(hidden, padding.hidden);
    }
    return weights;
}

template <class R>
Bytes<R> plain_reserve(const Inputs& inputs) {
    const Reserve& reserve = inputs.assumptions.reserve;
    if (reserve.size) return given<R>(*reserve.size, "reserve_size", "--reserve");
    return reported<R>(inputs) * given<R>(reserve.fraction, "reserve_fraction", reserve.source);
}

template <class R>
Residents<R> with_policy(Residents<R> held, const Inputs& inputs) {
    const auto push = [&](ResidentKind kind, const Bytes<R>& bytes) {
        if (value_of(bytes) <= 0) return;
        held.push({kind, Moment::decode, named(bytes, name_of(kind))});
    };
    const Engine* engine = engine_of(inputs);
    if (engine != nullptr) {
        const Engine::Runtime& runtime = engine->runtime;
        const bool several = inputs.layout.tp * inputs.layout.pp > 1;
        push(ResidentKind::activations, activations<R>(*engine, inputs));
        push(ResidentKind::runtime,
             given<R>(several ? runtime.parallel : runtime.one, "runtime_size", runtime.source));
        push(ResidentKind::graphs, given<R>(runtime.graphs, "graphs_size", runtime.source));
    }
    push(ResidentKind::in_use, given<R>(inputs.assumptions.in_use, "in_use_size", "--in-use"));
    push(ResidentKind::reserve,
         engine != nullptr ? left_alone(held, *engine, inputs) : plain_reserve<R>(inputs));
    return held;
}

std::vector<Layout> layouts_of(const Inputs& inputs) {
    std::vector<Layout> layouts = inference_layouts(inputs.model, inputs.machine);
    const Engine* engine = engine_of(inputs);
    if (engine == nullptr || !engine->splits_layers) return layouts;
    std::erase_if(layouts, [](const Layout& one) { return one.tp > 1; });
    std::stable_sort(layouts.begin(), layouts.end(),
                     [](const Layout& a, const Layout& b) { return a.pp > b.pp; });
    for (Layout& one : layouts) {
        if (one.pp > 1) one.why = engine->name + " splits layers over devices";
    }
    return layouts;
}

template double cells<double>(const double&, const Inputs&);
template Traced cells<Traced>(const Traced&, const Inputs&);
template Bytes<double> plain_reserve<double>(const Inputs&);
template Bytes<Traced> plain_reserve<Traced>(const Inputs&);
template Residents<double> with_policy<double>(Residents<double>, const Inputs&);
template Residents<Traced> with_policy<Traced>(Residents<Traced>, const Inputs&);

}  // namespace napkin
