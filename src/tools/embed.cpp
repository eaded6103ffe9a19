// Build tool: checks every file of data/ against its schema and writes the entries and the index of
// their names as one C++ source.   usage: napkin_embed DATA_DIR OUTPUT.cpp
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "catalog/preset_file.hpp"

namespace {

using napkin::PresetKind;
using napkin::catalog::Preset;
namespace json = napkin::json;
namespace fs = std::filesystem;

struct File {
    std::string name{};
    std::string text{};
    json::Value tree{};
};

File read(const fs::path& path, const fs::path& root) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    File file{.name = (root.filename() / fs::relative(path, root)).generic_string(),
              .text = text.str(),
              .tree = {}};
    file.tree = json::parse({file.name, file.text});
    return file;
}

std::string_view constant(PresetKind kind) {
    switch (kind) {
        case PresetKind::accelerator:
            return "accelerator";
        case PresetKind::system:
            return "system";
        case PresetKind::model:
            return "model";
        case PresetKind::format:
            return "format";
        case PresetKind::family:
            return "family";
        case PresetKind::engine:
            return "engine";
        case PresetKind::assumptions:
            return "assumptions";
        case PresetKind::schema:
            break;
    }
    return "schema";
}

// A string_view with its length, which no compiler has to count at compile time; its literal is
// cut into pieces, since compilers limit the length of one.
std::string literal(std::string_view text) {
    std::string out = "{\"";
    constexpr std::size_t piece = 4000;
    std::size_t length = 0;
    for (const char c : text) {
        if (length++ >= piece) {
            out += "\"\n    \"";
            length = 0;
        }
        if (c == '\n') {
            out += "\\n";
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
    }
    return out + "\", " + std::to_string(text.size()) + "}";
}

struct Name {
    std::string normalized{}, written{};
    PresetKind kind{};
    std::size_t entry{};
    bool choice{};
};

// The number formats that are tensor types of ggml, by their numbers there.
std::string ggml_types(const std::vector<Preset>& presets) {
    std::map<std::uint64_t, std::string> rows;
    for (const Preset& preset : presets) {
        if (preset.entry.find("ggml_type") == nullptr) continue;
        const auto whole = [&](std::string_view key) {
            return static_cast<std::uint64_t>(preset.entry.count(key));
        };
        std::string name = preset.entry.text("ggml_name");
        if (name.empty()) {
            for (const char c : preset.id) {
                name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            }
        }
        const std::uint64_t number = whole("ggml_type");
        std::string row = "    {" + std::to_string(number) + ", " + literal(name) + ", " +
                          literal(preset.id) + ", " + std::to_string(whole("elements")) + ", " +
                          std::to_string(whole("bytes")) + "},\n";
        if (rows.emplace(number, std::move(row)).second) continue;
        throw napkin::Error(napkin::problem_of({}, "duplicate-ggml-type",
                                               preset.id + " has the ggml_type of another format"));
    }
    std::string table;
    for (const auto& [number, row] : rows) table += row;
    return table;
}

int problems(const std::vector<napkin::Problem>& found) {
    for (const napkin::Problem& problem : found) {
        std::cerr << problem.where.file << ":" << problem.where.line << ":" << problem.where.column
                  << ": error: " << problem.message << "\n";
    }
    return static_cast<int>(found.size());
}

int run(const fs::path& root, const fs::path& output) {
    std::vector<fs::path> paths;
    for (const auto& item : fs::recursive_directory_iterator(root)) {
        if (item.path().extension() == ".json") paths.push_back(item.path());
    }
    std::sort(paths.begin(), paths.end());

    std::map<std::string, json::Value> schemas;
    std::vector<Preset> presets;
    std::vector<std::size_t> sources_of;  // per preset: index into `sources`
    std::vector<std::string> sources{"{}"};
    constexpr std::string_view schema_suffix = ".schema.json";
    for (const fs::path& path : paths) {
        const std::string name = path.filename().string();
        if (!name.ends_with(schema_suffix)) continue;
        const File file = read(path, root);
        const std::string id = name.substr(0, name.size() - schema_suffix.size());
        schemas[id] = file.tree;
        presets.push_back({PresetKind::schema, id, {id}, {}, file.tree});
        sources_of.push_back(0);
    }
    int errors = 0;
    for (const fs::path& path : paths) {
        if (path.filename().string().ends_with(schema_suffix)) continue;
        const File file = read(path, root);
        const auto schema = schemas.find(napkin::catalog::schema_name(file.tree));
        if (schema == schemas.end()) {
            std::cerr << file.name << ": error: no schema of ours is named in it\n";
            ++errors;
            continue;
        }
        errors += problems(json::validate(file.tree, schema->second, {file.name, file.text}));
        sources.push_back(json::write(file.tree.at("sources")));
        for (Preset& preset : napkin::catalog::presets_of(file.tree, path.stem().string())) {
            presets.push_back(std::move(preset));
            sources_of.push_back(sources.size() - 1);
        }
    }
    if (errors > 0) return 1;

    std::vector<Name> names;
    for (std::size_t i = 0; i < presets.size(); ++i) {
        const auto add = [&](const std::string& written, bool choice) {
            names.push_back({napkin::normalized(written), written, presets[i].kind, i, choice});
        };
        for (const std::string& name : presets[i].names) add(name, false);
        for (const std::string& name : presets[i].choices) add(name, true);
    }
    std::stable_sort(names.begin(), names.end(), [](const Name& a, const Name& b) {
        return std::tie(a.normalized, a.kind) < std::tie(b.normalized, b.kind);
    });

    std::ofstream out(output, std::ios::binary);
    out << "// Generated from data/ by napkin_embed.\n#include \"catalog/embedded.hpp\"\n\n"
           "namespace napkin::catalog {\nnamespace {\n\n";
    for (std::size_t i = 0; i < sources.size(); ++i) {
        out << "constexpr std::string_view sources_" << i << literal(sources[i]) << ";\n";
    }
    out << "\nconstexpr EmbeddedEntry entries[] = {\n";
    for (std::size_t i = 0; i < presets.size(); ++i) {
        out << "    {PresetKind::" << constant(presets[i].kind) << ", " << literal(presets[i].id)
            << ",\n    " << literal(json::write(presets[i].entry)) << ",\n    sources_"
            << sources_of[i] << "},\n";
    }
    out << "};\n\nconstexpr EmbeddedName names[] = {\n";
    for (const Name& name : names) {
        out << "    {" << literal(name.normalized) << ", " << literal(name.written)
            << ", PresetKind::" << constant(name.kind) << ", " << name.entry << ", "
            << (name.choice ? "true" : "false") << "},\n";
    }
    out << "};\n\nconstexpr GgmlType types[] = {\n" << ggml_types(presets);
    out << "};\n\n}  // namespace\n\n"
           "std::span<const EmbeddedEntry> embedded_entries() { return entries; }\n"
           "std::span<const EmbeddedName> embedded_names() { return names; }\n"
           "std::span<const GgmlType> ggml_types() { return types; }\n\n"
           "}  // namespace napkin::catalog\n";
    return out.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: napkin_embed DATA_DIR OUTPUT.cpp\n";
        return 2;
    }
    try {
        return run(argv[1], argv[2]);
    } catch (const napkin::Error& error) {
        problems(error.problems);
        return 1;
    }
}
