// An inference engine's way to allocate memory, as data of the versions that it describes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "napkin/units.hpp"

namespace napkin {

/// What the KV cache is given of a device:
/// `card`          fraction x card - all that the engine holds (vLLM);
/// `static_memory` fraction x what is free at the start - weights, activations live in the rest
///                 (SGLang);
/// `free_memory`   fraction x what all else leaves (TensorRT-LLM);
/// `rest`          all that all else leaves, but for a margin (llama.cpp).
enum class PoolBasis { card, static_memory, free_memory, rest };

/// What a layer with a window keeps: the whole context, the window and the tokens of a step, or a
/// share of the context.
enum class WindowPolicy { all, step, ratio };

struct Engine {
    std::string id{};
    std::string name{};
    std::string version{};
    std::string unverified{};  // groups of figures that nobody could check: "activations, runtime"

    PoolBasis basis{PoolBasis::rest};
    std::optional<double> fraction{};  // absent: what the class of the card leaves decides
    bool others_inside{};              // memory of other processes counts against the fraction
    std::string share_source{};

    double block{1};  // tokens; every sequence takes whole blocks
    WindowPolicy window{WindowPolicy::all};
    double window_ratio{1};

    /// Bytes of the largest step, a token and a logit.
    struct Activations {
        double per_hidden{};
        double per_width{};
        double per_logit{};
        std::optional<Bytes<>> size{};  // given: replaces the formula
        std::string source{};
    } activations{};

    /// Defaults by the memory of the card: those of the first class that it is below.
    struct CardClass {
        std::optional<Bytes<>> below{};
        double tokens{};                    // most of a step
        double sequences{};                 // most at once
        Bytes<> leaves{};                   // left alone where no fraction says how much
        std::vector<std::string> except{};  // ids begin so: in the class before
    };
    std::vector<CardClass> cards{};
    double context_up_to{};  // contexts up to this are read in one step
    Bytes<> leaves_per_device{};
    std::string cards_source{};

    struct Runtime {
        Bytes<> one{};       // context and buffers of a process
        Bytes<> parallel{};  // the same on each of several devices
        Bytes<> graphs{};    // where they count against the share
        Bytes<> driver{};    // reported, but not handed out
        std::string driver_of{};
        std::string source{};
    } runtime{};

    /// Experts in one format are loaded with their widths rounded up to what kernels take.
    struct Padding {
        std::string format{};
        double width{1};   // of an expert's part on a device
        double hidden{1};  // of the model
        std::string source{};
    };
    std::optional<Padding> padding{};

    bool splits_layers{};  // devices hold whole layers each
};

}  // namespace napkin
