#include "formats/safetensors/safetensors.hpp"

#include <algorithm>
#include <numeric>

#include "formats/impostors.hpp"
#include "formats/safetensors/entry.hpp"
#include "formats/safetensors/header.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

// The tensors have to lie end to end from the first byte of the data to the last.
void check_layout(const ListedTensors& found, std::uint64_t data_bytes, const std::string& name) {
    const std::vector<StoredTensor>& tensors = found.header.tensors;
    std::vector<std::uint32_t> order(tensors.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        if (found.begins[a] != found.begins[b]) return found.begins[a] < found.begins[b];
        return tensors[a].bytes < tensors[b].bytes;
    };
    // Writers list the tensors as they lie.
    if (!std::is_sorted(order.begin(), order.end(), before)) {
        std::sort(order.begin(), order.end(), before);
    }
    std::uint64_t reached = 0;
    const std::uint32_t* previous = nullptr;
    const auto tensor = [&](std::uint32_t i) { return "tensor " + shown(tensors[i].name); };
    for (const std::uint32_t& i : order) {
        const std::uint64_t begin = found.begins[i];
        if (begin < reached) {
            throw Error(problem_in(name, "overlapping-tensors",
                                   tensor(i) + " begins at byte " + grouped(begin) +
                                       " of the data, inside " + tensor(*previous) +
                                       ", which ends at " + grouped(reached)));
        }
        if (begin > reached) {
            throw Error(problem_in(name, "hole-in-data",
                                   grouped(begin - reached) + " bytes before " + tensor(i) +
                                       " belong to no tensor, from byte " + grouped(reached) +
                                       " of the data on"));
        }
        reached += tensors[i].bytes;
        if (reached > data_bytes) {
            throw Error(problem_in(name, "truncated-file",
                                   "truncated: " + tensor(i) + " ends at byte " + grouped(reached) +
                                       " of the data, the file has " + grouped(data_bytes),
                                   {}, "download it again"));
        }
        previous = &i;
    }
    if (reached < data_bytes) {
        throw Error(problem_in(
            name, "trailing-bytes",
            grouped(data_bytes - reached) + " bytes too many: the tensors end at " + "byte " +
                grouped(reached) + " of the data, the file has " + grouped(data_bytes)));
    }
}

[[noreturn]] void refuse(const InputFile& file, std::string id, const std::string& message) {
    std::string first(impostor_bytes, '\0');
    first.resize(file.read(0, first.data(), first.size()));
    const bool begins_well = first.size() > safetensors_header_begin && first[8] == '{';
    if (const auto what = impostor(first); what && !begins_well) {
        throw Error(problem_in(file.path(), "not-safetensors", "no safetensors file: " + *what));
    }
    throw Error(problem_in(file.path(), std::move(id), message,
                           "8 bytes with the length of the header, then the header as JSON"));
}

}  // namespace

SafetensorsHeader read_safetensors(std::string_view header, std::uint64_t data_bytes,
                                   const std::string& name) {
    if (!header.starts_with('{')) {
        throw Error(problem_in(name, "invalid-header", "the header does not begin with \"{\""));
    }
    ListedTensors found = list_tensors(header, name);
    check_layout(found, data_bytes, name);
    found.header.bytes = data_bytes;
    return std::move(found.header);
}

SafetensorsHeader read_safetensors(const InputFile& file) {
    const std::uint64_t size = file.size();
    if (size < safetensors_header_begin) {
        refuse(file, "truncated-file", "truncated: " + grouped(size) + " bytes in all");
    }
    const std::string prefix = file.text(0, safetensors_header_begin);
    std::uint64_t length = 0;
    for (auto byte = prefix.rbegin(); byte != prefix.rend(); ++byte) {
        length = length << 8 | static_cast<unsigned char>(*byte);
    }
    const std::string claim = "its first 8 bytes say that a header of " + grouped(length) +
                              " bytes follows, the file has " + grouped(size) + " in all";
    if (length > longest_safetensors_header) {
        refuse(file, "header-too-long",
               claim + "; safetensors allows " + grouped(longest_safetensors_header));
    }
    if (length > size - safetensors_header_begin) {
        refuse(file, "truncated-file", "truncated: " + claim);
    }
    const std::string header = file.text(safetensors_header_begin, length);
    if (!header.starts_with('{')) {
        refuse(file, "invalid-header", "the header does not begin with \"{\" (at byte 8)");
    }
    return read_safetensors(header, size - safetensors_header_begin - length, file.path());
}

}  // namespace napkin::formats
