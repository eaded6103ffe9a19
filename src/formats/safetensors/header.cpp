#include "formats/safetensors/header.hpp"

#include <algorithm>
#include <array>

#include "formats/safetensors/entry.hpp"
#include "formats/wording.hpp"
#include "json/events.hpp"

namespace napkin::formats {
namespace {

constexpr std::size_t most_dimensions = 64;
constexpr std::size_t most_metadata = 65'536;
constexpr std::string_view metadata_name = "__metadata__";
constexpr std::array<std::string_view, 3> field_names{"dtype", "shape", "data_offsets"};
constexpr std::array<std::string_view, 3> field_values{
    "the name of a type, as a string", "a list of whole numbers", "a list of two whole numbers"};

class Reader : public json::Events {
  public:
    Reader(std::string_view header, const std::string& name) : path_(name) {
        // An upper bound, so that the table does not move while it grows.
        constexpr std::size_t shortest_entry = 45;
        const auto objects =
            static_cast<std::size_t>(std::count(header.begin(), header.end(), '{'));
        const std::size_t most = std::min(objects, header.size() / shortest_entry);
        found.header.tensors.reserve(most);
        found.begins.reserve(most);
    }

    void begin_object(std::size_t at) override {
        if (state_ == State::before) {
            state_ = State::top;
        } else if (state_ == State::top && entry_.name == metadata_name) {
            state_ = State::metadata;
        } else if (state_ == State::top) {
            state_ = State::tensor;
            given_ = {};
            entry_.type.clear();
            entry_.shape.clear();
            entry_.offsets.clear();
        } else {
            refuse_value("an object", at);
        }
    }
    void end_object(std::size_t at) override {
        if (state_ == State::tensor) add_tensor(at);
        state_ = State::top;
    }
    void begin_array(std::size_t at) override {
        if (state_ != State::tensor || field_ == 0) refuse_value("a list", at);
        state_ = field_ == 1 ? State::shape : State::offsets;
    }
    void end_array(std::size_t) override { state_ = State::tensor; }

    void key(std::string_view name, std::size_t at) override {
        if (state_ != State::tensor) {
            (state_ == State::metadata ? label_ : entry_.name) = name;
            return;
        }
        const auto field = std::find(field_names.begin(), field_names.end(), name);
        if (field == field_names.end()) {
            Problem problem = header_problem(path_, at, "unknown-key",
                                             "unknown key " + shown(name) + " of " + tensor(),
                                             "dtype, shape and data_offsets");
            problem.suggestions = nearest(name, {field_names.begin(), field_names.end()});
            throw Error(problem);
        }
        field_ = static_cast<std::size_t>(field - field_names.begin());
        given_[field_] = true;
    }

    void string(std::string_view text, std::size_t at) override {
        if (state_ == State::tensor && field_ == 0) {
            entry_.type = text;
        } else if (state_ == State::metadata) {
            auto& metadata = found.header.metadata;
            if (metadata.size() == most_metadata) {
                refuse(at, "too-much-metadata",
                       "more than " + grouped(most_metadata) + " entries of __metadata__");
            }
            metadata.emplace_back(label_, text);
        } else {
            refuse_value("the string " + shown(text), at);
        }
    }
    void number(const json::Number& number, std::size_t at) override {
        const bool listed = state_ == State::shape || state_ == State::offsets;
        if (!listed || !number.whole) {
            refuse_value("the number " + std::string(number.text.substr(0, 100)), at);
        }
        std::vector<std::uint64_t>& list = state_ == State::shape ? entry_.shape : entry_.offsets;
        if (list.size() == (state_ == State::shape ? most_dimensions : 2)) {
            refuse(at, "invalid-tensor",
                   tensor() + " has more than " +
                       (state_ == State::shape ? std::to_string(most_dimensions) + " dimensions"
                                               : std::string("two data_offsets")));
        }
        list.push_back(*number.whole);
    }
    void boolean(bool value, std::size_t at) override {
        refuse_value(value ? "true" : "false", at);
    }
    void null(std::size_t at) override { refuse_value("null", at); }

    ListedTensors found{};

  private:
    enum class State { before, top, metadata, tensor, shape, offsets };

    [[nodiscard]] std::string tensor() const { return "tensor " + shown(entry_.name); }

    [[noreturn]] void refuse(std::size_t at, std::string id, const std::string& message,
                             std::string expected = {}) const {
        throw Error(header_problem(path_, at, std::move(id), message, std::move(expected)));
    }

    // A value of the wrong kind for where it stands.
    [[noreturn]] void refuse_value(const std::string& what, std::size_t at) const {
        if (state_ == State::metadata) {
            refuse(at, "invalid-metadata", "__metadata__ " + shown(label_) + " is " + what,
                   "a string");
        }
        if (state_ == State::top) {
            const bool metadata = entry_.name == metadata_name;
            refuse(at, "invalid-header",
                   (metadata ? std::string(metadata_name) : tensor()) + " is " + what,
                   metadata ? "an object of strings" : "an object with dtype, shape, data_offsets");
        }
        const bool inside = state_ != State::tensor;
        refuse(at, "invalid-tensor",
               std::string(field_names[field_]) + " of " + tensor() +
                   (inside ? " holds " : " is ") + what,
               inside ? "whole numbers from 0 to 2^64 - 1" : std::string(field_values[field_]));
    }

    void add_tensor(std::size_t at) {
        for (std::size_t i = 0; i < given_.size(); ++i) {
            if (!given_[i]) {
                refuse(at, "invalid-tensor", tensor() + " has no " + std::string(field_names[i]));
            }
        }
        found.header.tensors.push_back(stored(entry_, path_, at));
        found.begins.push_back(entry_.offsets.front());
    }

    const std::string& path_;
    State state_{State::before};
    SafetensorsEntry entry_{};  // the tensor that is being read
    std::string label_{};       // the name of the entry of the metadata
    std::size_t field_{};       // of field_names
    std::array<bool, 3> given_{};
};

// A header is one line, so its problems are placed by byte and not by line and column.
Problem placed_by_byte(Problem problem, std::string_view header, const std::string& name) {
    std::size_t line_begin = 0;
    for (std::size_t line = 1; line < problem.where.line; ++line) {
        line_begin = header.find('\n', line_begin) + 1;
    }
    const std::uint64_t at = line_begin + problem.where.column - 1;
    return problem_in(
        name, problem.id,
        "header: " + problem.message + " (at byte " + grouped(safetensors_header_begin + at) + ")");
}

}  // namespace

ListedTensors list_tensors(std::string_view header, const std::string& name) {
    Reader reader(header, name);
    try {
        json::scan({name, header}, reader, longest_safetensors_header);
    } catch (const Error& error) {
        if (error.problems.front().where.line == 0) throw;
        throw Error(placed_by_byte(error.problems.front(), header, name));
    }
    return std::move(reader.found);
}

}  // namespace napkin::formats
