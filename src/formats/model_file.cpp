#include "napkin/formats.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "formats/config/overrides.hpp"
#include "formats/gguf/gguf.hpp"
#include "formats/gguf/model.hpp"
#include "formats/input_file.hpp"
#include "formats/json_file.hpp"
#include "formats/safetensors/stored_weights.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

// What a model is called: its folder where the file's own name says nothing.
std::string name_of(const std::string& path) {
    if (path == "-") return "stdin";
    std::error_code error;
    fs::path full = fs::weakly_canonical(path, error);
    if (full.filename().empty()) full = full.parent_path();
    if (is_folder(path)) return full.filename().string();
    const std::string stem = full.stem().string();
    const bool plain = stem == "config" || stem.starts_with("model");
    const std::string folder = full.parent_path().filename().string();
    return plain && !folder.empty() ? folder : stem;
}

ReadModel preset_in(const std::string& path) {
    Catalog own;
    for (const auto& [kind, id] : own.add_file(path)) {
        if (kind == PresetKind::model) return {.model = own.model(id), .notes = {}};
    }
    throw Error(problem_in(path, "no-preset", "holds no model"));
}

ReadModel config_in(const std::string& path, const json::Value& config, const json::Source& source,
                    const Catalog& catalog, const ModelFileOptions& options) {
    // ModelOpt says how it quantised in a file of its own.
    const fs::path beside = fs::path(path).parent_path() / "hf_quant_config.json";
    if (path == "-" || options.weights_given || !is_file(beside)) {
        return read_config(config, source, name_of(path), catalog, nullptr, options.weights_given);
    }
    const std::string text = read_json_text(beside.string());
    const json::Source document{beside.string(), text};
    const QuantizationFile quantization{parse_json_text(document), document};
    return read_config(config, source, name_of(path), catalog, &quantization);
}

ReadModel weights_in(const std::string& path, const Catalog& catalog,
                     const ModelFileOptions& options);

ReadModel json_in(const std::string& path, const Catalog& catalog,
                  const ModelFileOptions& options) {
    const std::string text = read_json_text(path);
    const json::Source source{path == "-" ? "standard input" : path, text};
    json::Value tree = parse_json_text(source);
    if (path != "-" && tree.text("schema").starts_with("napkin/")) return preset_in(path);
    if (path != "-" && tree.find("weight_map") != nullptr) {
        return weights_in(path, catalog, options);
    }
    const json::Value config = with_overrides(std::move(tree), options.overrides);
    return config_in(path, config, source, catalog, options);
}

ReadModel weights_in(const std::string& path, const Catalog& catalog,
                     const ModelFileOptions& options) {
    const Checkpoint checkpoint = open_checkpoint(path);
    const fs::path folder = is_folder(path) ? fs::path(path) : fs::path(path).parent_path();
    const std::string config = (folder / "config.json").string();
    if (!is_file(config)) return size_of(checkpoint, name_of(path));
    ReadModel read = json_in(config, catalog, options);
    compare_with(checkpoint, catalog, options.weights_given, read);
    return read;
}

bool starts_as_gguf(const std::string& path) {
    constexpr std::string_view magic = "GGUF";
    if (!is_file(path)) return false;
    std::array<char, magic.size()> first{};
    const std::size_t count = InputFile(path).read(0, first.data(), first.size());
    return std::string_view(first.data(), count) == magic;
}

ReadModel gguf_in(const std::string& path, const Catalog& catalog) {
    return read_gguf_model(open_gguf(path), name_of(path), catalog);
}

// The GGUF models of a folder: a split file counts once, a vision projector not at all.
std::vector<std::string> ggufs_in(const std::string& folder) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& item : fs::directory_iterator(folder, error)) {
        const std::string name = item.path().filename().string();
        const bool later_shard =
            name.find("-of-") != std::string::npos && name.find("-00001-of-") == std::string::npos;
        if (!name.ends_with(".gguf") || name.starts_with("mmproj") || later_shard) continue;
        found.push_back(item.path().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool holds(const std::string& folder, std::string_view extension) {
    std::error_code error;
    for (const auto& item : fs::directory_iterator(folder, error)) {
        const std::string name = item.path().filename().string();
        if (name.ends_with(extension) && !name.starts_with("mmproj")) return true;
    }
    return false;
}

ReadModel folder_in(const std::string& path, const Catalog& catalog,
                    const ModelFileOptions& options) {
    const std::string config = (fs::path(path) / "config.json").string();
    const bool weights = holds(path, ".safetensors") || holds(path, ".safetensors.index.json");
    if (weights) return weights_in(path, catalog, options);
    if (is_file(config)) return json_in(config, catalog, options);
    const std::vector<std::string> ggufs = ggufs_in(path);
    if (ggufs.size() == 1) return gguf_in(ggufs.front(), catalog);
    if (!ggufs.empty()) {
        Problem several = problem_in(path, "ambiguous-model", "several GGUF models in this folder",
                                     "one of them");
        several.suggestions = ggufs;
        throw Error(std::move(several));
    }
    throw Error(problem_in(path, "no-model", "no model in this folder",
                           "config.json, *.safetensors or one *.gguf"));
}

}  // namespace

bool is_model_path(std::string_view name) {
    constexpr std::array<std::string_view, 3> extensions{".json", ".gguf", ".safetensors"};
    if (name == "-" || name.starts_with('.') || name.starts_with('/')) return true;
    for (const std::string_view extension : extensions) {
        if (name.ends_with(extension)) return true;
    }
    std::error_code error;
    return name.find('/') != std::string_view::npos && fs::exists(fs::path(name), error);
}

ReadModel read_model_file(const std::string& path, const Catalog& catalog,
                          const ModelFileOptions& options) {
    if (is_folder(path)) return folder_in(path, catalog, options);
    if (path.ends_with(".gguf") || starts_as_gguf(path)) return gguf_in(path, catalog);
    if (path.ends_with(".safetensors") || path.ends_with(".safetensors.index.json")) {
        return weights_in(path, catalog, options);
    }
    return json_in(path, catalog, options);
}

}  // namespace napkin::formats
