#include "napkin/residents.hpp"

#include "napkin/allocation.hpp"
#include "napkin/derivation.hpp"
#include "napkin/offload.hpp"
#include "napkin/partition.hpp"

namespace napkin {
namespace {

constexpr std::array<std::string_view, 16> names{
    "weights",          "gradients",   "master_weights", "first_moment",  "second_moment",
    "gathered_weights", "activations", "logits",         "kv_cache",      "state",
    "runtime",          "graphs",      "in_use",         "draft_weights", "draft_cache",
    "reserve"};

constexpr double tight_share = 0.05;  // the contract's threshold for a warning

constexpr std::array block_roles{Role::attention,     Role::recurrence, Role::feed_forward,
                                 Role::router,        Role::expert,     Role::expert_bias,
                                 Role::shared_expert, Role::norm};
constexpr std::array outer_roles{Role::positions, Role::norm};

template <class R>
Bytes<R> layer_weights(const Block& block, const Inputs& inputs) {
    const Model& model = inputs.model;
    const Tensors list = as_loaded(tensors(block, model), inputs);
    const Sharding spread = sharding(block, model, inputs.layout);
    Bytes<R> sum(R(0));
    for (const Role role : block_roles) {
        const bool routed = role == Role::expert || role == Role::expert_bias;
        if (inputs.portion == Portion::host_experts && !routed) continue;
        const Bytes<R> part = bytes_of<R>(list, role, spread);
        if (value_of(part) > 0) sum = value_of(sum) == 0 ? part : sum + part;
    }
    return named(sum, "layer_bytes");
}

// Embedding and head sit on the first and last stage: the fuller of the two decides.
template <class R>
Bytes<R> outer_weights(const Inputs& inputs) {
    const Model& model = inputs.model;
    const Sharding spread{.ranks = inputs.layout.tp};
    const Tensors list = outer_tensors(model);
    Bytes<R> rest(R(0));
    const Portion portion = inputs.portion;
    if (portion == Portion::host_experts) return rest;
    for (const Role role : outer_roles) {
        // Tables that are looked up in are the host's, what multiplies the device's.
        const Portion other = role == Role::positions ? Portion::device : Portion::host_layers;
        if (portion == other) continue;
        const Bytes<R> part = bytes_of<R>(list, role, spread);
        if (value_of(part) > 0) rest = rest + part;
    }
    const auto embedding = bytes_of<R>(list, Role::embedding, spread);
    const auto head = bytes_of<R>(list, Role::head, spread);
    if (portion == Portion::host_layers) return rest + embedding;
    if (portion == Portion::device) return rest + (model.tied ? embedding + head : head);
    if (inputs.layout.pp > 1) return rest + larger(embedding, head);
    return value_of(head) > 0 ? rest + embedding + head : rest + embedding;
}

// What a layer of each kind holds on a device decides which of them fill the fullest stage.
double layer_weight(const Block& block, const Inputs& inputs) {
    const double tp = inputs.layout.tp;
    const Cache remembered = cache(block, inputs.model);
    const double sequences = round_up(inputs.workload.batch / inputs.layout.dp);
    const double tokens = cells<double>(
        remembered.over_prompt ? inputs.workload.prompt : inputs.workload.context, inputs);
    const Cache kept = as_allocated(remembered, tokens, inputs);
    return layer_weights<double>(block, inputs).value() +
           sequences * cache_bytes<double>(kept, tokens, inputs.workload.kv_format, tp).value();
}

double layers_on_device(std::size_t kind, const Inputs& inputs) {
    const std::vector<Block>& blocks = inputs.model.blocks;
    if (inputs.layout.pp == 1) return blocks[kind].count;
    return layers_on_fullest_stage(kind, inputs.model, inputs.layout.pp,
                                   [&](std::size_t i) { return layer_weight(blocks[i], inputs); });
}

template <class R>
Bytes<R> weights_per_device(const Inputs& inputs) {
    const Model& model = inputs.model;
    if (is_size(model)) return weight_bytes<R>(model) / R(inputs.layout.tp * inputs.layout.pp);
    Bytes<R> sum = outer_weights<R>(inputs);
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
        const double count = layers_on_device(i, inputs);
        if (count == 0) continue;
        sum = sum + layer_weights<R>(model.blocks[i], inputs) * R(count);
    }
    return sum;
}

template <class R>
R sequences_per_replica(const Inputs& inputs) {
    const R batch = given<R>(inputs.workload.batch, "batch", "--batch");
    if (inputs.layout.dp == 1) return batch;
    return named(round_up(batch / given<R>(inputs.layout.dp, "dp")), "sequences_per_replica");
}

template <class R>
void push(Residents<R>& list, ResidentKind kind, Moment moment, const Bytes<R>& bytes) {
    if (value_of(bytes) > 0) list.push({kind, moment, named(bytes, name_of(kind))});
}

// What the draft model keeps: all of it beside the model that verifies.
template <class R>
void push_draft(Residents<R>& list, const Inputs& inputs) {
    const Residents<R> own = inference_residents<R>(draft_inputs(inputs));
    Bytes<R> remembered = bytes_of(own, ResidentKind::kv_cache);
    const Bytes<R> state = bytes_of(own, ResidentKind::state);
    if (value_of(state) > 0) remembered = remembered + state;
    push(list, ResidentKind::draft_weights, Moment::decode, bytes_of(own, ResidentKind::weights));
    push(list, ResidentKind::draft_cache, Moment::decode, remembered);
}

// Elements a token leaves behind in one layer for the backward pass, with fused attention: the
// outputs of its matrices, the attention result, the norms' outputs and the gated product.
double saved_elements(const Block& block, const Model& model) {
    double sum = block.norms * model.hidden;
    for (const Tensor& tensor : tensors(block, model)) {
        if (!tensor.matrix) continue;
        double copies = tensor.copies;
        if (const auto* experts = std::get_if<Experts>(&block.feed_forward);
            experts != nullptr && tensor.role == Role::expert) {
            copies = experts->active;
        }
        sum += tensor.rows * copies;
        const bool joins = tensor.name == "attn_output" || tensor.name == "ffn_down" ||
                           tensor.name == "expert_down" || tensor.name == "shared_down";
        if (joins) sum += tensor.columns * copies;
    }
    return sum;
}

}  // namespace

