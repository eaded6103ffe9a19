#include "formats/quantization/regex_globs.hpp"

#include <cctype>
#include <cstddef>
#include <utility>

namespace napkin::formats {
namespace {

constexpr std::size_t longest = 300;
constexpr std::size_t most_ways = 64;
constexpr int deepest = 8;

using Ways = std::vector<std::string>;

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

Ways times(Ways before, const Ways& after) {
    if (after.size() == 1) {
        for (std::string& way : before) way += after.front();
        return before;
    }
    Ways product;
    if (before.size() * after.size() > most_ways) return product;
    for (const std::string& first : before) {
        for (const std::string& second : after) product.push_back(first + second);
    }
    return product;
}

// Where the parenthesis that opens at `begin` closes.
std::size_t closing(std::string_view regex, std::size_t begin) {
    int depth = 0;
    for (std::size_t i = begin; i < regex.size(); ++i) {
        if (regex[i] == '\\') {
            ++i;
        } else if (regex[i] == '(') {
            ++depth;
        } else if (regex[i] == ')' && --depth == 0) {
            return i;
        }
    }
    return std::string_view::npos;
}

// Cuts at the bars that stand in no parentheses.
std::vector<std::string_view> alternatives(std::string_view regex) {
    std::vector<std::string_view> parts;
    std::size_t from = 0;
    for (std::size_t i = 0; i < regex.size(); ++i) {
        if (regex[i] == '\\') {
            ++i;
        } else if (regex[i] == '(') {
            i = closing(regex, i);
            if (i == std::string_view::npos) break;
        } else if (regex[i] == '|') {
            parts.push_back(regex.substr(from, i - from));
            from = i + 1;
        }
    }
    parts.push_back(regex.substr(from));
    return parts;
}

Ways ways_of(std::string_view regex, int depth);

// What stands at the front of `regex`, which is cut off; nothing if it is not understood.
Ways next(std::string_view& regex, int depth) {
    const auto take = [&](std::size_t count, std::string glob) {
        regex.remove_prefix(count);
        return Ways{std::move(glob)};
    };
    const char c = regex.front();
    if (regex.starts_with("\\d+")) return take(3, "*");
    if (c == '\\' && regex.size() > 1 && !is_plain(regex[1])) {
        return take(2, std::string(regex.substr(1, 1)));
    }
    if (regex.starts_with(".*")) return take(2, "*");
    if (regex.starts_with(".+")) return take(2, "?*");
    if (c == '.') return take(1, "?");
    if (is_plain(c)) return take(1, std::string(1, c));
    if (c != '(') return {};
    const std::size_t end = closing(regex, 0);
    if (end == std::string_view::npos) return {};
    std::string_view inner = regex.substr(1, end - 1);
    if (inner.starts_with("?:")) inner.remove_prefix(2);
    regex.remove_prefix(end + 1);
    return ways_of(inner, depth + 1);
}

Ways sequence(std::string_view regex, int depth) {
    Ways ways{""};
    while (!regex.empty() && !ways.empty()) {
        const Ways one = next(regex, depth);
        // How often the last may stand: more than a glob can say.
        const bool repeats = !regex.empty() &&
                             std::string_view("*+?{").find(regex.front()) != std::string_view::npos;
        ways = repeats ? Ways{} : times(std::move(ways), one);
    }
    return ways;
}

Ways ways_of(std::string_view regex, int depth) {
    Ways all;
    if (depth > deepest) return all;
    for (const std::string_view part : alternatives(regex)) {
        const Ways ways = sequence(part, depth);
        if (ways.empty() || all.size() + ways.size() > most_ways) return {};
        all.insert(all.end(), ways.begin(), ways.end());
    }
    return all;
}

}  // namespace

std::vector<std::string> globs_of(std::string_view regex) {
    if (regex.size() > longest) return {};
    Ways globs;
    for (std::string_view part : alternatives(regex)) {
        if (part.starts_with('^')) part.remove_prefix(1);
        const bool whole = part.ends_with('$') && !part.ends_with("\\$");
        if (whole) part.remove_suffix(1);
        const Ways ways = ways_of(part, 0);
        if (ways.empty() || globs.size() + ways.size() > most_ways) return {};
        for (const std::string& way : ways) globs.push_back(whole ? way : way + "*");
    }
    return globs;
}

}  // namespace napkin::formats
