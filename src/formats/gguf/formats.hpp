// Number formats of GGUF tensors, and of several that share a place in the model.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "napkin/catalog.hpp"
#include "napkin/model.hpp"

namespace napkin::formats {

/// Weights of one stored type.
struct StoredWeights {
    std::string type{};  // "Q4_K"
    double elements{};
    double bytes{};
};

/// Formats by ggml's types: the catalog's, with the sizes of ggml's own blocks.
class GgufFormats {
  public:
    explicit GgufFormats(const Catalog& catalog) : catalog_(catalog) {}

    /// The format in which `stored` takes exactly its bytes: its type's, or where types differ one
    /// of that many bytes for that many weights.
    [[nodiscard]] const NumberFormat& of(const std::vector<StoredWeights>& stored);

  private:
    [[nodiscard]] const NumberFormat& of_type(const std::string& type);
    [[nodiscard]] const NumberFormat& mix(const std::vector<StoredWeights>& stored);

    const Catalog& catalog_;
    std::map<std::string, NumberFormat, std::less<>> known_{};
};

/// Counts bytes by role and type.
class ByteCount {
  public:
    void add(Role role, const StoredWeights& stored);
    /// The type that holds most bytes of the role; empty if there are none.
    [[nodiscard]] std::string most(Role role) const;
    /// Of all roles.
    [[nodiscard]] std::string most() const;

  private:
    std::array<std::map<std::string, double, std::less<>>, role_count> bytes_{};
};

/// "Q4_K_M": what llama.cpp calls a file of that `general.file_type`; empty for unknown numbers.
/// Source: github:ggml-org/llama.cpp include/llama.h, enum llama_ftype.
[[nodiscard]] std::string_view gguf_file_type(double number);

}  // namespace napkin::formats
