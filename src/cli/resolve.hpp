// From raw arguments to resolved inputs: names looked up, texts read, defaults filled in, each
// with where it came from. All problems are collected and thrown together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "napkin/allocation.hpp"
#include "napkin/catalog.hpp"
#include "napkin/inputs.hpp"
#include "napkin/speculation.hpp"
#include "napkin/text.hpp"
#include "report/document.hpp"

namespace napkin::cli {

/// `--set config.KEY=VALUE` stands in for a key of a model's configuration.
inline constexpr std::string_view config_prefix = "config.";

class Resolver {
  public:
    Resolver(const Arguments& arguments, const Catalog& catalog);

    /// The model of the first positional argument; reports its absence.
    Model model();
    /// The machine of --on; reports its absence.
    Machine machine();
    /// The machine of another flag, which is given; its count is, too. --set is about --on's alone.
    Machine other_machine(std::string_view flag);
    /// `nxh100` asks for the smallest count that will do.
    [[nodiscard]] bool any_count() const { return any_count_; }
    /// Applies --set to an accelerator that was looked up by itself.
    void override_machine(Accelerator& part) { apply_settings(part); }
    /// Lists a machine among the inputs, and notes what of it is in doubt. `machine()` does so
    /// itself, but for `nxh100`, whose count is not known yet.
    void describe(const Machine& machine, std::string_view flag = "on");
    /// The machine of --on with another number of devices.
    [[nodiscard]] Machine machine_with(double count) const;

    /// A flag read by `reader`, or nothing. Also answers to `--set KEY=VALUE`.
    template <class Reader>
    auto optional(std::string_view flag, Reader reader) -> decltype(reader("").value) {
        const auto text = setting(flag);
        if (!text) return std::nullopt;
        const auto reading = reader(*text);
        if (!reading.value) refuse(flag, *text, reading.problem);
        return reading.value;
    }

    /// A whole number with a default; listed among the inputs.
    double whole(std::string_view flag, double otherwise);
    double length(std::string_view flag, double otherwise);
    /// min(8,192, the model's maximum), unless a flag says otherwise.
    double context(const Model& model);
    /// Warns of a length that the model was not made for; an error under --strict. Never clamped.
    void check_length(const Model& model, const std::string& flag, double value);
    /// The draft model of --draft, in the formats of its checkpoint or of --draft-weights.
    std::optional<Model> draft(const Inputs& inputs);
    /// --draft-tokens and --acceptance; empty where nothing is drafted.
    std::optional<Drafting> drafting(const Inputs& inputs);
    /// What --gpu-layers and --cpu-experts leave to the host; empty where that is nothing.
    std::optional<Offload> offload(const Inputs& inputs);
    /// Weight, KV and activation formats into the model and workload.
    void formats(Model& model, Workload& workload, const Accelerator& accelerator);
    void reserve(Assumptions& assumptions);
    /// The laws of collectives that hold on a machine, with what --set says of all of them.
    void collectives(const Machine& machine, Assumptions& assumptions);
    /// --engine with --memory-fraction and --set engine.*, and --in-use.
    void engine(Assumptions& assumptions);
    /// Lists the engine among the inputs, with the fraction in force on this machine.
    void describe_engine(const Inputs& given);
    /// --mfu, a share of the peak above 0 and up to 100 %.
    std::optional<double> mfu();
    /// The format whose dense peak MFU counts against; bf16 unless a flag says otherwise.
    Arithmetic mfu_peak();
    /// Reports `nxh100` where no smallest count answers the question.
    void refuse_any_count();
    /// Only the 6n convention is known; anything else is refused.
    void convention();
    /// Reports a flag that the question cannot do without.
    void expect(std::string_view flag, std::string what);
    /// Reports a part that states no peak for an arithmetic.
    void require_peak(const Accelerator& part, Arithmetic arithmetic);

    void add_input(std::string key, report::Value value, std::string from);
    void note(std::string id, std::string message, bool warning = false);
    void problem(Problem found) { problems_.push_back(std::move(found)); }
    void refuse(std::string_view flag, const std::string& text, std::string expected);
    /// Runs `look_up`, collecting what it throws.
    template <class T>
    T attempt(const std::function<T()>& look_up, std::string_view flag) {
        try {
            return look_up();
        } catch (const Error& error) {
            take(error, flag);
            return T{};
        }
    }
    void take(const Error& error, std::string_view flag);
    /// Throws everything that was found, if anything was.
    void finish();

    [[nodiscard]] std::optional<std::string> setting(std::string_view flag) const;
    [[nodiscard]] std::string from(std::string_view flag) const;
    /// Whether the command has a flag of this name.
    [[nodiscard]] bool takes(std::string_view flag) const;
    [[nodiscard]] bool strict() const { return arguments_.has("strict"); }
    [[nodiscard]] const Arguments& arguments() const { return arguments_; }

    std::vector<report::Input> inputs{};
    std::vector<Note> notes{};

  private:
    void in_use(Assumptions& assumptions);
    void apply_settings(Accelerator& part);
    /// The host of --host and --set; `flag` needs its memory bandwidth.
    Accelerator host(std::string_view flag);
    Model model_in_file(const std::string& path);
    Model look_up_model(const std::string& name);
    [[nodiscard]] Machine machine_named(const std::string& name, double count) const;
    /// The number format that a flag names.
    std::optional<NumberFormat> format(std::string_view flag);
    std::optional<NumberFormat> weight_format();
    /// The mix of GGUF types that --weights names, if it names one.
    std::optional<Mix> mix(const Model& model);
    void apply(const Mix& mix, Model& model);
    void describe(const Model& model, std::string from);

    const Arguments& arguments_;
    const Catalog& catalog_;
    std::map<std::string, std::string, std::less<>> settings_{};  // --set
    std::vector<Problem> problems_{};
    std::string machine_name_{};
    bool any_count_{};
};

/// A duration, or a bare number of days.
[[nodiscard]] Reading<Seconds<>> read_days(std::string_view text);

/// "8xh100" -> 8 and "h100"; "nxh100" -> any; "h100" -> 1; "0xh100" -> no count.
struct MachineName {
    std::optional<double> count{};
    bool any{};
    std::string name{};
};
[[nodiscard]] MachineName split_machine(std::string_view text);

/// Overrides of single figures of an accelerator or model: "gpu.memory_bandwidth".
void apply_machine_settings(Accelerator& accelerator,
                            const std::map<std::string, std::string, std::less<>>& settings,
                            Resolver& resolver);
void apply_host_settings(Accelerator& host,
                         const std::map<std::string, std::string, std::less<>>& settings,
                         Resolver& resolver);
void apply_model_settings(Model& model,
                          const std::map<std::string, std::string, std::less<>>& settings,
                          Resolver& resolver);
void apply_collective_settings(std::vector<CollectiveLaw>& laws,
                               const std::map<std::string, std::string, std::less<>>& settings,
                               Resolver& resolver);
void apply_engine_settings(Engine& engine,
                           const std::map<std::string, std::string, std::less<>>& settings,
                           Resolver& resolver);
[[nodiscard]] std::vector<std::string> setting_names();

}  // namespace napkin::cli
