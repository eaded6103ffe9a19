// Keys and values in the front part of a GGUF file.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "formats/gguf/byte_reader.hpp"

namespace napkin::formats {

/// How a value is stored. Source: github:ggml-org/ggml docs/gguf.md, gguf_metadata_value_type.
enum class GgufType : std::uint32_t {
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    f32,
    boolean,
    string,
    array,
    u64,
    i64,
    f64
};

struct GgufArray {
    GgufType type{};
    std::uint64_t count{};
    std::vector<double> numbers{};  // all of them, or none: of strings, arrays and longer lists
};

/// A text beyond 1 MiB, which is not kept.
struct GgufLongText {
    std::uint64_t bytes{};
};

/// Numbers are doubles: exact for integers up to 2^53. Floating-point values come as the file has
/// them, NaN and infinity included.
using GgufValue = std::variant<double, bool, std::string, GgufArray, GgufLongText>;

/// Reads keys and values by turns, within bounds on what is kept of all of them together.
class GgufValueReader {
  public:
    explicit GgufValueReader(ByteReader& reader) : reader_(reader) {}

    [[nodiscard]] std::string key();
    /// The value of the key read last.
    [[nodiscard]] GgufValue value();

  private:
    [[nodiscard]] GgufType type();
    [[nodiscard]] GgufValue text();
    [[nodiscard]] double number(GgufType type);
    [[nodiscard]] double truth();
    [[nodiscard]] GgufArray array();
    void check_elements(GgufType type, std::uint64_t count) const;
    void skip_elements(GgufType type, std::uint64_t count, int depth);
    void keep(std::uint64_t bytes);
    void walk(std::uint64_t count);
    [[noreturn]] void too_large(const std::string& what) const;

    ByteReader& reader_;
    std::string key_{};
    std::uint64_t kept_{};    // bytes of keys, texts and numbers
    std::uint64_t walked_{};  // strings and arrays in lists
};

/// Throws `Error` "count-too-large" if `count` things of `least` bytes each do not fit in the rest.
void check_gguf_count(const ByteReader& reader, std::uint64_t count, std::uint64_t least,
                      const std::string& things);

}  // namespace napkin::formats
