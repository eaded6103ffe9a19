// Does it fit: the residents of the fullest device against what it reports.
#include <algorithm>
#include <array>

#include "cli/command.hpp"
#include "cli/commands/fit_training.hpp"
#include "cli/limits.hpp"
#include "cli/pool.hpp"
#include "cli/residents_rows.hpp"
#include "cli/speed.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::Result;

// The contract's sums over the machine, where each device is as full as the fullest.
void add_totals(report::Document& document, double devices) {
    for (const std::string key : {"required", "capacity", "margin", "weights", "kv_cache"}) {
        const Result* each = document.find(key);
        if (each == nullptr) continue;
        const double sum = *each->value.number() * devices;
        document.results.push_back(plain_result("total_" + key, number(sum, "B", Style::memory)));
    }
}

// Each node reads what its devices keep, and the host's part; replicas read theirs again. Cards
// without a scale-up link share the storage of one host.
void add_load_time(report::Document& answer, const Fit<Traced>& outcome, const Question& question) {
    const Inputs& inputs = question.inputs;
    const auto rate = question.load_from;
    if (!rate) return;
    const Machine& machine = inputs.machine;
    const double devices = smaller(machine.devices, machine.domain);
    Bytes<Traced> bytes = bytes_of(outcome.residents, ResidentKind::weights);
    const auto draft = bytes_of(outcome.residents, ResidentKind::draft_weights);
    if (value_of(draft) > 0) bytes = bytes + draft;
    if (devices > 1) bytes = bytes * given<Traced>(devices, "devices_of_a_node", "--on");
    if (inputs.offload) {
        bytes = bytes + bytes_of(host_residents<Traced>(inputs), ResidentKind::weights);
    }
    const auto read = named(bytes, "bytes_loaded");
    answer.results.push_back(result(
        "load_time", named(read / given<Traced>(*rate, "storage_rate", "--load-from"), "load_time"),
        Style::duration, "loading",
        to_text(value_of(read), Style::bytes) + " read once" +
            (machine.devices > devices ? " by each node" : "") + ", a floor"));
}

report::Document fit_inference(Resolver& resolver) {
    const Question question = inference_question(resolver);
    const Inputs& inputs = question.inputs;
    const Fit<Traced> outcome = inference_fit<Traced>(inputs);
    report::Document answer = document("fit", resolver, question);
    judge(answer, outcome);
    answer.bytes = Style::memory;
    add_residents(answer, outcome, resolver, inputs, false);
    if (!is_size(inputs.model) && answer.find("kv_cache") == nullptr) {
        answer.results.push_back(plain_result("kv_cache", number(0, "B", Style::memory)));
    }
    add_pool(answer, question, outcome);
    const auto context = max_context(inputs, question.candidates);
    const auto batch = max_batch(inputs, question.candidates);
    add_limit(answer, "max_context", context, "token");
    const bool one_memory = !inputs.offload;  // that alone decides, as the proof shows it
    if (one_memory && context && *context > 0)
        answer.results.back().trace = proof(question, *context, true);
    add_limit(answer, "max_batch", batch, "1");
    if (one_memory && batch && *batch > 0)
        answer.results.back().trace = proof(question, *batch, false);
    const auto devices = min_devices(inputs);
    add_limit(answer, "min_devices", devices, "1");
    add_totals(answer, inputs.machine.devices);
    add_host_memory(answer, inputs, true);
    add_load_time(answer, outcome, question);
    add_flips(answer, resolver, question, context, batch);
    if (!outcome.fits) {
        const std::string other = question.layout_given ? ", laid out otherwise" : "";
        answer.footer.push_back(devices ? "fits on " + with_separators(*devices) +
                                              " devices at the least" + other
                                        : "fits on no number of devices");
    }
    add_way_out(answer, question, outcome.fits);
    return answer;
}

// Flags of the other kind of question would be ignored: they are refused instead.
void refuse_strangers(const Arguments& arguments) {
    const bool train = arguments.has("train");
    constexpr std::array of_training{"seq", "micro-batch"};
    constexpr std::array of_both{"on", "train", "reserve"};
    const auto in = [](const auto& list, std::string_view flag) {
        return std::find(list.begin(), list.end(), flag) != list.end();
    };
    std::vector<std::string_view> strangers;
    for (const std::string_view flag : arguments.command->flags) {
        if (!in(of_both, flag) && in(of_training, flag) != train) strangers.push_back(flag);
    }
    std::vector<Problem> problems;
    for (const std::string_view flag : strangers) {
        const auto from = arguments.from.find(flag);
        if (from == arguments.from.end() || from->second != "flag") continue;
        problems.push_back(problem_of(
            "--" + std::string(flag), "flag-of-another-question",
            "--" + std::string(flag) + " says nothing about " + (train ? "training" : "inference"),
            "", train ? "" : "--train asks about training"));
    }
    if (!problems.empty()) throw Error(std::move(problems));
}

// Without a model: what fits this machine, largest first. Models that the question does not suit
// (a layout that they do not allow) are left out; a question that suits none is an error.
Documents all_that_fit(const Arguments& arguments, const Catalog& catalog) {
    Documents rows;
    std::vector<Error> refused;
    const std::vector<std::string> models = catalog.ids(PresetKind::model);
    for (const std::string& id : models) {
        Arguments one = arguments;
        one.positionals = {id};
        try {
            Resolver resolver(one, catalog);
            report::Document row =
                arguments.has("train") ? fit_training(resolver) : fit_inference(resolver);
            row.row = id;
            if (row.yes) rows.push_back(std::move(row));
        } catch (const Error& error) {
            refused.push_back(error);
        }
    }
    if (refused.size() == models.size()) throw Error(refused.front());
    const auto size = [](const report::Document& row) {
        return *row.find("weights")->value.number();
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto& a, const auto& b) { return size(a) > size(b); });
    if (!refused.empty() && !rows.empty()) {
        rows.front().notes.push_back(
            {"left-out",
             std::to_string(refused.size()) + " models do not suit the question and are left out",
             false});
    }
    return rows;
}

}  // namespace

Documents fit(const Arguments& arguments, const Catalog& catalog) {
    refuse_strangers(arguments);
    if (arguments.positionals.empty() && arguments.has("on"))
        return all_that_fit(arguments, catalog);
    Resolver resolver(arguments, catalog);
    return {arguments.has("train") ? fit_training(resolver) : fit_inference(resolver)};
}

}  // namespace napkin::cli
