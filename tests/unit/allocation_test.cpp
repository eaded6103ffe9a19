// What engines take: their definitions of a fraction, blocks, windows, others on the card.
#include "napkin/allocation.hpp"
#include "napkin/capacity.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

constexpr double gib = 1024. * 1024 * 1024;

Engine engine(PoolBasis basis, std::optional<double> fraction) {
    Engine one{.id = "one", .name = "One", .version = "1", .basis = basis, .fraction = fraction};
    one.cards = {{.tokens = 2048, .sequences = 256}};
    return one;
}

// A card of 80 GiB with weights of 60 GiB, as a size without layers; a token takes 100 kB.
Inputs sized(const Engine& engine, double context = 0) {
    Inputs inputs{.machine = h100s(1)};
    inputs.machine.accelerator.memory.reported = Bytes<>(80 * gib);
    inputs.model = size_of(30 * gib, 30 * gib);  // bf16: 2 bytes each
    inputs.model.size_kv_bytes_per_token = 1e5;
    inputs.workload.context = context;
    inputs.assumptions.engine = engine;
    return inputs;
}

Fit<> fit_of(const Inputs& inputs) {
    return fit(inference_residents<double>(inputs), inputs.machine.accelerator);
}

double pool_of(const Inputs& inputs) {
    return kv_pool(fit_of(inputs), inputs).bytes.value() / gib;
}

}  // namespace

TEST_CASE("0.9 of 80 GiB leaves 14.4, 8 or 12 GiB to three engines", "[allocation]") {
    // Weights 60 GiB, activations 4 GiB (github:ai-dynamo/aiconfigurator/issues/1159):
    // 0.9 x (80 - 64), 0.9 x 80 - 64, 0.9 x 80 - 60; and 80 - 64 where nothing is left alone.
    const auto pool = [](PoolBasis basis, std::optional<double> fraction) {
        Engine one = engine(basis, fraction);
        one.activations.size = Bytes<>(4 * gib);
        return pool_of(sized(one));
    };
    CHECK(pool(PoolBasis::free_memory, 0.9) == Approx(14.4).epsilon(1e-6));
    CHECK(pool(PoolBasis::card, 0.9) == Approx(8.0).epsilon(1e-6));
    CHECK(pool(PoolBasis::static_memory, 0.9) == Approx(12.0).epsilon(1e-6));
    CHECK(pool(PoolBasis::rest, {}) == Approx(16.0).epsilon(1e-6));
}

TEST_CASE("activations that the rest of the card cannot hold count against the pool",
          "[allocation]") {
    // 10 GiB of activations in the 8 GiB that 0.9 leaves: 80 - 60 - 10.
    Engine one = engine(PoolBasis::static_memory, 0.9);
    one.activations.size = Bytes<>(10 * gib);
    CHECK(pool_of(sized(one)) == Approx(10.0).epsilon(1e-9));
}

TEST_CASE("a driver keeps its part of the card before the fraction is taken", "[allocation]") {
    // 0.9 x (80 - 2) - 60 = 10.2; another vendor's card has no such driver: 0.9 x 80 - 60 = 12.
    Engine one = engine(PoolBasis::card, 0.9);
    one.runtime.driver = Bytes<>(2 * gib);
    one.runtime.driver_of = "NVIDIA";
    Inputs inputs = sized(one);
    CHECK(pool_of(inputs) == Approx(12.0).epsilon(1e-9));
    inputs.machine.accelerator.vendor = "NVIDIA";
    CHECK(pool_of(inputs) == Approx(10.2).epsilon(1e-9));
}

TEST_CASE("what is left alone decides where no fraction is named", "[allocation]") {
    // 8 GiB of 80 left alone is a fraction of 0.9.
    Engine one = engine(PoolBasis::static_memory, {});
    one.cards.front().leaves = Bytes<>(7 * gib);
    one.leaves_per_device = Bytes<>(1 * gib);
    const Inputs inputs = sized(one);
    CHECK(memory_fraction(inputs).value() == Approx(0.9).epsilon(1e-12));
    CHECK(pool_of(inputs) == Approx(12.0).epsilon(1e-9));
}

