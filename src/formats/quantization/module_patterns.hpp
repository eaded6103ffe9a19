// Lists of module names as quantization configurations write them: names, globs, "re:" patterns.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace napkin::formats {

class ModulePatterns {
  public:
    /// No more globs than this are taken in, nor more regular expressions: each is tried on every
    /// tensor of a model.
    static constexpr std::size_t most_globs = 4096;

    /// Takes a pattern in. A plain name stands for the module and what is in it ("self_attn" for
    /// self_attn.q_proj); `*` for any characters; "re:" is a regular expression that has to match
    /// the beginning of a name, of which `.`, `.*`, `.+`, `\d+`, escapes, anchors and alternatives
    /// in parentheses are understood. Returns false for any other, and for one too many.
    bool add(std::string_view pattern);

    /// Whether a module such as "layers.3.mlp.gate_proj" is among them.
    [[nodiscard]] bool match(std::string_view module) const;
    [[nodiscard]] bool empty() const { return names_.empty() && globs_.empty(); }
    [[nodiscard]] std::size_t globs() const { return globs_.size(); }
    [[nodiscard]] bool full() const {
        return globs_.size() >= most_globs || expressions_ >= most_globs;
    }

  private:
    std::unordered_set<std::string> names_{};
    std::vector<std::string> globs_{};
    std::size_t expressions_{};
};

}  // namespace napkin::formats
