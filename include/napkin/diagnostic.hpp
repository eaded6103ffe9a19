// What is wrong, where, what was expected, and the nearest valid value.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace napkin {

/// A place in the input: a flag of the command line, or a line of a file (1-based; 0 = unknown).
struct Where {
    std::string flag{};
    std::string file{};
    std::size_t line{};
    std::size_t column{};
    std::string excerpt{};  // the line itself
};

struct Problem {
    std::string id{};  // stable, kebab-case: "unknown-model"
    std::string message{};
    Where where{};
    std::string expected{};
    std::vector<std::string> suggestions{};
    std::string hint{};  // what else helps: a command to run, a flag to give
};

/// A problem of one flag (empty: of the command line as a whole).
[[nodiscard]] Problem problem_of(std::string flag, std::string id, std::string message,
                                 std::string expected = {}, std::string hint = {});

/// Carries every problem found, so that one run reports them all. Thrown at the edges only; the
/// core is total on valid input.
class Error : public std::exception {
  public:
    explicit Error(std::vector<Problem> found);
    explicit Error(Problem found) : Error(std::vector<Problem>{std::move(found)}) {}
    [[nodiscard]] const char* what() const noexcept override { return summary_.c_str(); }

    std::vector<Problem> problems{};

  private:
    std::string summary_{};
};

/// A remark that goes with an answer: a default that matters, an unverified figure, a warning.
struct Note {
    std::string id{};
    std::string message{};
    bool warning{};
    bool in_answer{};  // the answer's own text says it too
};

/// Lower-cased, letters and digits only: how names are compared ("H100-SXM" = "h100 sxm").
[[nodiscard]] std::string normalized(std::string_view name);

/// The candidates nearest to `name` by edit distance, at most three, none that is far off.
[[nodiscard]] std::vector<std::string> nearest(std::string_view name,
                                               const std::vector<std::string>& candidates);

}  // namespace napkin