TEST_CASE("sequences take whole blocks", "[allocation]") {
    Engine one = engine(PoolBasis::rest, {});
    one.block = 16;
    const auto cache = [&](double context) {
        return bytes_of(inference_residents<double>(sized(one, context)), ResidentKind::kv_cache)
            .value();
    };
    CHECK(cache(1) == 16e5);
    CHECK(cache(16) == 16e5);
    CHECK(cache(17) == 32e5);
    CHECK(cache(0) == 0);
    // 20 GiB hold 214,748.36 tokens of 100 kB: 13,421 blocks, 214,736 tokens.
    const Inputs inputs = sized(one, 17);
    const Pool<> pool = kv_pool(fit_of(inputs), inputs);
    CHECK(pool.blocks == 13421);
    CHECK(pool.tokens == 214736);
}

TEST_CASE("the pool holds as many tokens on two ranks as its halves allow", "[allocation]") {
    // Llama-3.1-8B, 8 KV heads of 128 in 32 layers: 65,536 bytes a token on each of two devices.
    Engine one = engine(PoolBasis::card, 0.5);
    Inputs inputs = inputs_for(llama_3_1_8b(), 8192, 1, {.tp = 2});
    inputs.assumptions.engine = one;
    const Fit<> outcome = fit_of(inputs);
    const Pool<> pool = kv_pool(outcome, inputs);
    CHECK(pool.tokens == std::floor(pool.bytes.value() / 65536));
    CHECK(pool.tokens > 0);
}

TEST_CASE("a pool that does not start is empty and says what is missing", "[allocation]") {
    // 0.5 x 80 - 60 = -20.
    const Inputs inputs = sized(engine(PoolBasis::card, 0.5), 1000);
    const Fit<> outcome = fit_of(inputs);
    const Pool<> pool = kv_pool(outcome, inputs);
    CHECK_FALSE(outcome.fits);
    CHECK(pool.bytes.value() == 0);
    CHECK(pool.tokens == 0);
    CHECK(pool.blocks == 0);
    CHECK(pool.shortfall.value() / gib == Approx(20).epsilon(1e-9));
    // 60 GiB and 1,000 tokens of 100 kB.
    CHECK(min_memory_fraction(inputs).value() ==
          Approx((60 * gib + 1e8) / (80 * gib)).epsilon(1e-12));
}

TEST_CASE("the smallest fraction fits, and a little less does not", "[allocation]") {
    for (const PoolBasis basis :
         {PoolBasis::card, PoolBasis::static_memory, PoolBasis::free_memory}) {
        Engine one = engine(basis, 0.01);
        one.runtime.one = Bytes<>(1 * gib);
        Inputs inputs = sized(one, 50000);
        inputs.assumptions.in_use = Bytes<>(2 * gib);
        CHECK_FALSE(fit_of(inputs).fits);
        const double least = min_memory_fraction(inputs).value();
        inputs.assumptions.engine->fraction = least * (1 + 1e-9);
        CHECK(fit_of(inputs).fits);
        inputs.assumptions.engine->fraction = least * (1 - 1e-6);
        CHECK_FALSE(fit_of(inputs).fits);
    }
}

TEST_CASE("more of the card is never less for the cache", "[allocation]") {
    for (const PoolBasis basis :
         {PoolBasis::card, PoolBasis::static_memory, PoolBasis::free_memory}) {
        double before = 0;
        for (double fraction = 0.05; fraction < 1; fraction += 0.05) {
            const double now = pool_of(sized(engine(basis, fraction)));
            CHECK(now >= before);
            before = now;
        }
        CHECK(before > 0);
    }
}

