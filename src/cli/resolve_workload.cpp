// What is asked of it: context, reserve, utilisation.
#include "cli/resolve.hpp"
#include "napkin/collectives.hpp"

namespace napkin::cli {

using report::number;
using report::word;

void Resolver::check_length(const Model& model, const std::string& flag, double value) {
    if (model.max_context <= 0 || value <= model.max_context) return;
    const std::string message = flag + " " + with_separators(value) +
                                " is above the model's own maximum of " +
                                with_separators(model.max_context);
    note("context-above-maximum", message, true);
    if (strict()) problem(problem_of("--" + flag, "context-above-maximum", message));
}

double Resolver::context(const Model& model) {
    constexpr double usual = 8192;
    const double most = model.max_context > 0 ? model.max_context : usual;
    const double value = length("context", smaller(usual, most));
    check_length(model, "context", value);
    if (is_size(model) && value > 0 && model.size_kv_bytes_per_token < 0) {
        problem(problem_of("--context", "needs-architecture",
                           "a size has no layers, so its KV cache at context " +
                               with_separators(value) + " is unknown",
                           "--kv-per-token BYTES, or --context 0 for the weights alone",
                           "a preset (`napkin model`) knows its layers"));
    }
    return value;
}

void Resolver::require_peak(const Accelerator& part, Arithmetic arithmetic) {
    if (part.id.empty() || usable(part, arithmetic)) return;
    std::string has;
    for (std::size_t i = 0; i < arithmetic_count; ++i) {
        if (part.compute.peak[i] > FlopsPerSecond<>(0)) {
            has += (has.empty() ? "" : ", ") + std::string(name_of(static_cast<Arithmetic>(i)));
        }
    }
    problem(problem_of(
        "", "unsupported-arithmetic",
        part.name + " has no peak for " + std::string(name_of(arithmetic)) + " arithmetic",
        has.empty() ? "no compute figures are known for this part" : has));
}

std::optional<double> Resolver::mfu() {
    const auto share = optional("mfu", read_fraction);
    if (!share) return std::nullopt;
    if (*share <= 0 || *share > 1) {
        const bool percent = *share > 1 && *share <= 100 && !setting("mfu")->ends_with('%');
        refuse("mfu", *setting("mfu"),
               "expected a share above 0 and up to 100 %" +
                   (percent ? ", such as " + *setting("mfu") + "%" : std::string()));
    }
    add_input("mfu", number(*share, "1", Style::percent), from("mfu"));
    return share;
}

Arithmetic Resolver::mfu_peak() {
    const std::string text = setting("mfu-peak").value_or("bf16");
    const auto arithmetic = arithmetic_named(text);
    if (!arithmetic) refuse("mfu-peak", text, "expected an arithmetic format such as bf16 or fp8");
    add_input("mfu_peak", word(text), from("mfu-peak"));
    return arithmetic.value_or(Arithmetic::bf16);
}

void Resolver::convention() {
    const std::string text = setting("convention").value_or("6n");
    if (text != "6n") refuse("convention", text, "expected 6n, the only one so far");
    add_input("convention", word("6n"), from("convention"));
}

Reading<Seconds<>> read_days(std::string_view text) {
    if (const auto days = read_number(text); days.value) {
        return {Seconds<>(*days.value * unit::day), {}};
    }
    return read_duration(text);
}

void Resolver::collectives(const Machine& machine, Assumptions& assumptions) {
    assumptions.collectives = laws_of(machine, catalog_.collectives(machine.accelerator.family));
    apply_collective_settings(assumptions.collectives, settings_, *this);
}

void Resolver::reserve(Assumptions& assumptions) {
    assumptions.reserve = catalog_.reserve();
    if (const auto size = optional("reserve", read_bytes)) {
        assumptions.reserve.size = *size;
        add_input("reserve", number(size->value(), "B", Style::memory), from("reserve"));
        return;
    }
    if (assumptions.engine) return;  // its policy says what is left alone
    add_input("reserve", number(assumptions.reserve.fraction, "1", Style::percent), "default");
}

}  // namespace napkin::cli
