#include "formats/wording.hpp"

#include "json/json.hpp"

namespace napkin::formats {

std::string grouped(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t at = text.size(); at > 3;) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 100;
    std::size_t end = 0;
    for (std::size_t characters = 0; end < text.size(); ++characters) {
        if (characters == longest) return json::quoted(text.substr(0, end)) + "...";
        const std::size_t length = json::utf8_length(text.substr(end));
        end += length == 0 ? 1 : length;
    }
    return json::quoted(text);
}

Problem problem_in(const std::string& path, std::string id, const std::string& message,
                   std::string expected, std::string hint) {
    return {.id = std::move(id),
            .message = path + ": " + message,
            .where = {.file = path},
            .expected = std::move(expected),
            .suggestions = {},
            .hint = std::move(hint)};
}

}  // namespace napkin::formats
