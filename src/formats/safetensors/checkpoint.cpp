#include "formats/safetensors/checkpoint.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "formats/impostors.hpp"
#include "formats/input_file.hpp"
#include "formats/safetensors/shard_index.hpp"
#include "formats/safetensors/shard_names.hpp"
#include "formats/safetensors/tensor_files.hpp"
#include "formats/safetensors/weights_folder.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

Note note_of(std::string id, std::string message, bool warning) {
    return {
        .id = std::move(id), .message = std::move(message), .warning = warning, .in_answer = false};
}

// Holds the files to the index: each tensor where it says, none missing.
void check_places(TensorFiles& read, const ShardIndex& index, const std::string& path) {
    Checkpoint& checkpoint = read.checkpoint;
    std::size_t unnamed = 0;
    std::string first_unnamed;
    auto entry = index.entries.begin();
    const auto refuse_missing = [&] {
        throw Error(problem_in(path, "missing-tensor",
                               "tensor " + shown(entry->tensor) + " is not in " +
                                   shown(index.shards[entry->shard]) + ", where the index has it"));
    };
    for (const TensorFiles::Place& placed : read.by_name) {
        const std::string& name = checkpoint.tensors[placed.tensor].name;
        if (entry != index.entries.end() && entry->tensor < name) refuse_missing();
        if (entry == index.entries.end() || entry->tensor != name) {
            if (unnamed++ == 0) first_unnamed = name;
            continue;
        }
        if (entry->shard != placed.file) {
            throw Error(problem_in(path, "misplaced-tensor",
                                   "tensor " + shown(name) + " is in " +
                                       checkpoint.files[placed.file] + ", not in " +
                                       shown(index.shards[entry->shard])));
        }
        ++entry;
    }
    if (entry != index.entries.end()) refuse_missing();
    if (unnamed > 0) {
        checkpoint.notes.push_back(
            note_of("tensors-not-in-index",
                    grouped(unnamed) + " tensors of the files are not in the index, " +
                        shown(first_unnamed) + " is the first; they are counted",
                    true));
    }
}

void compare(Checkpoint& checkpoint, const std::string& key, std::optional<std::uint64_t> said,
             std::uint64_t found, const std::string& unit) {
    if (!said || *said == found) return;
    checkpoint.notes.push_back(note_of("index-total-differs",
                                       "the index says " + key + " " + grouped(*said) +
                                           ", the headers hold " + grouped(found) + " " + unit +
                                           ": the headers count",
                                       true));
}

Checkpoint index_alone(const ShardIndex& index, const std::string& path) {
    if (!index.total_size) {
        throw Error(problem_in(path, "missing-shard",
                               "none of its " + grouped(index.shards.size()) +
                                   " files is here, and it has no total_size",
                               {}, "download them: their first bytes hold what is needed"));
    }
    Checkpoint checkpoint;
    checkpoint.headers_missing = true;
    checkpoint.bytes = *index.total_size;
    checkpoint.tensor_count = index.entries.size();
    checkpoint.notes.push_back(
        note_of("headers-missing",
                "none of the " + grouped(index.shards.size()) +
                    " files that the index names is here: the bytes are its total_size, types and "
                    "shapes are unknown",
                true));
    return checkpoint;
}

Checkpoint open_index(const std::string& folder, const std::string& path) {
    const InputFile file(path);
    const std::string first = file.text(0, std::min<std::uint64_t>(file.size(), impostor_bytes));
    if (const auto what = impostor(first); what && first.front() != '{') {
        throw Error(problem_in(path, "not-an-index", "no index: " + *what));
    }
    if (file.size() > longest_shard_index) {
        throw Error(problem_in(path, "file-too-large",
                               "longer than " + grouped(longest_shard_index) + " bytes"));
    }
    const ShardIndex index = read_shard_index(file.text(0, file.size()), path);
    std::vector<std::string> paths;
    std::vector<std::string> missing;
    for (const std::string& shard : index.shards) {
        (is_there(folder + shard) ? paths : missing).push_back(folder + shard);
    }
    Checkpoint checkpoint;
    if (paths.empty()) {
        checkpoint = index_alone(index, path);
    } else if (!missing.empty()) {
        throw Error(problem_in(missing.front(), "missing-shard",
                               "no such file; " + grouped(missing.size()) + " of the " +
                                   grouped(index.shards.size()) + " files that " + path +
                                   " names are missing"));
    } else {
        TensorFiles read = read_tensor_files(std::move(paths));
        check_places(read, index, path);
        checkpoint = std::move(read.checkpoint);
        compare(checkpoint, "total_size", index.total_size, checkpoint.bytes, "bytes");
        compare(checkpoint, "total_parameters", index.total_parameters, checkpoint.elements,
                "elements");
    }
    for (const std::string& key : index.unknown_keys) {
        checkpoint.notes.push_back(
            note_of("unknown-key", "unknown key " + shown(key) + " of the index left out", false));
    }
    return checkpoint;
}

Checkpoint open_file(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t name_begin = slash == std::string::npos ? 0 : slash + 1;
    const std::string folder = path.substr(0, name_begin);
    if (path.ends_with(index_extension)) return open_index(folder, path);
    const auto shard = shard_name(std::string_view(path).substr(name_begin));
    if (shard) return read_tensor_files(shard_paths(folder, *shard)).checkpoint;
    return read_tensor_files({path}).checkpoint;
}

}  // namespace

Checkpoint open_checkpoint(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) return open_file(path);
    std::string folder = path;
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    Checkpoint checkpoint = open_file(choose_weights(folder));
    for (Note& note : weights_left_out(folder, checkpoint.files)) {
        checkpoint.notes.push_back(std::move(note));
    }
    return checkpoint;
}

}  // namespace napkin::formats
