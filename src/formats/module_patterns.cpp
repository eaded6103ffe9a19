#include "formats/module_patterns.hpp"

#include <array>
#include <cctype>

namespace napkin::formats {
namespace {

constexpr std::size_t most_globs = 4096;  // each is tried on each tensor

// The wrappers that stand before the layers, by the class that holds them.
std::string_view unwrapped(std::string_view name) {
    constexpr std::array<std::string_view, 5> wrappers{"model.", "language_model.", "backbone.",
                                                       "transformer.", "text_model."};
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view wrapper : wrappers) {
            if (!name.starts_with(wrapper)) continue;
            name.remove_prefix(wrapper.size());
            again = true;
        }
    }
    return name;
}

// Iterative, so that no pattern takes more than length x length steps.
bool glob(std::string_view pattern, std::string_view text) {
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && (pattern[p] == text[t] || pattern[p] == '?')) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

// A regular expression as globs, one for each alternative; empty if there is more in it.
std::vector<std::string> globs_of(std::string_view regex) {
    std::vector<std::string> parts{""};
    const auto append = [&](std::string_view text) {
        for (std::string& part : parts) part += text;
    };
    bool anchored = false;
    for (std::size_t i = 0; i < regex.size(); ++i) {
        const char c = regex[i];
        if (c == '^' && i == 0) continue;
        if (c == '$' && i + 1 == regex.size()) {
            anchored = true;
        } else if (c == '\\' && i + 1 < regex.size() &&
                   std::isalnum(static_cast<unsigned char>(regex[i + 1])) == 0) {
            append(regex.substr(++i, 1));
        } else if (c == '\\' && regex.substr(i, 3) == "\\d+") {
            append("*");
            i += 2;
        } else if (c == '.' && i + 1 < regex.size() && regex[i + 1] == '*') {
            append("*");
            ++i;
        } else if (c == '.') {
            append("?");
        } else if (c == '(') {
            const std::size_t end = regex.find(')', i);
            if (end == std::string_view::npos) return {};
            std::vector<std::string> grown;
            std::size_t from = i + 1;
            while (from <= end) {
                const std::size_t bar = std::min(regex.find('|', from), end);
                for (const std::string& part : parts) {
                    grown.push_back(part + std::string(regex.substr(from, bar - from)));
                }
                from = bar + 1;
            }
            if (grown.size() > 64) return {};
            parts = std::move(grown);
            i = end;
        } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-') {
            append(std::string_view(&regex[i], 1));
        } else {
            return {};
        }
    }
    for (const std::string& part : parts) {
        if (part.find_first_of("(\\[]{}+|") != std::string::npos) return {};
    }
    if (!anchored) append("*");  // it has to match the beginning only
    return parts;
}

}  // namespace

bool ModulePatterns::add(std::string_view pattern) {
    std::vector<std::string> globs;
    if (pattern.starts_with("re:")) {
        globs = globs_of(pattern.substr(3));
        if (globs.empty()) return false;
    } else if (pattern.find('*') != std::string_view::npos) {
        globs.emplace_back(pattern);
    } else {
        names_.emplace(unwrapped(pattern));
        return true;
    }
    for (const std::string& one : globs) {
        if (globs_.size() >= most_globs) return false;
        globs_.emplace_back(unwrapped(one));
        // "model.layers.*.self_attn" names a module: what is in it belongs to it.
        if (!one.ends_with('*')) globs_.push_back(std::string(unwrapped(one)) + ".*");
    }
    return true;
}

bool ModulePatterns::match(std::string_view module) const {
    // Every run of whole components may be a name in the list.
    if (!names_.empty()) {
        for (std::size_t begin = 0; begin != std::string_view::npos;) {
            for (std::size_t end = module.find('.', begin);; end = module.find('.', end + 1)) {
                if (names_.contains(std::string(module.substr(begin, end - begin)))) return true;
                if (end == std::string_view::npos) break;
            }
            const std::size_t dot = module.find('.', begin);
            begin = dot == std::string_view::npos ? dot : dot + 1;
        }
    }
    for (const std::string& one : globs_) {
        if (glob(one, module)) return true;
    }
    return false;
}

}  // namespace napkin::formats
