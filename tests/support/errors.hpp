// What an action refuses, for tests of error messages.
#pragma once

#include <string>

#include "napkin/diagnostic.hpp"

namespace napkin::test {

/// The problem that `action` throws; its id is "none" if it throws nothing.
template <class Action>
Problem problem_in(Action action) {
    try {
        action();
    } catch (const Error& error) {
        if (error.problems.size() == 1) return error.problems.front();
        Problem several;
        several.id = "several";
        return several;
    }
    Problem none;
    none.id = "none";
    return none;
}

}  // namespace napkin::test
