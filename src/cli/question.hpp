// A resolved question about inference or training, shared by the commands that ask one.
#pragma once

#include <optional>
#include <vector>

#include "cli/resolve.hpp"
#include "napkin/capacity.hpp"

namespace napkin::cli {

/// Inputs with the layout that was chosen, and the candidates that it was chosen among.
struct Question {
    Inputs inputs{};
    std::vector<Layout> candidates{};
    Placement placement{};
    bool layout_given{};
    std::optional<Drafting> drafting{};
    std::optional<BytesPerSecond<>> load_from{};  // storage that weights come from
};

/// What a sequence is in a question: so many tokens in the cache, a prompt to read, or a request,
/// which is read and answered.
enum class Sequence { context, prompt, request };

/// Model, machine, workload and formats of an inference question; throws every problem at once.
/// For `nxh100` the machine becomes the smallest that fits. The context of a request is what it
/// holds at its end; its batch is the one that was given, else 1.
[[nodiscard]] Question inference_question(Resolver& resolver,
                                          Sequence sequence = Sequence::context);

/// Model, machine and sequence of a training question. The model may be missing if `need_model`
/// is false.
[[nodiscard]] Question training_question(Resolver& resolver);

/// "llama-3.1-70b (70.6B, bf16) on 2 x H100 SXM 80GB, tp 2".
[[nodiscard]] std::string title(const Question& question);
[[nodiscard]] std::string layout_text(const Layout& layout);

/// A document of `command` with inputs, notes, and what tells it from its neighbours in a list.
[[nodiscard]] report::Document document(std::string command, const Resolver& resolver,
                                        const Question& question);

/// A result from a traced quantity: key, unit and derivation from the quantity itself.
template <Dimension D>
[[nodiscard]] report::Result result(std::string key, const Quantity<D, Traced>& value, Style style,
                                    std::string label = {}, std::string remark = {}) {
    return {.key = std::move(key),
            .value = report::number(value.value().value(), unit_of(D), style),
            .kind = {},
            .expected = {},
            .label = std::move(label),
            .remark = std::move(remark),
            .share = {},
            .trace = value.value()};
}
[[nodiscard]] report::Result result(std::string key, const Traced& value, Style style,
                                    std::string label = {}, std::string remark = {});
[[nodiscard]] report::Result plain_result(std::string key, report::Value value,
                                          std::string label = {}, std::string remark = {});
/// As `result`, of a kind that physics bounds.
[[nodiscard]] report::Result ceiling_of(report::Result result);

[[nodiscard]] report::Term term(std::string name, const Bytes<Traced>& bytes);

}  // namespace napkin::cli
