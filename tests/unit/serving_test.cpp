#include "napkin/serving.hpp"

#include "napkin/cost.hpp"
#include "napkin/derivation.hpp"
#include "tests/support/random_inputs.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

// Requests of `prompt` tokens in and `output` out, `batch` of them in flight.
Inputs requests(const Model& model, double prompt, double output, double batch,
                const Layout& layout) {
    Inputs inputs = prompts_for(model, prompt, 0, batch, layout);
    inputs.workload.output = output;
    return inputs;
}

// Llama-3.1-70B in bf16 on 8 H100, 2,048 tokens in and 512 out, 64 in flight. By hand:
//   a step reads 2 (70,553,706,496 - 128,256 x 8,192) B of weights = 139.006e9, and of the cache
//   64 x (2,048 + 255 + the token's own) x 327,680 B = 48.318e9; / (8 x 3.35e12) = 6.9897 ms
//   a prompt takes 2 x 2,048 x 68,451,041,280 FLOP in its matrices = 280.375e12, in attention
//   2,048 x 2,049 / 2 pairs x 32,768 x 80 = 5.500e12; / (8 x 989.4e12) = 36.118 ms
//   a request: 511 x 6.9897 + 64 x 36.118 = 3,571.7 + 2,311.5 = 5,883.3 ms
const Layout eight{.dp = 1, .tp = 8};
Inputs on_eight(double batch) {
    return requests(llama_3_1_70b(), 2048, 512, batch, eight);
}
constexpr double by_hand = 1e-3;  // of the norms, which every device reads

Serving<> at(Inputs inputs, double batch) {
    inputs.workload.batch = batch;
    return serve(inputs);
}

}  // namespace

TEST_CASE("64 requests of a 70B in flight on 8 H100: 10.9 a second", "[serving]") {
    const Serving<> point = serve(on_eight(64));
    CHECK(point.step_time.value() == Approx(6.98972e-3).epsilon(by_hand));
    CHECK(point.prefill_time.value() == Approx(36.1176e-3).epsilon(by_hand));
    CHECK(point.request_time.value() == Approx(5.88327).epsilon(by_hand));
    CHECK(point.requests_per_second.value() == Approx(10.8783).epsilon(by_hand));
    CHECK(point.tokens_per_second.value() == Approx(10.8783 * 512).epsilon(by_hand));
    CHECK(point.input_tokens_per_second.value() == Approx(10.8783 * 2048).epsilon(by_hand));
    // 6.98972 + 63 / 511 x 36.1176
    CHECK(point.time_per_output_token.value() == Approx(11.4426e-3).epsilon(by_hand));
    CHECK(point.time_to_first_token == prefill(on_eight(1)).time_to_first_token);
    CHECK(point.bound == Bound::memory);
}

TEST_CASE("steps that hide the prompts serve at most 17.9 of them", "[serving]") {
    // Memory is busy for 511 x 6.98972 ms, and 64 x 0.025 ms to write what the prompts leave;
    // compute for 511 x 1.17277 + 64 x 36.1176 ms = 2,910.8, which fits beside it.
    CHECK(serve(on_eight(64)).requests_per_second_mixed.value() ==
          Approx(64 / 3.5734).epsilon(by_hand));
}

TEST_CASE("a sequence by itself waits for no other's prompt", "[serving]") {
    const Serving<> point = serve(on_eight(1));
    CHECK(point.time_per_output_token.value() == Approx(point.step_time.value()).epsilon(1e-14));
}

TEST_CASE("a cached prefix is not read, and its tokens are not paid for", "[serving]") {
    Inputs inputs = on_eight(64);
    inputs.workload.prefix = 1024;
    const Serving<> point = serve(inputs);
    Inputs half = prompts_for(llama_3_1_70b(), 2048, 1024, 1, eight);
    CHECK(point.prefill_time == prefill(half).time_to_first_token);
    CHECK(point.step_time == serve(on_eight(64)).step_time);
    CHECK(point.input_tokens_per_second.value() ==
          Approx(point.requests_per_second.value() * 1024).epsilon(1e-14));
}

TEST_CASE("565 requests of 2,560 tokens fit beside a 70B on 8 H100", "[serving]") {
    // 81,559 MiB less 10 % = 76.969e9; weights 141.107e9 / 8; each 2,560 x 327,680 / 8 B:
    // (76.969 - 17.641) / 0.10486 = 565.8
    CHECK(most_sequences(on_eight(1)) == 565);
    CHECK(most_sequences(requests(llama_3_1_70b(), 2048, 512, 1, {})) == 0);
}

