// A resolved question about inference or training, shared by the commands that ask one.
#pragma once

#include <optional>
#include <vector>

#include "cli/resolve.hpp"
#include "cli/results.hpp"
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

/// ", tp 2, pp 4": the degrees of a layout that split anything.
[[nodiscard]] std::string layout_text(const Layout& layout);

}  // namespace napkin::cli
