// Rows of matrices and vectors: what is read once a step, and the tokens that pass it.
#include "core/lowering.hpp"

namespace napkin {
namespace {

std::string symbol(OperationKind kind, std::string_view what) {
    return std::string(name_of(kind)) + "_" + std::string(what);
}

}  // namespace

template <class R>
Lowering<R>::Lowering(const Inputs& inputs, Phase phase, const Load<R>& load)
    : inputs_(inputs), phase_(phase), sequences_(load.own) {
    const Workload& workload = inputs.workload;
    context_ = given<R>(workload.context, "context", "--context", "token");
    const bool shared = value_of(load.together) != value_of(load.own);
    if (phase == Phase::prefill) {
        prefix_ = given<R>(workload.prefix, "prefix", "--prefix", "token");
        fresh_ = given<R>(workload.prompt, "prompt", "--prompt", "token");
        if (workload.prefix > 0) fresh_ = named(fresh_ - prefix_, "new_tokens", "token");
        tokens_ = named(sequences_ * fresh_, "tokens", "token");
        together_ =
            shared ? named(load.together * fresh_, "tokens_sharing_experts", "token") : tokens_;
    } else if (workload.step_tokens > 1) {
        fresh_ = given<R>(workload.step_tokens, "tokens_per_step", "--draft-tokens", "token");
        tokens_ = named(sequences_ * fresh_, "tokens", "token");
        together_ =
            shared ? named(load.together * fresh_, "tokens_sharing_experts", "token") : tokens_;
    } else {
        fresh_ = R(1);
        tokens_ = sequences_;
        together_ = load.together;
    }
}

template <class R>
void Lowering<R>::matmul(OperationKind kind, Role role, const Tensors& list,
                         const Sharding& sharding) {
    by_arithmetic(list, role, [&](Arithmetic arithmetic, const Tensors& alike) {
        const R size = elements_of<R>(alike, role, sharding);
        const Bytes<R> bytes = bytes_of<R>(alike, role, sharding);
        push(kind, arithmetic, size, tokens_, R(2) * size * tokens_, bytes);
    });
}

template <class R>
void Lowering<R>::head(const Tensors& list, const Sharding& sharding, const R& rows) {
    const R size = elements_of<R>(list, Role::head, sharding);
    push(OperationKind::head, arithmetic_of(inputs_, *list.at[0].format), size, rows,
         R(2) * size * rows, bytes_of<R>(list, Role::head, sharding));
}

template <class R>
void Lowering<R>::vectors(const Tensors& list, const Sharding& sharding) {
    const Bytes<R> bytes = bytes_of<R>(list, Role::norm, sharding);
    if (value_of(bytes) == 0) return;
    push(OperationKind::norms, arithmetic_of(inputs_, format_of(inputs_.model, Role::norm)),
         elements_of<R>(list, Role::norm, sharding), tokens_, R(0), bytes);
}

template <class R>
void Lowering<R>::size() {
    const Model& model = inputs_.model;
    const NumberFormat& stored = format_of(model, Role::feed_forward);
    const R active = given<R>(model.size_active, "active_parameters", model.source);
    const R parts(ranks());
    push(OperationKind::feed_forward, arithmetic_of(inputs_, stored), active / parts, tokens_,
         R(2) * active * tokens_ / parts,
         Bytes<R>(active *
                  given<R>(bytes_per_weight(stored), stored.id + "_bytes_per_weight", stored.source,
                           "B") /
                  parts));
    if (model.size_kv_bytes_per_token <= 0) return;
    Operation<R> row{.kind = OperationKind::attention};
    row.kv_bytes = named(
        Bytes<R>(kv_bytes_per_token<R>(model, stored).value() * context_ * sequences_ / parts),
        "kv_cache_bytes");
    rows_.push(row);
}

template <class R>
void Lowering<R>::push(OperationKind kind, const std::optional<Arithmetic>& arithmetic,
                       const R& weights, const R& tokens, const R& flops,
                       const Bytes<R>& weight_bytes) {
    Operation<R> row{.kind = kind};
    row.weights = weights;
    row.tokens = tokens;
    row.arithmetic = arithmetic.value_or(Arithmetic::bf16);
    row.flops = named(Flops<R>(flops), symbol(kind, "flops"));
    row.weight_bytes = named(weight_bytes, symbol(kind, "weight_bytes"));
    rows_.push(row);
}

// Neighbours share a format more often than not.
template <class R>
Arithmetic Lowering<R>::arithmetic_in(const Tensor& tensor) {
    if (tensor.format != last_format_) {
        last_format_ = tensor.format;
        last_arithmetic_ = arithmetic_of(inputs_, *tensor.format).value_or(Arithmetic::bf16);
    }
    return last_arithmetic_;
}

// What runs between the weights: in the activations' format, as far as the part has it.
template <class R>
Arithmetic Lowering<R>::activation_arithmetic() const {
    const Arithmetic wanted = inputs_.workload.activations.computes_in.value_or(Arithmetic::bf16);
    return usable(inputs_.machine.accelerator, wanted).value_or(wanted);
}

template <class R>
R Lowering<R>::activation_width() const {
    const NumberFormat& format = inputs_.workload.activations;
    return given<R>(bytes_per_weight(format), "activation_bytes_per_element", format.source, "B");
}

template class Lowering<double>;
template class Lowering<Traced>;

}  // namespace napkin
