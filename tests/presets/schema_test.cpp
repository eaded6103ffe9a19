// Every file of data/ against its schema, and the schemas against what our validator knows.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "catalog/preset_file.hpp"
#include "json/json.hpp"
#include "napkin/catalog.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;

namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::filesystem::path> data_files(bool schemas) {
    std::vector<std::filesystem::path> paths;
    for (const auto& item :
         std::filesystem::recursive_directory_iterator(NAPKIN_SOURCE_DIR "/data")) {
        const std::string name = item.path().filename().string();
        if (item.path().extension() != ".json") continue;
        if (name.ends_with(".schema.json") == schemas) paths.push_back(item.path());
    }
    return paths;
}

void check_keywords(const json::Value& schema) {
    static const std::set<std::string> known{"type",        "properties",
                                             "required",    "additionalProperties",
                                             "items",       "enum",
                                             "const",       "pattern",
                                             "minimum",     "exclusiveMinimum",
                                             "maximum",     "minItems",
                                             "minLength",   "$ref",
                                             "$defs",       "anyOf",
                                             "description", "title",
                                             "$schema",     "$id"};
    if (schema.kind != json::Kind::object) return;
    for (const auto& [name, member] : schema.members) {
        CAPTURE(name);
        CHECK(known.count(name) == 1);
        if (name == "properties" || name == "$defs") {
            for (const auto& property : member.members) check_keywords(property.second);
        } else if (name == "items" || name == "additionalProperties") {
            check_keywords(member);
        } else if (name == "anyOf") {
            for (const auto& choice : member.items) check_keywords(choice);
        }
    }
}

std::vector<std::string> problems_of(std::string_view text) {
    const json::Source source{"test.json", text};
    const json::Value file = json::parse(source);
    const std::string schema_text = Catalog().schema(catalog::schema_name(file));
    std::vector<std::string> messages;
    for (const Problem& problem :
         json::validate(file, json::parse({"schema", schema_text}), source)) {
        messages.push_back(std::to_string(problem.where.line) + ": " + problem.message);
    }
    return messages;
}

}  // namespace

TEST_CASE("every data file validates against its schema") {
    const auto files = data_files(false);
    CHECK(files.size() >= 50);
    for (const auto& path : files) {
        CAPTURE(path.string());
        CHECK(problems_of(text_of(path)).empty());
    }
}

TEST_CASE("schemas use no keyword that the validator does not know") {
    const auto files = data_files(true);
    CHECK(files.size() >= 7);
    for (const auto& path : files) {
        CAPTURE(path.string());
        check_keywords(json::parse({path.string(), text_of(path)}));
    }
}

TEST_CASE("the validator finds what is wrong, all of it, at its line") {
    const auto messages = problems_of(R"({
  "schema": "napkin/accelerators/1",
  "sources": {},
  "accelerators": [
    { "id": "x1", "name": "X1", "vendor": "X", "kind": "gpux",
      "architecture": "X", "family": "x", "year": "2026",
      "memry": {},
      "memory": { "type": "HBM", "sold": "80 G", "bandwidth": "3 TB/s", "source": ["a"] } }
  ]
})");
    const auto found = [&](const std::string& part) {
        for (const std::string& message : messages) {
            if (message.find(part) != std::string::npos) return true;
        }
        return false;
    };
    CAPTURE(messages);
    CHECK(found("5: accelerators[0].kind is \"gpux\""));
    CHECK(found("6: accelerators[0].year is \"2026\""));
    CHECK(found("7: unknown key \"memry\""));
    CHECK(found("8: accelerators[0].memory.sold is \"80 G\""));
}

TEST_CASE("hostile JSON is refused with its place") {
    const auto refused = [](const std::string& text, const std::string& id, std::size_t line) {
        try {
            (void)json::parse({"t", text});
        } catch (const Error& error) {
            return error.problems[0].id == id && error.problems[0].where.line == line;
        }
        return false;
    };
    CHECK(refused("{\"a\": 1,\n \"a\": 2}", "duplicate-key", 2));
    CHECK(refused(std::string(100, '['), "too-deep", 1));
    CHECK(refused("{\n\"a\": 1e999}", "invalid-json", 2));
    CHECK(refused("{\"a\": \"\xff\"}", "invalid-json", 1));
    CHECK(refused("", "invalid-json", 1));
    CHECK(refused("<html>", "invalid-json", 1));
    CHECK(refused("{\"a\": NaN}", "invalid-json", 1));
    CHECK(refused("{} {}", "invalid-json", 1));
}
