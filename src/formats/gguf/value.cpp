#include "formats/gguf/value.hpp"

namespace napkin::formats {
namespace {

constexpr std::uint64_t longest_key = 65'535;  // docs/gguf.md
constexpr std::uint64_t longest_text = 1u << 20;
constexpr std::uint64_t most_numbers = 65'536;  // a list per layer or per frequency, no vocabulary
constexpr int deepest = 4;
// Real headers keep less than 1 MB of this. A file that is mostly hole (sparse) costs its author
// nothing, so neither memory nor time may follow its size alone.
constexpr std::uint64_t most_kept = 64u << 20;
constexpr std::uint64_t most_walked = 64u << 20;  // as ggml's GGUF_MAX_ARRAY_ELEMENTS

// Bytes of a value, or of its least where it varies.
std::uint64_t least_bytes(GgufType type) {
    switch (type) {
        case GgufType::u8:
        case GgufType::i8:
        case GgufType::boolean:
            return 1;
        case GgufType::u16:
        case GgufType::i16:
            return 2;
        case GgufType::u32:
        case GgufType::i32:
        case GgufType::f32:
            return 4;
        case GgufType::u64:
        case GgufType::i64:
        case GgufType::f64:
        case GgufType::string:  // its length
            return 8;
        case GgufType::array:
            break;
    }
    return 12;  // type and count of its elements
}

bool varies(GgufType type) {
    return type == GgufType::string || type == GgufType::array;
}

}  // namespace

std::string GgufValueReader::key() {
    const std::uint64_t at = reader_.offset();
    const std::uint64_t length = reader_.u64();
    if (length == 0 || length > longest_key) {
        reader_.refuse("invalid-key",
                       "a key of " + grouped(length) + " bytes at byte " + grouped(at),
                       "1 to 65,535 bytes");
    }
    keep(length + sizeof(std::string) + sizeof(GgufValue));
    key_ = reader_.take(length);
    return key_;
}

GgufType GgufValueReader::type() {
    const std::uint64_t at = reader_.offset();
    const std::uint32_t number = reader_.u32();
    if (number > static_cast<std::uint32_t>(GgufType::f64)) {
        reader_.refuse("unknown-value-type",
                       "the key " + shown(key_) + " has value type " + grouped(number) +
                           " at byte " + grouped(at),
                       "0 to 12");
    }
    return static_cast<GgufType>(number);
}

GgufValue GgufValueReader::value() {
    const GgufType stored = type();
    if (stored == GgufType::array) return array();
    if (stored == GgufType::string) return text();
    if (stored == GgufType::boolean) return number(stored) == 1;
    return number(stored);
}

GgufValue GgufValueReader::text() {
    const std::uint64_t length = reader_.u64();
    if (length > longest_text) {
        reader_.skip(length);
        return GgufLongText{length};
    }
    keep(length);
    return reader_.take(length);
}

double GgufValueReader::number(GgufType type) {
    switch (type) {
        case GgufType::u8:
            return reader_.u8();
        case GgufType::i8:
            return static_cast<std::int8_t>(reader_.u8());
        case GgufType::u16:
            return reader_.u16();
        case GgufType::i16:
            return static_cast<std::int16_t>(reader_.u16());
        case GgufType::u32:
            return reader_.u32();
        case GgufType::i32:
            return static_cast<std::int32_t>(reader_.u32());
        case GgufType::f32:
            return static_cast<double>(reader_.f32());
        case GgufType::u64:
            return static_cast<double>(reader_.u64());
        case GgufType::i64:
            return static_cast<double>(static_cast<std::int64_t>(reader_.u64()));
        case GgufType::f64:
            return reader_.f64();
        case GgufType::boolean:
        case GgufType::string:
        case GgufType::array:
            break;
    }
    return truth();
}

double GgufValueReader::truth() {
    const std::uint64_t at = reader_.offset();
    const std::uint8_t value = reader_.u8();
    if (value > 1) {
        reader_.refuse("invalid-boolean",
                       "the key " + shown(key_) + " has the truth value " + grouped(value) +
                           " at byte " + grouped(at),
                       "0 or 1");
    }
    return value;
}

GgufArray GgufValueReader::array() {
    GgufArray array;
    array.type = type();
    array.count = reader_.u64();
    if (varies(array.type) || array.count > most_numbers) {
        skip_elements(array.type, array.count, 1);
        return array;
    }
    check_elements(array.type, array.count);
    keep(array.count * sizeof(double));
    array.numbers.reserve(static_cast<std::size_t>(array.count));
    for (std::uint64_t i = 0; i < array.count; ++i) array.numbers.push_back(number(array.type));
    return array;
}

void GgufValueReader::check_elements(GgufType type, std::uint64_t count) const {
    check_gguf_count(reader_, count, least_bytes(type), "elements of " + shown(key_));
}

void GgufValueReader::skip_elements(GgufType type, std::uint64_t count, int depth) {
    check_elements(type, count);
    if (!varies(type)) {
        reader_.skip(count * least_bytes(type));
        return;
    }
    walk(count);
    if (type == GgufType::string) {
        for (std::uint64_t i = 0; i < count; ++i) reader_.skip(reader_.u64());
        return;
    }
    if (depth == deepest) {
        reader_.refuse("too-deep", "the key " + shown(key_) + " nests arrays deeper than " +
                                       grouped(deepest) + " levels at byte " +
                                       grouped(reader_.offset()));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const GgufType inner = this->type();
        skip_elements(inner, reader_.u64(), depth + 1);
    }
}

void GgufValueReader::keep(std::uint64_t bytes) {
    kept_ += bytes;
    if (kept_ > most_kept) {
        too_large("more than " + grouped(most_kept) + " bytes of keys, texts and numbers");
    }
}

void GgufValueReader::walk(std::uint64_t count) {
    walked_ += count;
    if (walked_ > most_walked) {
        too_large("more than " + grouped(most_walked) + " strings and arrays in lists");
    }
}

void GgufValueReader::too_large(const std::string& what) const {
    reader_.refuse("metadata-too-large", what + " up to the key " + shown(key_) + " at byte " +
                                             grouped(reader_.offset()));
}

void check_gguf_count(const ByteReader& reader, std::uint64_t count, std::uint64_t least,
                      const std::string& things) {
    if (count <= reader.remaining() / least) return;
    reader.refuse("count-too-large", grouped(count) + " " + things + " cannot stand in the " +
                                         grouped(reader.remaining()) + " bytes that follow byte " +
                                         grouped(reader.offset()) + ": truncated or damaged");
}

}  // namespace napkin::formats
