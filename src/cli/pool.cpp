#include "cli/pool.hpp"

#include "napkin/allocation.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

std::string_view share_of(PoolBasis basis) {
    switch (basis) {
        case PoolBasis::card:
            return "the card";
        case PoolBasis::static_memory:
            return "what is free at the start";
        case PoolBasis::free_memory:
            return "what is free";
        case PoolBasis::rest:
            break;
    }
    return {};
}

std::string percent(double share) {
    return to_text(share, Style::percent, 3);
}

// To four digits, upwards or downwards, so that what is read off the screen will do.
constexpr double digits = 10000;
std::string at_least(double fraction) {
    return shortest(round_up(fraction * digits) / digits);
}
std::string at_most(double fraction) {
    return shortest(round_down(fraction * digits) / digits);
}

void add_fraction(report::Document& document, const Inputs& inputs) {
    const auto least = min_memory_fraction(inputs);
    if (!least) {
        if (inputs.assumptions.engine->basis != PoolBasis::rest) {
            document.footer.push_back("no memory fraction would do");
        }
        return;
    }
    document.results.push_back(
        plain_result("min_memory_fraction", number(*least, "1", Style::percent)));
    std::string text = "fits with --memory-fraction " + at_least(*least) + " at the least";
    if (const auto most = max_memory_fraction(inputs)) {
        document.results.push_back(
            plain_result("max_memory_fraction", number(*most, "1", Style::percent)));
        text += ", and " + at_most(*most) + " at the most: others hold the rest";
    }
    document.footer.push_back(std::move(text));
}

}  // namespace

std::string policy_remark(const Inputs& inputs) {
    if (!inputs.assumptions.engine || inputs.assumptions.reserve.size) return {};
    const Engine& engine = *inputs.assumptions.engine;
    const auto fraction = memory_fraction(inputs);
    if (!fraction) return engine.name + " leaves this margin";
    std::string text = engine.name + " takes " + percent(*fraction);
    return text.append(" of ").append(share_of(engine.basis));
}

void add_pool(report::Document& document, const Question& question, const Fit<Traced>& fit) {
    const Inputs& inputs = question.inputs;
    if (!inputs.assumptions.engine) return;
    const Engine& engine = *inputs.assumptions.engine;
    const Pool<Traced> pool = kv_pool(fit, inputs);
    const bool short_of = value_of(pool.shortfall) > 0;
    std::string holds = with_separators(pool.tokens) + " tokens";
    if (engine.block > 1) {
        holds += " in blocks of " + shortest(engine.block);
    }
    document.results.push_back(result("kv_pool", named(pool.bytes, "kv_pool"), Style::memory,
                                      "KV pool", pool.tokens > 0 ? holds : ""));
    document.results.push_back(
        plain_result("kv_pool_tokens", number(pool.tokens, "token", Style::whole)));
    if (short_of) {
        document.results.push_back(result("shortfall", named(pool.shortfall, "shortfall"),
                                          Style::memory, "shortfall", "before a token is kept"));
    }
    document.results.push_back(plain_result("engine_version", word(engine.version)));
    if (!fit.fits) add_fraction(document, inputs);
    document.footer.push_back("as allocated by " + engine.name + " " + engine.version);
}

}  // namespace napkin::cli
