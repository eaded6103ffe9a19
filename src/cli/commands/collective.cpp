// One collective: how long it takes, at which bandwidths, and what bounds it.
#include "napkin/collectives.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "cli/question.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

CollectiveKind read_kind(Resolver& resolver) {
    std::vector<std::string> names;
    const auto& words = resolver.arguments().positionals;
    for (const auto kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
          CollectiveKind::all_to_all, CollectiveKind::send}) {
        if (!words.empty() && words[0] == name_of(kind)) {
            resolver.add_input("collective", word(words[0]), "flag");
            return kind;
        }
        names.emplace_back(name_of(kind));
    }
    const std::string expected = "all-reduce, all-gather, reduce-scatter, all-to-all or send";
    if (words.empty()) {
        resolver.problem(problem_of("", "missing-collective", "no collective given", expected));
        return CollectiveKind::none;
    }
    Problem unknown = problem_of("", "unknown-collective",
                                 "unknown collective '" + words[0].substr(0, 100) + "'", expected);
    unknown.suggestions = nearest(words[0], names);
    resolver.problem(std::move(unknown));
    return CollectiveKind::none;
}

// What cannot be exchanged, or over links that nothing is known of.
void check_links(Resolver& resolver, const Machine& machine, CollectiveKind kind) {
    if (machine.id.empty() || resolver.any_count()) return;
    const std::string& part = machine.accelerator.name;
    if (machine.devices <= 1) {
        resolver.problem(
            problem_of("--on", "one-device", "one device has nobody to exchange with",
                       "two devices or more, such as --on 8x" + machine.accelerator.id));
        return;
    }
    const bool across = machine.devices > machine.domain;
    const bool inside = machine.domain > 1 && !(across && kind == CollectiveKind::send);
    if (inside && machine.scale_up <= BytesPerSecond<>(0)) {
        resolver.problem(problem_of("--on", "unknown-link", "no link between " + part + " is known",
                                    "--set gpu.scale_up_bandwidth=RATE"));
    }
    const bool bridged = machine.accelerator.links.topology == Topology::bridge &&
                         machine.accelerator.links.pcie > BytesPerSecond<>(0);
    if (across && machine.scale_out <= BytesPerSecond<>(0) && !bridged) {
        resolver.problem(problem_of("--on", "unknown-network",
                                    "the network between nodes of " + part + " is not known",
                                    "--set gpu.scale_out_bandwidth=RATE"));
    }
}

// A bus bandwidth of the whole group stands in for links and algorithms.
bool is_given(const CollectiveTime<Traced>& time) {
    const CollectiveLaw* law = time.inside != nullptr ? time.inside : time.across;
    return law != nullptr && law->bandwidth > BytesPerSecond<>(0);
}

std::string taken(const CollectiveTime<Traced>& time, CollectiveKind kind) {
    const auto words_of = [&](const CollectiveLaw& law) {
        if (is_given(time)) return std::string("any");
        const bool direct = kind == CollectiveKind::all_to_all || kind == CollectiveKind::send;
        return direct ? std::string("direct") : std::string(name_of(law.algorithm));
    };
    std::string text;
    if (time.inside != nullptr) text = words_of(*time.inside);
    if (is_given(time)) return text.empty() ? words_of(*time.across) : text;
    if (time.inside != nullptr && time.across != nullptr) text += " + ";
    if (time.across != nullptr) text += words_of(*time.across);
    return text;
}

std::string ids_of(const CollectiveTime<Traced>& time) {
    if (is_given(time)) return "bus bandwidth as given";
    std::string text;
    for (const CollectiveLaw* law : {time.inside, time.across}) {
        if (law != nullptr) text += (text.empty() ? "" : ", ") + law->id;
    }
    return text;
}

void note_doubts(Resolver& resolver, const CollectiveTime<Traced>& time,
                 const Seconds<Traced>& floor) {
    if (time.time < floor) {
        resolver.note("faster-than-links",
                      "faster than the links: the bytes that must cross take " +
                          to_text(value_of(floor), Style::duration) + " at their full rate",
                      true);
    }
    if (is_given(time)) return;
    if (time.inside != nullptr && time.inside->algorithm == CollectiveAlgorithm::one_shot) {
        resolver.note("kernel-of-an-engine",
                      "one-shot is a kernel of inference engines; for a library such as NCCL: "
                      "--set collective.algorithm=library");
    }
    for (const CollectiveLaw* law : {time.inside, time.across}) {
        if (law == nullptr || !law->unverified) continue;
        resolver.note("unverified-collective",
                      "the law '" + law->id + "' has not been held against measured times");
    }
}

}  // namespace

Documents collective(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    const CollectiveKind kind = read_kind(resolver);
    const Machine machine = resolver.machine();
    resolver.refuse_any_count();
    const auto payload = resolver.optional("bytes", read_bytes);
    resolver.expect("bytes", "the payload of each device, such as --bytes 16MiB");
    check_links(resolver, machine, kind);
    Assumptions assumptions;
    resolver.collectives(machine, assumptions);
    resolver.finish();
    resolver.add_input("bytes", number(payload->value(), "B", Style::bytes),
                       resolver.from("bytes"));

    const auto bytes = given<Traced>(*payload, "payload", "--bytes");
    const auto time = collective_time<Traced>(kind, bytes, machine.devices, machine, assumptions);
    const auto floor = collective_floor<Traced>(kind, bytes, machine.devices, machine);
    note_doubts(resolver, time, floor);
    const bool overhead = value_of(time.latency) > value_of(time.transfer);
    report::Document answer;
    answer.command = "collective";
    answer.primary = "time";
    answer.title = std::string(name_of(kind)) + " of " + to_text(payload->value(), Style::bytes) +
                   " on " + machine.name;
    answer.results = {result("time", time.time, Style::duration, "time"),
                      plain_result("bound", word(overhead ? "overhead" : "network"), "bound by"),
                      result("latency", time.latency, Style::duration, "latency"),
                      result("transfer_time", time.transfer, Style::duration, "transfer"),
                      result("algorithm_bandwidth", time.algorithm_bandwidth, Style::byte_rate,
                             "algorithm", "payload / time"),
                      result("bus_bandwidth", time.bus_bandwidth, Style::byte_rate, "bus",
                             kind == CollectiveKind::send ? "" : "as nccl-tests count it"),
                      plain_result("algorithm", word(taken(time, kind)), "taken", ids_of(time)),
                      ceiling_of(result("floor", floor, Style::duration, "floor",
                                        "bytes that must cross / link rate"))};
    answer.inputs = resolver.inputs;
    answer.notes = resolver.notes;
    return {answer};
}

}  // namespace napkin::cli
