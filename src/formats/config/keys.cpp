#include "formats/config/keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/config/aliases.hpp"
#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

// No dimension of a model is anywhere near; sums of products of them stay exact in a double.
constexpr double largest = 1e9;

const json::Value* present(const json::Value* value) {
    return value == nullptr || value->kind == json::Kind::null ? nullptr : value;
}

bool is_count(const json::Value& value) {
    return value.kind == json::Kind::number && value.number >= 0 && value.number <= largest &&
           std::floor(value.number) == value.number;
}

}  // namespace

const json::Value& text_config(const json::Value& config) {
    constexpr std::array<std::string_view, 5> nests{"text_config", "llm_config", "language_config",
                                                    "thinker_config", "language_model_config"};
    for (const std::string_view nest : nests) {
        const json::Value* inner = config.find(nest);
        if (inner != nullptr && inner->kind == json::Kind::object) return text_config(*inner);
    }
    return config;
}

double layers_of(ConfigKeys& keys) {
    if (const auto stated = keys.find("layers"); stated && *stated > 0) return *stated;
    for (const std::string_view list : {"layers_block_type", "layer_types"}) {
        const json::Value* found = keys.value(list);
        if (found != nullptr && found->kind == json::Kind::array && !found->items.empty()) {
            return static_cast<double>(found->items.size());
        }
    }
    return keys.need("layers");
}

ConfigKeys::ConfigKeys(const json::Value& outer, const json::Value& text, const json::Value& family,
                       const json::Source& source)
    : outer_(outer), family_(family), source_(source) {
    for (const auto& [key, value] : text.members) text_.emplace(key, &value);
}

const json::Value* ConfigKeys::value(std::string_view name) const {
    std::size_t dot = name.find('.');
    const auto first = text_.find(name.substr(0, dot));
    const json::Value* found = present(first == text_.end() ? nullptr : first->second);
    while (found != nullptr && dot != std::string_view::npos) {
        name.remove_prefix(dot + 1);
        dot = name.find('.');
        found = present(found->find(name.substr(0, dot)));
    }
    return found;
}

std::optional<double> ConfigKeys::count_of(const json::Value& found, std::string_view key) {
    // A list holds one count for each layer; here only one for all will do.
    const json::Value* value = &found;
    if (found.kind == json::Kind::array && !found.items.empty()) {
        const double first = found.items.front().number;
        const bool equal =
            std::all_of(found.items.begin(), found.items.end(), [&](const json::Value& one) {
                return one.kind == json::Kind::number && one.number == first;
            });
        if (equal) value = &found.items.front();
    }
    if (is_count(*value)) return value->number;
    bad_.emplace(key);
    problem("bad-count", std::string(key) + " is no count", &found,
            "a whole number up to " + with_separators(largest));
    return std::nullopt;
}

std::optional<double> ConfigKeys::find(std::string_view name) {
    const std::vector<std::string_view> all = keys_of(name);
    std::optional<double> result;
    std::string_view first;
    for (const std::string_view key : all) {
        const json::Value* found = value(key);
        if (found == nullptr) continue;
        const auto count = count_of(*found, key);
        if (!count) continue;
        if (result && *result != *count && must_agree(name)) {
            problem("inconsistent-keys",
                    std::string(first) + " says " + shortest(*result) + " and " + std::string(key) +
                        " says " + shortest(*count) + ": both mean the same",
                    found, "one of them, or both alike");
        }
        if (result) continue;
        result = count;
        first = key;
    }
    if (result) return result;
    const json::Value* supplied = family_.at("defaults").find(name);
    if (supplied == nullptr) return std::nullopt;
    if (supplied_.emplace(name).second) {
        note("class-default", std::string(all.front()) + " is not stated: its class has " +
                                  shortest(supplied->number));
    }
    return supplied->number;
}

double ConfigKeys::need(std::string_view name) {
    const auto found = find(name);
    if (found && *found > 0) return *found;
    const std::vector<std::string_view> all = keys_of(name);
    if (found) {
        const auto stated = std::find_if(
            all.begin(), all.end(), [&](std::string_view key) { return value(key) != nullptr; });
        const std::string_view key = stated == all.end() ? all.front() : *stated;
        problem("bad-count", std::string(key) + " is 0", value(key), "a count above 0");
        return 0;
    }
    const bool is_bad = std::any_of(all.begin(), all.end(),
                                    [&](std::string_view key) { return bad_.contains(key); });
    const bool is_known =
        std::find(missing_.begin(), missing_.end(), all.front()) != missing_.end();
    if (!is_bad && !is_known) missing_.emplace_back(all.front());
    return 0;
}

double ConfigKeys::get(std::string_view name, double otherwise) {
    return find(name).value_or(otherwise);
}

bool ConfigKeys::flag(std::string_view name, bool otherwise) {
    const json::Value* found = value(name);
    if (found == nullptr) return otherwise;
    if (found->kind == json::Kind::boolean) return found->boolean;
    if (is_count(*found) && found->number <= 1) return found->number == 1;
    problem("bad-flag", std::string(name) + " is neither true nor false", found, "true or false");
    return otherwise;
}

std::string ConfigKeys::text(std::string_view name) const {
    const json::Value* found = value(name);
    return found != nullptr && found->kind == json::Kind::string ? found->string : std::string();
}

bool ConfigKeys::trait(std::string_view name, bool otherwise) {
    const json::Value* found = family_.find(name);
    if (found == nullptr) return otherwise;
    if (found->kind == json::Kind::boolean) return found->boolean;
    if (found->kind == json::Kind::string) return flag(found->string);
    return flag(found->text("key"), found->flag("default"));
}

void ConfigKeys::problem(std::string id, std::string message, const json::Value* at,
                         std::string expected, std::string hint) {
    const bool known = std::any_of(problems_.begin(), problems_.end(), [&](const Problem& one) {
        return one.id == id && one.message == message;
    });
    if (known) return;
    Where where;
    if (at == nullptr) {
        where.file = source_.name;
    } else if (at->offset == not_in_file) {
        where.flag = "--set";
    } else {
        where = json::where_in(source_, at->offset);
    }
    problems_.push_back({.id = std::move(id),
                         .message = std::move(message),
                         .where = std::move(where),
                         .expected = std::move(expected),
                         .suggestions = {},
                         .hint = std::move(hint)});
}

void ConfigKeys::note(std::string id, std::string message, bool warning) {
    notes.push_back({std::move(id), std::move(message), warning});
}

void ConfigKeys::finish() {
    if (!missing_.empty()) {
        std::string all;
        for (const std::string& key : missing_) all += (all.empty() ? "" : ", ") + key;
        problem("missing-keys", "the configuration does not state " + all, nullptr,
                "every dimension of the architecture; none is guessed",
                "--set config." + missing_.front() + "=N gives one");
        missing_.clear();
    }
    if (!problems_.empty()) throw Error(std::move(problems_));
}

}  // namespace napkin::formats
