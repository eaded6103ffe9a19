// Any bytes as a safetensors file, as the JSON of a header and as an index: refused by Error or
// read, and what is read adds up.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/impostors.hpp"
#include "formats/safetensors/safetensors.hpp"
#include "formats/safetensors/shard_index.hpp"
#include "formats/safetensors/tensor_kinds.hpp"
#include "napkin/diagnostic.hpp"

namespace {

using napkin::Error;
using namespace napkin::formats;

void require(bool condition) {
    if (!condition) std::abort();
}

template <class Read>
void attempt(Read read) {
    constexpr std::size_t longest_message = 2000;
    try {
        read();
    } catch (const Error& error) {
        require(error.problems.size() == 1 && !error.problems.front().id.empty());
        require(error.problems.front().message.size() < longest_message);
    }
}

void check(const SafetensorsHeader& header) {
    std::uint64_t bytes = 0;
    std::uint64_t elements = 0;
    for (const StoredTensor& tensor : header.tensors) {
        bytes += tensor.bytes;
        elements += tensor.elements;
    }
    require(bytes == header.bytes);
    const ElementsByKind kinds = elements_by_kind(header.tensors);
    require(kinds.weights + kinds.packed + kinds.scales + kinds.buffers == elements);
}

void read_as_file(std::string_view bytes) {
    static const int descriptor = ::memfd_create("fuzz", 0);
    static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    require(::ftruncate(descriptor, static_cast<off_t>(bytes.size())) == 0);
    require(::pwrite(descriptor, bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
    check(read_safetensors(InputFile(path)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    (void)impostor(bytes.substr(0, impostor_bytes));
    attempt([&] { read_as_file(bytes); });
    // As many bytes of data as its last number says would take luck: any of a few will do.
    for (const std::uint64_t data_bytes : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{19}}) {
        attempt([&] { check(read_safetensors(bytes, data_bytes, "header")); });
    }
    attempt([&] {
        const ShardIndex index = read_shard_index(bytes, "index");
        for (const ShardIndex::Entry& entry : index.entries) {
            require(entry.shard < index.shards.size());
        }
    });
    return 0;
}
