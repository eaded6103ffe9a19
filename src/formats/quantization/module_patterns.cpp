#include "formats/quantization/module_patterns.hpp"

#include <algorithm>
#include <array>

#include "formats/quantization/regex_globs.hpp"

namespace napkin::formats {
namespace {

// The dot of a regular expression that was not escaped is any character.
bool begins_with(std::string_view name, std::string_view wrapper) {
    if (name.size() < wrapper.size()) return false;
    return std::equal(wrapper.begin(), wrapper.end(), name.begin(), [](char ours, char theirs) {
        return ours == theirs || (ours == '.' && theirs == '?');
    });
}

// Without the wrappers that stand before the layers, by the class that holds them.
std::string_view unwrapped(std::string_view name) {
    constexpr std::array<std::string_view, 5> wrappers{"model.", "language_model.", "backbone.",
                                                       "transformer.", "text_model."};
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view wrapper : wrappers) {
            if (!begins_with(name, wrapper)) continue;
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

}  // namespace

bool ModulePatterns::add(std::string_view pattern) {
    std::vector<std::string> globs;
    if (pattern.starts_with("re:")) {
        if (full()) return false;
        ++expressions_;
        globs = globs_of(pattern.substr(3));
        if (globs.empty()) return false;
    } else if (pattern.find('*') != std::string_view::npos) {
        globs.emplace_back(pattern);
    } else {
        names_.emplace(unwrapped(pattern));
        return true;
    }
    for (const std::string& one : globs) {
        if (full()) return false;
        const std::string bare(unwrapped(one));
        globs_.push_back(bare);
        // "model.layers.*.self_attn" names a module: what is in it belongs to it.
        if (!bare.ends_with('*')) globs_.push_back(bare + ".*");
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
    return std::any_of(globs_.begin(), globs_.end(),
                       [&](const std::string& one) { return glob(one, module); });
}

}  // namespace napkin::formats
