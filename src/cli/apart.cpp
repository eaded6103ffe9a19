#include "cli/apart.hpp"

#include <algorithm>
#include <array>

#include "cli/resolve_layout.hpp"
#include "cli/speed.hpp"
#include "napkin/cost.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;
using report::word;

// The machine of --prefill-on, held to the same conditions as that of --on.
Inputs read_reader(Resolver& resolver, const Inputs& inputs) {
    const Machine machine = resolver.other_machine("prefill-on");
    resolver.finish();
    const Accelerator& part = machine.accelerator;
    if (capacity(part) <= Bytes<>(0)) {
        resolver.problem(problem_of("--prefill-on", "unknown-capacity",
                                    "the memory of " + part.name + " is not known",
                                    "a part whose memory is"));
    }
    if (const auto runs_in = inputs.workload.activations.computes_in) {
        resolver.require_peak(part, *runs_in);
    }
    resolver.finish();
    Inputs reader = reader_on(machine, inputs);
    const Layout& layout = reader.layout;
    report::Input input{
        .key = "prefill_layout", .value = {}, .from = "default", .members = {}, .flips_at = {}};
    input.members = degrees_of(layout);
    resolver.inputs.push_back(std::move(input));
    note_idle_devices(resolver, machine, layout, "devices of --prefill-on");
    return reader;
}

// Of a device of --prefill-on: its own price, the same part's, or the median of its own part.
std::optional<Rent> reader_rent(Resolver& resolver, const Inputs& inputs, const Inputs& reader,
                                const std::optional<Rent>& rent) {
    const bool same = reader.machine.accelerator.id == inputs.machine.accelerator.id;
    if (same && !resolver.setting("prefill-price")) return rent;
    return rent_of(resolver, reader.machine.accelerator, "prefill-price");
}

std::string side(const Inputs& inputs) {
    return "requests/s of " + inputs.machine.name + layout_text(inputs.layout);
}

std::vector<Result> transfer(const Disaggregated<Traced>& point) {
    std::vector<Result> rows{result("kv_transfer_bytes", point.kv_transfer_bytes, Style::bytes,
                                    "cache sent", "keys, values and state of a prompt")};
    if (value_of(point.link) <= 0) return rows;
    const std::string rate = to_text(value_of(point.link), Style::byte_rate);
    rows.push_back(result(
        "kv_transfer_time", point.kv_transfer_time, Style::duration, "sent in",
        "at " + rate +
            (point.one_domain ? ", inside a scale-up domain" : ", the slower side's network")));
    rows.push_back(ceiling_of(
        result("time_to_second_token", point.time_to_second_token, Style::duration, "second token",
               "prefill, transfer, a step; " +
                   to_text(value_of(point.time_to_second_token_overlapped), Style::duration) +
                   " if sent layer by layer")));
    rows.push_back(ceiling_of(result("time_to_second_token_overlapped",
                                     point.time_to_second_token_overlapped, Style::duration)));
    return rows;
}

std::vector<Result> rates(const Disaggregated<Traced>& point, const Inputs& inputs,
                          const Inputs& reader, double most) {
    const Workload& workload = inputs.workload;
    std::string size = with_separators(workload.prompt) + " tokens in, ";
    if (workload.prefix > 0) size += with_separators(workload.prefix) + " of them cached, ";
    size += with_separators(workload.output) + " out";
    std::vector<Result> rows{
        ceiling_of(result("requests_per_second", point.requests_per_second, Style::plain,
                          "requests/s", "of one machine each; " + size)),
        plain_result("bottleneck", word(std::string(name_of(point.bottleneck))), "bound by",
                     "which side is slower, or the links between them"),
        result("tokens_per_second", point.tokens_per_second, Style::token_rate, "generated"),
        result("prefill_requests_per_second", point.prefill_requests_per_second, Style::plain,
               "prefill side", side(reader)),
        result("decode_requests_per_second", point.decode_requests_per_second, Style::plain,
               "decode side", side(inputs)),
        result("prefill_machines_per_decode_machine", point.prefill_machines_per_decode_machine,
               Style::plain, "their ratio", "prefill machines for each decode machine"),
        ceiling_of(result("time_to_first_token", point.time_to_first_token, Style::duration,
                          "first token", "of a request that waits for none: a floor"))};
    for (Result& row : transfer(point)) rows.push_back(std::move(row));
    rows.push_back(
        ceiling_of(result("time_per_output_token", point.time_per_output_token, Style::duration,
                          "each token", "a step: no prompts in between")));
    rows.push_back(plain_result(
        "batch", number(workload.batch, "1", Style::whole), "in flight",
        most < 1 ? ""
                 : "being generated; memory holds " + with_separators(most) + " at full length"));
    rows.push_back(plain_result("max_batch", number(most, "1", Style::whole)));
    rows.push_back(
        plain_result("bound", word(std::string(name_of(point.bound))), "steps bound by"));
    return rows;
}

