#include "cli/flags.hpp"

#include <array>

namespace napkin::cli {
namespace {

constexpr std::array flags{
    Flag{"on", "MACHINE", "h100, 8xh100, nxh100, dgx-h100, a list, all, or FILE.json", "Question",
         false, true},
    // Workload
    Flag{"context", "LENGTH", "tokens in the cache (default: 8k, or the model's maximum)",
         "Workload"},
    Flag{"batch", "N", "sequences at once, over the whole machine (default: 1; serve: the best)",
         "Workload"},
    Flag{"prompt", "LENGTH", "prompt tokens (default: 2k)", "Workload"},
    Flag{"prefix", "LENGTH", "leading prompt tokens that are cached already", "Workload"},
    Flag{"output", "LENGTH", "tokens to generate (default: 512)", "Workload"},
    Flag{"ttft", "TIME", "at most until the first token, such as 500ms", "Workload"},
    Flag{"tpot", "TIME", "at most for each token after it, such as 20ms", "Workload"},
    Flag{"prefill-on", "MACHINE", "another machine, which reads the prompts for --on", "Workload"},
    Flag{"rate", "REQ/S", "requests a second to serve", "Workload"},
    Flag{"kv-per-token", "BYTES", "KV cache of a model known by its size alone", "Workload"},
    // Speculative decoding
    Flag{"draft", "MODEL", "small model whose tokens the model verifies", "Speculation"},
    Flag{"draft-tokens", "N", "tokens drafted before each pass of the model", "Speculation"},
    Flag{"acceptance", "SHARE", "of drafted tokens, each by itself, such as 70%", "Speculation"},
    Flag{"draft-weights", "FORMAT", "of the draft model (default: its checkpoint's)",
         "Speculation"},
    // Training
    Flag{"train", "", "a training step instead of inference", "Training"},
    Flag{"tokens", "COUNT", "tokens to train on, such as 15.6T", "Training"},
    Flag{"seq", "LENGTH", "tokens of a training sequence", "Training"},
    Flag{"micro-batch", "N", "sequences in a forward pass (default: 1)", "Training"},
    Flag{"mfu", "SHARE", "model FLOPs utilisation reached, such as 41%", "Training"},
    Flag{"mfu-peak", "FORMAT", "the peak that MFU counts against (default: bf16)", "Training"},
    Flag{"convention", "6n", "how FLOPs are counted (only 6n so far)", "Training"},
    Flag{"flops", "FLOP", "work of a claimed run, instead of a model and tokens", "Training"},
    Flag{"days", "DAYS", "duration of a claimed run", "Training"},
    Flag{"device-hours", "COUNT", "device-hours of a claimed run", "Training"},
    // Formats
    Flag{"weights", "FORMAT", "bf16, fp8, int4, Q4_K_M ... (default: the checkpoint's)", "Formats",
         false, true},
    Flag{"kv", "FORMAT", "of the KV cache (default: bf16)", "Formats", false, true},
    Flag{"activations", "FORMAT", "of activations (default: bf16)", "Formats", false, true},
    Flag{"precision", "FORMAT", "all three at once; arithmetic formats only", "Formats", false,
         true},
    // Layout
    Flag{"tp", "N", "tensor parallel: every matrix over N devices", "Layout"},
    Flag{"pp", "N", "pipeline stages", "Layout"},
    Flag{"dp", "N", "replicas", "Layout"},
    Flag{"ep", "N", "expert parallel; above tp, replicas share their experts", "Layout"},
    Flag{"expert-skew", "A", "popularity of experts falls as rank^-A (default: 0)", "Workload"},
    Flag{"reserve", "BYTES", "kept free on each device (default: 10 % of it)", "Layout"},
    Flag{"engine", "NAME", "whose memory policy holds: vllm, sglang, trtllm, llama.cpp", "Layout"},
    Flag{"memory-fraction", "SHARE", "of the memory that the engine may take", "Layout"},
    Flag{"in-use", "BYTES", "held on each device by other processes", "Layout"},
    Flag{"gpu-layers", "N", "layers on the devices, the others on the host (llama.cpp's -ngl)",
         "Layout"},
    Flag{"cpu-experts", "N|all", "layers whose routed experts the host keeps", "Layout"},
    Flag{"host", "NAME", "CPU that keeps them, such as desktop-ddr5-6000-dual", "Layout"},
    Flag{"load-from", "RATE", "storage that weights are loaded from, such as 7GB/s", "Workload"},
    // Money and failures
    Flag{"price", "USD/h", "rent of a device (default: median of dated prices)", "Money"},
    Flag{"prefill-price", "USD/h", "rent of a device of --prefill-on (same part: --price)",
         "Money"},
    Flag{"utilization", "SHARE", "of the time in which there is work (default: 100 %)", "Money"},
    Flag{"kwh", "USD", "price of a kWh", "Money"},
    Flag{"pue", "X", "power of the building / power of its machines (default: 1)", "Money"},
    Flag{"device-mtbf", "TIME", "mean time between failures of one device", "Failures"},
    Flag{"checkpoint-stall", "TIME", "time that training stands still for a checkpoint",
         "Failures"},
    Flag{"restart", "TIME", "from an interruption until training goes on", "Failures"},
    Flag{"interval-rule", "RULE", "young, daly or saxena (default: young)", "Failures"},
    // Roofline
    Flag{"phase", "PHASE", "operations of decode or prefill (default: decode)", "Roofline"},
    Flag{"intensity", "FLOP/B", "arithmetic intensity of a kernel", "Roofline"},
    Flag{"gemm", "MxNxK", "a matrix multiplication of this size", "Roofline"},
    // Collectives
    Flag{"bytes", "BYTES", "payload of each device, such as 16MiB", "Collective"},
    // Every command
    Flag{"json", "", "the answer as JSON, one object a line", "Output"},
    Flag{"csv", "", "as CSV", "Output"},
    Flag{"markdown", "", "as Markdown", "Output"},
    Flag{"q", "", "only the main figure, in base units", "Output"},
    Flag{"get", "KEY,...", "only these figures, one a line, in base units", "Output"},
    Flag{"explain", "", "show how each figure came about", "Output"},
    Flag{"require", "'KEY OP VALUE'", "exit 1 unless it holds; repeatable", "Output", true},
    Flag{"at", "LEVEL", "ceiling, worst, typical or best (default: ceiling)", "Output"},
    Flag{"strict", "", "warnings fail", "Output"},
    Flag{"color", "WHEN", "auto, always or never", "Output"},
    Flag{"set", "KEY=VALUE", "override an input, such as gpu.memory_bandwidth=4TB/s; repeatable",
         "Input", true},
    Flag{"presets", "DIR", "more presets, before the compiled-in ones", "Input"},
    Flag{"help", "", "this text", "Output"},
};

constexpr std::array<std::string_view, 13> common{
    "json", "csv",    "markdown", "q",   "get",     "explain", "require",
    "at",   "strict", "color",    "set", "presets", "help"};

}  // namespace

std::span<const Flag> all_flags() {
    return flags;
}

const Flag* find_flag(std::string_view name) {
    for (const Flag& flag : flags) {
        if (flag.name == name) return &flag;
    }
    return nullptr;
}

std::span<const std::string_view> common_flags() {
    return common;
}

}  // namespace napkin::cli
