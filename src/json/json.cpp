#include "json/json.hpp"

#include <algorithm>
#include <array>

#include "napkin/text.hpp"

namespace napkin::json {

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF && follows(1)) return 2;
    if (first >= 0xE0 && first <= 0xEF && follows(1) && follows(2)) {
        const bool overlong = first == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = first == 0xED && byte(1) > 0x9F;
        return overlong || surrogate ? 0 : 3;
    }
    if (first >= 0xF0 && first <= 0xF4 && follows(1) && follows(2) && follows(3)) {
        const bool overlong = first == 0xF0 && byte(1) < 0x90;
        const bool beyond = first == 0xF4 && byte(1) > 0x8F;
        return overlong || beyond ? 0 : 4;
    }
    return 0;
}

namespace {

void append(std::string& out, const Value& value) {
    switch (value.kind) {
        case Kind::null:
            out += "null";
            return;
        case Kind::boolean:
            out += value.boolean ? "true" : "false";
            return;
        case Kind::number:
            out += shortest(value.number);
            return;
        case Kind::string:
            out += quoted(value.string);
            return;
        case Kind::array:
            out += '[';
            for (std::size_t i = 0; i < value.items.size(); ++i) {
                if (i > 0) out += ',';
                append(out, value.items[i]);
            }
            out += ']';
            return;
        case Kind::object:
            out += '{';
            for (std::size_t i = 0; i < value.members.size(); ++i) {
                if (i > 0) out += ',';
                out += quoted(value.members[i].first) + ':';
                append(out, value.members[i].second);
            }
            out += '}';
            return;
    }
}

}  // namespace

std::string_view name_of(Kind kind) {
    constexpr std::array<std::string_view, 6> names{"null",   "boolean", "number",
                                                    "string", "array",   "object"};
    return names[static_cast<std::size_t>(kind)];
}

const Value* Value::find(std::string_view name) const {
    for (const Member& member : members) {
        if (member.first == name) return &member.second;
    }
    return nullptr;
}

Value* Value::find(std::string_view name) {
    return const_cast<Value*>(std::as_const(*this).find(name));
}

std::string Value::text(std::string_view name) const {
    const Value* value = find(name);
    return value != nullptr && value->kind == Kind::string ? value->string : std::string();
}

double Value::count(std::string_view name, double otherwise) const {
    const Value* value = find(name);
    return value != nullptr && value->kind == Kind::number ? value->number : otherwise;
}

bool Value::flag(std::string_view name) const {
    const Value* value = find(name);
    return value != nullptr && value->boolean;
}

const Value& Value::at(std::string_view name) const {
    static const Value absent{};
    const Value* value = find(name);
    return value == nullptr ? absent : *value;
}

std::vector<std::string> Value::texts(std::string_view name) const {
    std::vector<std::string> result;
    for (const Value& item : at(name).items) result.push_back(item.string);
    return result;
}

Where where_in(const Source& source, std::size_t offset) {
    const std::string_view text = source.text;
    offset = std::min(offset, text.size());
    const std::string_view before = text.substr(0, offset);
    const std::size_t newline = before.rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    Where where;
    where.file = source.name;
    where.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    where.column = offset - begin + 1;
    constexpr std::size_t longest_excerpt = 200;
    where.excerpt = std::string(text.substr(begin, std::min(end - begin, longest_excerpt)));
    return where;
}

std::string write(const Value& value) {
    std::string out;
    append(out, value);
    return out;
}

std::string quoted(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const char c = text.front();
        if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00";
            out += hex[static_cast<unsigned char>(c) >> 4];
            out += hex[static_cast<unsigned char>(c) & 15];
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return out + "\"";
}

}  // namespace napkin::json
