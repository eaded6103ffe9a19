#include "formats/json_file.hpp"

#include <array>
#include <iostream>

#include "formats/impostors.hpp"
#include "formats/input_file.hpp"
#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

constexpr std::size_t longest = 64u << 20;

std::string standard_input() {
    std::string text;
    std::array<char, 65536> piece{};
    while (text.size() <= longest &&
           (std::cin.read(piece.data(), piece.size()) || std::cin.gcount() > 0)) {
        text.append(piece.data(), static_cast<std::size_t>(std::cin.gcount()));
    }
    return text;
}

// Python writes infinities and "not a number", for which JSON has no words. A text that is as long
// takes their place: it is no count, and what follows stays where it was.
std::string without_words(std::string text) {
    constexpr std::array<std::string_view, 3> words{"-Infinity", "Infinity", "NaN"};
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted && text[i] == '\\') ++i;
        if (quoted || i >= text.size()) continue;
        for (const std::string_view word : words) {
            if (text.compare(i, word.size(), word) != 0) continue;
            text.replace(i, word.size(), "\"\"" + std::string(word.size() - 2, ' '));
            i += word.size() - 1;
            break;
        }
    }
    return text;
}

}  // namespace

std::string read_json_text(const std::string& path) {
    if (path == "-") return without_words(standard_input());
    const InputFile file(path);
    if (file.size() > longest) {
        throw Error(problem_in(path, "file-too-large", "larger than 64 MiB, too much for JSON"));
    }
    return without_words(file.text(0, file.size()));
}

json::Value parse_json_text(const json::Source& source) {
    const std::size_t first = source.text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        throw Error(problem_in(source.name, "empty-file", "the file is empty"));
    }
    if (source.text[first] != '{') {
        if (const auto what = impostor(source.text.substr(0, impostor_bytes))) {
            throw Error(problem_in(source.name, "not-a-config", *what));
        }
    }
    return json::parse(source, longest);
}

}  // namespace napkin::formats