// What the prefill side lacks. It needs room for a prompt in each stage of each replica.
void add_reader_fit(report::Document& answer, const Inputs& reader) {
    const Fit<Traced> outcome = inference_fit<Traced>(reader);
    const bool shown = !outcome.fits;
    std::vector<Result> rows{
        result("prefill_required", named(outcome.required, "prefill_required"), Style::memory,
               shown ? "prefill needs" : "", "of " + reader.machine.name + ", each device"),
        result("prefill_capacity", outcome.capacity, Style::memory, shown ? "it has" : ""),
        result("prefill_margin", named(outcome.margin, "prefill_margin"), Style::memory,
               shown ? "its margin" : "")};
    for (Result& row : rows) row.explained = shown;
    if (!outcome.fits) {
        // No rates: one machine alone serves nothing.
        if (answer.yes) {
            const auto rate = std::stable_partition(
                answer.results.begin(), answer.results.end(), [](const Result& row) {
                    return row.key == "required" || row.key == "capacity" || row.key == "margin";
                });
            answer.if_it_fit.assign(rate, answer.results.end());
            answer.results.erase(rate, answer.results.end());
        }
        answer.yes = false;
        answer.verdict = "does-not-fit";
        answer.verdict_text = "does not fit";
        std::string said = "the model and a prompt do not fit on " + reader.machine.name;
        if (const auto devices = min_devices(reader)) {
            said += ": " + with_separators(*devices) + " devices at the least";
        }
        answer.footer.push_back(said + " (--prefill-on)");
    }
    for (Result& row : rows) answer.results.push_back(std::move(row));
}

Dollars<Traced> per_hour(const Rent& rent, const Machine& machine, const char* flag,
                         const char* symbol) {
    return named(rent.per_device_hour * given<Traced>(machine.devices, "devices", flag), symbol);
}

void add_costs(report::Document& answer, const Disaggregated<Traced>& point, const Inputs& inputs,
               const Inputs& reader, const Demand& demand, const std::optional<Rent>& reader_rent) {
    const Traced use = given<Traced>(demand.utilization, "utilization", "--utilization");
    const auto push = [&](Result row) { answer.results.push_back(std::move(row)); };
    std::optional<Machines<Traced>> machines;
    if (demand.rate) {
        machines = machines_for(
            point, Hertz<Traced>(given<Traced>(*demand.rate, "rate", "--rate", "1/s")), use);
        const std::string remark = "for " + shortest(*demand.rate) + " requests/s; at " +
                                   to_text(demand.utilization, Style::percent) + " use";
        push(result("prefill_machines", machines->prefill, Style::whole, "prefill machines",
                    remark));
        push(result("decode_machines", machines->decode, Style::whole, "decode machines"));
    }
    if (demand.rent && reader_rent) {
        const auto reading =
            per_hour(*reader_rent, reader.machine, "--prefill-on", "prefill_usd_per_hour");
        const auto generating = per_hour(*demand.rent, inputs.machine, "--on", "usd_per_hour");
        const TokenPrices<Traced> prices = token_prices(point, reading, generating, use);
        add_token_prices(answer, prices, demand);
        push(result("prefill_usd_per_hour", reading, Style::money, "prefill an hour",
                    reader_rent->remark));
        push(result("usd_per_hour", generating, Style::money, "decode an hour",
                    demand.rent->remark));
        if (machines) {
            add_monthly_rent(answer, reading * machines->prefill + generating * machines->decode);
        }
    }
    const auto own = power_of(inputs.machine);
    const auto other = power_of(reader.machine);
    if (own && other) {
        const Traced pue = given<Traced>(demand.pue, "pue", "--pue");
        add_energy(answer, energy_per_token(point, other->watts * pue, own->watts * pue),
                   own->remark == other->remark ? own->remark : "of both machines", demand);
    }
}

}  // namespace

report::Document serve_apart(Resolver& resolver, Question& question, Demand demand) {
    Inputs& inputs = question.inputs;
    const Inputs reader = read_reader(resolver, inputs);
    demand.rent = rent_of(resolver, inputs.machine.accelerator);
    const std::optional<Rent> other_rent = reader_rent(resolver, inputs, reader, demand.rent);
    const bool batch_given = resolver.setting("batch").has_value();
    const double most = most_sequences(inputs);
    const double best =
        batch_given ? inputs.workload.batch : best_batch(inputs, reader, most, demand.limits);
    inputs.workload.batch = larger(best, 1.0);
    const Disaggregated<Traced> point = napkin::serve_apart<Traced>(inputs, reader);
    for (const Inputs* of : std::array<const Inputs*, 2>{&reader, &inputs}) {
        if (point.one_domain || of->machine.scale_out > BytesPerSecond<>(0)) continue;
        resolver.note("unknown-network",
                      "the network of " + of->machine.accelerator.name +
                          " is not known: the transfer does not wait for it",
                      true);
    }
    resolver.finish();
    report::Document answer = document("serve", resolver, question);
    answer.primary = "requests_per_second";
    add_rates(answer, question, rates(point, inputs, reader, most));
    std::erase_if(answer.notes,
                  [&](const Note& note) { return !batch_given && note.id == "tight"; });
    if (!answer.yes)
        answer.footer.push_back("it does not fit on " + inputs.machine.name + " (--on)");
    add_reader_fit(answer, reader);
    if (!answer.yes) return answer;
    const Disaggregated<> plain = napkin::serve_apart<double>(inputs, reader);
    add_limits(answer, plain.time_to_first_token, plain.time_per_output_token, demand.limits);
    if (answer.yes) {
        add_costs(answer, point, inputs, reader, demand, other_rent);
    } else {
        answer.results.clear();  // no rates: what is left is what was missed, and by how much
    }
    return answer;
}

}  // namespace napkin::cli
