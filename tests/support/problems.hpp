// The one problem that a call is refused with.
#pragma once

#include "napkin/diagnostic.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {

template <class Call>
Problem problem_of(Call call) {
    try {
        (void)call();
    } catch (const Error& error) {
        REQUIRE(error.problems.size() == 1);
        return error.problems.front();
    }
    FAIL("nothing was refused");
    return {};
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace napkin::test