TEST_CASE("others on the card count against the fraction, or have to stand beside it",
          "[allocation]") {
    Engine one = engine(PoolBasis::card, 0.9);
    Inputs inputs = sized(one);
    inputs.assumptions.in_use = Bytes<>(7 * gib);
    CHECK(pool_of(inputs) == Approx(12.0).epsilon(1e-9));  // in the 8 GiB that are left alone
    inputs.assumptions.in_use = Bytes<>(9 * gib);          // 1 GiB of the engine's share is gone
    CHECK(pool_of(inputs) == 0);
    CHECK(kv_pool(fit_of(inputs), inputs).shortfall.value() / gib == Approx(1).epsilon(1e-9));
    CHECK(max_memory_fraction(inputs).value() == Approx(71. / 80).epsilon(1e-12));
    inputs.assumptions.engine->others_inside = true;
    CHECK(pool_of(inputs) == Approx(0.9 * 80 - 60 - 9).epsilon(1e-9));
    CHECK_FALSE(max_memory_fraction(inputs));
}

TEST_CASE("what others hold is a resident without an engine too", "[allocation]") {
    Inputs inputs = sized(engine(PoolBasis::rest, {}));
    inputs.assumptions.engine.reset();
    const Bytes<> before = fit_of(inputs).required;
    inputs.assumptions.in_use = Bytes<>(5 * gib);
    CHECK((fit_of(inputs).required - before).value() == Approx(5 * gib).epsilon(1e-12));
}

TEST_CASE("an explicit reserve replaces what the engine leaves alone", "[allocation]") {
    Inputs inputs = sized(engine(PoolBasis::card, 0.9));
    inputs.assumptions.reserve.size = Bytes<>(3 * gib);
    CHECK(pool_of(inputs) == Approx(80 - 60 - 3).epsilon(1e-9));
}

TEST_CASE("the largest context of an engine is whole blocks of what its pool holds",
          "[allocation]") {
    Engine one = engine(PoolBasis::card, 0.9);
    one.block = 16;
    const Inputs inputs = sized(one, 1000);
    const Layout single;
    const Pool<> pool = kv_pool(fit_of(inputs), inputs);
    CHECK(max_context(inputs, std::span(&single, 1)).value() == pool.tokens);
}

TEST_CASE("layers with a window keep it, all, a step more or a share of the context",
          "[allocation]") {
    // gpt-oss-120b: 18 layers see everything and 18 the last 128 tokens, each 8 x 64 x 2 x 2 B =
    // 2,048 B a token.
    const auto cache = [](WindowPolicy policy) {
        Engine one = engine(PoolBasis::rest, {});
        one.window = policy;
        one.window_ratio = 0.5;
        one.block = 16;
        Inputs inputs = inputs_for(gpt_oss_120b(), 8192, 1);
        inputs.assumptions.engine = one;
        return bytes_of(inference_residents<double>(inputs), ResidentKind::kv_cache).value() / 2048;
    };
    CHECK(cache(WindowPolicy::all) == 36 * 8192);
    CHECK(cache(WindowPolicy::step) == 18 * 8192 + 18 * (128 + 2048));
    CHECK(cache(WindowPolicy::ratio) == 18 * 8192 + 18 * 4096);
}

TEST_CASE("a step is as large as its feed-forward or its logits", "[allocation]") {
    // Llama-3.1-8B: hidden 4,096, width 14,336, vocabulary 128,256.
    Engine one = engine(PoolBasis::rest, {});
    one.activations = {.per_hidden = 6, .per_width = 6, .per_logit = 38};
    const auto activations = [&](double tokens, double sequences, double tp) {
        one.cards = {{.tokens = tokens, .sequences = sequences}};
        Inputs inputs = inputs_for(llama_3_1_8b(), 8192, 1, {.tp = tp});
        inputs.assumptions.engine = one;
        return bytes_of(inference_residents<double>(inputs), ResidentKind::activations).value();
    };
    CHECK(activations(20000, 1, 1) == 20000. * 6 * (4096 + 14336));
    CHECK(activations(20000, 1, 2) == 20000. * 6 * (4096 + 7168));
    CHECK(activations(256, 256, 2) == 256. * (6 * 4096 + 38 * 128256));
    // No more sequences than tokens.
    CHECK(activations(10, 256, 1) == 10. * (6 * 4096 + 38 * 128256));
}

