// How answers about speed are written: a plan that does not fit gets its verdict and no rates.
#pragma once

#include "cli/question.hpp"
#include "napkin/inference.hpp"

namespace napkin::cli {

[[nodiscard]] std::vector<report::Result> decode_results(const Decode<Traced>& answer,
                                                         const Inputs& inputs);
[[nodiscard]] std::vector<report::Result> prefill_results(const Prefill<Traced>& answer,
                                                          const Inputs& inputs);

/// Adds what collectives cost where each takes its time and nothing hides it: beside a ceiling,
/// which counts their bytes alone. They can be what binds.
template <class R>
void add_exchange(std::vector<report::Result>& results, const Decode<R>& exchanging);
template <class R>
void add_exchange(std::vector<report::Result>& results, const Prefill<R>& exchanging);

/// `fold` at the pace of collectives, added to `results` where devices exchange anything; traced
/// only for an explanation, since a trace costs as much as the answer.
template <class Fold>
void add_exchange_of(std::vector<report::Result>& results, const Inputs& inputs, bool explained,
                     Fold fold) {
    const Layout& layout = inputs.layout;
    if (larger(layout.tp, larger(layout.pp, layout.ep)) <= 1) return;
    if (explained) {
        add_exchange(results, fold(exchanging_pace<Traced>(inputs.machine)));
    } else {
        add_exchange(results, fold(exchanging_pace<double>(inputs.machine)));
    }
}

/// The terms of a step: what is read and moved, and the times that its length is the largest of.
void add_terms(report::Document& document, const Step<Traced>& step, const Totals<Traced>& totals);

/// Adds the times of what is offloaded to the host, before what binds.
void add_host(report::Document& document, std::vector<report::Result>& results,
              const HostPart<Traced>& host, const Seconds<Traced>& on_devices,
              const Inputs& inputs);
/// Adds what the host keeps and holds.
void add_host_memory(report::Document& document, const Inputs& inputs, bool shown);

/// Verdict, and the warnings that go with it: a tight margin, a reserve that does not fit.
void judge(report::Document& document, const Fit<Traced>& outcome);

/// Puts `rates` among the results if the plan fits, else under `if_it_fit` with the missing bytes
/// as the result. `verdict` is set either way.
void add_rates(report::Document& document, const Question& question,
               std::vector<report::Result> rates);

}  // namespace napkin::cli
