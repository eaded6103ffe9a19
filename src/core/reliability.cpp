#include "napkin/reliability.hpp"

#include "napkin/derivation.hpp"

namespace napkin {

template <class R>
Seconds<R> device_mtbf(const FailureRecord& record) {
    const Seconds<R> duration = given<R>(record.duration, "observed_duration", record.source);
    const R devices = given<R>(record.devices, "observed_devices", record.source);
    const R stops = given<R>(record.interruptions, "observed_interruptions", record.source);
    return named(duration * devices / stops, "device_mtbf");
}

template <class R>
Seconds<R> job_mtbf(const Seconds<R>& device_mtbf, double devices) {
    return named(device_mtbf / given<R>(devices, "devices", "--on"), "mtbf");
}

template <class R>
Seconds<R> checkpoint_interval(IntervalRule rule, const Seconds<R>& stall,
                               const Seconds<R>& restart, const Seconds<R>& mtbf) {
    const R d = stall.value();
    const R r = restart.value();
    const R m = mtbf.value();
    R interval(0);
    switch (rule) {
        case IntervalRule::young:
            interval = square_root(R(2) * d * m);
            break;
        case IntervalRule::daly:
            interval = square_root(R(2) * d * (m + r)) - d;
            break;
        case IntervalRule::saxena:
            interval = d + square_root(R(2) * (m + r) * d + d * d);
            break;
    }
    return named(Seconds<R>(interval), "checkpoint_interval");
}

template <class R>
R goodput(const Seconds<R>& interval, const Seconds<R>& stall, const Seconds<R>& restart,
          const Seconds<R>& mtbf) {
    const R saving = named(stall / interval, "share_saving");
    const R redoing = named(interval / (R(2) * mtbf), "share_redoing");
    const R restarting = named(restart / mtbf, "share_restarting");
    return named(larger(R(1) - saving - redoing - restarting, R(0)), "goodput");
}

template Seconds<double> device_mtbf<double>(const FailureRecord&);
template Seconds<Traced> device_mtbf<Traced>(const FailureRecord&);
template Seconds<double> job_mtbf<double>(const Seconds<double>&, double);
template Seconds<Traced> job_mtbf<Traced>(const Seconds<Traced>&, double);
template Seconds<double> checkpoint_interval<double>(IntervalRule, const Seconds<double>&,
                                                     const Seconds<double>&,
                                                     const Seconds<double>&);
template Seconds<Traced> checkpoint_interval<Traced>(IntervalRule, const Seconds<Traced>&,
                                                     const Seconds<Traced>&,
                                                     const Seconds<Traced>&);
template double goodput<double>(const Seconds<double>&, const Seconds<double>&,
                                const Seconds<double>&, const Seconds<double>&);
template Traced goodput<Traced>(const Seconds<Traced>&, const Seconds<Traced>&,
                                const Seconds<Traced>&, const Seconds<Traced>&);

}  // namespace napkin
