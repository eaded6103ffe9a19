// Memory as others measured it: lines of the KV cache and of weight buffers in loader logs of
// llama.cpp. What is expected is what was printed; memory-logs.json says of each row where it
// stands, what it is of, and why it does not decide where it does not.
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "napkin/residents.hpp"
#include "tests/measured/memory_logs.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

using nlohmann::json;

constexpr double mib = 1024. * 1024;
constexpr double cache_tolerance = 0.002;
constexpr double weights_tolerance = 0.01;
constexpr double last_digit = 0.01;  // of what is printed in MiB
constexpr std::size_t caches_that_decide = 94;
constexpr std::size_t weights_that_decide = 13;

// ---- KV cache ----------------------------------------------------------------------------------

void keep(Model& model, const std::string& what) {
    for (const LatentCache keeps :
         {LatentCache::latent, LatentCache::latent_and_values, LatentCache::expanded}) {
        if (name_of(keeps) != what) continue;
        for (Block& block : model.blocks) std::get<LatentAttention>(block.mixer).keeps = keeps;
        return;
    }
    FAIL(what << " is no way to keep a latent");
}

/// The part of a layer's cache that logs call K: keys, or the latent itself.
double share_of_keys(const Block& block) {
    if (const auto* m = std::get_if<Attention>(&block.mixer)) {
        return m->head_dim / (m->head_dim + (m->value_dim > 0 ? m->value_dim : m->head_dim));
    }
    const auto& m = std::get<LatentAttention>(block.mixer);
    if (m.keeps == LatentCache::latent) return 1;
    const bool expanded = m.keeps == LatentCache::expanded;
    const double keys = (expanded ? m.nope_dim : m.latent_rank) + m.rope_dim;
    return keys / (keys + (expanded ? m.value_dim : m.latent_rank));
}

/// MiB of K and of V, each in its own format.
std::array<double, 2> cache_halves(const Model& model, double tokens,
                                   const std::array<NumberFormat, 2>& formats) {
    std::array<double, 2> halves{};
    for (const Block& block : model.blocks) {
        const Cache kept = cache(block, model);
        if (kept.per_token == 0) continue;
        const std::array shares{share_of_keys(block), 1 - share_of_keys(block)};
        for (std::size_t i = 0; i < 2; ++i) {
            halves[i] += block.count * shares[i] *
                         cache_bytes<double>(kept, tokens, formats[i]).value() / mib;
        }
    }
    return halves;
}

// ---- weights -----------------------------------------------------------------------------------

double sum_of(const json& buffers) {
    return std::accumulate(buffers.begin(), buffers.end(), 0.0, [](double sum, const json& one) {
        return sum + one.at(1).get<double>();
    });
}

/// Whether buffers make up the file: to the last digit of its printed size, in GiB, and of theirs.
bool buffers_are_the_file(const json& row) {
    const std::string size = row.at("size");
    const std::size_t point = size.find('.');
    const auto decimals = static_cast<double>(size.find(' ') - point - 1);
    const double digits = 0.5 * std::pow(10, -decimals) * 1024 +
                          last_digit / 2 * static_cast<double>(row.at("buffers").size());
    return std::abs(sum_of(row.at("buffers")) - std::stod(size) * 1024) <= digits;
}

/// The two halves of latent attention's up-projection (attn_k_b and attn_v_b) that files with
/// 672.050 B parameters store beside it: heads x 128 x latent_rank weights a layer each.
double halves_beside(const Model& model, const json& types) {
    double bytes = 0;
    for (const Block& block : model.blocks) {
        const auto& m = std::get<LatentAttention>(block.mixer);
        const std::array dims{m.nope_dim, m.value_dim};
        for (std::size_t i = 0; i < 2; ++i) {
            const NumberFormat format = catalog().format(types.at(i).get<std::string>());
            bytes += block.count * m.heads * dims[i] * m.latent_rank * bytes_per_weight(format);
        }
    }
    return bytes / mib;
}

}  // namespace

