#include "napkin/model.hpp"

#include <algorithm>
#include <cmath>

#include "napkin/derivation.hpp"

namespace napkin {
namespace {

constexpr std::array<std::string_view, role_count> role_names{
    "embedding", "positions", "head",        "attention",     "recurrence", "feed_forward",
    "router",    "expert",    "expert_bias", "shared_expert", "norm"};

constexpr std::array all_roles{Role::embedding,     Role::positions,  Role::head,
                               Role::attention,     Role::recurrence, Role::feed_forward,
                               Role::router,        Role::expert,     Role::expert_bias,
                               Role::shared_expert, Role::norm};

double divisor(const Tensor& tensor, const Sharding& sharding) {
    switch (tensor.split) {
        case Split::ranks:
            return sharding.ranks;
        case Split::kv_heads:
            return sharding.kv_ranks;
        case Split::experts:
            return sharding.expert_devices;
        case Split::whole_experts:
            return sharding.ep;
        case Split::whole:
            break;
    }
    return 1;
}

std::string_view divisor_name(Split split) {
    switch (split) {
        case Split::kv_heads:
            return "kv_shards";
        case Split::experts:
            return "devices_sharing_experts";
        case Split::whole_experts:
            return "ep";
        default:
            return "tp";
    }
}

double active_share(const Block& block) {
    const auto* experts = std::get_if<Experts>(&block.feed_forward);
    return experts == nullptr ? 1 : experts->active / experts->experts;
}

std::string per_layer(Role role, std::string_view what) {
    return std::string(name_of(role)) + "_" + std::string(what);
}

bool same_format(const Tensor& a, const Tensor& b) {
    return a.format == b.format || a.format->id == b.format->id;
}

// Weights of `role` that are kept like `like`; of any format without it.
template <class R>
R elements_in(const Tensors& list, Role role, const Sharding& sharding, const Tensor* like) {
    R sum(0);
    for (const Tensor& tensor : list) {
        if (tensor.role != role || (like != nullptr && !same_format(tensor, *like))) continue;
        const double ranks = divisor(tensor, sharding);
        R size = R(tensor.rows) * R(tensor.columns);
        if (tensor.copies != 1) size = R(tensor.copies) * size;
        if (ranks != 1) size = size / given<R>(ranks, divisor_name(tensor.split));
        size = named(size, tensor.name);
        sum = value_of(sum) == 0 ? size : sum + size;
    }
    return sum;
}

// Bytes of the weights of a role that are kept like `like`.
template <class R>
Bytes<R> bytes_in(const Tensors& list, Role role, const Sharding& sharding, const Tensor& like) {
    const NumberFormat& format = *like.format;
    R bytes = elements_in<R>(list, role, sharding, &like);
    if (value_of(bytes) == 0) return Bytes<R>(R(0));
    bytes = bytes *
            given<R>(bytes_per_weight(format), format.id + "_bytes_per_weight", format.source, "B");
    double scales = 0;
    for (const Tensor& tensor : list) {
        if (tensor.role != role || !same_format(tensor, like)) continue;
        const double all = storage(format, tensor.rows, tensor.columns).value();
        const double inside = tensor.rows * tensor.columns * bytes_per_weight(format);
        scales += (all - inside) * tensor.copies / divisor(tensor, sharding);
    }
    if (scales > 0) {
        bytes = bytes + given<R>(scales, per_layer(role, "scale_bytes"), format.source, "B");
    }
    return Bytes<R>(bytes);
}

// Sums `value(role)` over the roles of a block and its layers, and over the outer weights.
template <class Q, class OfBlock, class OfOuter>
Q sum_model(const Model& model, OfBlock of_block, OfOuter of_outer) {
    Q total = of_outer(outer_tensors(model));
    for (const Block& block : model.blocks) total = total + of_block(block, tensors(block, model));
    return total;
}

// Which of the weights outside the layers count.
enum class Outer { all, multiplied, neither_end };

bool counts(Outer outer, Role role, const Model& model) {
    if (outer == Outer::all) return true;
    const bool table = role == Role::embedding;
    if (outer == Outer::multiplied) return !table || model.tied;
    return !table && role != Role::head;
}

template <class R>
R counted(const Model& model, std::string_view symbol, bool active, Outer outer) {
    if (is_size(model)) {
        return given<R>(active ? model.size_active : model.size_total, symbol, model.source);
    }
    const auto of_block = [&](const Block& block, const Tensors& list) {
        R layer(0);
        for (const Role role : all_roles) {
            R part = elements_of<R>(list, role);
            if (value_of(part) == 0) continue;
            if (active && (role == Role::expert || role == Role::expert_bias)) {
                part = part * R(active_share(block));
            }
            layer = layer + part;
        }
        return R(block.count) * named(layer, "layer_parameters");
    };
    const auto of_outer = [&](const Tensors& list) {
        R sum(0);
        for (const Role role : all_roles) {
            if (!counts(outer, role, model)) continue;
            const R part = elements_of<R>(list, role);
            if (value_of(part) > 0) sum = sum + part;
        }
        return sum;
    };
    return named(sum_model<R>(model, of_block, of_outer), symbol);
}

}  // namespace

std::string_view name_of(Role role) {
    return role_names[static_cast<std::size_t>(role)];
}

std::string_view name_of(LatentCache keeps) {
    constexpr std::array<std::string_view, 3> names{"latent", "latent-and-values", "expanded"};
    return names[static_cast<std::size_t>(keeps)];
}

double layers(const Model& model) {
    double count = 0;
    for (const Block& block : model.blocks) count += block.continues ? 0 : block.count;
    return count;
}

bool has_encoder(const Model& model) {
    return std::any_of(model.blocks.begin(), model.blocks.end(),
                       [](const Block& block) { return block.runs == Runs::on_prompt; });
}

template <class R>
R elements_of(const Tensors& list, Role role, const Sharding& sharding) {
    return elements_in<R>(list, role, sharding, nullptr);
}

template <class R>
Bytes<R> bytes_of(const Tensors& list, Role role, const Sharding& sharding) {
    Bytes<R> sum(R(0));
    // Tensor by tensor where they differ; almost always one format holds them all.
    for (const Tensor& first : list) {
        if (first.role != role) continue;
        const bool seen = std::any_of(list.begin(), &first, [&](const Tensor& before) {
            return before.role == role && same_format(before, first);
        });
        if (seen) continue;
        const Bytes<R> part = bytes_in<R>(list, role, sharding, first);
        sum = value_of(sum) == 0 ? part : sum + part;
    }
    if (value_of(sum) == 0) return sum;
    return named(sum, per_layer(role, "bytes"));
}

template <class R>
R parameters(const Model& model) {
    return counted<R>(model, "parameters", false, Outer::all);
}

template <class R>
R active_parameters(const Model& model) {
    return counted<R>(model, "active_parameters", true, Outer::all);
}

template <class R>
R active_without_embedding(const Model& model) {
    return counted<R>(model, "active_without_embedding", true, Outer::multiplied);
}

template <class R>
R active_in_layers(const Model& model) {
    return counted<R>(model, "active_in_layers", true, Outer::neither_end);
}

template <class R>
Bytes<R> weight_bytes(const Model& model) {
    if (is_size(model)) {
        const NumberFormat& format = format_of(model, Role::feed_forward);
        return named(Bytes<R>(given<R>(model.size_total, "parameters", model.source) *
                              given<R>(bytes_per_weight(format), format.id + "_bytes_per_weight",
                                       format.source, "B")),
                     "weight_bytes");
    }
    const auto sum = [&](const Tensors& list) {
        Bytes<R> bytes(R(0));
        for (const Role role : all_roles) {
            const Bytes<R> part = bytes_of<R>(list, role);
            if (value_of(part) > 0) bytes = value_of(bytes) == 0 ? part : bytes + part;
        }
        return bytes;
    };
    const auto of_block = [&](const Block& block, const Tensors& list) {
        return named(sum(list), "layer_bytes") * R(block.count);
    };
    return named(sum_model<Bytes<R>>(model, of_block, sum), "weight_bytes");
}

const NumberFormat& format_of(const Model& model, Role role) {
    return model.weights.of[static_cast<std::size_t>(role)];
}

void set_weights(Model& model, const NumberFormat& format) {
    for (Block& block : model.blocks) block.formats.clear();
    NumberFormat wide = format.keeps_32_bit ? float32() : bfloat16();
    for (const Role role : all_roles) {
        const bool kept =
            ((role == Role::embedding || role == Role::positions) && format.keeps_embedding) ||
            (role == Role::head && format.keeps_head) ||
            ((role == Role::norm || role == Role::expert_bias) && format.keeps_norm) ||
            (role == Role::router && format.keeps_router);
        // A size has one kind of weight: all of it is in the format.
        model.weights.of[static_cast<std::size_t>(role)] = kept && !is_size(model) ? wide : format;
    }
    model.weights_as = format.id;
}

template double elements_of<double>(const Tensors&, Role, const Sharding&);
template Traced elements_of<Traced>(const Tensors&, Role, const Sharding&);
template Bytes<double> bytes_of<double>(const Tensors&, Role, const Sharding&);
template Bytes<Traced> bytes_of<Traced>(const Tensors&, Role, const Sharding&);
template double parameters<double>(const Model&);
template Traced parameters<Traced>(const Model&);
template double active_parameters<double>(const Model&);
template Traced active_parameters<Traced>(const Model&);
template double active_without_embedding<double>(const Model&);
template Traced active_without_embedding<Traced>(const Model&);
template double active_in_layers<double>(const Model&);
template Traced active_in_layers<Traced>(const Model&);
template Bytes<double> weight_bytes<double>(const Model&);
template Bytes<Traced> weight_bytes<Traced>(const Model&);

}  // namespace napkin
