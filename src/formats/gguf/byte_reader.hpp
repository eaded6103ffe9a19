// Bytes of a file from front to back, every step checked against what is left of it.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/input_file.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {

/// Reads a file, or bytes in memory, through a window of 64 KiB: memory does not grow with the
/// file. All numbers are little-endian. A read beyond the end throws `Error` "truncated-file".
class ByteReader {
  public:
    explicit ByteReader(const InputFile& file);
    /// Over `bytes`, which must outlive the reader; messages call them `path`.
    ByteReader(std::string_view bytes, std::string path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint64_t offset() const { return offset_; }
    [[nodiscard]] std::uint64_t remaining() const { return size_ - offset_; }

    /// The next unsigned number of that width.
    template <class T>
    [[nodiscard]] T number() {
        const char* at = next(sizeof(T));
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bits |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
        }
        return static_cast<T>(bits);
    }
    [[nodiscard]] std::uint8_t u8() { return number<std::uint8_t>(); }
    [[nodiscard]] std::uint16_t u16() { return number<std::uint16_t>(); }
    [[nodiscard]] std::uint32_t u32() { return number<std::uint32_t>(); }
    [[nodiscard]] std::uint64_t u64() { return number<std::uint64_t>(); }
    [[nodiscard]] float f32() { return std::bit_cast<float>(u32()); }
    [[nodiscard]] double f64() { return std::bit_cast<double>(u64()); }

    /// A copy of the next `count` bytes; the caller bounds it where a file could be huge.
    [[nodiscard]] std::string take(std::uint64_t count);
    /// Steps over `count` bytes without reading them.
    void skip(std::uint64_t count);

    /// Throws `Error` about this file: `message` after its path.
    [[noreturn]] void refuse(std::string id, const std::string& message,
                             std::string expected = {}) const;

  private:
    /// Where the next `count` bytes stand, at most a window's; steps over them.
    const char* next(std::size_t count) {
        if (offset_ - window_begin_ + count > window_.size()) refill(count);
        const char* at = window_.data() + (offset_ - window_begin_);
        offset_ += count;
        return at;
    }
    void need(std::uint64_t count) const;
    void refill(std::size_t count);

    const InputFile* file_{};
    std::string path_{};
    std::uint64_t size_{};
    std::uint64_t offset_{};
    std::vector<char> buffer_{};
    std::string_view window_{};     // the bytes from `window_begin_` on
    std::uint64_t window_begin_{};  // never behind `offset_`
};

}  // namespace napkin::formats