TEST_CASE("replicas read their prompts at the same time", "[serving]") {
    // 16 sequences on 2 replicas do twice what 8 do on one.
    const Serving<> one = serve(requests(llama_3_1_8b(), 1000, 100, 8, {}));
    const Serving<> two = serve(requests(llama_3_1_8b(), 1000, 100, 16, {.dp = 2}));
    CHECK(two.time_per_output_token == one.time_per_output_token);
    CHECK(two.requests_per_second.value() ==
          Approx(2 * one.requests_per_second.value()).epsilon(1e-14));
    // 9: one replica with 5, the other with 4.
    const Serving<> odd = serve(requests(llama_3_1_8b(), 1000, 100, 9, {.dp = 2}));
    const double sum =
        at(requests(llama_3_1_8b(), 1000, 100, 5, {}), 5).requests_per_second.value() +
        at(requests(llama_3_1_8b(), 1000, 100, 4, {}), 4).requests_per_second.value();
    CHECK(odd.requests_per_second.value() == Approx(sum).epsilon(1e-14));
}

TEST_CASE("the best batch is what trying all of them finds", "[serving]") {
    const Layout shared{.dp = 8, .tp = 1, .pp = 1, .ep = 8};
    const std::vector<Inputs> asked{
        requests(llama_3_1_8b(), 500, 100, 1, {}), requests(llama_3_1_8b(), 500, 100, 1, {.dp = 3}),
        requests(qwen3_30b_a3b(), 500, 100, 1, {}), requests(qwen3_30b_a3b(), 500, 100, 1, shared)};
    for (const Inputs& inputs : asked) {
        for (const double factor : {0.9, 1.0, 1.5, 2.0, 5.0, 1e9}) {
            constexpr double most = 101;
            Limits limits;
            limits.time_per_output_token = at(inputs, 1).time_per_output_token * factor;
            double best = 0;
            Hertz<> rate;
            for (double batch = 1; batch <= most; ++batch) {
                const Serving<> point = at(inputs, batch);
                if (!meets(point, limits) || point.requests_per_second <= rate) continue;
                best = batch;
                rate = point.requests_per_second;
            }
            CAPTURE(inputs.model.id, inputs.layout.dp, inputs.layout.ep, factor);
            CHECK(best_batch(inputs, most, limits) == best);
        }
    }
}

TEST_CASE("a first token that comes too late is late at any batch", "[serving]") {
    Limits limits;
    limits.time_to_first_token = Seconds<>(36e-3);  // 36.1 ms by hand
    CHECK(best_batch(on_eight(1), 565, limits) == 0);
    limits.time_to_first_token = Seconds<>(36.2e-3);
    CHECK(best_batch(on_eight(1), 565, limits) == 565);
    CHECK(best_batch(on_eight(1), 0, {}) == 0);
}

TEST_CASE("along a frontier throughput rises and so does the time per token", "[serving]") {
    const std::vector<Serving<>> points = frontier(on_eight(1), 565, 100);
    REQUIRE(points.size() == 12);  // 1, 2, 4, ... 512, 100, 565
    CHECK(points.front().batch == 1);
    CHECK(points.back().batch == 565);
    for (std::size_t i = 1; i < points.size(); ++i) {
        CHECK(points[i].requests_per_second > points[i - 1].requests_per_second);
        CHECK(points[i].time_per_output_token > points[i - 1].time_per_output_token);
    }
    CHECK(frontier(on_eight(1), 1e6, 7).size() <= 12);
    CHECK(frontier(on_eight(1), 1, 1).size() == 1);
}

TEST_CASE("work is conserved, and mixing never serves less", "[property]") {
    for_random_inputs(300, true, [](Inputs inputs) {
        inputs.workload.batch = smaller(inputs.workload.batch, 200);
        const double steps = inputs.workload.output - 1;
        const Serving<> point = serve(inputs);
        // What a request waits for: its own turn, and a token each time.
        REQUIRE(point.request_time.value() ==
                Approx((point.prefill_time + point.time_per_output_token * steps).value())
                    .epsilon(1e-12));
        REQUIRE(point.request_time.value() ==
                Approx((point.reading + point.generating).value()).epsilon(1e-12));
        REQUIRE(point.requests_per_second_mixed.value() >=
                point.requests_per_second.value() * (1 - 1e-12));
        const Serving<> more = at(inputs, inputs.workload.batch + 1);
        REQUIRE(more.time_per_output_token.value() >=
                point.time_per_output_token.value() * (1 - 1e-12));
    });
}

