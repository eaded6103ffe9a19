// JSON Schema, as far as data/schema uses it: type, properties, required, additionalProperties,
// items, enum, const, pattern, minimum, exclusiveMinimum, maximum, minItems, minLength, anyOf and
// $ref into $defs. Any other keyword in a schema is a mistake of ours and found by the tests.
#include <algorithm>
#include <cmath>
#include <regex>

#include "json/json.hpp"
#include "napkin/text.hpp"

namespace napkin::json {
namespace {

bool equal(const Value& a, const Value& b) {
    if (a.kind != b.kind) return false;
    if (a.kind == Kind::string) return a.string == b.string;
    if (a.kind == Kind::number) return a.number == b.number;
    if (a.kind == Kind::boolean) return a.boolean == b.boolean;
    return write(a) == write(b);
}

bool is_of_type(const Value& value, std::string_view type) {
    if (type == "integer") {
        return value.kind == Kind::number && std::floor(value.number) == value.number;
    }
    return type == name_of(value.kind);
}

std::string shown(const Value& value) {
    std::string text = write(value);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}

std::string label(const std::string& path) {
    return path.empty() ? "the document" : path;
}

class Validator {
  public:
    Validator(const Value& schema, const Source& source) : root_(schema), source_(source) {}

    void check(const Value& value, const Value& schema, const std::string& path) {
        if (const Value* reference = schema.find("$ref")) {
            check(value, resolve(reference->string), path);
            return;
        }
        if (!has_type(value, schema)) {
            const std::string type = schema.at("type").kind == Kind::array
                                         ? write(schema.at("type"))
                                         : schema.text("type");
            report("wrong-type", value,
                   path + " is " + shown(value) + ", but must be of type " + type, schema);
            return;
        }
        check_value(value, schema, path);
        if (value.kind == Kind::object) check_members(value, schema, path);
        if (value.kind == Kind::array) check_items(value, schema, path);
        if (const Value* choices = schema.find("anyOf")) check_any(value, *choices, path);
    }

    std::vector<Problem> problems{};

  private:
    const Value& resolve(std::string_view reference) const {
        constexpr std::string_view prefix = "#/$defs/";
        return root_.at("$defs").at(reference.substr(std::min(reference.size(), prefix.size())));
    }

    static bool has_type(const Value& value, const Value& schema) {
        const Value* type = schema.find("type");
        if (type == nullptr) return true;
        if (type->kind == Kind::string) return is_of_type(value, type->string);
        return std::any_of(type->items.begin(), type->items.end(),
                           [&](const Value& one) { return is_of_type(value, one.string); });
    }

    void check_value(const Value& value, const Value& schema, const std::string& path) {
        if (const Value* only = schema.find("const"); only != nullptr && !equal(value, *only)) {
            report("wrong-value", value, path + " must be " + write(*only), schema);
        }
        if (const Value* choices = schema.find("enum")) check_enum(value, *choices, path, schema);
        if (value.kind == Kind::number) {
            const double x = value.number;
            const bool low = schema.find("minimum") && x < schema.count("minimum");
            const bool lower =
                schema.find("exclusiveMinimum") && x <= schema.count("exclusiveMinimum");
            const bool high = schema.find("maximum") && x > schema.count("maximum");
            if (low || lower || high) {
                report("out-of-range", value, path + " is " + shown(value) + ": out of range",
                       schema);
            }
        }
        if (value.kind == Kind::string) check_string(value, schema, path);
    }

    void check_string(const Value& value, const Value& schema, const std::string& path) {
        if (static_cast<double>(value.string.size()) < schema.count("minLength")) {
            report("too-short", value, path + " is too short", schema);
        }
        // A pattern is matched on short strings only: std::regex recurses once a character.
        constexpr std::size_t longest = 200;
        if (const Value* pattern = schema.find("pattern")) {
            if (value.string.size() > longest ||
                !std::regex_search(value.string, std::regex(pattern->string))) {
                report("wrong-form", value,
                       path + " is " + shown(value) + ": not of the right form", schema);
            }
        }
    }

    void check_enum(const Value& value, const Value& choices, const std::string& path,
                    const Value& schema) {
        std::vector<std::string> names;
        for (const Value& choice : choices.items) {
            if (equal(value, choice)) return;
            names.push_back(choice.string);
        }
        report("wrong-value", value, path + " is " + shown(value) + ", which is not a known choice",
               schema);
        problems.back().suggestions = nearest(value.string, names);
        if (problems.back().expected.empty()) problems.back().expected = "one of " + write(choices);
    }

    void check_members(const Value& value, const Value& schema, const std::string& path) {
        const Value& properties = schema.at("properties");
        for (const Value& name : schema.at("required").items) {
            if (value.find(name.string) != nullptr) continue;
            report("missing-key", value, label(path) + " lacks " + quoted(name.string),
                   properties.at(name.string));
        }
        const Value* rest = schema.find("additionalProperties");
        for (const auto& [name, member] : value.members) {
            const std::string inner = path.empty() ? name : path + "." + name;
            if (const Value* known = properties.find(name)) {
                check(member, *known, inner);
            } else if (rest != nullptr && rest->kind == Kind::object) {
                check(member, *rest, inner);
            } else if (rest != nullptr && rest->kind == Kind::boolean && !rest->boolean) {
                std::vector<std::string> names;
                for (const auto& property : properties.members) names.push_back(property.first);
                report("unknown-key", member, "unknown key " + quoted(name) + " in " + label(path),
                       {});
                problems.back().suggestions = nearest(name, names);
                problems.back().where = where_in(source_, member.key_offset);
            }
        }
    }

    void check_items(const Value& value, const Value& schema, const std::string& path) {
        if (static_cast<double>(value.items.size()) < schema.count("minItems")) {
            report("too-few", value, path + " has too few entries", schema);
        }
        const Value* items = schema.find("items");
        if (items == nullptr) return;
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            check(value.items[i], *items, path + "[" + std::to_string(i) + "]");
        }
    }

    // The choice that comes closest (fewest problems) is reported, none if one holds.
    void check_any(const Value& value, const Value& choices, const std::string& path) {
        std::vector<Problem> best;
        bool first = true;
        for (const Value& choice : choices.items) {
            Validator attempt(root_, source_);
            attempt.check(value, choice, path);
            if (attempt.problems.empty()) return;
            if (first || attempt.problems.size() < best.size()) best = attempt.problems;
            first = false;
        }
        problems.insert(problems.end(), best.begin(), best.end());
    }

    void report(std::string id, const Value& value, std::string message, const Value& schema) {
        constexpr std::size_t most = 100;  // enough for a person, bounded for a hostile file
        if (problems.size() >= most) return;
        problems.push_back({.id = std::move(id),
                            .message = std::move(message),
                            .where = where_in(source_, value.offset),
                            .expected = schema.text("description"),
                            .suggestions = {},
                            .hint = {}});
    }

    const Value& root_;
    const Source& source_;
};

}  // namespace

std::vector<Problem> validate(const Value& document, const Value& schema, const Source& source) {
    Validator validator(schema, source);
    validator.check(document, schema, "");
    return std::move(validator.problems);
}

}  // namespace napkin::json
