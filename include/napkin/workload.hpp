// What is asked of the model: sequences to serve, or tokens to train on.
#pragma once

#include "napkin/number_format.hpp"

namespace napkin {

/// Inference counts sequences over the whole machine; training counts tokens and sequences.
struct Workload {
    double context{};  // tokens already in the cache when the next one is generated
    double batch{1};   // sequences at once
    double prompt{2048};
    double prefix{};  // leading prompt tokens whose keys and values are cached already
    double output{512};
    double step_tokens{1};  // that each sequence passes in a decode step: speculation verifies more
    double expert_skew{};   // routed experts' popularity falls as rank^-skew; 0: uniform
    NumberFormat kv_format{bfloat16()};
    NumberFormat activations{bfloat16()};

    double sequence{};  // training: tokens a sequence
    double micro_batch{1};
    double tokens{};  // training: tokens in all
};

}  // namespace napkin