TEST_CASE("KV caches are as large as llama.cpp prints, within 0.2 %", "[memory]") {
    Table table("KV cache: measured, ours, deviation");
    for (const json& row : rows("kv")) {
        CAPTURE(row.at("id"));
        if (row.contains("left_out")) {
            table.leave_out(row);
            continue;
        }
        Model model = model_of(row);
        check_architecture(model, row.at("arch"));
        if (row.contains("latent_cache")) keep(model, row.at("latent_cache"));
        const double tokens = row.at("context");
        CHECK(std::fmod(tokens, 256) == 0);  // else llama.cpp would have rounded it up
        const NumberFormat keys = catalog().format(row.at("keys").at("format").get<std::string>());
        const NumberFormat values =
            row.contains("values")
                ? catalog().format(row.at("values").at("format").get<std::string>())
                : keys;
        const auto [k, v] = cache_halves(model, tokens, {keys, values});
        CHECK(k == Approx(row.at("keys").at("mib").get<double>()).epsilon(cache_tolerance));
        CHECK(row.contains("values") == (v > 0));
        if (row.contains("values")) {
            CHECK(v == Approx(row.at("values").at("mib").get<double>()).epsilon(cache_tolerance));
        }
        double ours = k + v;
        if (keys.id == values.id) {  // what the command line can say
            Inputs inputs = inputs_for(model, tokens, 1);
            inputs.workload.kv_format = keys;
            const auto residents = inference_residents<double>(inputs);
            ours = bytes_of(residents, ResidentKind::kv_cache).value() / mib;
            CHECK(k + v == Approx(ours));
            CHECK(kv_bytes_per_token<double>(model, keys).value() * tokens / mib == Approx(ours));
        }
        const double printed = row.at("mib");
        CHECK(std::abs(table.add(row, printed, ours)) <= cache_tolerance);
        CHECK(std::abs(ours - printed) < last_digit);
    }
    CHECK(table.close() >= caches_that_decide);
}

TEST_CASE("weights fill the buffers of llama.cpp that make up a file, within 1 %", "[memory]") {
    Table table("weights: all buffers, ours, deviation");
    for (const json& row : rows("weights")) {
        CAPTURE(row.at("id"));
        const bool decides = !row.contains("left_out");
        const std::string why = decides ? "" : row.at("left_out").get<std::string>();
        const bool whole = row.contains("size") && buffers_are_the_file(row);
        CHECK(whole == (decides || why.starts_with("own recipe")));
        if (!decides) table.leave_out(row);
        if (!whole || !row.contains("mix")) continue;
        const Model model = model_of(row);
        check_architecture(model, row.at("arch"));
        const auto mix = catalog().mix(row.at("mix").get<std::string>());
        REQUIRE(mix);
        const Mixed file = mixed(*mix, model);
        CHECK(file.misfits.empty());
        const auto residents = inference_residents<double>(inputs_for(file.model, 1, 1));
        double ours = bytes_of(residents, ResidentKind::weights).value() / mib;
        if (row.contains("halves")) ours += halves_beside(model, row.at("halves"));
        const double deviation = table.add(row, sum_of(row.at("buffers")), ours);
        if (!decides) continue;
        CHECK(std::abs(deviation) <= weights_tolerance);
        if (!row.contains("host")) continue;
        const double host = bytes_of(outer_tensors(file.model), Role::embedding).value() / mib;
        const double devices = row.at("devices_mib");
        CHECK(std::abs(host + devices - sum_of(row.at("buffers"))) < last_digit);
        CHECK(ours - host == Approx(devices).epsilon(weights_tolerance));
    }
    CHECK(table.close() >= weights_that_decide);
}

TEST_CASE("no line of a log is counted twice, and each says where it stands", "[memory]") {
    std::set<std::string> ids;
    for (const char* kind : {"kv", "weights"}) {
        for (const json& row : rows(kind)) {
            CHECK(ids.insert(row.at("id")).second);
            CHECK(row.at("source").get<std::string>().starts_with("github:"));
        }
    }
    CHECK(ids.size() == 141);
}
