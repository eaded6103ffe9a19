// What the busiest device of a pipeline stage does in one step, and for how many sequences: shared
// by the folds of inference.
#pragma once

#include "napkin/roofline.hpp"

namespace napkin {

/// What a stage hands on to the next one; no rows without pipeline stages.
template <class R>
[[nodiscard]] Operations<R> stage_sends(const Inputs& inputs, Phase phase, const Load<R>& load);

/// Hands the rows of a stage to `visit(rows, count)`, those of one kind of layer with how many of
/// it there are: as even a part of the whole as there is, since the slowest stage cannot be faster
/// than that. What it sends on comes last.
template <class R, class Visit>
void for_each_rows(const Inputs& inputs, Phase phase, const Load<R>& load, Visit visit) {
    const double part = 1 / inputs.layout.pp;
    const bool encoded = has_encoder(inputs.model);
    for (const Block& block : inputs.model.blocks) {
        // An encoder reads the prompt; the layers after it generate.
        const bool encodes = block.runs == Runs::on_prompt;
        if (encoded && encodes != (phase == Phase::prefill)) continue;
        if (block.runs == Runs::on_image || block.count == 0) continue;
        visit(lower<R>(block, inputs, phase, load), block.count * part);
    }
    visit(lower_outer<R>(inputs, phase, load), part);
    if (inputs.layout.pp > 1) visit(stage_sends<R>(inputs, phase, load), 1.0);
}

/// Those rows, added up; with the times of their collectives if the pace asks for them.
template <class R>
[[nodiscard]] Totals<R> stage_totals(const Inputs& inputs, Phase phase, const Load<R>& load,
                                     const Pace<R>& pace);

/// The sequences of one instance (the replicas that share one set of experts) as its busiest
/// replica sees them.
template <class R>
[[nodiscard]] Load<R> load_of(const R& sequences, const Layout& layout);
/// Of the fullest instance.
template <class R>
[[nodiscard]] R sequences_per_instance(const R& batch, const Layout& layout);

/// Stages work on different groups of sequences at once, as far as there are enough of them.
template <class R>
[[nodiscard]] double groups_in_flight(const Load<R>& load, const Layout& layout);
/// What a stage works on at one time of all that its replica generates.
template <class R>
[[nodiscard]] Load<R> load_of_group(Load<R> load, const Layout& layout);

}  // namespace napkin
