// What a GGUF file says about its model: values by key, long lists only counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "formats/gguf/byte_reader.hpp"
#include "formats/gguf/value.hpp"

namespace napkin::formats {

using GgufMetadata = std::map<std::string, GgufValue, std::less<>>;

/// `count` pairs of key and value. Throws `Error` on an empty, too long or repeated key, an unknown
/// type, arrays nested deeper than 4, and counts that the rest of the file cannot hold.
[[nodiscard]] GgufMetadata read_gguf_metadata(ByteReader& reader, std::uint64_t count);

/// The value of a key, null if there is none. Throws `Error` if it is not a number; `reader` gives
/// the message its file.
[[nodiscard]] const double* gguf_number(const ByteReader& reader, const GgufMetadata& metadata,
                                        std::string_view key);

}  // namespace napkin::formats
