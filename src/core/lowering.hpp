// One layer's work as rows: what every kind of row is made of. Included by the sources that define
// its members; each instantiates those that it defines.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "napkin/derivation.hpp"
#include "napkin/operations.hpp"

namespace napkin {

template <class R>
class Lowering {
  public:
    Lowering(const Inputs& inputs, Phase phase, const Load<R>& load);

    [[nodiscard]] const R& tokens() const { return tokens_; }
    [[nodiscard]] const Operations<R>& rows() const { return rows_; }
    void of_block(const Block& block) { block_ = &block; }
    void push(const Operation<R>& row) { rows_.push(row); }

    /// A matrix multiplication: 2 FLOP for each weight and token; the weights are read once. One
    /// row for each arithmetic that the weights run in.
    void matmul(OperationKind kind, Role role, const Tensors& list, const Sharding& sharding);
    void head(const Tensors& list, const Sharding& sharding, const R& rows);
    /// Vectors (norms, biases): read, next to no arithmetic.
    void vectors(const Tensors& list, const Sharding& sharding);
    /// A size alone: its active weights, and a cache if its bytes a token were given.
    void size();

    /// Routed experts: each token passes `active` of them; the distinct ones are read once.
    void experts(const Experts& mixture, const Tensors& list, const Sharding& sharding);
    /// Sends the tokens to the devices that hold their experts, and the results back.
    void exchange(const Experts& mixture);
    /// Tensor parallelism sums partial results after the mixer and after the feed-forward layer,
    /// once where they run in parallel.
    void join(double times);

    // Mixers: what runs between the projections.
    void operator()(const NoMixer&) {}
    void operator()(const Attention& m);
    void operator()(const LatentAttention& m);
    void operator()(const Mamba1& m);
    void operator()(const Mamba2& m);
    void operator()(const DeltaNet& m);
    void operator()(const ShortConvolution& m);
    void operator()(const Lightning& m);

  private:
    void push(OperationKind kind, const std::optional<Arithmetic>& arithmetic, const R& weights,
              const R& tokens, const R& flops, const Bytes<R>& weight_bytes);
    void link(OperationKind kind, Link over, const R& bytes, double times);
    template <class Row>
    void by_arithmetic(const Tensors& list, Role role, Row row);
    [[nodiscard]] Arithmetic arithmetic_in(const Tensor& tensor);
    [[nodiscard]] R pairs(double window) const;
    [[nodiscard]] R square() const;
    void over_cache(const R& flops_per_pair, const R& pairs, double window, double selected);
    void score(const R& pairs, double heads);
    void index(const R& flops);
    void over_state(double flops_per_token);
    [[nodiscard]] Arithmetic activation_arithmetic() const;
    [[nodiscard]] R activation_width() const;
    [[nodiscard]] R dispatch_width() const;
    [[nodiscard]] double ranks() const { return inputs_.layout.tp; }

    const Inputs& inputs_;
    Phase phase_;
    R sequences_{};
    R context_{};
    R prefix_{};
    R fresh_{};
    R tokens_{};    // of this replica
    R together_{};  // of all replicas that share the experts
    const Block* block_{};
    const NumberFormat* last_format_{};
    Arithmetic last_arithmetic_{};
    Operations<R> rows_{};
};

// Hands the tensors of a role to `row`, those that run in one arithmetic together: almost always
// all of them.
template <class R>
template <class Row>
void Lowering<R>::by_arithmetic(const Tensors& list, Role role, Row row) {
    std::array<std::optional<Arithmetic>, arithmetic_count> found{};
    std::size_t count = 0;
    for (const Tensor& tensor : list) {
        if (tensor.role != role) continue;
        const auto own = arithmetic_in(tensor);
        bool known = false;
        for (std::size_t i = 0; i < count; ++i) known = known || found[i] == own;
        if (!known) found[count++] = own;
    }
    if (count == 1) row(*found[0], list);
    for (std::size_t i = 0; count > 1 && i < count; ++i) {
        Tensors alike;
        for (const Tensor& tensor : list) {
            if (tensor.role == role && arithmetic_in(tensor) == *found[i]) alike.push(tensor);
        }
        row(*found[i], alike);
    }
}

}  // namespace napkin
