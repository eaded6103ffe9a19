// What a call is refused with.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "napkin/diagnostic.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {

/// Every problem that a call is refused with; none if it returns.
template <class Call>
std::vector<Problem> problems_of(Call call) {
    try {
        (void)call();
    } catch (const Error& error) {
        return error.problems;
    }
    return {};
}

/// The one problem that a call is refused with; its id is "none" if it returns, "several" if there
/// are more.
template <class Call>
Problem outcome_of(Call call) {
    std::vector<Problem> problems = problems_of(call);
    if (problems.size() == 1) return std::move(problems.front());
    Problem other;
    other.id = problems.empty() ? "none" : "several";
    return other;
}

/// The one problem that a call is refused with, as the test requires.
template <class Call>
Problem problem_of(Call call) {
    const std::vector<Problem> problems = problems_of(call);
    if (problems.empty()) FAIL("nothing was refused");
    INFO("the first: " << problems.front().message);
    REQUIRE(problems.size() == 1);
    return problems.front();
}

inline bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace napkin::test
