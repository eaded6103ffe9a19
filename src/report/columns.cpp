#include "report/columns.hpp"

#include <algorithm>

namespace napkin::report {

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
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
