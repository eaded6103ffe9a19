#include "catalog/read.hpp"
#include "napkin/text.hpp"

namespace napkin::catalog {
namespace {

Bytes<> bytes(const json::Value& group, std::string_view name) {
    return quantity<Bytes<>>(group, name, read_bytes);
}

PoolBasis basis_named(std::string_view name) {
    if (name == "card") return PoolBasis::card;
    if (name == "static") return PoolBasis::static_memory;
    if (name == "free") return PoolBasis::free_memory;
    return PoolBasis::rest;
}

WindowPolicy window_named(std::string_view name) {
    if (name == "step") return WindowPolicy::step;
    if (name == "ratio") return WindowPolicy::ratio;
    return WindowPolicy::all;
}

Engine::CardClass card_class(const json::Value& row) {
    Engine::CardClass one{.below = {},
                          .tokens = row.count("tokens"),
                          .sequences = row.count("sequences"),
                          .leaves = bytes(row, "leaves"),
                          .except = row.texts("except")};
    if (const Bytes<> limit = bytes(row, "below"); limit > Bytes<>(0)) one.below = limit;
    return one;
}

std::string unverified_groups(const json::Value& entry) {
    std::string groups;
    for (const auto& [name, group] : entry.members) {
        if (group.flag("unverified")) groups.append(groups.empty() ? "" : ", ").append(name);
    }
    return groups;
}

}  // namespace

Engine read_engine(const json::Value& entry) {
    Engine engine{.id = entry.text("id"),
                  .name = entry.text("name"),
                  .version = entry.text("version"),
                  .unverified = unverified_groups(entry)};
    const json::Value& share = entry.at("share");
    engine.basis = basis_named(share.text("of"));
    if (share.find("fraction") != nullptr) engine.fraction = share.count("fraction");
    engine.others_inside = share.text("others") == "inside";
    engine.share_source = share.text("source");
    const json::Value& cache = entry.at("cache");
    engine.block = cache.count("block", 1);
    engine.window = window_named(cache.text("window"));
    engine.window_ratio = cache.count("ratio", 1);
    const json::Value& activations = entry.at("activations");
    engine.activations = {.per_hidden = activations.count("per_hidden"),
                          .per_width = activations.count("per_width"),
                          .per_logit = activations.count("per_logit"),
                          .size = {},
                          .source = activations.text("source")};
    const json::Value& cards = entry.at("cards");
    for (const json::Value& row : cards.at("classes").items) {
        engine.cards.push_back(card_class(row));
    }
    engine.context_up_to = cards.count("context_up_to");
    engine.leaves_per_device = bytes(cards, "leaves_per_device");
    engine.cards_source = cards.text("source");
    const json::Value& runtime = entry.at("runtime");
    engine.runtime = {.one = bytes(runtime, "one"),
                      .parallel = bytes(runtime, "parallel"),
                      .graphs = bytes(runtime, "graphs"),
                      .driver = bytes(runtime, "driver"),
                      .driver_of = runtime.text("driver_of"),
                      .source = runtime.text("source")};
    if (const json::Value* padding = entry.find("padding")) {
        engine.padding = {.format = padding->text("format"),
                          .width = padding->count("width"),
                          .hidden = padding->count("hidden"),
                          .source = padding->text("source")};
    }
    engine.splits_layers = entry.flag("splits_layers");
    return engine;
}

}  // namespace napkin::catalog
