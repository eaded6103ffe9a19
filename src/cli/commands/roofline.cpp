// The roofline of one kernel, by its intensity or as a matrix multiplication; or of every operation
// of a model's step.
#include "napkin/roofline.hpp"

#include "cli/breakdown.hpp"
#include "cli/command.hpp"
#include "cli/speed.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

// "4096x4096x8192"
std::optional<Gemm> read_gemm(std::string_view text) {
    std::array<double, 3> sizes{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t end = i + 1 < sizes.size() ? text.find('x') : text.size();
        if (end == std::string_view::npos) return std::nullopt;
        const auto size = read_whole(text.substr(0, end));
        if (!size.value) return std::nullopt;
        sizes[i] = *size.value;
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return Gemm{.m = sizes[0], .n = sizes[1], .k = sizes[2]};
}

// Flags that one phase or the kernels have no use for.
void refuse_flags(Resolver& resolver, std::initializer_list<std::string_view> flags,
                  const std::string& id, const std::string& why, const std::string& expected) {
    for (const std::string_view flag : flags) {
        if (!resolver.setting(flag)) continue;
        const std::string name = "--" + std::string(flag);
        resolver.problem(problem_of(name, id, name + " " + why, expected));
    }
}

Phase read_phase(Resolver& resolver) {
    const std::string text = resolver.setting("phase").value_or("decode");
    if (text != "decode" && text != "prefill") {
        Problem wrong =
            problem_of("--phase", "bad-value", "--phase cannot be '" + text.substr(0, 100) + "'",
                       "decode or prefill");
        wrong.suggestions = nearest(text, {"decode", "prefill"});
        resolver.problem(std::move(wrong));
    }
    resolver.add_input("phase", word(text), resolver.from("phase"));
    return text == "prefill" ? Phase::prefill : Phase::decode;
}

// Every operation of a step of the busiest device.
Documents operations_of(const Arguments& arguments, const Catalog& catalog) {
    Resolver resolver(arguments, catalog);
    refuse_flags(resolver, {"intensity", "gemm"}, "two-kernels",
                 "is a kernel of its own, beside those of the model", "a model or a kernel");
    const Phase phase = read_phase(resolver);
    const bool reads = phase == Phase::prefill;
    if (reads) {
        refuse_flags(resolver, {"context"}, "wrong-phase", "is for --phase decode", "--prompt");
    } else {
        refuse_flags(resolver, {"prefix"}, "wrong-phase", "is for --phase prefill", "--context");
    }
    const Question question =
        inference_question(resolver, reads ? Sequence::prompt : Sequence::context);
    const Breakdown<Traced> parts = breakdown<Traced>(question.inputs, phase);
    report::Document answer = document("roofline", resolver, question);
    answer.title += reads ? ", prefill" : ", decode";
    answer.primary = "ridge_intensity";
    add_terms(answer, parts.step, parts.totals);
    add_rates(answer, question, breakdown_results(parts, question.inputs));
    answer.table = operations_table(parts);
    if (!answer.yes) answer.table->key = "operations_if_it_fit";
    const bool scored = value_of(parts.attention.scores) > 0;
    if (scored && value_of(parts.attention.on_chip_time) == 0) {
        answer.notes.push_back({"unknown-caches",
                                "the on-chip bandwidth of " +
                                    question.inputs.machine.accelerator.name + " is not known",
                                false});
    }
    return {answer};
}

}  // namespace

Documents roofline(const Arguments& arguments, const Catalog& catalog) {
    if (!arguments.positionals.empty()) return operations_of(arguments, catalog);
    Resolver resolver(arguments, catalog);
    refuse_flags(resolver,
                 {"phase", "context", "prompt", "prefix", "batch", "kv-per-token", "weights", "kv",
                  "tp", "pp", "dp", "ep", "expert-skew", "reserve"},
                 "needs-model", "is about the operations of a model", "napkin roofline MODEL");
    const Machine machine = resolver.machine();
    resolver.refuse_any_count();
    Model none;
    Workload workload;
    resolver.formats(none, workload, machine.accelerator);
    const auto text = resolver.setting("gemm");
    const auto intensity = resolver.optional("intensity", read_number);
    std::optional<Gemm> gemm;
    if (text) {
        gemm = read_gemm(*text);
        if (!gemm) resolver.refuse("gemm", *text, "expected MxNxK, such as 4096x4096x4096");
    }
    if (!text && !arguments.has("intensity")) {
        resolver.problem(problem_of("", "missing-kernel", "no kernel given",
                                    "--intensity FLOP/B, --gemm MxNxK, or a model"));
    }
    if (text && arguments.has("intensity")) {
        resolver.problem(problem_of("--gemm", "two-kernels",
                                    "--intensity and --gemm are two kernels", "one of them"));
    }
    if (intensity && *intensity <= 0) {
        resolver.refuse("intensity", *resolver.setting("intensity"), "expected more than zero");
    }
    resolver.finish();

    if (gemm) resolver.add_input("gemm", word(*text), resolver.from("gemm"));
    if (intensity) {
        resolver.add_input("intensity", number(*intensity, "FLOP/B", Style::intensity),
                           resolver.from("intensity"));
    }
    const Arithmetic wanted = workload.activations.computes_in.value_or(Arithmetic::bf16);
    const auto kernel = gemm ? intensity_of<Traced>(*gemm, workload.activations)
                             : given<Traced>(Intensity<>(*intensity), "intensity", "--intensity");
    const auto roof = napkin::roofline<Traced>(kernel, machine.accelerator, wanted);
    report::Document answer;
    answer.command = "roofline";
    answer.primary = "ridge_intensity";
    answer.inputs = resolver.inputs;
    answer.notes = resolver.notes;
    const std::string arithmetic(name_of(usable(machine.accelerator, wanted).value_or(wanted)));
    answer.title =
        (gemm ? "GEMM " + *text : "a kernel of " + to_text(*intensity, Style::intensity)) + " in " +
        arithmetic + " on " + machine.accelerator.name;
    answer.results = {
        plain_result("bound", word(std::string(name_of(roof.bound))), "bound by"),
        result("attainable_flops", roof.attainable, Style::flop_rate, "attainable",
               machine.devices > 1 ? "on one device" : ""),
        result("intensity", roof.intensity, Style::intensity, "intensity"),
        result("ridge_intensity", roof.ridge, Style::intensity, "ridge point",
               "above it, compute-bound"),
        result("headroom", roof.headroom, Style::plain, "headroom",
               roof.bound == Bound::compute ? "" : "times faster if it were compute-bound")};
    if (gemm) {
        const double work = 2 * gemm->m * gemm->n * gemm->k;
        answer.results.push_back(plain_result(
            "time", number(work / value_of(roof.attainable), "s", Style::duration), "at best"));
    }
    return {answer};
}

}  // namespace napkin::cli
