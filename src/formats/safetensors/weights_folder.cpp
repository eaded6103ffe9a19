#include "formats/safetensors/weights_folder.hpp"

#include <algorithm>
#include <array>

#include "formats/safetensors/shard_names.hpp"
#include "formats/safetensors/weights_listing.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

constexpr std::array<std::string_view, 5> role_texts{"other weights", "a consolidated copy",
                                                     "a variant of the weights", "an adapter",
                                                     "the projector of a vision tower"};

std::string joined(const std::vector<std::string>& names) {
    constexpr std::size_t most_shown = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_shown); ++i) {
        text += (i == 0 ? "" : ", ") + shown(names[i]);
    }
    if (names.size() > most_shown) {
        text += " and " + std::to_string(names.size() - most_shown) + " more";
    }
    return text;
}

[[noreturn]] void refuse_empty(const std::string& folder, const WeightsListing& listing) {
    std::vector<std::string> held;
    for (const WeightsCandidate& candidate : listing.candidates) held.push_back(candidate.label);
    held.insert(held.end(), listing.folders.begin(), listing.folders.end());
    held.insert(held.end(), listing.other_weights.begin(), listing.other_weights.end());
    const std::string hint = held.empty() ? "" : "it holds " + joined(held) + ": name one of them";
    throw Error(problem_in(folder, "no-weights", "no safetensors weights of a model in this folder",
                           "model.safetensors, model-00001-of-0000N.safetensors or their index",
                           hint));
}

// The one that decides among candidates of a role; null where there is none.
const WeightsCandidate* decide(const std::string& folder,
                               std::vector<const WeightsCandidate*> among) {
    if (std::any_of(among.begin(), among.end(), [](auto* one) { return one->stem == "model"; })) {
        among.erase(std::remove_if(among.begin(), among.end(),
                                   [](auto* one) { return one->stem != "model"; }),
                    among.end());
    }
    const auto indexes =
        std::stable_partition(among.begin(), among.end(), [](auto* one) { return one->index; });
    const auto index_count = indexes - among.begin();
    const auto file_count = among.end() - indexes;
    const bool one_whole_file =
        file_count == 1 && !shard_name((*indexes)->files.front()).has_value();
    if (index_count == 1 && !one_whole_file) return among.front();
    if (index_count <= 1 && file_count == 1) return *indexes;
    if (among.empty()) return nullptr;
    Problem problem = problem_in(
        folder, "ambiguous-weights",
        "several sets of weights in this folder, and no index that decides", "one of them");
    for (const WeightsCandidate* one : among) problem.suggestions.push_back(one->label);
    problem.hint = "give the file, the first shard or the index that is meant";
    throw Error(problem);
}

}  // namespace

std::string choose_weights(const std::string& folder) {
    const WeightsListing listing = list_weights(folder);
    for (const WeightsRole role :
         {WeightsRole::model, WeightsRole::consolidated, WeightsRole::variant}) {
        std::vector<const WeightsCandidate*> among;
        for (const WeightsCandidate& candidate : listing.candidates) {
            if (candidate.role == role) among.push_back(&candidate);
        }
        if (const WeightsCandidate* chosen = decide(folder, std::move(among))) {
            return folder + "/" + chosen->files.front();
        }
    }
    refuse_empty(folder, listing);
}

std::vector<Note> weights_left_out(const std::string& folder,
                                   const std::vector<std::string>& files) {
    const WeightsListing listing = list_weights(folder);
    std::vector<Note> notes;
    const auto note = [&](const std::string& message) {
        notes.push_back({.id = "weights-left-out",
                         .message = "not counted: " + message,
                         .warning = false,
                         .in_answer = false});
    };
    for (const WeightsCandidate& candidate : listing.candidates) {
        std::vector<std::string> left;
        for (const std::string& name : candidate.files) {
            const bool was_read =
                std::find(files.begin(), files.end(), folder + "/" + name) != files.end();
            if (!was_read) left.push_back(name);
        }
        if (candidate.index || left.empty()) continue;
        note(joined(left) + ", " +
             std::string(role_texts[static_cast<std::size_t>(candidate.role)]));
    }
    if (!listing.folders.empty()) note("weights in " + joined(listing.folders));
    if (!listing.other_weights.empty()) note(joined(listing.other_weights) + ", of another format");
    return notes;
}

}  // namespace napkin::formats
