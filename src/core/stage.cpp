#include "core/stage.hpp"

#include "napkin/collectives.hpp"
#include "napkin/derivation.hpp"

namespace napkin {
namespace {

// The collectives among `rows`, one after the other, `count` times.
template <class R>
void add_collectives(Totals<R>& totals, const Operations<R>& rows, double count,
                     const Inputs& inputs) {
    for (const Operation<R>& row : rows) {
        if (row.collective == CollectiveKind::none || row.group <= 1) continue;
        const Seconds<R> one = named(collective_time(row.collective, row.message, row.group,
                                                     inputs.machine, inputs.assumptions)
                                         .time,
                                     std::string(name_of(row.kind)).append("_time"));
        const R times = given<R>(count * row.times, std::string(name_of(row.kind)).append("s"));
        const bool first = value_of(totals.collective_calls) == 0;
        totals.collectives = first ? one * times : totals.collectives + one * times;
        totals.collective_calls = first ? times : totals.collective_calls + times;
    }
}

}  // namespace

template <class R>
Operations<R> stage_sends(const Inputs& inputs, Phase phase, const Load<R>& load) {
    Operations<R> rows;
    const Layout& layout = inputs.layout;
    if (layout.pp <= 1) return rows;
    const double width = bytes_per_weight(inputs.workload.activations);
    const double tokens =
        phase == Phase::prefill ? inputs.workload.prompt - inputs.workload.prefix : 1;
    Operation<R> send{.kind = OperationKind::stage_send};
    // A boundary inside a scale-up domain is no tighter than one across it.
    const bool across = layout.tp * layout.pp > inputs.machine.domain;
    send.link = across ? Link::scale_out : Link::scale_up;
    send.link_bytes =
        named(Bytes<R>(load.own * R(tokens * inputs.model.hidden * width / layout.tp)),
              "stage_send_bytes");
    send.collective = CollectiveKind::send;
    send.group = across ? inputs.machine.domain + 1 : 2;
    send.message = send.link_bytes;
    rows.push(send);
    return rows;
}

template <class R>
Totals<R> stage_totals(const Inputs& inputs, Phase phase, const Load<R>& load,
                       const Pace<R>& pace) {
    Totals<R> totals;
    for_each_rows(inputs, phase, load, [&](const Operations<R>& rows, double count) {
        add(totals, rows, count);
        if (pace.collective_law) add_collectives(totals, rows, count, inputs);
    });
    return totals;
}

template <class R>
Load<R> load_of(const R& sequences, const Layout& layout) {
    const double groups = attention_groups(layout);
    if (groups <= 1) return {sequences, sequences};
    const R own = round_up(sequences / given<R>(groups, "replicas_sharing_experts"));
    return {named(own, "sequences_per_replica"), sequences};
}

template <class R>
R sequences_per_instance(const R& batch, const Layout& layout) {
    if (instances(layout) <= 1) return batch;
    const bool shared = attention_groups(layout) > 1;
    return named(round_up(batch / given<R>(instances(layout), shared ? "instances" : "dp")),
                 shared ? "sequences_per_instance" : "sequences_per_replica");
}

template <class R>
double groups_in_flight(const Load<R>& load, const Layout& layout) {
    return smaller(layout.pp, value_of(load.own));
}

template <class R>
Load<R> load_of_group(Load<R> load, const Layout& layout) {
    const double count = groups_in_flight(load, layout);
    if (count <= 1) return load;
    const R groups(count);
    load.own = named(load.own / groups, "sequences_per_group");
    load.together = attention_groups(layout) > 1 ? load.together / groups : load.own;
    return load;
}

template Operations<double> stage_sends<double>(const Inputs&, Phase, const Load<double>&);
template Operations<Traced> stage_sends<Traced>(const Inputs&, Phase, const Load<Traced>&);
template Totals<double> stage_totals<double>(const Inputs&, Phase, const Load<double>&,
                                             const Pace<double>&);
template Totals<Traced> stage_totals<Traced>(const Inputs&, Phase, const Load<Traced>&,
                                             const Pace<Traced>&);
template Load<double> load_of<double>(const double&, const Layout&);
template Load<Traced> load_of<Traced>(const Traced&, const Layout&);
template double sequences_per_instance<double>(const double&, const Layout&);
template Traced sequences_per_instance<Traced>(const Traced&, const Layout&);
template double groups_in_flight<double>(const Load<double>&, const Layout&);
template double groups_in_flight<Traced>(const Load<Traced>&, const Layout&);
template Load<double> load_of_group<double>(Load<double>, const Layout&);
template Load<Traced> load_of_group<Traced>(Load<Traced>, const Layout&);

}  // namespace napkin
