// Whatever a GGUF file says, the reader of models returns or throws `Error`; and what it returns
// adds up to what the file holds.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "formats/gguf/model.hpp"
#include "napkin/diagnostic.hpp"

using namespace napkin;
using namespace napkin::formats;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Catalog catalog;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    ByteReader reader(bytes, "fuzz.gguf");
    try {
        GgufHeader header = read_gguf(reader);
        const GgufFile file{.metadata = std::move(header.metadata),
                            .tensors = std::move(header.tensors),
                            .file_bytes = header.file_bytes,
                            .shards = 1,
                            .path = "fuzz.gguf"};
        double elements = 0;
        double stored = 0;
        for (const StoredTensor& tensor : file.tensors) {
            elements += static_cast<double>(tensor.elements);
            stored += static_cast<double>(tensor.bytes);
        }
        const Model model = read_gguf_model(file, "fuzz", catalog).model;
        double parts = 0;
        for (const Part& part : model.parts) parts += part.parameters;
        if (std::abs(parameters(model) + parts - elements) > 0.5) std::abort();
        if (parts == 0 && std::abs(weight_bytes(model).value() - stored) > 0.5) std::abort();
        (void)kv_bytes_per_token(model, bfloat16());
        (void)state_bytes(model);
    } catch (const Error&) {
        return 0;
    }
    return 0;
}
