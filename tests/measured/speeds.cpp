#include "tests/measured/speeds.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "napkin/capacity.hpp"
#include "napkin/formats.hpp"
#include "napkin/inference.hpp"

namespace napkin::test {
namespace {

using nlohmann::json;

std::string text(const json& record, const char* key) {
    return record.at(key).get<std::string>();
}
double number(const json& record, const char* key, double otherwise) {
    return record.contains(key) ? record.at(key).get<double>() : otherwise;
}

/// A preset, or a configuration of tests/formats.
Model checkpoint(const std::string& name) {
    if (!name.ends_with(".json")) return catalog().model(name);
    return formats::read_model_file(NAPKIN_SOURCE_DIR "/tests/formats/configs/" + name, catalog())
        .model;
}

/// A model in the weights of a record: a format, a mix of GGUF types, as the checkpoint stores it,
/// or so many bits a weight ("bits-4.5").
Model model_in(const std::string& name, const std::string& weights) {
    Model model = checkpoint(name);
    const std::string bits = "bits-";
    if (weights.starts_with(bits)) {
        NumberFormat format{.id = weights, .name = weights};
        format.bytes = std::stod(weights.substr(bits.size())) / 8;
        set_weights(model, format);
    } else if (catalog().has(PresetKind::format, weights) &&
               !catalog().format(weights).keeps_32_bit) {
        set_weights(model, catalog().format(weights));
    } else if (const auto mix = catalog().mix(weights)) {
        model = mixed(*mix, std::move(model)).model;
    } else if (weights != "checkpoint") {
        throw std::invalid_argument(weights + " are no weights");
    }
    return model;
}

Machine machine_for(const json& record) {
    Accelerator part = catalog().accelerator(text(record, "accelerator"));
    const double share = number(record, "part", 1);
    part.memory.bandwidth = part.memory.bandwidth * share;
    for (auto& peak : part.compute.peak) peak = peak * share;
    part.compute.units *= share;
    return machine_of(part, record.at("devices").get<double>());
}

/// Sequences that generate at once. Of so many requests in flight those wait for their first token
/// that do not generate: by Little's law batch x decoding / (waiting + decoding).
double generating(const json& record) {
    const double batch = number(record, "batch", 1);
    if (!record.contains("ttft")) return batch;
    const double decoding = number(record, "value", 0) * (number(record, "output", 1) - 1);
    return larger(1.0, batch * decoding / (number(record, "ttft", 0) + decoding));
}

const json& speed_file(const std::string& name) {
    static std::map<std::string, json> files;
    json& found = files[name];
    if (found.is_null()) {
        found = json::parse(std::ifstream(measured_folder + "speeds/" + name + ".json"));
    }
    return found;
}

/// A token at the highest throughput: requests of all ages share the devices, so that the compute
/// of prompts hides under the reading of caches and the other way round. What is busiest, summed
/// over whole requests, remains. Batches that are not stated are as large as memory allows.
double time_a_token(Inputs inputs, bool batch_stated) {
    const std::array layouts{inputs.layout};
    if (!batch_stated) inputs.workload.batch = max_batch(inputs, layouts).value_or(1);
    const Step<> prompts = prefill(inputs).step;
    const Step<> step = decode(inputs).step;
    // Each stage runs a step for each of the groups in flight.
    const double steps =
        (inputs.workload.output - 1) * smaller(inputs.layout.pp, inputs.workload.batch);
    const std::array busy{prompts.compute.value() + steps * step.compute.value(),
                          prompts.memory.value() + steps * step.memory.value(),
                          prompts.network.value() + steps * step.network.value()};
    const double busiest = *std::max_element(busy.begin(), busy.end());
    return busiest / (inputs.workload.batch * inputs.workload.output);
}

}  // namespace

const json& speeds(const std::string& file) {
    return speed_file(file).at("records");
}
const json& sources(const std::string& file) {
    return speed_file(file).at("sources");
}

Inputs inputs_of(const json& record) {
    static std::map<std::string, Model> models;
    const std::string weights = text(record, "weights");
    const auto [model, fresh] = models.try_emplace(text(record, "model") + " " + weights);
    if (fresh) model->second = model_in(text(record, "model"), weights);
    Inputs inputs{.machine = machine_for(record), .model = model->second};
    inputs.layout.tp = number(record, "tp", 1);
    inputs.layout.pp = number(record, "pp", 1);
    // Attention in replicas shares its experts over all of them. Engines may cut each expert over
    // some of the devices instead of spreading whole ones: as many bytes on each.
    inputs.layout.dp = number(record, "dp_attention", 1);
    const double ep = number(record, "ep", 1);
    inputs.layout.ep = inputs.layout.dp > 1 ? inputs.layout.tp * inputs.layout.dp : ep;
    Workload& workload = inputs.workload;
    workload.batch = generating(record) * inputs.layout.dp;  // stated for a replica
    workload.prompt = number(record, "prompt", 0);
    workload.output = number(record, "output", 0);
    workload.context = workload.prompt + workload.output / 2;
    workload.kv_format = catalog().format(text(record, "kv"));
    return inputs;
}

double measured_time(const json& record) {
    const double value = record.at("value");
    const std::string unit = text(record, "unit");
    if (unit.starts_with("ms")) return value / 1000;
    const std::string kind = text(record, "kind");
    if (kind == "throughput") return 1 / value;
    const double batch = number(record, "batch", 1);
    if (kind == "prefill") return batch * number(record, "prompt", 0) / value;
    if (kind == "request") return batch * number(record, "output", 0) / value;
    return batch / value;
}

double ceiling_time(const json& record) {
    const Inputs inputs = inputs_of(record);
    const std::string kind = text(record, "kind");
    if (kind == "throughput") return time_a_token(inputs, record.contains("batch"));
    if (kind == "prefill") return prefill(inputs).time_to_first_token.value();
    const double step = decode(inputs).step_time.value();
    if (kind != "request") return step;
    // The prompt's pass gives the first token.
    return prefill(inputs).time_to_first_token.value() + (inputs.workload.output - 1) * step;
}

}  // namespace napkin::test
