// How many requests can it serve, how long do they wait, and what do their tokens cost.
#include "cli/apart.hpp"
#include "cli/command.hpp"
#include "cli/demand.hpp"
#include "cli/resolve_layout.hpp"
#include "cli/speed.hpp"
#include "napkin/cost.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;
using report::word;

std::vector<Result> rates(const Serving<Traced>& point, const Inputs& inputs, double most) {
    const Workload& workload = inputs.workload;
    std::string size = with_separators(workload.prompt) + " tokens in, ";
    if (workload.prefix > 0) size += with_separators(workload.prefix) + " of them cached, ";
    size += with_separators(workload.output) + " out";
    const double waiting = value_of(point.time_per_output_token) - value_of(point.step_time);
    std::string parts = to_text(value_of(point.step_time), Style::duration) + " a step";
    if (waiting > 0) parts += ", " + to_text(waiting, Style::duration) + " for others' prompts";
    return {
        result("requests_per_second", point.requests_per_second, Style::plain, "requests/s", size),
        result("tokens_per_second", point.tokens_per_second, Style::token_rate, "generated",
               "of all sequences; prompts and steps take turns"),
        ceiling_of(result("time_to_first_token", point.time_to_first_token, Style::duration,
                          "first token", "of a request that waits for none: a floor")),
        result("time_per_output_token", point.time_per_output_token, Style::duration, "each token",
               parts),
        plain_result(
            "batch", number(workload.batch, "1", Style::whole), "in flight",
            most < 1 ? "" : "sequences; memory holds " + with_separators(most) + " at full length"),
        plain_result("max_batch", number(most, "1", Style::whole)),
        plain_result("bound", word(std::string(name_of(point.bound))), "steps bound by"),
        result("input_tokens_per_second", point.input_tokens_per_second, Style::token_rate),
        ceiling_of(result("requests_per_second_mixed", point.requests_per_second_mixed,
                          Style::plain, "mixed, at most",
                          "requests/s if steps hide the prompts: no run is faster"))};
}

void add_costs(report::Document& answer, const Serving<Traced>& point, const Inputs& inputs,
               const Demand& demand) {
    const Traced use = given<Traced>(demand.utilization, "utilization", "--utilization");
    const auto push = [&](Result row) { answer.results.push_back(std::move(row)); };
    if (demand.rate) {
        const Hertz<Traced> rate(given<Traced>(*demand.rate, "rate", "--rate", "1/s"));
        const Traced replicas = replicas_for(point, rate, use);
        const double usual =
            value_of(replicas_for(point, rate, Traced(demand.utilization * usual_use)));
        std::string remark = "for " + shortest(*demand.rate) + " requests/s; ";
        remark += demand.utilization < 1 ? "at " + to_text(demand.utilization, Style::percent)
                                         : with_separators(usual) + " at 40 %";
        push(result("replicas", replicas, Style::whole, "machines", remark + " use"));
    }
    if (demand.rent) {
        const auto per_hour = named(
            demand.rent->per_device_hour * given<Traced>(inputs.machine.devices, "devices", "--on"),
            "usd_per_hour");
        const TokenPrices<Traced> prices = token_prices(point, per_hour, use);
        add_token_prices(answer, prices, demand);
        push(result("usd_per_hour", per_hour, Style::money, "rent an hour", demand.rent->remark));
        if (const Result* replicas = answer.find("replicas")) {
            add_monthly_rent(answer, per_hour * replicas->trace);
        }
    }
    if (const auto draw = power_of(inputs.machine)) {
        const auto power =
            demand.pue > 1 ? draw->watts * given<Traced>(demand.pue, "pue", "--pue") : draw->watts;
        add_energy(answer, energy_per_token(point, power), draw->remark, demand);
    }
}

// Why a token read costs another price than a token generated.
std::string why_prices_differ(const Inputs& inputs) {
    const double fresh = inputs.workload.prompt - inputs.workload.prefix;
    const double in_flight = round_up(inputs.workload.batch / instances(inputs.layout));
    return "tokens in against tokens out: reading a prompt uses each weight for " +
           with_separators(fresh) + " tokens, a step for " + with_separators(in_flight) +
           ", and reads the cache of each sequence besides";
}

