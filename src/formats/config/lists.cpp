// Keys that say something of each layer.
#include <algorithm>
#include <cmath>

#include "formats/config/keys.hpp"

namespace napkin::formats {

const json::Value* ConfigKeys::per_layer(std::string_view name, std::size_t layers) {
    const json::Value* found = value(name);
    if (found == nullptr) return nullptr;
    if (found->kind == json::Kind::array && found->items.size() == layers) return found;
    const std::string what = found->kind == json::Kind::array
                                 ? "has " + std::to_string(found->items.size()) + " entries"
                                 : "is no list";
    problem("bad-list",
            std::string(name) + " " + what + ", for " + std::to_string(layers) + " layers", found,
            "one entry for each layer");
    return nullptr;
}

std::optional<std::vector<bool>> ConfigKeys::flag_per_layer(std::string_view name,
                                                            std::size_t layers) {
    const json::Value* found = per_layer(name, layers);
    if (found == nullptr) return std::nullopt;
    std::vector<bool> flags;
    for (const json::Value& item : found->items) {
        const bool number = item.kind == json::Kind::number;
        if (item.kind != json::Kind::boolean &&
            !(number && (item.number == 0 || item.number == 1))) {
            problem("bad-list", std::string(name) + " holds what is neither 0 nor 1", &item,
                    "0 or 1 for each layer");
            return std::nullopt;
        }
        flags.push_back(number ? item.number == 1 : item.boolean);
    }
    return flags;
}

std::optional<std::vector<bool>> ConfigKeys::listed_layers(std::string_view name,
                                                           std::size_t layers) {
    const json::Value* found = value(name);
    if (found == nullptr) return std::nullopt;
    std::vector<bool> listed(layers);
    const auto is_number = [](const json::Value& item) {
        return item.kind == json::Kind::number && item.number >= 0 &&
               std::floor(item.number) == item.number;
    };
    const bool numbers = std::all_of(found->items.begin(), found->items.end(), is_number);
    if (found->kind != json::Kind::array || !numbers) {
        problem("bad-list", std::string(name) + " is no list of layers", found,
                "numbers of layers, the first is 0");
        return std::nullopt;
    }
    for (const json::Value& item : found->items) {
        if (item.number < static_cast<double>(layers)) {
            listed[static_cast<std::size_t>(item.number)] = true;
        }
    }
    return listed;
}

}  // namespace napkin::formats
