#include "cli/speculation.hpp"

#include <algorithm>

#include "cli/speed.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;

void replace(std::vector<Result>& results, Result row) {
    for (Result& old : results) {
        if (old.key != row.key) continue;
        row.kind = old.kind;
        old = std::move(row);
        return;
    }
}

Result break_even_row(const Speculation<Traced>& round) {
    const auto& even = round.break_even_acceptance;
    if (!even) {
        return plain_result("break_even_acceptance", {}, "break even",
                            "not even if every drafted token is accepted");
    }
    return plain_result("break_even_acceptance", number(*even, "1", Style::percent), "break even",
                        "accepted: from here it is no slower");
}

}  // namespace

std::vector<Result> speculation_results(const Speculation<Traced>& round, const Question& question,
                                        bool many) {
    Inputs inputs = question.inputs;
    const Drafting& drafting = *question.drafting;
    inputs.workload.step_tokens = drafting.tokens + 1;
    std::vector<Result> results = decode_results(round.verify, inputs);
    const std::string share = to_text(drafting.acceptance, Style::percent, 3);
    replace(results,
            result("tokens_per_second", round.tokens_per_second, Style::token_rate,
                   many ? "all sequences" : "tokens", "a ceiling at " + share + " accepted"));
    replace(results, result("tokens_per_second_per_user", round.tokens_per_second_per_user,
                            Style::token_rate, many ? "each of them" : ""));
    replace(results, result("step_time", round.plain.step_time, Style::duration, "plain step",
                            "without speculation"));
    std::vector<Result> rows{
        result("tokens_per_pass", round.tokens_per_pass, Style::plain, "tokens a pass",
               "of " + shortest(drafting.tokens + 1) + ", each accepted independently"),
        ceiling_of(result("round_time", round.round_time, Style::duration, "round time"))};
    if (question.inputs.draft) {
        const std::string layout = layout_text({.tp = draft_inputs(question.inputs).layout.tp});
        rows.push_back(ceiling_of(
            result("draft_time", round.draft_time, Style::duration, "drafting",
                   shortest(drafting.tokens) + " steps of " + question.inputs.draft->id + layout)));
    } else {
        rows.push_back(plain_result("draft_time", number(0, "s", Style::duration), "drafting",
                                    "without a draft model: free"));
    }
    rows.push_back(ceiling_of(result("verify_time", round.verify_time, Style::duration, "verifying",
                                     shortest(drafting.tokens + 1) + " tokens of each sequence")));
    const auto at = [&](std::string_view key) {
        return std::find_if(results.begin(), results.end(),
                            [&](const Result& row) { return row.key == key; });
    };
    results.insert(at("step_time"), rows.begin(), rows.end());
    const std::vector<Result> worth{
        result("speedup", round.speedup, Style::plain, "speed-up", "over plain decoding"),
        break_even_row(round),
        result("break_even_tokens", round.break_even_tokens, Style::plain, "",
               "tokens a pass has to bring")};
    results.insert(at("bound"), worth.begin(), worth.end());
    return results;
}

}  // namespace napkin::cli
