// A file from outside, read in the pieces that are asked for and never beyond its real size.
#pragma once

#include <cstdint>
#include <string>

namespace napkin::formats {

/// A regular file, open for reading. Folders, FIFOs, devices and empty files throw `Error`.
class InputFile {
  public:
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }

    /// Fills `into` with the bytes from `offset` on; returns how many there were.
    std::size_t read(std::uint64_t offset, char* into, std::size_t count) const;
    /// `count` bytes from `offset`; throws `Error` where the file ends before.
    [[nodiscard]] std::string text(std::uint64_t offset, std::uint64_t count) const;

  private:
    std::string path_;
    int descriptor_{-1};
    std::uint64_t size_{};
};

}  // namespace napkin::formats
