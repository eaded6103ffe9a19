// The table to carry in your head: each row is a question to another command.
#include "cli/command.hpp"

namespace napkin::cli {
namespace {

struct Number {
    std::string_view what{};
    std::vector<std::string> question{};  // a command and its words
    std::string_view key{};
};

std::vector<Number> table() {
    return {
        {"H100: compute for each byte of memory", {"gpu", "h100"}, "ridge_intensity"},
        {"H100: on-chip bandwidth", {"gpu", "h100"}, "on_chip_bandwidth"},
        {"H100: memory bandwidth", {"gpu", "h100"}, "memory_bandwidth"},
        {"70B in bf16: weights", {"model", "llama-3.1-70b"}, "weight_bytes"},
        {"70B: KV cache of a token", {"model", "llama-3.1-70b"}, "kv_bytes_per_token"},
        {"70B: H100s it needs at least", {"fit", "llama-3.1-70b", "--on", "h100"}, "min_devices"},
        {"70B on one H100, if it fit",
         {"decode", "llama-3.1-70b", "--on", "h100", "--context", "0"},
         "tokens_per_second"},
        {"... intensity of a single stream",
         {"decode", "llama-3.1-70b", "--on", "h100", "--context", "0"},
         "intensity"},
        {"... of the compute used",
         {"decode", "llama-3.1-70b", "--on", "h100", "--context", "0"},
         "compute_utilization"},
        {"70B in training: states", {"fit", "70B", "--train", "--on", "h100"}, "total_states"},
        {"DeepSeek-V3: weights read a token",
         {"decode", "deepseek-v3", "--on", "8xh200", "--context", "0"},
         "weights_read"},
        {"DeepSeek-V3: weights in all", {"model", "deepseek-v3"}, "parameters"},
        {"405B on 15.6T tokens: work",
         {"train", "llama-3.1-405b", "--on", "16384xh100", "--tokens", "15.6T", "--mfu", "41%"},
         "flops"},
        {"... on 16,384 H100 at 41 % MFU",
         {"train", "llama-3.1-405b", "--on", "16384xh100", "--tokens", "15.6T", "--mfu", "41%"},
         "duration"},
        {"... MFU if it had taken 54 days",
         {"claim", "llama-3.1-405b", "--on", "16384xh100", "--tokens", "15.6T", "--days", "54"},
         "mfu"},
        {"16,384 H100: between interruptions", {"goodput", "--on", "16384xh100"}, "mtbf"}};
}

}  // namespace

Documents numbers(const Arguments& arguments, const Catalog& catalog) {
    (void)arguments;
    Documents rows;
    for (const Number& number : table()) {
        const Command& command = *find_command(number.question.front());
        const std::vector<std::string> words(number.question.begin() + 1, number.question.end());
        const report::Document answer =
            command.answer(parse(command, words, false), catalog).front();
        report::Document row;
        row.command = "numbers";
        row.row = number.what;
        row.inputs = answer.inputs;
        std::string asked = "napkin";
        for (const std::string& word : number.question) asked += " " + word;
        for (const auto* list : {&answer.results, &answer.if_it_fit}) {
            for (const report::Result& result : *list) {
                if (result.key != number.key) continue;
                row.results = {result};
                row.results.front().key = "value";  // one column for all
                row.results.front().label = "value";
                Style& style = row.results.front().value.style;
                if (style == Style::whole && number.key == "parameters") style = Style::count;
            }
        }
        row.results.push_back({.key = "question",
                               .value = report::word(asked),
                               .kind = {},
                               .expected = {},
                               .label = {},
                               .remark = {},
                               .share = {},
                               .trace = {}});
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace napkin::cli
