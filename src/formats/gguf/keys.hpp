// The metadata of a GGUF model by the keys of its architecture, each value held to what it may be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf/gguf.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::formats {

/// Keys are given without the architecture: "block_count" is "llama.block_count". Problems add up
/// until `finish`, so that one run reports them all. Source of the keys: github:ggml-org/llama.cpp
/// src/llama-arch.cpp, LLM_KV_NAMES.
class GgufKeys {
  public:
    /// Throws `Error` if the file names no architecture.
    GgufKeys(const GgufFile& file, std::string path);

    [[nodiscard]] const std::string& architecture() const { return architecture_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    /// "llama.block_count": the whole key, for messages.
    [[nodiscard]] std::string full(std::string_view key) const;

    [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
    /// A whole number of at least one; a problem if it is missing or anything else.
    [[nodiscard]] double need(std::string_view key);
    /// A whole number, `fallback` where the key is missing.
    [[nodiscard]] double get(std::string_view key, double fallback);
    /// As `get`, of a key that may also be a list with an item for each layer.
    [[nodiscard]] double at_layer(std::string_view key, std::size_t layer, double fallback);
    [[nodiscard]] bool flag(std::string_view key, bool fallback) const;
    /// The value as a list; null where it is missing or no list.
    [[nodiscard]] const GgufArray* list(std::string_view key) const;
    /// How many items a list by layers must have: one for each layer, or for each but those of
    /// multi-token prediction.
    void expect_layers(double all, double main) {
        layers_ = all;
        main_layers_ = main;
    }

    void problem(std::string id, std::string message, std::string expected = {});
    /// Throws `Error` with all problems found so far, if there are any.
    void finish() const;
    /// Throws `Error` with this one.
    [[noreturn]] void refuse(std::string id, const std::string& message, std::string expected = {},
                             std::string hint = {}) const;

  private:
    [[nodiscard]] const GgufValue* find(std::string_view key) const;
    [[nodiscard]] double whole(std::string_view key, const double* number);

    const GgufMetadata& metadata_;
    std::string path_;
    std::string architecture_{};
    double layers_{}, main_layers_{};
    std::vector<Problem> problems_{};
};

/// A text of the metadata; empty where it is missing or no text.
[[nodiscard]] std::string gguf_text(const GgufMetadata& metadata, std::string_view key);

}  // namespace napkin::formats
