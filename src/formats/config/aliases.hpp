// The names that configurations use for one and the same size.
#pragma once

#include <string_view>
#include <vector>

namespace napkin::formats {

/// The keys under which configurations state what we call `name`, the one that errors ask for
/// first; `name` itself where it is a key of its own.
/// Source: the configuration classes of github:huggingface/transformers src/transformers/models.
[[nodiscard]] std::vector<std::string_view> keys_of(std::string_view name);

/// Whether all of those keys have to say the same. Lengths and vocabularies come in several true
/// versions (trained and extended, used and padded); dimensions do not.
[[nodiscard]] bool must_agree(std::string_view name);

}  // namespace napkin::formats
