// Accelerators: the list, or one with its figures.
#include "cli/command.hpp"
#include "cli/question.hpp"
#include "napkin/roofline.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;
using report::word;

std::string_view topology_text(Topology topology) {
    switch (topology) {
        case Topology::network_switch:
            return "switch";
        case Topology::mesh:
            return "mesh";
        case Topology::torus:
            return "torus";
        case Topology::bridge:
            return "bridge";
        case Topology::none:
            break;
    }
    return "";
}

// Figures that no source states are absent, here as everywhere.
template <Dimension D>
void add(report::Document& answer, std::string key, const Quantity<D>& value, Style style,
         std::string label, std::string remark, const Provenance& from) {
    if (value.value() <= 0) return;
    const auto traced = given<Traced>(value, key, from.source);
    if (from.unverified) remark += remark.empty() ? "unverified" : ", unverified";
    answer.results.push_back(
        result(std::move(key), traced, style, std::move(label), std::move(remark)));
}

report::Document describe(const Accelerator& part) {
    report::Document answer;
    answer.command = "gpu";
    answer.primary = "peak_flops";
    answer.title = part.name + " (" + part.vendor + ", " + part.architecture + ", " +
                   shortest(part.year) + ")";
    answer.row = part.id;
    report::Input input{
        .key = "machine", .value = {}, .from = "flag", .members = {}, .flips_at = {}};
    input.members = {{"id", word(part.id)}, {"name", word(part.name)}};
    answer.inputs.push_back(std::move(input));

    const auto& compute = part.compute;
    const Arithmetic half = usable(part, Arithmetic::bf16).value_or(Arithmetic::fp32);
    const std::string half_name(name_of(half));
    add(answer, "peak_flops", peak(part, half), Style::flop_rate, "peak", "dense " + half_name,
        compute.provenance);
    if (part.memory.bandwidth > BytesPerSecond<>(0) && peak(part, half) > FlopsPerSecond<>(0)) {
        const auto roof = napkin::roofline<Traced>(Intensity<Traced>(Traced(1)), part, half);
        answer.results.push_back(result("ridge_intensity", roof.ridge, Style::intensity,
                                        "ridge point", half_name + " peak / memory bandwidth"));
    }
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        const std::string name(name_of(static_cast<Arithmetic>(i)));
        add(answer, "peak_flops_" + name, compute.peak[i], Style::flop_rate, "peak " + name, "",
            compute.provenance);
    }
    if (compute.sparsity > 1) {
        answer.results.push_back(
            plain_result("sparsity", number(compute.sparsity, "1", Style::plain), "sparse peaks",
                         "times the dense ones; data sheets print these"));
    }
    const Bytes<> room = capacity(part);
    const bool shared = part.memory.usable > Bytes<>(0);
    const bool reported = part.memory.reported > Bytes<>(0);
    const std::string what = shared     ? "what its GPU may use of "
                             : reported ? "reported; sold as "
                                        : "the smaller reading of ";
    add(answer, "memory_capacity", room, Style::memory, "memory",
        what + part.memory.sold_as + ", " + part.memory.type,
        shared ? Provenance{.source = part.memory.usable_source} : part.memory.provenance);
    add(answer, "memory_bandwidth", part.memory.bandwidth, Style::byte_rate, "memory bandwidth", "",
        part.memory.provenance);
    add(answer, "on_chip_memory", on_chip_memory(part), Style::memory, "on-chip memory",
        "shared memory of all units", part.caches.provenance);
    if (const auto fast = on_chip_bandwidth<Traced>(part); value_of(fast) > 0) {
        const double times = value_of(fast) / part.memory.bandwidth.value();
        answer.results.push_back(result("on_chip_bandwidth", fast, Style::byte_rate,
                                        "on-chip bandwidth",
                                        to_text(times, Style::plain, 2) + " times memory"));
    }
    add(answer, "l2_cache", part.caches.level2, Style::memory, "L2 cache", "",
        part.caches.provenance);
    const auto& links = part.links;
    add(answer, "scale_up_bandwidth", links.scale_up, Style::byte_rate, "scale-up",
        "per direction; " + links.scale_up_name + " " + std::string(topology_text(links.topology)) +
            " of " + shortest(links.domain),
        links.provenance);
    add(answer, "scale_out_bandwidth", links.scale_out, Style::byte_rate, "scale-out",
        "per direction, one NIC a device", links.provenance);
    add(answer, "pcie_bandwidth", links.pcie, Style::byte_rate, "PCIe", "per direction",
        links.provenance);
    if (compute.units > 0) {
        answer.results.push_back(plain_result("compute_units",
                                              number(compute.units, "1", Style::whole),
                                              "compute units", compute.unit));
    }
    add(answer, "power", part.power.tdp, Style::power, "power", "TDP", part.power.provenance);
    if (const auto rent = median_rent(part)) {
        answer.results.push_back(
            plain_result("usd_per_hour", number(*rent, "USD", Style::money), "rent an hour",
                         "median of " + std::to_string(part.rent.size()) + " dated prices"));
    }
    if (!part.notes.empty()) answer.footer.push_back(part.notes);
    return answer;
}

// A list shows few columns; the rest of the figures stay in the machine formats.
void choose_columns(report::Document& row) {
    for (Result& result : row.results) {
        result.in_list = result.key == "peak_flops" || result.key == "memory_capacity" ||
                         result.key == "memory_bandwidth" || result.key == "ridge_intensity";
    }
}

}  // namespace

Documents gpu(const Arguments& arguments, const Catalog& catalog) {
    if (!arguments.positionals.empty()) {
        if (catalog.has(PresetKind::system, arguments.positionals[0])) {
            const Machine system = catalog.machine(arguments.positionals[0]);
            throw Error(problem_of("", "not-an-accelerator",
                                   "'" + arguments.positionals[0] + "' is a system of " +
                                       shortest(system.devices) + " " + system.accelerator.name,
                                   "", "`napkin gpu " + system.accelerator.id + "` shows one"));
        }
        Resolver resolver(arguments, catalog);
        Accelerator part = resolver.attempt<Accelerator>(
            [&] { return catalog.accelerator(arguments.positionals[0]); }, "");
        resolver.override_machine(part);
        resolver.finish();
        report::Document answer = describe(part);
        answer.row.clear();
        choose_columns(answer);
        return {answer};
    }
    Documents rows;
    for (const std::string& id : catalog.ids(PresetKind::accelerator)) {
        rows.push_back(describe(catalog.accelerator(id)));
        choose_columns(rows.back());
    }
    return rows;
}

}  // namespace napkin::cli
