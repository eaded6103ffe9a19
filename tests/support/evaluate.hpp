// Re-computes the formulas of an explanation. Shares no code with the core, on purpose: it reads
// what a person reads, with the conventions that a person has (^ binds to the right).
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace napkin::test {

using Names = std::map<std::string, double, std::less<>>;

/// sum     = product (("+" | "-") product)*
/// product = signed (("*" | "/") signed)*
/// signed  = "-" signed | atom ("^" signed)?
/// atom    = number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
class Evaluator {
  public:
    Evaluator(std::string_view text, const Names& names) : text_(text), names_(names) {}

    double run() {
        const double value = sum();
        if (peek() != '\0') fail("something after the end");
        return value;
    }

  private:
    [[noreturn]] void fail(const std::string& why) const {
        throw std::runtime_error(why + " at " + std::to_string(at_) + " in '" + std::string(text_) +
                                 "'");
    }

    char peek() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }

    double sum() {
        double value = product();
        for (;;) {
            if (take('+')) {
                value += product();
            } else if (take('-')) {
                value -= product();
            } else {
                return value;
            }
        }
    }

    double product() {
        double value = with_sign();
        for (;;) {
            if (take('*')) {
                value *= with_sign();
            } else if (take('/')) {
                value /= with_sign();
            } else {
                return value;
            }
        }
    }

    double with_sign() {
        if (take('-')) return -with_sign();
        const double base = atom();
        return take('^') ? std::pow(base, with_sign()) : base;
    }

    double atom() {
        if (take('(')) {
            const double value = sum();
            if (!take(')')) fail("no closing bracket");
            return value;
        }
        const char c = peek();
        if ((c >= '0' && c <= '9') || c == '.') return number();
        const std::string name = identifier();
        if (peek() == '(') return call(name);
        const auto found = names_.find(name);
        if (found == names_.end()) fail("unknown name '" + name + "'");
        return found->second;
    }

    double number() {
        double value = 0;
        const auto [end, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) fail("no number");
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }

    std::string identifier() {
        const auto belongs = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_';
        };
        const std::size_t from = at_;
        while (at_ < text_.size() && belongs(text_[at_])) ++at_;
        if (at_ == from) fail("no name");
        return std::string(text_.substr(from, at_ - from));
    }

    double call(const std::string& name) {
        std::vector<double> given;
        take('(');
        do given.push_back(sum());
        while (take(','));
        if (!take(')')) fail("no closing bracket");
        if (name == "max" && given.size() == 2) return std::max(given[0], given[1]);
        if (name == "min" && given.size() == 2) return std::min(given[0], given[1]);
        if (name == "ceil" && given.size() == 1) return std::ceil(given[0]);
        if (name == "floor" && given.size() == 1) return std::floor(given[0]);
        if (name == "sqrt" && given.size() == 1) return std::sqrt(given[0]);
        if (name == "largest" && given.size() == 4) return largest(given);
        fail("unknown call '" + name + "'");
    }

    // largest(demand at n, limit, demand at n + 1, n): n is right where the limit lies between.
    double largest(const std::vector<double>& given) const {
        if (!(given[0] <= given[1] && given[1] < given[2])) fail("not the largest");
        return given[3];
    }

    std::string_view text_;
    const Names& names_;
    std::size_t at_{};
};

/// The value of `formula`; throws where it cannot be read or uses a name that is not given.
[[nodiscard]] inline double evaluate(std::string_view formula, const Names& names = {}) {
    return Evaluator(formula, names).run();
}

}  // namespace napkin::test
