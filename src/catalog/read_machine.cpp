#include "catalog/read.hpp"
#include "napkin/catalog.hpp"
#include "napkin/text.hpp"

namespace napkin {
namespace catalog {
namespace {

Provenance provenance(const json::Value& group) {
    return {.source = group.text("source"),
            .date = group.text("date"),
            .unverified = group.flag("unverified")};
}

// "80 GB" may be 80e9 or 80 * 2^30 bytes: where no driver's figure is known, the smaller holds.
Bytes<> sold(const json::Value& memory) {
    return quantity<Bytes<>>(memory, "sold", read_bytes);
}

// What a GPU may use of unified memory depends on how much of it there is: of figures for the size
// sold, the smallest.
void read_usable(const json::Value& memory, Accelerator& part) {
    for (const json::Value& row : memory.at("usable").items) {
        if (row.text("of") != part.memory.sold_as) continue;
        const auto size = quantity<Bytes<>>(row, "size", read_bytes);
        if (part.memory.usable > Bytes<>(0) && part.memory.usable <= size) continue;
        part.memory.usable = size;
        part.memory.usable_source = row.text("source");
    }
}

Topology topology_named(std::string_view name) {
    if (name == "switch") return Topology::network_switch;
    if (name == "mesh") return Topology::mesh;
    if (name == "torus") return Topology::torus;
    if (name == "bridge") return Topology::bridge;
    return Topology::none;
}

}  // namespace

std::vector<DatedPrice> read_prices(const json::Value& list, std::string_view key) {
    std::vector<DatedPrice> prices;
    for (const json::Value& row : list.items) {
        const json::Value& amount = row.at(key);
        const bool range = amount.kind == json::Kind::array && amount.items.size() == 2;
        prices.push_back({.low = range ? amount.items[0].number : amount.number,
                          .high = range ? amount.items[1].number : amount.number,
                          .provider = row.text("provider"),
                          .date = row.text("date"),
                          .source = row.text("source")});
    }
    return prices;
}

Accelerator read_accelerator(const json::Value& entry) {
    Accelerator part{.id = entry.text("id"),
                     .name = entry.text("name"),
                     .vendor = entry.text("vendor"),
                     .kind = entry.text("kind"),
                     .architecture = entry.text("architecture"),
                     .family = entry.text("family"),
                     .year = entry.count("year"),
                     .notes = entry.text("notes")};
    const json::Value& compute = entry.at("compute");
    part.compute.units = compute.count("units");
    part.compute.unit = compute.text("unit");
    part.compute.boost_clock = quantity<Hertz<>>(compute, "boost_clock", read_frequency);
    part.compute.max_clock = quantity<Hertz<>>(compute, "max_clock", read_frequency);
    part.compute.flops_per_unit_clock = compute.count("flops_per_unit_clock");
    part.compute.sparsity = compute.count("sparsity", 1);
    part.compute.provenance = provenance(compute);
    for (const auto& [name, value] : compute.at("peak").members) {
        if (const auto arithmetic = arithmetic_named(name)) {
            part.compute.peak[static_cast<std::size_t>(*arithmetic)] =
                read_flop_rate(value.string).value.value_or(FlopsPerSecond<>(0));
        }
    }
    const json::Value& memory = entry.at("memory");
    part.memory = {.type = memory.text("type"),
                   .sold = sold(memory),
                   .reported = quantity<Bytes<>>(memory, "reported", read_bytes),
                   .usable = {},
                   .usable_source = {},
                   .sold_as = memory.text("sold"),
                   .bandwidth = quantity<BytesPerSecond<>>(memory, "bandwidth", read_byte_rate),
                   .provenance = provenance(memory)};
    read_usable(memory, part);
    const json::Value& caches = entry.at("caches");
    part.caches = {.level2 = quantity<Bytes<>>(caches, "l2", read_bytes),
                   .shared_per_unit = quantity<Bytes<>>(caches, "shared_per_unit", read_bytes),
                   .bytes_per_unit_clock = caches.count("bytes_per_unit_clock"),
                   .provenance = provenance(caches)};
    const json::Value& links = entry.at("links");
    const json::Value& up = links.at("scale_up");
    part.links = {
        .scale_up_name = up.text("name"),
        .scale_up = quantity<BytesPerSecond<>>(up, "bandwidth", read_byte_rate),
        .domain = up.count("domain", 1),
        .topology = topology_named(up.text("topology")),
        .pair = quantity<BytesPerSecond<>>(up, "pair_bandwidth", read_byte_rate),
        .scale_out = quantity<BytesPerSecond<>>(links.at("scale_out"), "bandwidth", read_byte_rate),
        .pcie = quantity<BytesPerSecond<>>(links.at("pcie"), "bandwidth", read_byte_rate),
        .provenance = provenance(links)};
    const json::Value& power = entry.at("power");
    part.power = {.tdp = quantity<Watts<>>(power, "tdp", read_power),
                  .provenance = provenance(power)};
    part.rent = read_prices(entry.at("price").at("rent"), "usd_per_hour");
    part.buy = read_prices(entry.at("price").at("buy"), "usd");
    return part;
}

}  // namespace catalog

Machine machine_of(const Accelerator& accelerator, double count) {
    constexpr double slots_of_a_host = 8;  // devices on the PCIe of one host
    const auto& links = accelerator.links;
    const bool linked = links.scale_up > BytesPerSecond<>(0);
    Machine machine{.id = accelerator.id,
                    .name = accelerator.name,
                    .accelerator = accelerator,
                    .devices = count,
                    .domain = linked ? links.domain : slots_of_a_host,
                    .scale_up = linked ? links.scale_up : links.pcie,
                    .scale_out = links.scale_out,
                    .system_power = {}};
    machine = with_devices(std::move(machine), count);
    if (count > 1) {
        machine.id = shortest(count) + "x" + machine.id;
        machine.name = shortest(count) + " x " + machine.name;
    }
    return machine;
}

}  // namespace napkin
