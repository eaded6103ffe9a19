#include "report/columns.hpp"

#include <algorithm>
#include <array>

#include "json/json.hpp"

namespace napkin::report {

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

std::string printable(std::string_view text) {
    constexpr std::array<std::string_view, 4> kept{"\x1b[31m", "\x1b[32m", "\x1b[0m", "\n"};
    std::string out;
    while (!text.empty()) {
        const auto own = std::find_if(kept.begin(), kept.end(),
                                      [&](std::string_view k) { return text.starts_with(k); });
        const std::size_t length = own != kept.end() ? own->size() : json::utf8_length(text);
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        const bool control = byte(0) < 0x20 || byte(0) == 0x7F ||
                             (length == 2 && byte(0) == 0xC2 && byte(1) < 0xA0);  // C0, DEL, C1
        if (own == kept.end() && (length == 0 || control)) {
            out += byte(0) == '\t' ? ' ' : '?';
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return out;
}

std::string padded(const std::string& text, std::size_t width) {
    const std::size_t length = columns_of(text);
    return length < width ? text + std::string(width - length, ' ') : text;
}

std::string right(const std::string& text, std::size_t width) {
    const std::size_t length = columns_of(text);
    return length < width ? std::string(width - length, ' ') + text : text;
}

std::string folded(const std::string& text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t at = indent;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t end = std::min(text.find(' ', from), text.size());
        const std::size_t length = columns_of(text.substr(from, end - from));
        if (at > indent && at + 1 + length > width) {
            out.append("\n").append(indent, ' ');
            at = indent;
        } else if (at > indent) {
            out += ' ';
            ++at;
        }
        out += text.substr(from, end - from);
        at += length;
        from = end + 1;
    }
    return out;
}

}  // namespace napkin::report