TEST_CASE("a card takes the defaults of its class, but for the exceptions", "[allocation]") {
    Engine one = engine(PoolBasis::rest, {});
    one.activations = {.per_hidden = 1};
    one.cards = {{.below = Bytes<>(70 * gib), .tokens = 2048, .sequences = 1},
                 {.tokens = 8192, .sequences = 1, .except = {"a100"}}};
    const auto tokens = [&](const std::string& id, double memory) {
        Inputs inputs = inputs_for(llama_3_1_8b(), 8192, 1);
        inputs.machine.accelerator.id = id;
        inputs.machine.accelerator.memory.reported = Bytes<>(memory * gib);
        inputs.assumptions.engine = one;
        return bytes_of(inference_residents<double>(inputs), ResidentKind::activations).value() /
               4096;
    };
    CHECK(tokens("h100-sxm", 80) == 8192);
    CHECK(tokens("l40s", 44) == 2048);
    CHECK(tokens("a100-sxm-80gb", 80) == 2048);
}

TEST_CASE("an engine that splits layers is laid out in stages", "[allocation]") {
    Inputs inputs = inputs_for(llama_3_1_70b(), 8192, 1, {.tp = 4});
    CHECK(layouts_of(inputs).front().tp == 4);
    inputs.assumptions.engine = engine(PoolBasis::rest, {});
    inputs.assumptions.engine->splits_layers = true;
    const std::vector<Layout> layouts = layouts_of(inputs);
    CHECK(layouts.front().pp == 4);
    for (const Layout& layout : layouts) CHECK(layout.tp == 1);
}

TEST_CASE("of unified memory a GPU has what it may use", "[allocation]") {
    Accelerator part = h100();
    part.memory.usable = Bytes<>(60 * gib);
    CHECK(capacity(part).value() == 60 * gib);
    part.memory.usable = Bytes<>(0);
    CHECK(capacity(part) == part.memory.reported);
}

TEST_CASE("experts are loaded in the widths that kernels take", "[allocation]") {
    // gpt-oss-120b: 36 layers of 128 experts, 2,880 wide of a hidden width of 2,880; in multiples
    // of 128 and 256 that is 2,944 x 3,072. Three matrices of each, 17/32 bytes a weight.
    Inputs inputs = inputs_for(gpt_oss_120b(), 0, 1);
    NumberFormat mxfp4{.id = "mxfp4"};
    mxfp4.bytes = 17. / 32;
    inputs.model.weights.of[static_cast<std::size_t>(Role::expert)] = mxfp4;
    const auto weights = [&] {
        return bytes_of(inference_residents(inputs), ResidentKind::weights).value();
    };
    const double stored = weights();
    inputs.assumptions.engine = engine(PoolBasis::card, 0.9);
    CHECK(weights() == stored);
    inputs.assumptions.engine->padding = {.format = "mxfp4", .width = 128, .hidden = 256};
    const double added = 2944. * 3072 - 2880. * 2880;
    CHECK(weights() - stored == Approx(36 * 128 * 3 * added * 17 / 32).epsilon(1e-9));
    // Cut over 4 devices each part of 720 becomes 768: 3,072 in all, a quarter of it on each.
    inputs.layout.tp = 4;
    const double cut = weights();
    inputs.assumptions.engine->padding.reset();
    CHECK(cut - weights() ==
          Approx(36 * 128 * 3 * (3072. * 3072 - 2880. * 2880) * 17 / 32 / 4).epsilon(1e-9));
    // Another format has other kernels.
    inputs.assumptions.engine->padding = {.format = "nvfp4", .width = 128, .hidden = 256};
    CHECK(weights() == Approx(cut - 36 * 128 * 3 * (3072. * 3072 - 2880. * 2880) * 17 / 32 / 4));
}
