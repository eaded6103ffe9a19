// Whatever the bytes are, the reader of GGUF headers returns or throws `Error`.
#include <cstddef>
#include <cstdint>

#include "formats/gguf/gguf.hpp"
#include "napkin/diagnostic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    napkin::formats::ByteReader reader(bytes, "fuzz.gguf");
    try {
        (void)napkin::formats::read_gguf(reader);
    } catch (const napkin::Error&) {
        return 0;
    }
    return 0;
}
