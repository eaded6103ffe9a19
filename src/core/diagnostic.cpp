#include "napkin/diagnostic.hpp"

#include <algorithm>

namespace napkin {
namespace {

// Whether all of `a` stands in `b`, in order: "llama70b" in "llama3170b".
bool is_within(std::string_view a, std::string_view b) {
    std::size_t at = 0;
    for (const char c : b) {
        if (at < a.size() && a[at] == c) ++at;
    }
    return at == a.size();
}

// Levenshtein distance with adjacent swaps counted once, over one rolling window of rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

}  // namespace

Error::Error(std::vector<Problem> found) : problems(std::move(found)) {
    for (const Problem& problem : problems) {
        summary_ += (summary_.empty() ? "" : "; ") + problem.message;
    }
}

Problem problem_of(std::string flag, std::string id, std::string message, std::string expected,
                   std::string hint) {
    Problem problem;
    problem.id = std::move(id);
    problem.message = std::move(message);
    problem.where.flag = std::move(flag);
    problem.expected = std::move(expected);
    problem.hint = std::move(hint);
    return problem;
}

std::string normalized(std::string_view name) {
    std::string result;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') result += static_cast<char>(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
    }
    return result;
}

std::vector<std::string> nearest(std::string_view name,
                                 const std::vector<std::string>& candidates) {
    constexpr std::size_t longest_name = 128;  // keeps the work bounded on hostile input
    const std::string wanted = normalized(name.substr(0, longest_name));
    if (wanted.empty()) return {};
    // By distance; among equals those that begin alike come first.
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::string>> ranked;
    for (const std::string& candidate : candidates) {
        const std::string plain = normalized(candidate.substr(0, longest_name));
        std::size_t distance = edit_distance(wanted, plain);
        const bool extends = plain.starts_with(wanted) || wanted.starts_with(plain);
        if (extends && std::min(plain.size(), wanted.size()) >= 3) {
            distance = std::min(distance, std::size_t{2});
        }
        if (wanted.size() >= 4 && is_within(wanted, plain)) {
            distance = std::min(distance, (plain.size() - wanted.size() + 1) / 2);
        }
        if (distance <= std::max<std::size_t>(wanted.size() <= 3 ? 1 : 2, wanted.size() / 3)) {
            const auto alike =
                std::mismatch(wanted.begin(), wanted.end(), plain.begin(), plain.end());
            const auto tail = static_cast<std::size_t>(wanted.end() - alike.first);
            ranked.push_back({{distance, tail}, candidate});
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> result;
    for (const auto& [rank, candidate] : ranked) {
        if (result.size() == 3) break;
        if (std::find(result.begin(), result.end(), candidate) == result.end()) {
            result.push_back(candidate);
        }
    }
    return result;
}

}  // namespace napkin
