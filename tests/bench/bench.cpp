// What a fold, a look-up and a parse cost. A layout of a search has to stay under a microsecond.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/benchmark/catch_benchmark.hpp>
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#endif

#include "json/json.hpp"
#include "napkin/capacity.hpp"
#include "napkin/catalog.hpp"
#include "napkin/derivation.hpp"
#include "napkin/serving.hpp"
#include "napkin/text.hpp"

namespace {

using namespace napkin;

Inputs inputs_of(const std::string& model, const std::string& machine, double devices) {
    const Catalog catalog;
    Inputs inputs{.machine = catalog.machine(machine, devices), .model = catalog.model(model)};
    inputs.workload.context = 8192;
    inputs.workload.batch = 64;
    inputs.layout.tp = devices;
    inputs.assumptions.reserve = catalog.reserve();
    return inputs;
}

struct Layouts {
    Inputs dense = inputs_of("llama-3.1-70b", "h100", 2);
    Inputs sparse = inputs_of("deepseek-v3", "h200", 8);
};

TEST_CASE_METHOD(Layouts, "one layout: fold of the operations, fold of the residents") {
    BENCHMARK("decode<double>, llama-3.1-70b") {
        return decode<double>(dense);
    };
    BENCHMARK("decode<double>, deepseek-v3") {
        return decode<double>(sparse);
    };
    BENCHMARK("prefill<double>, deepseek-v3") {
        return prefill<double>(sparse);
    };
    BENCHMARK("residents<double>, llama-3.1-70b") {
        return inference_residents<double>(dense);
    };
    BENCHMARK("residents<double>, deepseek-v3") {
        return inference_residents<double>(sparse);
    };
    BENCHMARK("serve<double>, llama-3.1-70b") {
        return serve<double>(dense);
    };
    BENCHMARK("frontier, llama-3.1-70b") {
        return frontier(dense, 512, 100);
    };
    BENCHMARK("min_devices, deepseek-v3") {
        return min_devices(sparse);
    };
}

TEST_CASE_METHOD(Layouts, "the same with its explanation") {
    BENCHMARK("decode<Traced>, llama-3.1-70b") {
        return decode<Traced>(dense);
    };
    BENCHMARK("decode<Traced>, deepseek-v3") {
        return decode<Traced>(sparse);
    };
    const Traced speed = decode<Traced>(sparse).tokens_per_second.value();
    BENCHMARK("explain, deepseek-v3") {
        return explain({speed});
    };
}

TEST_CASE("presets") {
    const Catalog catalog;
    BENCHMARK("has, by alias") {
        return catalog.has(PresetKind::accelerator, "H100 SXM");
    };
    BENCHMARK("accelerator h100") {
        return catalog.accelerator("h100");
    };
    BENCHMARK("model deepseek-v3") {
        return catalog.model("deepseek-v3");
    };
    const std::string schema = catalog.schema("models");
    INFO(schema.size() << " bytes of JSON");
    BENCHMARK("parse the schema of models") {
        return json::parse({"models", schema});
    };
}

TEST_CASE("text to quantity and back") {
    BENCHMARK("read_byte_rate") {
        return read_byte_rate("3.35TB/s");
    };
    BENCHMARK("read_count") {
        return read_count("15.6T");
    };
    BENCHMARK("to_text") {
        return to_text(3.35e12, Style::byte_rate);
    };
    BENCHMARK("shortest") {
        return shortest(48.234375);
    };
}

}  // namespace
