#include "formats/safetensors/weights_listing.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "formats/safetensors/shard_names.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

WeightsRole role_of(std::string_view stem) {
    constexpr std::array<std::string_view, 9> variants{"fp16", "bf16", "fp32", "fp8",    "int8",
                                                       "int4", "8bit", "ema",  "non_ema"};
    std::string lower(stem);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower.find("mmproj") != std::string::npos) return WeightsRole::projector;
    if (lower.starts_with("adapter")) return WeightsRole::adapter;
    if (lower.starts_with("consolidated")) return WeightsRole::consolidated;
    for (const std::string_view variant : variants) {
        if (!lower.ends_with(variant) || lower.size() == variant.size()) continue;
        const char before = lower[lower.size() - variant.size() - 1];
        if (before == '.' || before == '-' || before == '_') return WeightsRole::variant;
    }
    return WeightsRole::model;
}

bool holds_other_weights(std::string_view name) {
    constexpr std::array<std::string_view, 6> extensions{".bin",  ".pt", ".pth",
                                                         ".gguf", ".h5", ".msgpack"};
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](std::string_view extension) { return name.ends_with(extension); });
}

// Names in `folder`, sorted; those of folders end in "/".
std::vector<std::string> names_in(const std::string& folder) {
    namespace fs = std::filesystem;
    std::vector<std::string> names;
    std::error_code problem;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        std::error_code ignored;
        const fs::file_status status = entry->status(ignored);
        const std::string name = entry->path().filename().string();
        if (fs::is_directory(status)) {
            names.push_back(name + "/");
        } else if (fs::exists(status)) {
            names.push_back(name);
        }
    }
    if (problem) {
        throw Error(
            problem_in(folder, "unreadable-folder", "cannot be read: " + problem.message()));
    }
    std::sort(names.begin(), names.end());
    return names;
}

WeightsCandidate candidate_of(const std::string& name) {
    WeightsCandidate candidate{.label = name, .files = {name}};
    if (name.ends_with(index_extension)) {
        candidate.index = true;
        candidate.stem = name.substr(0, name.size() - index_extension.size());
    } else if (const auto shard = shard_name(name)) {
        candidate.stem = shard->stem;
        candidate.label = set_label(*shard);
    } else {
        candidate.stem = name.substr(0, name.size() - weights_extension.size());
    }
    candidate.role = role_of(candidate.stem);
    return candidate;
}

bool is_candidate(const std::string& name) {
    return name.ends_with(weights_extension) || name.ends_with(index_extension);
}

}  // namespace

WeightsListing list_weights(const std::string& folder) {
    WeightsListing listing;
    std::map<std::string, WeightsCandidate> by_label;
    for (const std::string& name : names_in(folder)) {
        if (name.ends_with('/')) {
            const auto inner = names_in(folder + "/" + name);
            if (std::any_of(inner.begin(), inner.end(), [](const std::string& file) {
                    return is_candidate(file) || holds_other_weights(file);
                })) {
                listing.folders.push_back(name);
            }
        } else if (is_candidate(name)) {
            WeightsCandidate candidate = candidate_of(name);
            const auto [known, is_new] = by_label.emplace(candidate.label, candidate);
            if (!is_new) known->second.files.push_back(name);
        } else if (holds_other_weights(name)) {
            listing.other_weights.push_back(name);
        }
    }
    for (auto& [label, candidate] : by_label) listing.candidates.push_back(std::move(candidate));
    return listing;
}

}  // namespace napkin::formats
