#include "formats/gguf/keys.hpp"

#include <cmath>
#include <utility>

#include "napkin/text.hpp"

namespace napkin::formats {
namespace {

// No count of a model comes near; products of a few of them stay finite.
constexpr double largest = 1e12;
constexpr std::string_view counts = "a whole number up to 1,000,000,000,000";
constexpr std::size_t most_problems = 20;

}  // namespace

std::string gguf_text(const GgufMetadata& metadata, std::string_view key) {
    const auto at = metadata.find(key);
    const auto* text = at == metadata.end() ? nullptr : std::get_if<std::string>(&at->second);
    return text == nullptr ? std::string() : *text;
}

GgufKeys::GgufKeys(const GgufFile& file, std::string path)
    : metadata_(file.metadata),
      path_(std::move(path)),
      architecture_(gguf_text(file.metadata, "general.architecture")) {
    if (architecture_.empty()) {
        refuse("missing-key", "names no architecture",
               "the key 'general.architecture' with a text: llama, qwen3moe, ...");
    }
}

std::string GgufKeys::full(std::string_view key) const {
    return (architecture_.substr(0, 60) + ".").append(key);
}

const GgufValue* GgufKeys::find(std::string_view key) const {
    const auto at = metadata_.find((architecture_ + ".").append(key));
    return at == metadata_.end() ? nullptr : &at->second;
}

// The number of that key, held to a count; null: it is not a number.
double GgufKeys::whole(std::string_view key, const double* number) {
    if (number == nullptr) {
        problem("not-a-number", "the key " + shown(full(key)) + " is not a number",
                std::string(counts));
        return 0;
    }
    if (!(*number >= 0 && *number <= largest) || std::floor(*number) != *number) {
        problem("bad-count",
                "the key " + shown(full(key)) + " is " +
                    (std::isnan(*number) ? "not a number" : shortest(*number)),
                std::string(counts));
        return 0;
    }
    return *number;
}

double GgufKeys::need(std::string_view key) {
    const GgufValue* value = find(key);
    if (value == nullptr) {
        problem("missing-key", "the key " + shown(full(key)) + " is missing", std::string(counts));
        return 0;
    }
    const std::size_t before = problems_.size();
    const double number = whole(key, std::get_if<double>(value));
    if (number == 0 && problems_.size() == before) {
        problem("bad-count", "the key " + shown(full(key)) + " is 0", "at least 1");
    }
    return number;
}

double GgufKeys::get(std::string_view key, double fallback) {
    const GgufValue* value = find(key);
    return value == nullptr ? fallback : whole(key, std::get_if<double>(value));
}

double GgufKeys::at_layer(std::string_view key, std::size_t layer, double fallback) {
    const GgufArray* items = list(key);
    if (items == nullptr) return get(key, fallback);
    const auto length = static_cast<double>(items->numbers.size());
    if (layer >= items->numbers.size() || (length != layers_ && length != main_layers_)) {
        refuse("wrong-length",
               "the key " + shown(full(key)) + " lists " + grouped(items->count) + " values",
               "one number for each of " + shortest(layers_) + " layers");
    }
    return whole(key, &items->numbers[layer]);
}

bool GgufKeys::flag(std::string_view key, bool fallback) const {
    const GgufValue* value = find(key);
    const bool* given = value == nullptr ? nullptr : std::get_if<bool>(value);
    return given == nullptr ? fallback : *given;
}

const GgufArray* GgufKeys::list(std::string_view key) const {
    const GgufValue* value = find(key);
    return value == nullptr ? nullptr : std::get_if<GgufArray>(value);
}

void GgufKeys::problem(std::string id, std::string message, std::string expected) {
    if (problems_.size() >= most_problems) return;
    problems_.push_back({.id = std::move(id),
                         .message = path_ + ": " + message,
                         .where = {.file = path_},
                         .expected = std::move(expected),
                         .suggestions = {},
                         .hint = {}});
}

void GgufKeys::finish() const {
    if (!problems_.empty()) throw Error(problems_);
}

void GgufKeys::refuse(std::string id, const std::string& message, std::string expected,
                      std::string hint) const {
    throw Error({.id = std::move(id),
                 .message = path_ + ": " + message,
                 .where = {.file = path_},
                 .expected = std::move(expected),
                 .suggestions = {},
                 .hint = std::move(hint)});
}

}  // namespace napkin::formats