std::string_view name_of(ResidentKind kind) {
    return names[static_cast<std::size_t>(kind)];
}

Inputs draft_inputs(const Inputs& inputs) {
    Inputs drafting = inputs;
    drafting.model = *inputs.draft;
    drafting.draft.reset();
    drafting.offload.reset();
    drafting.portion = Portion::whole;
    drafting.layout = draft_layout(drafting.model, inputs.layout);
    drafting.workload.step_tokens = 1;
    drafting.workload.expert_skew = 0;
    return drafting;
}

template <class R>
Residents<R> inference_residents(const Inputs& inputs) {
    if (inputs.offload) return inference_residents<R>(device_part(inputs));
    Residents<R> list;
    const Model& model = inputs.model;
    push(list, ResidentKind::weights, Moment::decode, weights_per_device<R>(inputs));
    const R sequences = sequences_per_replica<R>(inputs);
    const R context =
        cells<R>(given<R>(inputs.workload.context, "context", "--context", "token"), inputs);
    Bytes<R> growing(R(0));
    Bytes<R> constant(R(0));
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
        const Cache remembered = cache(model.blocks[i], model);
        const R count(layers_on_device(i, inputs));
        if (value_of(count) == 0) continue;
        const double tp = inputs.layout.tp;
        const R tokens =
            remembered.over_prompt
                ? cells<R>(given<R>(inputs.workload.prompt, "prompt", "--prompt", "token"), inputs)
                : context;
        const Cache kept = as_allocated(remembered, value_of(tokens), inputs);
        if (kept.state > 0) {
            constant = constant + sequences * count * cache_bytes<R>(kept, R(0), {}, tp);
        } else if (kept.per_token > 0) {
            const Bytes<R> layer = named(
                cache_bytes<R>(kept, tokens, inputs.workload.kv_format, tp), "kv_cache_per_layer");
            growing = growing + sequences * count * layer;
        }
    }
    if (is_size(model) && model.size_kv_bytes_per_token > 0) {
        growing = Bytes<R>(kv_bytes_per_token<R>(model, inputs.workload.kv_format).value() *
                           context * sequences / R(inputs.layout.tp * inputs.layout.pp));
    }
    push(list, ResidentKind::kv_cache, Moment::decode, growing);
    push(list, ResidentKind::state, Moment::decode, constant);
    if (inputs.draft) push_draft(list, inputs);
    return with_policy(list, inputs);
}

template <class R>
Residents<R> host_residents(const Inputs& inputs) {
    if (!inputs.offload) return {};
    Residents<R> list = inference_residents<R>(host_part(inputs, Portion::host_layers));
    if (inputs.offload->expert_layers > 0) {
        for (const Resident<R>& more :
             inference_residents<R>(host_part(inputs, Portion::host_experts))) {
            list.push(more);
        }
    }
    return list;
}

