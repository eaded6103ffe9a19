// Presets by name: compiled-in accelerators, systems, models and number formats, and user files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "napkin/assumptions.hpp"
#include "napkin/diagnostic.hpp"
#include "napkin/machine.hpp"
#include "napkin/mix.hpp"
#include "napkin/model.hpp"

namespace napkin {

enum class PresetKind { accelerator, system, model, format, family, engine, assumptions, schema };

/// Looks presets up by id, alias or Hugging Face id, whatever their case and punctuation, and reads
/// only those that are asked for. Unknown and ambiguous names throw `Error` with suggestions.
class Catalog {
  public:
    /// What is compiled in.
    Catalog();
    ~Catalog();
    Catalog(Catalog&&) noexcept;
    Catalog& operator=(Catalog&&) noexcept;

    /// Adds the presets of a JSON file, which replace compiled-in ones of the same id. Returns
    /// their kinds and ids.
    std::vector<std::pair<PresetKind, std::string>> add_file(const std::string& path);
    /// Adds every *.json of a folder, in the order of their names. Returns whether there is
    /// such a folder.
    bool add_folder(const std::string& path);

    [[nodiscard]] Accelerator accelerator(std::string_view name) const;
    [[nodiscard]] Model model(std::string_view name) const;
    [[nodiscard]] NumberFormat format(std::string_view name) const;
    /// A mix of GGUF types, such as Q4_K_M; empty if there is none of that name. Q8_0 and its like
    /// name both a format and the mix that is named after it.
    [[nodiscard]] std::optional<Mix> mix(std::string_view name) const;
    /// Ids and aliases of all mixes.
    [[nodiscard]] std::vector<std::string> mix_names() const;
    /// An inference engine and how it allocates memory.
    [[nodiscard]] Engine engine(std::string_view name) const;
    [[nodiscard]] Reserve reserve() const;
    [[nodiscard]] std::vector<PublishedRun> published_runs() const;
    [[nodiscard]] std::vector<FailureRecord> failures() const;
    /// Laws of collectives; `laws_of` picks those of a machine. Of a family of accelerators only
    /// those that may hold for it: the file "collectives", and "collectives-X" if its name begins
    /// with X.
    [[nodiscard]] std::vector<CollectiveLaw> collectives(
        std::optional<std::string_view> family = std::nullopt) const;
    /// `count` of an accelerator or system: "h100", "dgx-h100", "gb200-nvl72".
    [[nodiscard]] Machine machine(std::string_view name, double count = 1) const;
    /// A preset itself as JSON text, its sources spelled out.
    [[nodiscard]] std::string text(PresetKind kind, std::string_view name) const;
    /// The text of a JSON Schema: "models", "accelerators", ...
    [[nodiscard]] std::string schema(std::string_view name) const;

    [[nodiscard]] bool has(PresetKind kind, std::string_view name) const;
    /// All ids of a kind, in the order of the data.
    [[nodiscard]] std::vector<std::string> ids(PresetKind kind) const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A machine of `count` accelerators: whole scale-up domains joined by NICs; without a scale-up
/// link, up to eight on the PCIe of one host.
[[nodiscard]] Machine machine_of(const Accelerator& accelerator, double count);

/// A model known by its size alone: "70B", or "671B:37B" for total and active. Empty if `text` is
/// not a size.
[[nodiscard]] std::optional<Model> size_model(std::string_view text);

}  // namespace napkin
