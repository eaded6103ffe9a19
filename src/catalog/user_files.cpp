#include "catalog/user_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "napkin/diagnostic.hpp"

namespace napkin::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t longest = 64u << 20;  // a preset file is text that people wrote

[[noreturn]] void refuse(const std::string& path, std::string id, std::string message) {
    throw Error({.id = std::move(id),
                 .message = path + ": " + std::move(message),
                 .where = {.file = path},
                 .expected = {},
                 .suggestions = {},
                 .hint = {}});
}

}  // namespace

std::string read_text(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) refuse(path, "no-such-file", "no such file");
    if (!fs::is_regular_file(status)) refuse(path, "not-a-file", "not a regular file");
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > longest) refuse(path, "file-too-large", "larger than 64 MiB");
    std::ifstream in(path, std::ios::binary);
    std::string text(size, '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    if (!in) refuse(path, "unreadable-file", "cannot be read");
    return text;
}

std::optional<std::vector<std::string>> json_files(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code error;
    fs::directory_iterator items(folder, error);
    if (error) return std::nullopt;
    for (const auto& item : items) {
        if (item.path().extension() == ".json") files.push_back(item.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string stem_of(const std::string& path) {
    return fs::path(path).stem().string();
}

}  // namespace napkin::catalog
