#include "cli/speed.hpp"

namespace napkin::cli {

using report::number;
using report::word;

std::string arithmetic_text(const Inputs& inputs) {
    return std::string(
        name_of(arithmetic_of(inputs, Role::feed_forward).value_or(Arithmetic::bf16)));
}

// What a ceiling holds for: one token a pass, and for experts the routing that is assumed.
std::string ceiling_remark(const Inputs& inputs) {
    if (inputs.offload) return "a ceiling, devices and host in turns";
    for (const Block& block : inputs.model.blocks) {
        const bool routed = std::holds_alternative<Experts>(block.feed_forward);
        if (routed && inputs.workload.expert_skew > 0) {
            return "token by token, popularity of experts rank^-" +
                   shortest(inputs.workload.expert_skew);
        }
        if (routed && inputs.workload.batch > 1)
            return "a ceiling, token by token, uniform routing";
    }
    return "a ceiling: no run is faster, token by token";
}

namespace {

// For scripts: from which rates on neither memory nor links hold a step back.
void add_least_bandwidth(std::vector<report::Result>& results, const Totals<Traced>& totals,
                         const Step<Traced>& step) {
    const LeastBandwidth<Traced> least = least_bandwidth(totals, step);
    const auto add = [&](std::string key, const BytesPerSecond<Traced>& rate) {
        if (value_of(rate) == 0) return;
        results.push_back(result(std::move(key), rate, Style::byte_rate));
        results.back().in_list = false;
    };
    add("least_memory_bandwidth", least.memory);
    add("least_scale_up_bandwidth", least.scale_up);
    add("least_scale_out_bandwidth", least.scale_out);
}

}  // namespace

std::vector<report::Result> decode_results(const Decode<Traced>& answer, const Inputs& inputs) {
    const bool many = inputs.workload.batch > 1;
    std::vector<report::Result> results{
        ceiling_of(result("tokens_per_second", answer.tokens_per_second, Style::token_rate,
                          many ? "all sequences" : "tokens", ceiling_remark(inputs))),
        ceiling_of(result("tokens_per_second_per_user", answer.tokens_per_second_per_user,
                          Style::token_rate, many ? "each of them" : "")),
        ceiling_of(result("step_time", answer.step_time, Style::duration, "step time")),
        plain_result("bound", word(std::string(name_of(answer.step.bound))), "bound by"),
        result("intensity", answer.intensity, Style::intensity, "intensity"),
        result("compute_utilization", answer.compute_utilization, Style::percent, "compute used",
               "of the data-sheet " + arithmetic_text(inputs) + " peak"),
        result("critical_batch", answer.critical_batch, Style::whole, "critical batch",
               "from here the linear layers are compute-bound")};
    // Distinct weights: what tensor parallelism replicates is one weight, however often it is read.
    Inputs whole = inputs;
    whole.layout = {};
    whole.offload.reset();
    whole.workload.batch = round_up(inputs.workload.batch / instances(inputs.layout));
    const double read = decode<double>(whole).totals.weights;
    const double all = parameters(inputs.model);
    if (!is_size(inputs.model)) {
        report::Result context =
            plain_result("", number(inputs.workload.context, "token", Style::whole), "context",
                         "tokens in the cache");
        results.insert(results.begin(), std::move(context));
    }
    results.push_back(plain_result("weights_read", number(read, "1", Style::count), "weights read",
                                   "of " + to_text(all, Style::count) + ", once a step"));
    add_least_bandwidth(results, answer.totals, answer.step);
    return results;
}

std::vector<report::Result> prefill_results(const Prefill<Traced>& answer, const Inputs& inputs) {
    const double fresh = inputs.workload.prompt - inputs.workload.prefix;
    std::vector<report::Result> results{
        ceiling_of(result("time_to_first_token", answer.time_to_first_token, Style::duration,
                          "first token",
                          with_separators(fresh) + (fresh == 1 ? " token" : " tokens") +
                              " to read; a floor: no run is sooner")),
        ceiling_of(result("tokens_per_second", answer.tokens_per_second, Style::token_rate,
                          "tokens read")),
        plain_result("bound", word(std::string(name_of(answer.step.bound))), "bound by"),
        result("intensity", answer.intensity, Style::intensity, "intensity"),
        result("compute_utilization", answer.compute_utilization, Style::percent, "compute used",
               value_of(answer.compute_utilization) > 1
                   ? "of the data-sheet " + arithmetic_text(inputs) +
                         " peak: a ceiling runs at the highest clock"
                   : "of the data-sheet " + arithmetic_text(inputs) + " peak")};
    add_least_bandwidth(results, answer.totals, answer.step);
    return results;
}

namespace {

// How a group of devices spends its time on one another.
template <class R>
void add_collectives(std::vector<report::Result>& results, const Step<R>& step,
                     const Totals<R>& totals) {
    if (step.bound == Bound::network) {
        for (report::Result& row : results) {
            if (row.key != "bound") continue;
            row.value = word("network");
            row.remark = "its collectives take longer than its work";
        }
    }
    results.push_back(result("collective_time", traced(totals.collectives), Style::duration,
                             "collectives",
                             with_separators(round_up(value_of(totals.collective_calls))) +
                                 " a step, one after the other"));
}

report::Result estimate_of(report::Result result) {
    result.kind = "estimate";
    return result;
}

}  // namespace

template <class R>
void add_exchange(std::vector<report::Result>& results, const Decode<R>& exchanging) {
    if (value_of(exchanging.totals.collectives) == 0) return;
    add_collectives(results, exchanging.step, exchanging.totals);
    results.push_back(
        estimate_of(result("step_time_with_collectives", traced(exchanging.step_time),
                           Style::duration, "step with them", "if nothing hides them")));
    results.push_back(estimate_of(result("tokens_per_second_with_collectives",
                                         traced(exchanging.tokens_per_second), Style::token_rate,
                                         "tokens with them")));
}

template <class R>
void add_exchange(std::vector<report::Result>& results, const Prefill<R>& exchanging) {
    if (value_of(exchanging.totals.collectives) == 0) return;
    add_collectives(results, exchanging.step, exchanging.totals);
    results.push_back(estimate_of(result("time_to_first_token_with_collectives",
                                         traced(exchanging.time_to_first_token), Style::duration,
                                         "first token with", "collectives that nothing hides")));
}

template void add_exchange<double>(std::vector<report::Result>&, const Decode<double>&);
template void add_exchange<Traced>(std::vector<report::Result>&, const Decode<Traced>&);
template void add_exchange<double>(std::vector<report::Result>&, const Prefill<double>&);
template void add_exchange<Traced>(std::vector<report::Result>&, const Prefill<Traced>&);

void add_terms(report::Document& document, const Step<Traced>& step, const Totals<Traced>& totals) {
    const auto bytes = [&](std::string name, const Bytes<Traced>& value) {
        if (value_of(value) > 0) document.terms.push_back(term(std::move(name), value));
    };
    bytes("weights", totals.weight_bytes);
    bytes("kv_cache", totals.kv_bytes);
    bytes("activations", totals.activation_bytes);
    bytes("scale_up", totals.scale_up_bytes);
    bytes("scale_out", totals.scale_out_bytes);
    document.terms.push_back({"flops", number(value_of(step.flops), "FLOP", Style::flops)});
    if (value_of(totals.expert_passes) > 0) {
        document.terms.push_back(
            {"expert_passes", number(value_of(totals.expert_passes), "1", Style::plain)});
    }
    const auto time = [&](std::string name, const Seconds<Traced>& value) {
        document.terms.push_back({std::move(name), number(value_of(value), "s", Style::duration)});
    };
    time("compute_time", step.compute);
    time("memory_time", step.memory);
    time("network_time", step.network);
}

void add_host(report::Document& document, std::vector<report::Result>& results,
              const HostPart<Traced>& host, const Seconds<Traced>& on_devices,
              const Inputs& inputs) {
    if (!inputs.offload) return;
    document.terms.push_back(term("host_weights", host.totals.weight_bytes));
    document.terms.push_back(term("host_kv_cache", host.totals.kv_bytes));
    document.terms.push_back({"host_time", number(value_of(host.step.time), "s", Style::duration)});
    std::vector<report::Result> rows{
        result("device_time", on_devices, Style::duration, host.streams ? "" : "on the devices"),
        result("host_time", host.step.time, Style::duration, host.streams ? "" : "on the host",
               std::string(name_of(host.step.bound)) + "-bound; one after the other")};
    if (value_of(host.streaming) > 0) {
        rows.push_back(result("streaming_time", host.streaming, Style::duration,
                              host.streams ? "streaming" : "",
                              "the host's bytes to devices that compute all"));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].key != "bound") continue;
        if (host.streams && host.streaming > on_devices) {
            results[i].value = word("network");
            results[i].remark = "the link from the host";
        } else if (!host.streams && host.step.time > on_devices) {
            results[i].value = word(std::string(name_of(host.step.bound)));
            results[i].remark = "of the host";
        }
        results.insert(results.begin() + static_cast<std::ptrdiff_t>(i), rows.begin(), rows.end());
        return;
    }
}

