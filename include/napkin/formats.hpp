// A model from what a user has: a config.json, safetensors, GGUF, a folder of them, or a preset.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "napkin/catalog.hpp"

namespace napkin::formats {

/// A model that was read from files, with what the reader has to say about it.
struct ReadModel {
    Model model{};
    std::vector<Note> notes{};
};

/// Values that stand in for keys of a configuration, by key: what a file leaves out. "a.b" is b of
/// a. A value is read as JSON if it is JSON, else as text.
using Overrides = std::map<std::string, std::string, std::less<>>;

struct ModelFileOptions {
    Overrides overrides{};
    bool weights_given{};  // whatever the file says of its number formats is not used
};

/// Whether a name means a file: it is "-", begins with '.' or '/', ends in a known extension, or
/// contains '/' and exists.
[[nodiscard]] bool is_model_path(std::string_view name);

/// Reads the model at `path` by what the file holds, not by what it is called; "-" is a
/// configuration on the standard input. Weights beside a configuration are compared with it. Throws
/// `Error` with every problem.
[[nodiscard]] ReadModel read_model_file(const std::string& path, const Catalog& catalog,
                                        const ModelFileOptions& options = {});

}  // namespace napkin::formats
