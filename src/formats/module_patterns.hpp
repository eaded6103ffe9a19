// Lists of module names as quantization configurations write them: names, globs, "re:" patterns.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace napkin::formats {

class ModulePatterns {
  public:
    /// Takes a pattern in. A plain name stands for the module and what is in it ("self_attn" for
    /// self_attn.q_proj); `*` for any characters; "re:" is a regular expression of which `.*`,
    /// escapes, anchors and one level of (a|b) are understood. Returns false for any other.
    bool add(std::string_view pattern);

    /// Whether a module such as "layers.3.mlp.gate_proj" is among them.
    [[nodiscard]] bool match(std::string_view module) const;
    [[nodiscard]] bool empty() const { return names_.empty() && globs_.empty(); }

  private:
    std::unordered_set<std::string> names_{};
    std::vector<std::string> globs_{};
};

}  // namespace napkin::formats
