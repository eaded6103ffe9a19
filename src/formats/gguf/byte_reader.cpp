#include "formats/gguf/byte_reader.hpp"

#include <algorithm>

#include "formats/wording.hpp"
#include "napkin/diagnostic.hpp"

namespace napkin::formats {
namespace {

constexpr std::size_t window_bytes = 64 * 1024;

}  // namespace

ByteReader::ByteReader(const InputFile& file)
    : file_(&file), path_(file.path()), size_(file.size()) {}

ByteReader::ByteReader(std::string_view bytes, std::string path)
    : path_(std::move(path)), size_(bytes.size()), window_(bytes) {}

void ByteReader::need(std::uint64_t count) const {
    if (count <= remaining()) return;
    refuse("truncated-file", "truncated: " + grouped(count) + " bytes were to follow at byte " +
                                 grouped(offset_) + ", the file has " + grouped(size_));
}

void ByteReader::refill(std::size_t count) {
    need(count);
    buffer_.resize(window_bytes);
    const auto wanted = std::min<std::uint64_t>(window_bytes, remaining());
    const std::size_t got = file_->read(offset_, buffer_.data(), static_cast<std::size_t>(wanted));
    window_ = {buffer_.data(), got};
    window_begin_ = offset_;
    if (got < count) {
        refuse("truncated-file", "the file became shorter while it was read: it ended at byte " +
                                     grouped(offset_ + got));
    }
}

std::string ByteReader::take(std::uint64_t count) {
    need(count);
    std::string result;
    result.reserve(static_cast<std::size_t>(count));
    while (result.size() < count) {
        const auto piece =
            static_cast<std::size_t>(std::min<std::uint64_t>(window_bytes, count - result.size()));
        result.append(next(piece), piece);
    }
    return result;
}

void ByteReader::skip(std::uint64_t count) {
    need(count);
    offset_ += count;
}

void ByteReader::refuse(std::string id, const std::string& message, std::string expected) const {
    throw Error({.id = std::move(id),
                 .message = path_ + ": " + message,
                 .where = {.file = path_},
                 .expected = std::move(expected),
                 .suggestions = {},
                 .hint = {}});
}

}  // namespace napkin::formats
