// Failures: how often a job of many devices is interrupted, and what checkpoints cost and save.
#pragma once

#include "napkin/assumptions.hpp"
#include "napkin/units.hpp"

namespace napkin {

/// Device-time between interruptions seen on a run: devices * duration / interruptions.
template <class R = double>
[[nodiscard]] Seconds<R> device_mtbf(const FailureRecord& record);

/// A job stops when any of its devices does: mtbf = device mtbf / devices.
template <class R = double>
[[nodiscard]] Seconds<R> job_mtbf(const Seconds<R>& device_mtbf, double devices);

enum class IntervalRule { young, daly, saxena };

/// The best time between checkpoints for a stall d, restart time r and mean time m:
/// young sqrt(2 d m) (Young 1974); daly sqrt(2 d (m + r)) - d (Daly 2006, first order);
/// saxena d + sqrt(2 (m + r) d + d^2) (Saxena 2024, arXiv 2410.18124).
template <class R = double>
[[nodiscard]] Seconds<R> checkpoint_interval(IntervalRule rule, const Seconds<R>& stall,
                                             const Seconds<R>& restart, const Seconds<R>& mtbf);

/// Share of time that trains: 1 - d/t - t/(2 m) - r/m, first order: each interval t ends in a stall
/// d; an interruption loses half an interval and a restart. Never below zero.
template <class R = double>
[[nodiscard]] R goodput(const Seconds<R>& interval, const Seconds<R>& stall,
                        const Seconds<R>& restart, const Seconds<R>& mtbf);

}  // namespace napkin
