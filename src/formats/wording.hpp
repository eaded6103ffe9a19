// How what a file says, and where it says it, is put into messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "napkin/diagnostic.hpp"

namespace napkin::formats {

/// Every digit of a count, an offset or a size: 1234567 -> "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t count);

/// Text of a file in quotes, at most 100 characters of it.
[[nodiscard]] std::string shown(std::string_view text);

/// A problem of the file at `path`, which is named in the message.
[[nodiscard]] Problem problem_in(const std::string& path, std::string id,
                                 const std::string& message, std::string expected = {},
                                 std::string hint = {});

}  // namespace napkin::formats
