// Which engine allocates the memory, and what of its policy was given otherwise.
#include "cli/command.hpp"
#include "cli/resolve.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

std::string all_engines(const Catalog& catalog) {
    std::string names;
    for (const std::string& id : catalog.ids(PresetKind::engine)) {
        names.append(names.empty() ? "" : ", ").append(id);
    }
    return names;
}

}  // namespace

void Resolver::in_use(Assumptions& assumptions) {
    const auto held = optional("in-use", read_bytes);
    if (!held) return;
    assumptions.in_use = *held;
    add_input("in_use", number(held->value(), "B", Style::memory), from("in-use"));
}

void Resolver::engine(Assumptions& assumptions) {
    const auto name = setting("engine");
    const auto fraction = optional("memory-fraction", read_fraction);
    in_use(assumptions);
    if (!name) {
        const auto of_engine = settings_.lower_bound("engine.");
        const bool stray = of_engine != settings_.end() && of_engine->first.starts_with("engine.");
        if (!fraction && !stray) return;
        problem(problem_of(fraction ? "--memory-fraction" : "--set", "missing-engine",
                           (fraction ? std::string("a memory fraction") : of_engine->first) +
                               " says nothing without an engine",
                           "--engine NAME: " + all_engines(catalog_)));
        return;
    }
    if (!catalog_.has(PresetKind::engine, *name)) {
        Problem unknown = problem_of("--engine", "unknown-engine",
                                     "unknown engine '" + name->substr(0, 100) + "'");
        unknown.suggestions = nearest(*name, catalog_.ids(PresetKind::engine));
        unknown.expected = all_engines(catalog_);
        problem(std::move(unknown));
        return;
    }
    Engine engine = catalog_.engine(*name);
    apply_engine_settings(engine, settings_, *this);
    if (fraction && (*fraction <= 0 || *fraction > 1)) {
        refuse("memory-fraction", *setting("memory-fraction"),
               "expected a share above 0, at most 1");
    }
    if (fraction && engine.basis == PoolBasis::rest) {
        problem(problem_of("--memory-fraction", "no-fraction",
                           engine.name + " takes what is left, not a fraction", "--reserve BYTES"));
    } else if (fraction) {
        engine.fraction = *fraction;
    }
    assumptions.engine = std::move(engine);
}

// Once the device is known: the fraction may depend on it.
void Resolver::describe_engine(const Inputs& given) {
    if (!given.assumptions.engine) return;
    const Engine& engine = *given.assumptions.engine;
    report::Input input{
        .key = "engine", .value = {}, .from = from("engine"), .members = {}, .flips_at = {}};
    input.members = {
        {"id", word(engine.id)}, {"name", word(engine.name)}, {"version", word(engine.version)}};
    if (const auto fraction = memory_fraction(given)) {
        input.members.emplace_back("memory_fraction", number(*fraction, "1", Style::percent));
        input.members.emplace_back("memory_fraction_from", word(from("memory-fraction")));
    }
    inputs.push_back(std::move(input));
    if (!engine.unverified.empty()) {
        note("unverified-engine", "of " + engine.name + " these are unverified: " +
                                      engine.unverified + "; --set engine.KEY=VALUE overrides");
    }
}

}  // namespace napkin::cli
