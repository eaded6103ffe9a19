// Serving apart: one machine reads the prompts, another one generates, and keys and values cross a
// link from the first to the second.
#pragma once

#include <string_view>

#include "napkin/serving.hpp"

namespace napkin {

/// What holds the requests back: a side's work, or the links that its caches cross.
enum class Bottleneck { prefill, decode, transfer };
[[nodiscard]] std::string_view name_of(Bottleneck bottleneck);

/// Disaggregated prefill and decode, a machine for each. Neither waits for the other's work:
///   prefill side: requests/s = prompts in a turn / t_prefill
///   decode side:  requests/s = B / ((O - 1) t_step(B)), time/token = t_step(B)
///   transfer:     t = cache and state of a prompt / link, link = the slower side's devices of a
///                 replica, all at once, at the rate of their NICs (of the scale-up fabric where
///                 one domain holds both machines)
/// A side passes on or takes in no more than its own links let through. The second token follows
/// the prefill, the transfer and a step; a transfer layer by layer hides behind the prefill but for
/// what is longer of the two. Bytes of a cached prefix are sent like the others.
template <class R = double>
struct Disaggregated {
    R batch{};                         // on the decode side
    Seconds<R> time_to_first_token{};  // from the prefill side, of a request that waits for none
    Seconds<R> prefill_time{};         // a turn of the prefill side
    Bytes<R> kv_transfer_bytes{};
    BytesPerSecond<R> link{};  // of one transfer; zero: no side's network is known
    bool one_domain{};
    Seconds<R> kv_transfer_time{};
    Seconds<R> time_to_second_token{};             // one after the other
    Seconds<R> time_to_second_token_overlapped{};  // layer by layer
    Seconds<R> time_per_output_token{};            // a step
    Bound bound{};                                 // of a step
    Hertz<R> prefill_requests_per_second{};
    Hertz<R> decode_requests_per_second{};
    Hertz<R> requests_per_second{};          // of one machine each: the smaller
    TokensPerSecond<R> tokens_per_second{};  // generated
    Bottleneck bottleneck{};
    R prefill_machines_per_decode_machine{};
    Tokens<R> input{}, output{};  // of a request, a cached prefix not counted
};
/// `inputs` generates, `reader` reads the same prompts.
template <class R = double>
[[nodiscard]] Disaggregated<R> serve_apart(const Inputs& inputs, const Inputs& reader);

/// The prefill side: the same model on `machine` with its first layout that holds a prompt in each
/// stage of each replica, or misses by least.
[[nodiscard]] Inputs reader_on(const Machine& machine, const Inputs& inputs);
/// Of 1 to `most` sequences, the number that the decode side generates the most with within the
/// limits; 0 if none does.
[[nodiscard]] double best_batch(const Inputs& inputs, const Inputs& reader, double most,
                                const Limits& limits);

}  // namespace napkin
