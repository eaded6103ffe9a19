// The machine-readable answer of the contract: base units, every digit, one object a line.
#include "json/json.hpp"

#include <cmath>

#include "report/document.hpp"

namespace napkin::report {
namespace {

using json::quoted;

// Members and elements with their commas.
class Writer {
  public:
    void open(char bracket) {
        separate();
        text += bracket;
        first_ = true;
    }
    void close(char bracket) {
        text += bracket;
        first_ = false;
    }
    void key(std::string_view name) {
        separate();
        text += quoted(name) + ":";
        first_ = true;
    }
    void raw(std::string_view token) {
        separate();
        text += token;
    }
    void member(std::string_view name, std::string_view token) {
        key(name);
        raw(token);
    }

    std::string text{};

  private:
    void separate() {
        if (!first_) text += ',';
        first_ = false;
    }
    bool first_{true};
};

std::string token(const Value& value) {
    if (const double* x = value.number()) return std::isfinite(*x) ? shortest(*x) : "null";
    if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "true" : "false";
    if (const std::string* text = std::get_if<std::string>(&value.data)) return quoted(*text);
    return "null";
}

void write(Writer& out, const Value& value) {
    out.member("value", token(value));
    if (!value.unit.empty()) out.member("unit", quoted(value.unit));
}

void write(Writer& out, const Result& result) {
    out.key(result.key);
    out.open('{');
    write(out, result.value);
    if (!result.kind.empty()) out.member("kind", quoted(result.kind));
    if (result.expected) {
        out.key("expected");
        out.open('{');
        out.member("worst", shortest(result.expected->worst));
        out.member("typical", shortest(result.expected->typical));
        out.member("best", shortest(result.expected->best));
        out.close('}');
    }
    out.close('}');
}

void write(Writer& out, const Input& input) {
    out.key(input.key);
    out.open('{');
    if (!input.value.empty()) write(out, input.value);
    for (const auto& [name, value] : input.members) out.member(name, token(value));
    if (input.flips_at) out.member("flips_at", shortest(*input.flips_at));
    out.member("from", quoted(input.from));
    out.close('}');
}

void write(Writer& out, const Check& check) {
    out.open('{');
    out.member("id", quoted(check.id));
    out.member("result", quoted(check.result));
    out.member("operator", quoted(check.operation));
    out.member("limit", token(check.limit));
    out.member("value", token(check.value));
    if (!check.value.unit.empty()) out.member("unit", quoted(check.value.unit));
    out.member("met", check.met ? "true" : "false");
    out.close('}');
}

void write(Writer& out, const Table& table) {
    out.key(table.key);
    out.open('[');
    for (const std::vector<Value>& row : table.rows) {
        out.open('{');
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            out.key(table.columns[c].key);
            out.open('{');
            write(out, row[c]);
            out.close('}');
        }
        out.close('}');
    }
    out.close(']');
}

void write(Writer& out, const Problem& problem) {
    out.open('{');
    out.member("id", quoted(problem.id));
    out.member("message", quoted(problem.message));
    out.key("where");
    out.open('{');
    if (!problem.where.flag.empty()) out.member("flag", quoted(problem.where.flag));
    if (!problem.where.file.empty()) out.member("file", quoted(problem.where.file));
    if (problem.where.line > 0) {
        out.member("line", std::to_string(problem.where.line));
        out.member("column", std::to_string(problem.where.column));
    }
    out.close('}');
    out.member("expected", problem.expected.empty() ? "null" : quoted(problem.expected));
    out.key("suggestions");
    out.open('[');
    for (const std::string& suggestion : problem.suggestions) out.raw(quoted(suggestion));
    out.close(']');
    if (!problem.hint.empty()) out.member("hint", quoted(problem.hint));
    out.close('}');
}

}  // namespace

std::string to_json(const Document& document, const Options& options) {
    Writer out;
    out.open('{');
    out.member("schema", quoted("napkin/1"));
    out.member("command", quoted(document.command));
    out.key("version");
    out.open('{');
    out.member("napkin", quoted(NAPKIN_VERSION));
    out.close('}');
    out.member("verdict", document.verdict.empty() ? "null" : quoted(document.verdict));
    out.key("inputs");
    out.open('{');
    for (const Input& input : document.inputs) write(out, input);
    out.close('}');
    out.key("results");
    out.open('{');
    for (const Result& result : document.results) {
        if (!result.key.empty()) write(out, result);
    }
    out.close('}');
    if (!document.if_it_fit.empty()) {
        out.key("if_it_fit");
        out.open('{');
        for (const Result& result : document.if_it_fit) {
            if (!result.key.empty()) out.member(result.key, token(result.value));
        }
        out.close('}');
    }
    out.key("terms");
    out.open('[');
    for (const Term& term : document.terms) {
        out.open('{');
        out.member("name", quoted(term.name));
        write(out, term.value);
        out.close('}');
    }
    out.close(']');
    if (document.table) write(out, *document.table);
    out.key("checks");
    out.open('[');
    for (const Check& check : document.checks) write(out, check);
    out.close(']');
    out.key("notes");
    out.open('[');
    for (const Note& note : document.notes) {
        out.open('{');
        out.member("id", quoted(note.id));
        out.member("message", quoted(note.message));
        out.close('}');
    }
    out.close(']');
    if (options.explain) out.member("explanation", explanation_json(document));
    out.close('}');
    return out.text + "\n";
}

std::string errors_to_json(const std::vector<Problem>& problems) {
    Writer out;
    out.open('{');
    out.member("schema", quoted("napkin/1"));
    out.key("errors");
    out.open('[');
    for (const Problem& problem : problems) write(out, problem);
    out.close(']');
    out.close('}');
    return out.text + "\n";
}

std::string explanation_json(const Document& document) {
    std::vector<Traced> traces;
    for (const Result& result : document.results) traces.push_back(result.trace);
    for (const Result& result : document.if_it_fit) traces.push_back(result.trace);
    Writer out;
    out.open('[');
    for (const ExplanationLine& line : explain(traces)) {
        out.open('{');
        out.member("symbol", quoted(line.symbol));
        if (!line.formula.empty()) {
            out.member("formula", quoted(line.formula));
            out.key("operands");
            out.open('[');
            for (const auto& operand : line.operands) {
                out.open('{');
                out.member("symbol", quoted(operand.symbol));
                out.member("value", shortest(operand.value));
                out.member("unit", quoted(operand.unit));
                out.close('}');
            }
            out.close(']');
        }
        out.member("value", shortest(line.value));
        out.member("unit", quoted(line.unit));
        if (!line.source.empty()) out.member("source", quoted(line.source));
        out.close('}');
    }
    out.close(']');
    return out.text;
}

}  // namespace napkin::report