TEST_CASE("traced and plain answers agree to the bit", "[property]") {
    for_random_inputs(50, true, [](const Inputs& inputs) {
        const Serving<> plain = serve(inputs);
        const Serving<Traced> traced = serve<Traced>(inputs);
        REQUIRE(value_of(traced.requests_per_second) == plain.requests_per_second.value());
        REQUIRE(value_of(traced.requests_per_second_mixed) ==
                plain.requests_per_second_mixed.value());
        REQUIRE(value_of(traced.time_per_output_token) == plain.time_per_output_token.value());
    });
}

TEST_CASE("at 16 USD an hour: 0.078 USD for a million tokens in, 0.484 out", "[cost]") {
    // 2,311.5 of 5,883.3 ms read 22,279 tokens a second, the rest generates 5,570:
    // 16 / 3600 x 0.392899 / 22,278.8 x 1e6 and 16 / 3600 x 0.607101 / 5,569.7 x 1e6
    const Serving<> point = serve(on_eight(64));
    const TokenPrices<> prices = token_prices(point, Dollars<>(16), 1.0);
    CHECK(prices.per_million_input.value() == Approx(0.078381).epsilon(by_hand));
    CHECK(prices.per_million_output.value() == Approx(0.484446).epsilon(by_hand));
    // An hour's tokens cost the hour.
    const double hour = prices.per_million_input.value() * point.input_tokens_per_second.value() +
                        prices.per_million_output.value() * point.tokens_per_second.value();
    CHECK(hour * 3600 / 1e6 == Approx(16).epsilon(1e-12));
    const double both = point.input_tokens_per_second.value() + point.tokens_per_second.value();
    CHECK(prices.per_million.value() * both * 3600 / 1e6 == Approx(16).epsilon(1e-12));
    const TokenPrices<> idle = token_prices(point, Dollars<>(16), 0.4);
    CHECK(idle.per_million_output.value() ==
          Approx(prices.per_million_output.value() / 0.4).epsilon(1e-14));
}

TEST_CASE("an explanation shows which share of the time tokens in pay for", "[cost]") {
    const Serving<Traced> point = serve<Traced>(on_eight(64));
    const TokenPrices<Traced> prices = token_prices(point, Dollars<Traced>(Traced(16)), Traced(1));
    for (const ExplanationLine& line : explain({prices.per_million_input.value()})) {
        if (line.symbol == "reading_share") CHECK(line.formula == "reading / request_time");
    }
    CHECK(explain({prices.per_million_input.value()}).back().formula ==
          "usd_per_second * reading_share / input_tokens_per_second * million");
}

TEST_CASE("10 USD an hour at 9,000 tokens a second: 0.31 USD a million of both", "[cost]") {
    // tests/cases/cases.json cost-003: 10 / 3600 / 9000 x 1e6 = 0.3086; 8 in for 1 out.
    Serving<> point;
    point.reading = Seconds<>(1);
    point.generating = Seconds<>(3);
    point.request_time = Seconds<>(4);
    point.input_tokens_per_second = TokensPerSecond<>(8000);
    point.tokens_per_second = TokensPerSecond<>(1000);
    const TokenPrices<> prices = token_prices(point, Dollars<>(10), 1.0);
    CHECK(prices.per_million.value() == Approx(0.30864).epsilon(1e-4));
    CHECK(prices.per_million_output.value() == Approx(10 / 3.6 * 0.75).epsilon(1e-12));
}

TEST_CASE("5.6 kW for 5,570 tokens a second is 1 J a token; 50 requests take 5 machines",
          "[cost]") {
    const Serving<> point = serve(on_eight(64));
    CHECK(energy_per_token(point, Watts<>(5600)).value() == Approx(5600 / 5569.7).epsilon(by_hand));
    CHECK(replicas_for(point, Hertz<>(50), 1.0) == 5);   // 50 / 10.88 = 4.6
    CHECK(replicas_for(point, Hertz<>(50), 0.4) == 12);  // 11.5
}
