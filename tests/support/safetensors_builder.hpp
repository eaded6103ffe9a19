// Safetensors files for tests, good ones and others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace napkin::test {

/// 8 bytes, little-endian.
inline std::string length_prefix(std::uint64_t length) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 255);
    return bytes;
}

/// A file with this header, whatever it says, and zeros for data.
inline std::string safetensors_with(const std::string& header, std::size_t data_bytes) {
    return length_prefix(header.size()) + header + std::string(data_bytes, '\0');
}

/// Tensors end to end.
class SafetensorsBuilder {
  public:
    SafetensorsBuilder& add(const std::string& name, const std::string& dtype,
                            const std::string& shape, std::uint64_t bytes) {
        entries_ += ",\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
                    ",\"data_offsets\":[" + std::to_string(end_) + "," +
                    std::to_string(end_ + bytes) + "]}";
        end_ += bytes;
        return *this;
    }

    [[nodiscard]] std::string header() const {
        return R"({"__metadata__":{"format":"pt"})" + entries_ + "}";
    }
    [[nodiscard]] std::string bytes() const { return safetensors_with(header(), end_); }
    /// Of any size: the data take no room on the disk.
    std::string write(const TemporaryFolder& folder, const std::string& name) const {
        return folder.write(name, safetensors_with(header(), 0), 8 + header().size() + end_);
    }

  private:
    std::string entries_{};
    std::uint64_t end_{};
};

}  // namespace napkin::test
