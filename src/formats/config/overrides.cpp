#include "formats/config/overrides.hpp"

#include "formats/config/keys.hpp"

namespace napkin::formats {
namespace {

void move_out_of_file(json::Value& value) {
    value.offset = not_in_file;
    for (json::Value& item : value.items) move_out_of_file(item);
    for (auto& [key, member] : value.members) move_out_of_file(member);
}

json::Value value_of(const std::string& text) {
    json::Value value;
    try {
        value = json::parse({"--set", text});
    } catch (const Error&) {
        value.kind = json::Kind::string;
        value.string = text;
    }
    move_out_of_file(value);
    return value;
}

// The member of that name, made where it is absent or holds no members of its own.
json::Value& member(json::Value& object, const std::string& key) {
    if (object.kind != json::Kind::object) {
        object = {};
        object.kind = json::Kind::object;
        object.offset = not_in_file;
    }
    if (json::Value* found = object.find(key)) return *found;
    json::Value absent;
    absent.offset = not_in_file;
    return object.members.emplace_back(key, std::move(absent)).second;
}

}  // namespace

json::Value with_overrides(json::Value config, const Overrides& overrides) {
    if (config.kind != json::Kind::object) return config;
    auto& text = const_cast<json::Value&>(text_config(config));  // it is not const itself
    for (const auto& [path, value] : overrides) {
        json::Value* place = &text;
        std::size_t begin = 0;
        for (std::size_t dot = path.find('.'); dot != std::string::npos;
             dot = path.find('.', begin)) {
            place = &member(*place, path.substr(begin, dot - begin));
            begin = dot + 1;
        }
        member(*place, path.substr(begin)) = value_of(value);
    }
    return config;
}

}  // namespace napkin::formats
