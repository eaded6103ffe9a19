#include "formats/impostors.hpp"

#include <array>
#include <charconv>
#include <cstdint>

#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

struct Signature {
    std::string_view begin{};
    std::string_view what{};
};

constexpr std::array<Signature, 9> signatures{{
    {"PK\x03\x04", "this is a zip archive, perhaps a PyTorch .bin or .pt"},
    {"GGUF", "this is a GGUF file"},
    {"\x89HDF\r\n", "this is an HDF5 file, perhaps Keras or TensorFlow weights"},
    {"\x1f\x8b", "this is gzip-compressed: unpack it first"},
    {"Entry not found", "this is an error message of a download: the file was not found there"},
    {"Repository not found", "this is an error message of a download: no such repository"},
    {"Invalid username or password",
     "this is an error message of a download: it was made without being logged in"},
    {"Access to model", "this is an error message of a download: access has to be asked for first"},
    {"<?xml", "this is XML, perhaps an error message of a download"},
}};

constexpr std::string_view lfs_pointer = "version https://git-lfs.github.com/spec/";

// "size 4976698672" on a line of its own.
std::string lfs_text(std::string_view text) {
    std::string of_size;
    if (const std::size_t at = text.find("\nsize "); at != std::string_view::npos) {
        std::uint64_t size = 0;
        const char* const begin = text.data() + at + 6;
        const auto read = std::from_chars(begin, text.data() + text.size(), size);
        if (read.ec == std::errc() && read.ptr != begin)
            of_size = " of " + grouped(size) + " bytes";
    }
    return "this is a git-lfs pointer, not the file" + of_size + ": `git lfs pull`";
}

bool begins_as_html(std::string_view text) {
    std::string lower;
    for (const char c : text.substr(0, 16)) {
        lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return lower.starts_with("<!doctype html") || lower.starts_with("<html") ||
           lower.starts_with("<head");
}

// A protocol from 2 on, then an opcode. A safetensors header of 640 bytes begins alike, with a
// zero.
bool begins_as_pickle(std::string_view text) {
    return text.size() >= 3 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5 && text[2] != 0;
}

// Eight bytes of a length under 2^32, then the header.
bool begins_as_safetensors(std::string_view text) {
    return text.size() >= 9 && text[8] == '{' &&
           text.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

}  // namespace

std::optional<std::string> impostor(std::string_view first_bytes) {
    if (first_bytes.starts_with(lfs_pointer)) return lfs_text(first_bytes);
    for (const Signature& signature : signatures) {
        if (first_bytes.starts_with(signature.begin)) return std::string(signature.what);
    }
    if (begins_as_pickle(first_bytes)) return "this is a Python pickle, perhaps a PyTorch .bin";
    if (begins_as_safetensors(first_bytes)) return "this is a safetensors file";
    const std::size_t ink = first_bytes.find_first_not_of(" \t\r\n");
    if (ink == std::string_view::npos) return std::nullopt;
    const std::string_view text = first_bytes.substr(ink);
    if (begins_as_html(text)) {
        return "this is an HTML page, not the file: download it again, from its \"resolve\" or "
               "\"raw\" address and logged in if need be";
    }
    if (text.front() == '{') return "this is JSON text, perhaps a configuration or an index";
    return std::nullopt;
}

}  // namespace napkin::formats
