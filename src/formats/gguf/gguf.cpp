#include "formats/gguf/gguf.hpp"

#include <cmath>
#include <iterator>

#include "formats/gguf/tensors.hpp"

namespace napkin::formats {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint64_t default_alignment = 32;
constexpr double largest_alignment = 1 << 20;  // as ggml's GGUF_MAX_ALIGNMENT

// "3c 21 44 4f": bytes that may be anything.
std::string hexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (!text.empty()) text += ' ';
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

void check_magic(ByteReader& reader) {
    const std::string first = reader.take(magic.size());
    if (first == magic) return;
    std::string printable = first;
    for (char& c : printable) {
        if (c < ' ' || c > '~') c = '.';
    }
    reader.refuse("not-gguf",
                  "not a GGUF file: it begins with " + hexadecimal(first) + " '" + printable + "'",
                  hexadecimal(magic) + " 'GGUF'");
}

std::uint32_t read_version(ByteReader& reader) {
    const std::uint32_t version = reader.u32();
    if (version == 2 || version == 3) return version;
    // There is no flag: a version read the wrong way round has nothing in its low half.
    if (version != 0 && (version & 0xffff) == 0) {
        reader.refuse("wrong-byte-order", "a big-endian GGUF file, which is not supported",
                      "a little-endian file");
    }
    reader.refuse("unsupported-version",
                  "GGUF version " + grouped(version) + " at byte 4 is not supported" +
                      (version == 1 ? ": its counts have other widths" : ""),
                  "version 2 or 3");
}

std::uint64_t alignment_in(const ByteReader& reader, const GgufMetadata& metadata) {
    const double* given = gguf_number(reader, metadata, "general.alignment");
    if (given == nullptr) return default_alignment;
    int exponent = 0;
    const bool power_of_two = std::frexp(*given, &exponent) == 0.5;
    if (!power_of_two || *given < 8 || *given > largest_alignment) {
        reader.refuse("invalid-alignment", "general.alignment is not an alignment",
                      "a power of two from 8 to 1,048,576");
    }
    return static_cast<std::uint64_t>(*given);
}

}  // namespace

GgufHeader read_gguf(ByteReader& reader) {
    check_magic(reader);
    GgufHeader header;
    header.version = read_version(reader);
    header.file_bytes = reader.size();
    const std::uint64_t tensor_count = reader.u64();
    const std::uint64_t pair_count = reader.u64();
    header.metadata = read_gguf_metadata(reader, pair_count);
    header.alignment = alignment_in(reader, header.metadata);
    auto placed = read_gguf_tensors(reader, tensor_count, header.alignment);
    header.header_bytes = reader.offset();
    header.data_offset =
        (header.header_bytes + header.alignment - 1) / header.alignment * header.alignment;
    check_gguf_places(reader, placed, header.data_offset);
    header.tensors.reserve(placed.size());
    for (PlacedTensor& one : placed) header.tensors.push_back(std::move(one.tensor));
    return header;
}

}  // namespace napkin::formats
