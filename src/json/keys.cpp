#include "json/keys.hpp"

#include <algorithm>

namespace napkin::json {

void Keys::add(const std::string& name, std::size_t quote) {
    const std::string_view before = text_.substr(0, quote);
    if (before.ends_with(name)) {
        names_.push_back({before.substr(quote - name.size()), quote});
    } else {
        escaped_.push_back(name);
        names_.push_back({escaped_.back(), quote});
    }
}

std::optional<Keys::Key> Keys::end() {
    const Start start = open_.back();
    const auto first = names_.begin() + static_cast<std::ptrdiff_t>(start.names);
    std::sort(first, names_.end(), [](const Key& a, const Key& b) {
        const int order = a.name.compare(b.name);
        return order != 0 ? order < 0 : a.quote < b.quote;
    });
    const auto twice = std::adjacent_find(
        first, names_.end(), [](const Key& a, const Key& b) { return a.name == b.name; });
    if (twice != names_.end()) return *std::next(twice);
    names_.erase(first, names_.end());
    escaped_.resize(start.escaped);
    open_.pop_back();
    return std::nullopt;
}

}  // namespace napkin::json
