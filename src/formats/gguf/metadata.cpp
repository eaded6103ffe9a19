#include "formats/gguf/metadata.hpp"

#include <utility>

namespace napkin::formats {
namespace {

constexpr std::uint64_t least_pair = 8 + 1 + 4 + 1;  // length, key, type, value

}  // namespace

GgufMetadata read_gguf_metadata(ByteReader& reader, std::uint64_t count) {
    check_gguf_count(reader, count, least_pair, "key-value pairs");
    GgufValueReader pairs(reader);
    GgufMetadata metadata;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = reader.offset();
        std::string key = pairs.key();
        if (metadata.contains(key)) {
            reader.refuse("duplicate-key",
                          "the key " + shown(key) + " stands twice, again at byte " + grouped(at));
        }
        metadata.emplace(std::move(key), pairs.value());
    }
    return metadata;
}

const double* gguf_number(const ByteReader& reader, const GgufMetadata& metadata,
                          std::string_view key) {
    const auto at = metadata.find(key);
    if (at == metadata.end()) return nullptr;
    const double* number = std::get_if<double>(&at->second);
    if (number == nullptr) {
        reader.refuse("not-a-number", "the key " + shown(key) + " is not a number");
    }
    return number;
}

}  // namespace napkin::formats
