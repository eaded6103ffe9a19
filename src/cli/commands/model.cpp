// Models: the list, or one with its counts.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/command.hpp"
#include "cli/question.hpp"

namespace napkin::cli {
namespace {

using report::number;
using report::word;

constexpr std::array<std::string_view, 3> when_words{"", "encoder: ", "over an image: "};

std::string describe_block(const Block& block) {
    struct Words {
        std::string operator()(const NoMixer&) const { return "no mixer"; }
        std::string operator()(const Attention& m) const {
            return shortest(m.heads) + " heads, " + shortest(m.kv_heads) + " KV heads of " +
                   shortest(m.head_dim) +
                   (m.window > 0 ? ", window " + with_separators(m.window) : "") +
                   (m.over_prompt ? ", over the encoded prompt" : "");
        }
        std::string operator()(const LatentAttention& m) const {
            return "latent attention, " + shortest(m.heads) + " heads, latent " +
                   shortest(m.latent_rank) + " + " + shortest(m.rope_dim);
        }
        std::string operator()(const Mamba1&) const { return "Mamba-1"; }
        std::string operator()(const Mamba2&) const { return "Mamba-2"; }
        std::string operator()(const DeltaNet&) const { return "gated delta net"; }
        std::string operator()(const ShortConvolution&) const { return "short convolution"; }
        std::string operator()(const Lightning&) const { return "lightning attention"; }
        std::string operator()(const NoFeedForward&) const { return ""; }
        std::string operator()(const DenseFeedForward& f) const {
            return "; feed-forward " + with_separators(f.width) + (f.gated ? ", gated" : "");
        }
        std::string operator()(const Experts& f) const {
            return "; " + shortest(f.active) + " of " + shortest(f.experts) + " experts of " +
                   with_separators(f.width) +
                   (f.shared_width > 0 ? " + " + with_separators(f.shared_width) + " shared" : "");
        }
    };
    return std::string(when_words[static_cast<std::size_t>(block.runs)]) +
           std::visit(Words{}, block.mixer) + std::visit(Words{}, block.feed_forward);
}

// "attn_v, ffn_down in q6_k": tensors that are not kept as most of the model is.
std::string describe_formats(const Block& block) {
    std::string all;
    std::vector<std::string> told;
    for (const TensorFormat& first : block.formats) {
        const std::string& id = first.format.id;
        if (std::find(told.begin(), told.end(), id) != told.end()) continue;
        told.push_back(id);
        std::string names;
        for (const TensorFormat& own : block.formats) {
            if (own.format.id == id) names += (names.empty() ? "" : ", ") + own.tensor;
        }
        all.append("; ").append(names).append(" in ").append(id);
    }
    return all;
}

// 16 for bf16. Scales, and what a checkpoint keeps in more bits, are in it.
report::Result bits_per_weight(const Model& model) {
    const Traced bytes = weight_bytes<Traced>(model).value();
    const Traced bits = named(bytes * Traced(8) / parameters<Traced>(model), "bits_per_weight");
    const bool whole = std::floor(bits.value()) == bits.value();
    report::Result answer =
        result("bits_per_weight", bits, Style::plain, whole ? "" : "bits a weight");
    answer.value = number(bits.value(), "bit", Style::plain);
    return answer;
}

// What its files hold beside the main model, and in all.
void add_stored(const Model& model, report::Document& answer) {
    double whole = parameters(model);
    for (const Part& part : model.parts) {
        answer.results.push_back(plain_result("", number(part.parameters, "1", Style::whole),
                                              "stored beside", part.name));
        answer.terms.push_back({part.name, number(part.parameters, "1", Style::whole)});
        whole += part.parameters;
    }
    if (!model.parts.empty()) {
        answer.results.push_back(
            plain_result("parameters_with_parts", number(whole, "1", Style::whole), "together"));
    }
    if (model.stored_elements > 0) {
        answer.results.push_back(
            plain_result("stored_elements", number(model.stored_elements, "1", Style::whole),
                         "in the files", "elements, scales and packed words among them"));
    }
    if (model.stored_bytes > 0) {
        answer.results.push_back(plain_result(
            "stored_bytes", number(model.stored_bytes, "B", Style::bytes), "bytes in them"));
    }
}

report::Document describe(const Model& model, const NumberFormat& kv, const Resolver& resolver) {
    report::Document answer;
    answer.command = "model";
    answer.title = model.name;
    answer.inputs = resolver.inputs;
    answer.notes = resolver.notes;
    answer.primary = "parameters";
    const Traced count = parameters<Traced>(model);
    std::string matched;
    if (model.published_parameters > 0 && model.published_exact && model.parts.empty() &&
        model.published_parameters == count.value()) {
        matched = "as published";
    }
    answer.results.push_back(result("parameters", count, Style::whole, "parameters", matched));
    answer.results.push_back(result("active_parameters", active_parameters<Traced>(model),
                                    Style::whole, "active", "all matrices that a token passes"));
    if (!is_size(model)) {
        const bool sparse = active_parameters(model) < count.value();
        answer.results.push_back(result("active_without_embedding",
                                        active_without_embedding<Traced>(model), Style::whole,
                                        "read a token", "without the input embedding, a lookup"));
        answer.results.push_back(result("active_in_layers", active_in_layers<Traced>(model),
                                        Style::whole, sparse ? "in the layers" : "",
                                        "without embedding and head"));
    }
    answer.results.push_back(
        result("weight_bytes", weight_bytes<Traced>(model), Style::bytes, "weights",
               (model.weights_as.empty() ? "bf16, assumed" : model.weights_as) + ", " +
                   to_text(weight_bytes(model).value(), Style::memory)));
    if (count.value() > 0) answer.results.push_back(bits_per_weight(model));
    if (!is_size(model)) {
        const auto entry = kv_bytes_per_token<Traced>(model, kv);
        answer.results.push_back(
            result("kv_bytes_per_token", entry, Style::bytes_per_token, "KV cache", kv.id));
        answer.results.push_back(result("state_bytes_per_sequence", state_bytes<Traced>(model),
                                        Style::bytes,
                                        state_bytes(model).value() > 0 ? "state a sequence" : ""));
        answer.results.push_back(plain_result("layers", number(layers(model), "1", Style::whole),
                                              "layers", "hidden " + with_separators(model.hidden)));
        for (const Block& block : model.blocks) {
            answer.results.push_back(plain_result("", number(block.count, "1", Style::whole),
                                                  "  of",
                                                  describe_block(block) + describe_formats(block)));
        }
        if (model.max_context > 0) {
            answer.results.push_back(plain_result("max_context",
                                                  number(model.max_context, "token", Style::whole),
                                                  "longest context"));
        }
    }
    add_stored(model, answer);
    // A list shows few columns, in short.
    for (report::Result& result : answer.results) {
        result.in_list = result.key == "parameters" || result.key == "active_parameters" ||
                         result.key == "weight_bytes" || result.key == "kv_bytes_per_token";
    }
    return answer;
}

}  // namespace

Documents model(const Arguments& arguments, const Catalog& catalog) {
    if (!arguments.positionals.empty()) {
        Resolver resolver(arguments, catalog);
        Model chosen = resolver.model();
        Workload workload;
        resolver.formats(chosen, workload, {});
        resolver.finish();
        return {describe(chosen, workload.kv_format, resolver)};
    }
    Documents rows;
    for (const std::string& id : catalog.ids(PresetKind::model)) {
        Arguments one = arguments;
        one.positionals = {id};
        Resolver resolver(one, catalog);
        Model chosen = resolver.model();
        Workload workload;
        resolver.formats(chosen, workload, {});
        resolver.finish();
        rows.push_back(describe(chosen, workload.kv_format, resolver));
        rows.back().row = id;
        rows.back().notes.clear();
    }
    return rows;
}

}  // namespace napkin::cli
