// A tree from the events of a document.
#include "json/events.hpp"

namespace napkin::json {
namespace {

class Builder : public Events {
  public:
    void begin_object(std::size_t at) override { open(Kind::object, at); }
    void begin_array(std::size_t at) override { open(Kind::array, at); }
    void end_object(std::size_t) override { open_.pop_back(); }
    void end_array(std::size_t) override { open_.pop_back(); }
    void null(std::size_t at) override { place({}, at); }
    void boolean(bool value, std::size_t at) override {
        place({.kind = Kind::boolean, .boolean = value}, at);
    }
    void number(const Number& number, std::size_t at) override {
        place({.kind = Kind::number, .number = number.value, .string = std::string(number.text)},
              at);
    }
    void string(std::string_view text, std::size_t at) override {
        place({.kind = Kind::string, .string = std::string(text)}, at);
    }
    void key(std::string_view name, std::size_t at) override {
        Value value;
        value.key_offset = at;
        open_.back()->members.emplace_back(std::string(name), std::move(value));
    }

    Value root{};

  private:
    Value* place(Value value, std::size_t at) {
        value.offset = at;
        if (open_.empty()) {
            root = std::move(value);
            return &root;
        }
        Value* parent = open_.back();
        if (parent->kind == Kind::array) {
            parent->items.push_back(std::move(value));
            return &parent->items.back();
        }
        value.key_offset = parent->members.back().second.key_offset;
        parent->members.back().second = std::move(value);
        return &parent->members.back().second;
    }

    void open(Kind kind, std::size_t at) {
        Value value;
        value.kind = kind;
        open_.push_back(place(std::move(value), at));
    }

    std::vector<Value*> open_{};
};

}  // namespace

Value parse(const Source& source, std::size_t longest) {
    Builder builder;
    scan(source, builder, longest);
    return std::move(builder.root);
}

}  // namespace napkin::json