void add_host_memory(report::Document& document, const Inputs& inputs, bool shown) {
    if (!inputs.offload) return;
    const Accelerator& host = inputs.offload->host;
    const Fit<Traced> outcome = napkin::fit(host_residents<Traced>(inputs), host);
    const bool known = value_of(outcome.capacity) > 0;
    document.results.push_back(result(
        "host_required", named(outcome.required, "host_required"), Style::memory,
        shown ? "host needs" : "",
        known ? "of " + to_text(value_of(outcome.capacity), Style::memory) + " of " + host.name
              : "of host memory"));
    document.results.back().explained = shown;
    document.results.push_back(
        plain_result("host_capacity", known ? number(value_of(outcome.capacity), "B", Style::memory)
                                            : report::Value{}));
    if (known && !outcome.fits) {
        document.footer.push_back("the host does not hold its part");
    }
}

void judge(report::Document& document, const Fit<Traced>& outcome) {
    document.verdict = outcome.fits ? "fits" : "does-not-fit";
    document.verdict_text = outcome.fits ? "fits" : "does not fit";
    document.yes = outcome.fits;
    if (outcome.tight) {
        document.notes.push_back(
            {"tight", "the margin is under 5 % of the device's capacity", true});
    }
    if (!outcome.fits && outcome.fits_without_reserve) {
        document.notes.push_back({"reserve-does-not-fit",
                                  "the plan's bytes fit, but not the reserve beside them", false});
    }
}

void add_rates(report::Document& document, const Question& question,
               std::vector<report::Result> rates) {
    const Inputs& inputs = question.inputs;
    const Fit<Traced> outcome = inference_fit<Traced>(inputs);
    judge(document, outcome);
    const bool shown = !outcome.fits;
    if (outcome.fits) {
        document.results = std::move(rates);
    } else {
        document.if_it_fit = std::move(rates);
    }
    document.results.push_back(
        result("required", outcome.required, Style::memory, shown ? "required" : ""));
    document.results.push_back(result("capacity", outcome.capacity, Style::memory,
                                      shown ? "capacity" : "",
                                      inputs.machine.accelerator.memory.sold_as + " sold"));
    document.results.push_back(
        result("margin", outcome.margin, Style::memory, shown ? "margin" : ""));
    for (auto row = document.results.end() - 3; row != document.results.end(); ++row) {
        row->explained = shown;
    }
    add_host_memory(document, inputs, shown);
    if (outcome.fits) return;
    if (const auto devices = min_devices(inputs)) {
        document.footer.push_back("fits on " + with_separators(*devices) +
                                  " devices at the least (`napkin fit` shows what takes the room)");
    }
}

}  // namespace napkin::cli
