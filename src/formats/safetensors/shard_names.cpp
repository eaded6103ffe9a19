#include "formats/safetensors/shard_names.hpp"

#include <charconv>
#include <filesystem>

#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

constexpr std::size_t most_digits = 6;

// A whole number of one to six digits that is all of `text`.
std::optional<std::uint32_t> number_of(std::string_view text) {
    if (text.empty() || text.size() > most_digits) return std::nullopt;
    std::uint32_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<ShardName> shard_name(std::string_view file) {
    if (!file.ends_with(weights_extension)) return std::nullopt;
    file.remove_suffix(weights_extension.size());
    const std::size_t of = file.rfind("-of-");
    if (of == std::string_view::npos || of == 0) return std::nullopt;
    const std::size_t dash = file.rfind('-', of - 1);
    if (dash == std::string_view::npos || dash == 0) return std::nullopt;
    const std::string_view total = file.substr(of + 4);
    const auto number = number_of(file.substr(dash + 1, of - dash - 1));
    const auto count = number_of(total);
    if (!number || !count || *number > *count) return std::nullopt;
    return ShardName{.stem = std::string(file.substr(0, dash)),
                     .total = std::string(total),
                     .number = *number,
                     .count = *count,
                     .digits = of - dash - 1};
}

std::string shard_file(const ShardName& like, std::uint32_t number) {
    std::string digits = std::to_string(number);
    if (digits.size() < like.digits) digits.insert(0, like.digits - digits.size(), '0');
    return like.stem + "-" + digits + "-of-" + like.total + std::string(weights_extension);
}

std::string set_label(const ShardName& shard) {
    return shard.stem + "-*-of-" + shard.total + std::string(weights_extension);
}

std::vector<std::string> shard_paths(const std::string& folder, const ShardName& shard) {
    const auto path = [&](std::uint32_t number) { return folder + shard_file(shard, number); };
    const std::uint32_t first = shard.number == 0 || is_there(path(0)) ? 0 : 1;
    const bool one_more = first == 1 || shard.number == shard.count || is_there(path(shard.count));
    const std::uint32_t end = one_more ? shard.count + 1 : shard.count;
    constexpr std::size_t most_missing = 1000;  // that are looked for
    std::vector<std::string> paths;
    std::vector<std::string> missing;
    for (std::uint32_t number = first; number < end && missing.size() < most_missing; ++number) {
        (is_there(path(number)) ? paths : missing).push_back(path(number));
    }
    if (missing.empty()) return paths;
    const std::string set = "the " + grouped(end - first) + " files of this set";
    std::string message = "no such file; it is one of " + set;
    if (missing.size() > 1) {
        message = "no such file; it and " +
                  std::string(missing.size() == most_missing ? "at least " : "") +
                  grouped(missing.size() - 1) + " more of " + set + " are missing";
    }
    throw Error(problem_in(missing.front(), "missing-shard", message, {},
                           "download it, or give the file to read alone under another name"));
}

bool is_there(const std::string& path) {
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

}  // namespace napkin::formats