template <class R>
Residents<R> training_residents(const Inputs& inputs) {
    Residents<R> list;
    const Model& model = inputs.model;
    const Workload& workload = inputs.workload;
    const Moment moment = Moment::training_step;
    const R count = parameters<R>(model);
    const R shards = given<R>(inputs.machine.devices, "devices", "ZeRO 3 shards over all");
    const auto state = [&](ResidentKind kind, double bytes) {
        push(list, kind, moment, Bytes<R>(R(bytes) * count / shards));
    };
    state(ResidentKind::weights, 2);
    state(ResidentKind::gradients, 2);
    state(ResidentKind::master_weights, 4);
    state(ResidentKind::first_moment, 4);
    state(ResidentKind::second_moment, 4);
    if (!is_size(model)) {
        const R tokens = named(given<R>(workload.sequence, "sequence", "--seq") *
                                   given<R>(workload.micro_batch, "micro_batch", "--micro-batch"),
                               "tokens_in_flight");
        double widest = 0;
        double heaviest = 0;
        for (const Block& block : model.blocks) {
            widest = larger(widest, saved_elements(block, model));
            double weights = 0;
            for (const Tensor& tensor : tensors(block, model)) weights += elements(tensor);
            heaviest = larger(heaviest, weights);
        }
        const R checkpoints = R(2) * given<R>(model.hidden, "hidden", model.source) *
                              given<R>(layers(model), "layers", model.source);
        const R layer = R(2) * given<R>(widest, "saved_elements_of_one_layer", model.source);
        push(list, ResidentKind::activations, moment, Bytes<R>(tokens * (checkpoints + layer)));
        // fp32 logits for the loss beside the bf16 ones of the head.
        push(list, ResidentKind::logits, moment,
             Bytes<R>(R(4 + 2) * tokens * given<R>(model.vocabulary, "vocabulary", model.source)));
        if (inputs.machine.devices > 1) {
            // The layer at work, the next one on its way, and this one's gradients, 2 bytes each.
            push(list, ResidentKind::gathered_weights, moment,
                 Bytes<R>(R(3 * 2) * given<R>(heaviest, "largest_layer_parameters", model.source)));
        }
    }
    push(list, ResidentKind::reserve, moment, plain_reserve<R>(inputs));
    return list;
}

template <class R>
Fit<R> fit(const Residents<R>& residents, const Accelerator& accelerator) {
    Fit<R> result{.residents = residents, .required = Bytes<R>(R(0))};
    bool first = true;
    for (const Resident<R>& resident : residents) {
        result.required = first ? resident.bytes : result.required + resident.bytes;
        first = false;
    }
    result.required = named(result.required, "required");
    result.capacity = given<R>(capacity(accelerator), "capacity", capacity_source(accelerator));
    result.margin = named(result.capacity - result.required, "margin");
    result.fits = value_of(result.margin) >= 0;
    result.fits_without_reserve =
        value_of(result.margin) + value_of(bytes_of(residents, ResidentKind::reserve)) >= 0;
    result.tight = result.fits && value_of(result.margin) < tight_share * value_of(result.capacity);
    return result;
}

template <class R>
Fit<R> inference_fit(const Inputs& inputs) {
    Fit<R> result = fit(inference_residents<R>(inputs), inputs.machine.accelerator);
    if (!inputs.offload || capacity(inputs.offload->host) <= Bytes<>(0)) return result;
    result.host_holds = fit(host_residents<double>(inputs), inputs.offload->host).fits;
    result.fits = result.fits && result.host_holds;
    result.fits_without_reserve = result.fits_without_reserve && result.host_holds;
    return result;
}

template <class R>
Bytes<R> bytes_of(const Residents<R>& residents, ResidentKind kind) {
    Bytes<R> sum(R(0));
    for (const Resident<R>& resident : residents) {
        if (resident.kind != kind) continue;
        sum = value_of(sum) == 0 ? resident.bytes : sum + resident.bytes;
    }
    return sum;
}

template Residents<double> inference_residents<double>(const Inputs&);
template Residents<Traced> inference_residents<Traced>(const Inputs&);
template Residents<double> host_residents<double>(const Inputs&);
template Residents<Traced> host_residents<Traced>(const Inputs&);
template Fit<double> inference_fit<double>(const Inputs&);
template Fit<Traced> inference_fit<Traced>(const Inputs&);
template Residents<double> training_residents<double>(const Inputs&);
template Residents<Traced> training_residents<Traced>(const Inputs&);
template Fit<double> fit<double>(const Residents<double>&, const Accelerator&);
template Fit<Traced> fit<Traced>(const Residents<Traced>&, const Accelerator&);
template Bytes<double> bytes_of<double>(const Residents<double>&, ResidentKind);
template Bytes<Traced> bytes_of<Traced>(const Residents<Traced>&, ResidentKind);

}  // namespace napkin
