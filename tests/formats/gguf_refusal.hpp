// What the reader says of GGUF bytes that it does not take.
#pragma once

#include <string>
#include <string_view>

#include "formats/gguf/gguf.hpp"
#include "tests/support/gguf_builder.hpp"
#include "tests/support/problems.hpp"

namespace napkin::test {

/// The problem with a file of these bytes, called "test.gguf"; its id is "none" for a good one.
inline Problem refused(const std::string& bytes) {
    return outcome_of([&] {
        formats::ByteReader reader(bytes, "test.gguf");
        (void)formats::read_gguf(reader);
    });
}

inline std::string id(const std::string& bytes) {
    return refused(bytes).id;
}
inline std::string id(const GgufBuilder& builder) {
    return id(builder.file());
}
inline std::string message(const GgufBuilder& builder) {
    return refused(builder.file()).message;
}
inline bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace napkin::test