report::Table table_of(const std::vector<Serving<>>& points, double best) {
    report::Table table{.key = "frontier",
                        .columns = {{"batch", "in flight"},
                                    {"time_per_output_token", "each token"},
                                    {"tokens_per_second_per_user", ""},
                                    {"tokens_per_second", "all users"},
                                    {"requests_per_second", "requests/s"},
                                    {"reading_share", "for prompts"},
                                    {"bound", ""},
                                    {"best", "best"}},
                        .rows = {}};
    for (const Serving<>& point : points) {
        const double each = point.time_per_output_token.value();
        const double share = point.reading / point.request_time;
        report::Value marked{.data = point.batch == best, .unit = {}, .style = Style::plain};
        table.rows.push_back({number(point.batch, "1", Style::whole),
                              number(each, "s", Style::duration),
                              number(1 / each, "token/s", Style::token_rate),
                              number(point.tokens_per_second.value(), "token/s", Style::token_rate),
                              number(point.requests_per_second.value(), "1/s", Style::plain),
                              number(share, "1", Style::percent),
                              word(std::string(name_of(point.bound))), std::move(marked)});
    }
    return table;
}

// Requests a second at the best batch of a layout.
double served(Inputs inputs, const Layout& layout, const Limits& limits) {
    inputs.layout = layout;
    const double most = most_sequences(inputs);
    inputs.workload.batch = most > 0 ? best_batch(inputs, most, limits) : 0;
    return inputs.workload.batch > 0 ? napkin::serve<double>(inputs).requests_per_second.value()
                                     : 0;
}

// The first layout that fits one request may keep a cache on every rank; where replicas of
// attention around one set of experts serve more, they are the default.
void prefer_shared_experts(Question& question, Resolver& resolver, const Limits& limits) {
    Inputs& inputs = question.inputs;
    double most = served(inputs, inputs.layout, limits);
    bool better = false;
    for (const Layout& layout : question.candidates) {
        if (attention_groups(layout) <= 1) continue;
        const double here = served(inputs, layout, limits);
        if (here <= most) continue;
        most = here;
        inputs.layout = layout;
        better = true;
    }
    if (!better) return;
    question.placement = place(inputs, {&inputs.layout, 1});
    std::erase_if(resolver.inputs, [](const report::Input& one) { return one.key == "layout"; });
    add_layout(resolver, question);
}

}  // namespace

Documents serve(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    Demand demand = read_demand(resolver);
    Question question = inference_question(resolver, Sequence::request);
    if (resolver.setting("prefill-on")) return {serve_apart(resolver, question, demand)};
    Inputs& inputs = question.inputs;
    demand.rent = rent_of(resolver, inputs.machine.accelerator);
    resolver.finish();
    const bool batch_given = resolver.setting("batch").has_value();
    if (!question.layout_given && !batch_given) {
        prefer_shared_experts(question, resolver, demand.limits);
    }
    const double most = most_sequences(inputs);
    const double asked = inputs.workload.batch;
    const double best = batch_given ? asked : best_batch(inputs, most, demand.limits);
    inputs.workload.batch = larger(best, 1.0);

    report::Document answer = document("serve", resolver, question);
    answer.primary = "requests_per_second";
    const Serving<Traced> point = napkin::serve<Traced>(inputs);
    add_rates(answer, question, rates(point, inputs, most));
    // A batch that is chosen to fill the memory leaves little of it.
    const auto tight = [](const Note& note) { return note.id == "tight"; };
    if (!batch_given) std::erase_if(answer.notes, tight);
    if (!answer.yes) return {answer};
    const Serving<> plain = napkin::serve<double>(inputs);
    add_limits(answer, plain.time_to_first_token, plain.time_per_output_token, demand.limits);
    if (!answer.yes) {
        // No rates: what is left is what was missed, and by how much.
        answer.results.clear();
        const double other = batch_given ? best_batch(inputs, most, demand.limits) : 0;
        std::string said = "no batch is sooner than the single sequence above";
        if (batch_given && other > 0) {
            said = "a batch of " + with_separators(other) + " would do (no --batch)";
        } else if (batch_given) {
            said = "no batch would do";
        }
        answer.footer.push_back(std::move(said));
        return {answer};
    }
    add_costs(answer, point, inputs, demand);
    answer.table = table_of(frontier(inputs, most, inputs.workload.batch), inputs.workload.batch);
    if (demand.rent) answer.footer.push_back(why_prices_differ(inputs));
    return {answer};
}

}  // namespace napkin::cli
