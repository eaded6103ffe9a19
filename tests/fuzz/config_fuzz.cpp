// Any bytes as a config.json: refused by Error, or a model whose totals are finite and whose folds
// run on a machine.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "formats/config/config.hpp"
#include "napkin/inference.hpp"
#include "napkin/residents.hpp"

namespace {

using namespace napkin;

void require(bool condition) {
    if (!condition) std::abort();
}

void require_amount(double amount) {
    require(std::isfinite(amount) && amount >= 0);
}

void check(const Model& model, const Catalog& catalog) {
    require_amount(parameters(model));
    require_amount(active_parameters(model));
    require(active_parameters(model) <= parameters(model));
    require_amount(weight_bytes(model).value());
    require_amount(kv_bytes_per_token(model, bfloat16()).value());
    require_amount(state_bytes(model).value());
    double ordered = 0;
    for (const std::uint16_t block : model.order) {
        require(block < model.blocks.size());
        ++ordered;
    }
    require(model.order.empty() || ordered == layers(model));
    static const Machine machine = catalog.machine("h100", 1);
    Inputs inputs{.machine = machine, .model = model};
    inputs.workload.context = 100;
    require_amount(decode<double>(inputs).step_time.value());
    for (const Resident<>& resident : inference_residents<double>(inputs)) {
        require_amount(resident.bytes.value());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Catalog catalog;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const json::Source source{"fuzz.json", text};
    try {
        const json::Value config = json::parse(source);
        check(formats::read_config(config, source, "fuzz", catalog).model, catalog);
    } catch (const Error& error) {
        require(!error.problems.empty() && !error.problems.front().id.empty());
    }
    return 0;
}
