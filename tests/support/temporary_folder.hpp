// A folder for the files of one test, removed at its end.
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace napkin::test {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        path_ = (std::filesystem::temp_directory_path() / "napkin-XXXXXX").string();
        if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] std::string path(std::string_view name) const {
        return path_ + "/" + std::string(name);
    }
    [[nodiscard]] const std::string& path() const { return path_; }

    /// Writes a file, makes the folders above it, and returns its path. Zeros that take no room on
    /// the disk follow `bytes` up to `size`.
    std::string write(std::string_view name, std::string_view bytes, std::uint64_t size = 0) const {
        const std::string file = path(name);
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        std::ofstream(file, std::ios::binary) << bytes;
        if (size > bytes.size()) std::filesystem::resize_file(file, size);
        return file;
    }

  private:
    std::string path_{};
};

}  // namespace napkin::test
