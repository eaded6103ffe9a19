#include "cli/resolve.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "cli/flags.hpp"

namespace napkin::cli {

using report::number;

Resolver::Resolver(const Arguments& arguments, const Catalog& catalog)
    : arguments_(arguments), catalog_(catalog) {
    const std::vector<std::string> known = setting_names();
    for (const std::string& text : arguments.all("set")) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            refuse("set", text, "expected KEY=VALUE, such as gpu.memory_bandwidth=4TB/s");
            continue;
        }
        std::string key = text.substr(0, equals);
        const auto& flags = arguments.command->flags;
        const Flag* flag = find_flag(key);
        const bool is_setting = std::find(known.begin(), known.end(), key) != known.end() ||
                                key.starts_with(config_prefix);
        const bool is_input = flag != nullptr && !flag->value.empty() &&
                              std::find(flags.begin(), flags.end(), key) != flags.end();
        if (!is_setting && !is_input) {
            Problem unknown = problem_of("--set", "unknown-input", "unknown input '" + key + "'");
            unknown.suggestions = nearest(key, known);
            if (unknown.suggestions.empty()) {
                unknown.expected = "the name of a flag of this command";
                for (const std::string& name : known) unknown.expected.append(", ").append(name);
                unknown.expected += ", config.KEY of a configuration";
            }
            problem(std::move(unknown));
            continue;
        }
        settings_[key] = text.substr(equals + 1);
    }
}

std::optional<std::string> Resolver::setting(std::string_view flag) const {
    if (const auto found = settings_.find(flag); found != settings_.end()) return found->second;
    return arguments_.get(flag);
}

std::string Resolver::from(std::string_view flag) const {
    if (settings_.contains(flag)) return "set";
    const auto found = arguments_.from.find(flag);
    return found == arguments_.from.end() ? "default" : found->second;
}

void Resolver::add_input(std::string key, report::Value value, std::string origin) {
    inputs.push_back({.key = std::move(key),
                      .value = std::move(value),
                      .from = std::move(origin),
                      .members = {},
                      .flips_at = {}});
}

void Resolver::note(std::string id, std::string message, bool warning) {
    // Two machines of one part are in the same doubt.
    for (const Note& said : notes) {
        if (said.id == id && said.message == message) return;
    }
    notes.push_back({std::move(id), std::move(message), warning});
}

void Resolver::refuse(std::string_view flag, const std::string& text, std::string expected) {
    // "expected a count": what would do; anything else: what is wrong with the text.
    constexpr std::string_view prefix = "expected ";
    const bool expects = expected.starts_with(prefix);
    const std::string name = (settings_.contains(flag) ? "--set " : "--") + std::string(flag);
    std::string message = name + " cannot be '" + text.substr(0, 100) + "'";
    if (!expects) message.append(": ").append(expected);
    problem(problem_of(settings_.contains(flag) ? "--set" : name, "bad-value", message,
                       expects ? expected.substr(prefix.size()) : ""));
}

void Resolver::take(const Error& error, std::string_view flag) {
    for (Problem found : error.problems) {
        if (found.where.flag.empty() && found.where.file.empty()) {
            found.where.flag = std::string(flag);
        }
        problems_.push_back(std::move(found));
    }
}

bool Resolver::takes(std::string_view flag) const {
    const auto& flags = arguments_.command->flags;
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

void Resolver::finish() {
    if (!problems_.empty()) throw Error(std::move(problems_));
}

double Resolver::whole(std::string_view flag, double otherwise) {
    const double value = optional(flag, read_whole).value_or(otherwise);
    std::string key(flag);
    std::replace(key.begin(), key.end(), '-', '_');
    add_input(key, number(value, "1", Style::whole), from(flag));
    return value;
}

double Resolver::length(std::string_view flag, double otherwise) {
    const double value = optional(flag, read_length).value_or(otherwise);
    std::string key(flag);
    std::replace(key.begin(), key.end(), '-', '_');
    add_input(key, number(value, "token", Style::whole), from(flag));
    return value;
}

void Resolver::expect(std::string_view flag, std::string what) {
    if (setting(flag)) return;
    problem(problem_of("--" + std::string(flag), "missing-flag",
                       "--" + std::string(flag) + " is missing", std::move(what)));
}

}  // namespace napkin::cli
