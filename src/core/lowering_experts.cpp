// Rows of routed experts, and of what tensor and expert parallelism exchange.
#include "core/lowering.hpp"

namespace napkin {

template <class R>
void Lowering<R>::experts(const Experts& mixture, const Tensors& list, const Sharding& sharding) {
    const std::string& source = inputs_.model.source;
    const R count = given<R>(mixture.experts, "experts_per_layer", source);
    const R active = given<R>(mixture.active, "experts_per_token", source);
    const double ep = sharding.ep;
    const R local =
        ep > 1 ? named(count / given<R>(ep, "ep", "--ep"), "experts_per_device") : count;
    const double skew = inputs_.workload.expert_skew;
    R touched;
    R passes;
    if (skew > 0) {
        const RankLoad busiest =
            busiest_rank(mixture.experts, mixture.active, value_of(together_), ep, skew);
        touched = given<R>(busiest.distinct, "distinct_experts", "--expert-skew, busiest device");
        passes = given<R>(busiest.passes, "expert_passes", "--expert-skew, busiest device");
    } else {
        touched = distinct_experts<R>(count, active, together_);
        if (ep > 1) touched = touched / R(ep);
        touched = named(touched, "distinct_experts");
        passes = active * together_;
        if (ep > 1) passes = passes / R(ep);
        passes = named(passes, "expert_passes");
    }
    Bytes<R> biases = bytes_of<R>(list, Role::expert_bias, sharding);
    by_arithmetic(list, Role::expert, [&](Arithmetic arithmetic, const Tensors& alike) {
        const R size = elements_of<R>(alike, Role::expert, sharding) / local;
        const Bytes<R> bytes = bytes_of<R>(alike, Role::expert, sharding) + biases;
        biases = Bytes<R>(R(0));  // go with the first row
        push(OperationKind::experts, arithmetic, size * touched, passes, R(2) * size * passes,
             bytes / local * touched);
    });
}

template <class R>
void Lowering<R>::link(OperationKind kind, Link over, const R& bytes, double times) {
    Operation<R> row{.kind = kind};
    row.times = times;
    row.link = over;
    row.link_bytes = named(Bytes<R>(bytes), std::string(name_of(kind)).append("_bytes"));
    rows_.push(row);
}

// At least the payload enters each device. Ranks in several domains first sum inside each, so that
// a NIC carries a part of it only.
template <class R>
void Lowering<R>::join(double times) {
    if (ranks() <= 1) return;
    const R payload = tokens_ * R(inputs_.model.hidden) * activation_width();
    link(OperationKind::all_reduce, Link::scale_up, payload, times);
    Operation<R>& sum = rows_.at[rows_.count - 1];
    sum.collective = CollectiveKind::all_reduce;
    sum.group = ranks();
    sum.message = sum.link_bytes;
    const double inside = smaller(ranks(), inputs_.machine.domain);
    if (ranks() <= inside) return;
    link(OperationKind::all_reduce, Link::scale_out, payload / R(inside), times);
}

// Tokens travel in the format that the experts compute in, where that is narrower.
template <class R>
R Lowering<R>::dispatch_width() const {
    const NumberFormat& stored = format_of(inputs_.model, Role::expert);
    const bool own = stored.computes_in && arithmetic_of(inputs_, stored) == stored.computes_in &&
                     bytes_per_weight(stored) < bytes_per_weight(inputs_.workload.activations);
    if (!own) return activation_width();
    return given<R>(bytes_per_weight(stored), "dispatch_bytes_per_element", stored.source, "B");
}

// One copy for each device that holds any of a token's experts; across domains one for each domain,
// which passes it on. The tensor-parallel ranks of a replica share its tokens between them.
template <class R>
void Lowering<R>::exchange(const Experts& mixture) {
    const double ep = inputs_.layout.ep;
    if (attention_groups(inputs_.layout) <= 1) return;
    const R active = given<R>(mixture.active, "experts_per_token", inputs_.model.source);
    const double width = mixture.latent > 0 ? mixture.latent : inputs_.model.hidden;
    const R share = ranks() > 1 ? tokens_ / given<R>(ranks(), "tp") : tokens_;
    const double inside = smaller(ep, inputs_.machine.domain);
    const double domains = round_up(ep / inside);
    const R copies = named(distinct_ranks<R>(ep, active), "devices_per_token");
    R within = copies * R((ep - 1) / ep);
    R across(0);
    if (domains > 1) {
        across = named(distinct_ranks<R>(domains, active) * R((domains - 1) / domains),
                       "domains_per_token");
        within = larger(within - across, R(0));
    }
    const auto send = [&](OperationKind kind, const R& bytes_per_element) {
        const R token = named(share * R(width) * bytes_per_element, "payload", "B");
        if (inside > 1) link(kind, Link::scale_up, token * within, 1);
        if (domains > 1) link(kind, Link::scale_out, token * across, 1);
        Operation<R>& row = rows_.at[rows_.count - 1];
        row.collective = CollectiveKind::all_to_all;
        row.group = ep;
        row.message = Bytes<R>(token * copies);
    };
    send(OperationKind::expert_dispatch, dispatch_width());
    send(OperationKind::expert_combine, activation_width());
    if (ranks() <= 1) return;
    // With the sum after attention a reduce-scatter and an all-gather: together at least the one
    // payload that `join` counted.
    Operation<R> gather{.kind = OperationKind::all_gather};
    gather.collective = CollectiveKind::all_gather;
    gather.group = ranks();
    gather.message = Bytes<R>(tokens_ * R(inputs_.model.hidden) * activation_width());
    rows_.push(gather);
}

template class Lowering<double>;
template class Lowering<Traced>;

}  // namespace napkin
