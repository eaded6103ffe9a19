#include "cli/command.hpp"

#include <array>

namespace napkin::cli {
namespace {

const std::vector<std::string_view> inference_flags{
    "on", "context", "prompt", "batch", "kv-per-token", "weights", "kv", "activations", "precision",
    "tp", "pp",      "dp",     "ep",    "expert-skew",  "reserve"};

std::vector<std::string_view> with(std::vector<std::string_view> flags,
                                   const std::vector<std::string_view>& more) {
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
}

const std::array<Command, 13> table{{
    {.name = "envelope",
     .synopsis = "MODEL --on MACHINE [flags]",
     .summary = "the whole envelope: fit, context, decode, prefill, price",
     .examples = {"napkin llama-3.1-70b --on 2xh100", "napkin deepseek-v3 --on nxh200"},
     .flags = with(inference_flags, {"price"}),
     .most_positionals = 1,
     .first_is_model = true,
     .answer = envelope},
    {.name = "fit",
     .synopsis = "fit [MODEL] --on MACHINE [flags]",
     .summary = "does it fit, and what takes the room",
     .examples = {"napkin fit llama-3.1-70b --on 2xh100 --batch 4",
                  "napkin fit deepseek-v3 --on 8xh200 --context 32k",
                  "napkin fit 70B --train --on 64xh100", "napkin fit --on rtx-4090"},
     .flags = with(inference_flags, {"train", "seq", "micro-batch", "draft", "draft-weights",
                                     "gpu-layers", "cpu-experts", "host", "load-from"}),
     .most_positionals = 1,
     .first_is_model = true,
     .answer = fit},
    {.name = "decode",
     .synopsis = "decode MODEL --on MACHINE [flags]",
     .summary = "how fast can it generate, at most",
     .examples = {"napkin decode llama-3.1-70b --on 2xh100",
                  "napkin decode qwen3-30b-a3b --on rtx-4090 --weights q4_k",
                  "napkin decode llama-3.1-8b --on h100,mi300x,b200 --batch 32",
                  "napkin decode llama-3.1-70b --on 2xh100 --draft llama-3.2-1b --draft-tokens 4 "
                  "--acceptance 70%"},
     .flags = with(inference_flags, {"draft", "draft-tokens", "acceptance", "draft-weights",
                                     "gpu-layers", "cpu-experts", "host"}),
     .most_positionals = 1,
     .first_is_model = true,
     .answer = decode},
    {.name = "prefill",
     .synopsis = "prefill MODEL --on MACHINE [flags]",
     .summary = "how fast is the prompt read, at most",
     .examples = {"napkin prefill llama-3.1-8b --on h100 --prompt 8k",
                  "napkin prefill llama-3.1-70b --on 8xh100 --prompt 32k --prefix 24k"},
     .flags = {"on", "prompt", "prefix", "batch", "weights", "kv", "activations", "precision", "tp",
               "pp", "dp", "ep", "expert-skew", "reserve", "gpu-layers", "cpu-experts", "host"},
     .most_positionals = 1,
     .first_is_model = true,
     .answer = prefill},
    {.name = "train",
     .synopsis = "train MODEL --on MACHINE --tokens COUNT [flags]",
     .summary = "work, duration and cost of a training run",
     .examples = {"napkin train llama-3.1-405b --on 16384xh100 --tokens 15.6T --mfu 41%",
                  "napkin train 7B --on 8xa100 --tokens 140B"},
     .flags = {"on", "tokens", "mfu", "mfu-peak", "convention", "seq", "micro-batch", "reserve",
               "price"},
     .most_positionals = 1,
     .first_is_model = true,
     .answer = train},
    {.name = "claim",
     .synopsis = "claim [MODEL] --on MACHINE [flags]",
     .summary = "is a claimed training run believable",
     .examples = {"napkin claim llama-3.1-405b --on 16384xh100 --tokens 15.6T --days 54",
                  "napkin claim --flops 3.14e23 --on 1024xa100 --days 34"},
     .flags = {"on", "tokens", "flops", "days", "device-hours", "mfu", "mfu-peak", "convention"},
     .most_positionals = 1,
     .first_is_model = true,
     .answer = claim},
    {.name = "goodput",
     .synopsis = "goodput --on MACHINE [flags]",
     .summary = "failures, checkpoint interval, lost time",
     .examples = {"napkin goodput --on 16384xh100",
                  "napkin goodput --on 16384xh100 --checkpoint-stall 60s --restart 5min"},
     .flags = {"on", "device-mtbf", "checkpoint-stall", "restart", "interval-rule"},
     .most_positionals = 0,
     .first_is_model = false,
     .answer = goodput},
    {.name = "roofline",
     .synopsis = "roofline --on MACHINE (--intensity X | --gemm MxNxK)",
     .summary = "what a kernel can attain, and what holds it back",
     .examples = {"napkin roofline --on h100 --intensity 100",
                  "napkin roofline --on h100 --gemm 8192x8192x8192 --precision fp8"},
     .flags = {"on", "intensity", "gemm", "precision", "activations"},
     .most_positionals = 0,
     .first_is_model = false,
     .answer = roofline},
    {.name = "collective",
     .synopsis = "collective KIND --on MACHINE --bytes BYTES",
     .summary = "how long devices take to exchange bytes, and why",
     .examples = {"napkin collective all-reduce --on 8xh100 --bytes 16MiB",
                  "napkin collective all-to-all --on 2xdgx-h100 --bytes 1GB",
                  "napkin collective send --on 8xmi300x --bytes 64MiB"},
     .flags = {"on", "bytes"},
     .most_positionals = 1,
     .first_is_model = false,
     .answer = collective},
    {.name = "gpu",
     .synopsis = "gpu [NAME]",
     .summary = "all accelerators, or one with its figures",
     .examples = {"napkin gpu", "napkin gpu h100", "napkin gpu mi300x --json"},
     .flags = {},
     .most_positionals = 1,
     .first_is_model = true,
     .answer = gpu},
    {.name = "model",
     .synopsis = "model [MODEL]",
     .summary = "all models, or one with its counts",
     .examples = {"napkin model", "napkin model deepseek-v3", "napkin model 70B --weights int4"},
     .flags = {"weights", "kv", "activations", "precision", "kv-per-token"},
     .most_positionals = 1,
     .first_is_model = true,
     .answer = model},
    {.name = "numbers",
     .synopsis = "numbers",
     .summary = "the table to carry in your head",
     .examples = {"napkin numbers"},
     .flags = {},
     .most_positionals = 0,
     .first_is_model = false,
     .answer = numbers},
    {.name = "version",
     .synopsis = "version",
     .summary = "version, and how many presets it knows",
     .examples = {"napkin version"},
     .flags = {},
     .most_positionals = 0,
     .first_is_model = false,
     .answer = version},
}};

}  // namespace

std::span<const Command> commands() {
    return table;
}

const Command* find_command(std::string_view name) {
    for (const Command& command : table) {
        const bool plural = name.ends_with('s') && name.substr(0, name.size() - 1) == command.name;
        if (command.name == name || plural) return &command;
    }
    return nullptr;
}

}  // namespace napkin::cli
