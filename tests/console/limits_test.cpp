// Limits are exact at the integer: `fit` says yes at the limit it names and no at the next number.
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

template <class T>
const T& any_of(const std::vector<T>& list, std::mt19937_64& random) {
    return list[random() % list.size()];
}

const Words models{"llama-3.1-8b", "llama-3.1-70b", "qwen3-30b-a3b", "gpt-oss-120b", "deepseek-v3",
                   "gemma-2-27b",  "mixtral-8x7b",  "qwen2.5-7b",    "phi-4",        "70B"};
const Words parts{"h100", "h200", "a100", "rtx-4090", "mi300x", "b200", "l40s"};
const Words counts{"1", "2", "3", "4", "8", "16", "24"};
const Words formats{"bf16", "fp8", "int4", "q4_k"};
const Words reserves{"0B", "1GiB", "5GB", "0.5GiB"};

/// A plan at random: the question without its context and batch.
Words random_plan(std::mt19937_64& random) {
    Words words{"fit", any_of(models, random), "--on",
                any_of(counts, random) + "x" + any_of(parts, random)};
    const auto sometimes = [&](const std::string& flag, const Words& values) {
        if (random() % 2 == 0) return;
        words.push_back("--" + flag);
        words.push_back(any_of(values, random));
    };
    // Not every part computes in FP8.
    if (words[3].find("a100") == std::string::npos) sometimes("weights", formats);
    sometimes("kv", {"fp8", "q8_0", "bf16"});
    sometimes("reserve", reserves);
    if (words[1] == "70B") {
        words.insert(words.end(), {"--kv-per-token", "320KiB"});
    }
    return words;
}

struct Answer {
    int exit{};
    json results{};
};

Answer ask(Words words, double context, double batch) {
    char text[64];
    std::snprintf(text, sizeof text, "%.0f", context);
    words.insert(words.end(), {"--context", text});
    std::snprintf(text, sizeof text, "%.0f", batch);
    words.insert(words.end(), {"--batch", text});
    words.push_back("--json");
    const napkin::test::Outcome outcome = napkin::test::run_napkin(words);
    const json answer = json::parse(outcome.out, nullptr, false);
    std::string line;
    for (const std::string& word : words) line += word + " ";
    INFO(line << outcome.err);
    REQUIRE(outcome.exit < 2);
    return {outcome.exit, answer.at("results")};
}

}  // namespace

TEST_CASE("fit says yes at the largest context and batch it names, and no at one more") {
    std::mt19937_64 random(20261201);
    int contexts = 0;
    int batches = 0;
    for (int i = 0; i < 200; ++i) {
        const Words plan = random_plan(random);
        const double context = static_cast<double>(1 + random() % 60000);
        const double batch = static_cast<double>(1 + random() % 40);
        CAPTURE(plan, context, batch);
        const Answer answer = ask(plan, context, batch);
        const auto limit = [&](const char* key) {
            const json& value = answer.results.at(key).at("value");
            return value.is_null() ? -1.0 : value.get<double>();
        };
        if (const double most = limit("max_context"); most >= 0) {
            CHECK((context <= most) == (answer.exit == 0));
            if (most > 0) CHECK(ask(plan, most, batch).exit == 0);
            CHECK(ask(plan, most + 1, batch).exit == 1);
            ++contexts;
        }
        if (const double most = limit("max_batch"); most >= 0) {
            CHECK((batch <= most) == (answer.exit == 0));
            if (most > 0) CHECK(ask(plan, context, most).exit == 0);
            CHECK(ask(plan, context, most + 1).exit == 1);
            ++batches;
        }
    }
    // Windows alone, or nothing at all, may leave no limit.
    CHECK(contexts >= 190);
    CHECK(batches >= 190);
}

TEST_CASE("fit says yes on the fewest devices it names, and no on one less") {
    std::mt19937_64 random(7);
    int asked = 0;
    for (int i = 0; i < 60; ++i) {
        Words plan = random_plan(random);
        const std::string part = plan[3].substr(plan[3].find('x') + 1);
        const double context = static_cast<double>(1 + random() % 30000);
        const double batch = static_cast<double>(1 + random() % 20);
        const json fewest = ask(plan, context, batch).results.at("min_devices").at("value");
        CAPTURE(plan, context, batch);
        if (fewest.is_null()) continue;
        const int devices = fewest.get<int>();
        plan[3] = std::to_string(devices) + "x" + part;
        CHECK(ask(plan, context, batch).exit == 0);
        if (devices == 1) continue;
        plan[3] = std::to_string(devices - 1) + "x" + part;
        CHECK(ask(plan, context, batch).exit == 1);
        ++asked;
    }
    CHECK(asked >= 20);
}
