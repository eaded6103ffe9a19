#include "napkin/disaggregation.hpp"

#include <array>

#include "napkin/allocation.hpp"
#include "napkin/capacity.hpp"
#include "napkin/derivation.hpp"

namespace napkin {
namespace {

constexpr std::array<std::string_view, 3> names{"prefill", "decode", "transfer"};

// What a prompt leaves behind, each byte once, however it lies on the devices.
template <class R>
Bytes<R> cache_of_prompt(const Inputs& inputs) {
    Inputs alone = inputs;
    alone.layout = {};
    alone.assumptions = {};
    alone.draft.reset();
    alone.workload.batch = 1;
    alone.workload.context = tokens_held(inputs) - inputs.workload.output;
    const Residents<R> held = inference_residents<R>(alone);
    const Bytes<R> cache = bytes_of(held, ResidentKind::kv_cache);
    const Bytes<R> state = bytes_of(held, ResidentKind::state);
    const Bytes<R> both = value_of(state) > 0 ? cache + state : cache;
    return named(both, "kv_transfer_bytes");
}

bool share_domain(const Machine& a, const Machine& b) {
    return a.accelerator.id == b.accelerator.id &&
           a.devices + b.devices <= smaller(a.accelerator.links.domain, b.accelerator.links.domain);
}

// Of one device of a side, towards the other side.
template <class R>
BytesPerSecond<R> link_of(const Machine& machine, bool one_domain, std::string_view symbol) {
    return given<R>(one_domain ? machine.scale_up : machine.scale_out, symbol,
                    machine.accelerator.links.provenance.source);
}

double devices_of_replica(const Layout& layout) {
    return layout.tp * layout.pp;
}

// Requests a second of a side, and whether its links are what holds it back.
template <class R>
struct Side {
    Hertz<R> rate{};
    bool by_links{};
};
template <class R>
Side<R> side_of(const Hertz<R>& work, const BytesPerSecond<R>& link, const Layout& layout,
                const Bytes<R>& bytes) {
    if (value_of(link) <= 0 || value_of(bytes) <= 0) return {work, false};
    const Hertz<R> through = link * R(layout.dp * devices_of_replica(layout)) / bytes;
    return {smaller(work, through), through < work};
}

template <class R>
void add_transfer(Disaggregated<R>& point, const BytesPerSecond<R>& from,
                  const BytesPerSecond<R>& to) {
    if (value_of(from) <= 0 || value_of(to) <= 0) {
        point.link = value_of(from) > 0 ? from : to;
    } else {
        point.link = smaller(from, to);
    }
    point.link = named(point.link, "link");
    if (value_of(point.link) > 0) {
        point.kv_transfer_time = named(point.kv_transfer_bytes / point.link, "kv_transfer_time");
    }
}

template <class R>
void add_rates(Disaggregated<R>& point, const Side<R>& reading, const Side<R>& generating) {
    point.prefill_requests_per_second = named(reading.rate, "prefill_requests_per_second");
    point.decode_requests_per_second = named(generating.rate, "decode_requests_per_second");
    point.requests_per_second =
        named(smaller(point.prefill_requests_per_second, point.decode_requests_per_second),
              "requests_per_second");
    point.tokens_per_second = named(point.requests_per_second * point.output, "tokens_per_second");
    const bool by_prefill = point.prefill_requests_per_second < point.decode_requests_per_second;
    point.bottleneck = by_prefill ? Bottleneck::prefill : Bottleneck::decode;
    if (by_prefill ? reading.by_links : generating.by_links) {
        point.bottleneck = Bottleneck::transfer;
    }
    point.prefill_machines_per_decode_machine =
        named(point.decode_requests_per_second / point.prefill_requests_per_second,
              "prefill_machines_per_decode_machine");
}

}  // namespace

std::string_view name_of(Bottleneck bottleneck) {
    return names[static_cast<std::size_t>(bottleneck)];
}

template <class R>
Disaggregated<R> serve_apart(const Inputs& inputs, const Inputs& reader) {
    const Workload& workload = inputs.workload;
    Disaggregated<R> point;
    point.batch = given<R>(workload.batch, "batch", "--batch");
    point.input = Tokens<R>(
        given<R>(workload.prompt - workload.prefix, "new_tokens", "--prompt, --prefix", "token"));
    const R output = given<R>(workload.output, "output", "--output", "token");
    point.output = Tokens<R>(output);

    Inputs reading = reader;
    reading.workload.batch = instances(reader.layout);
    point.time_to_first_token = prefill<R>(reading).time_to_first_token;
    reading.workload.batch = reader.layout.dp;
    point.prefill_time = named(prefill<R>(reading).step.time, "prefill_time");
    const R prompts = given<R>(reader.layout.dp, "prompts_in_a_turn");

    Inputs generating = inputs;
    generating.workload.context = mean_context(inputs);
    const Decode<R> step = decode<R>(generating);
    point.time_per_output_token = named(step.step_time, "time_per_output_token");
    point.bound = step.step.bound;
    const Tokens<R> steps(named(output - R(1), "steps", "token"));  // the first is the prompt's

    point.kv_transfer_bytes = cache_of_prompt<R>(inputs);
    point.one_domain = share_domain(reader.machine, inputs.machine);
    const auto from = link_of<R>(reader.machine, point.one_domain, "prefill_link");
    const auto to = link_of<R>(inputs.machine, point.one_domain, "decode_link");
    add_transfer<R>(point, from * R(devices_of_replica(reader.layout)),
                    to * R(devices_of_replica(inputs.layout)));
    add_rates<R>(
        point,
        side_of<R>(prompts / point.prefill_time, from, reader.layout, point.kv_transfer_bytes),
        side_of<R>(step.tokens_per_second / steps, to, inputs.layout, point.kv_transfer_bytes));
    point.time_to_second_token =
        named(point.time_to_first_token + point.kv_transfer_time + point.time_per_output_token,
              "time_to_second_token");
    point.time_to_second_token_overlapped = named(
        larger(point.time_to_first_token, point.kv_transfer_time) + point.time_per_output_token,
        "time_to_second_token_overlapped");
    return point;
}

Inputs reader_on(const Machine& machine, const Inputs& inputs) {
    Inputs reader = inputs;
    reader.machine = machine;
    reader.workload.batch = 1;
    reader.workload.context = tokens_held(inputs) - inputs.workload.output;
    reader.layout = place(reader, layouts_of(reader)).layout;
    reader.workload.batch = reader.layout.dp * reader.layout.pp;
    return reader;
}

double best_batch(const Inputs& inputs, const Inputs& reader, double most, const Limits& limits) {
    const auto point = [&](double batch) {
        Inputs trial = inputs;
        trial.workload.batch = batch;
        return serve_apart<double>(trial, reader);
    };
    return best_of(
        most, inputs.layout.dp,
        [&](double batch) {
            const Disaggregated<> at = point(batch);
            return meets(at.time_to_first_token, at.time_per_output_token, limits);
        },
        [&](double batch) { return point(batch).decode_requests_per_second; });
}

template Disaggregated<double> serve_apart<double>(const Inputs&, const Inputs&);
template Disaggregated<Traced> serve_apart<Traced>(const Inputs&, const Inputs&);

}  // namespace napkin
