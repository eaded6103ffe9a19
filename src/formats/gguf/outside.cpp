#include "formats/gguf/outside.hpp"

#include <map>
#include <string_view>

#include "formats/gguf/layer.hpp"

namespace napkin::formats {
namespace {

using ByName = std::map<std::string_view, const StoredTensor*>;

class Outside {
  public:
    Outside(const std::vector<const StoredTensor*>& tensors, OutsideWeights& weights)
        : weights_(weights) {
        for (const StoredTensor* tensor : tensors) left_.emplace(tensor->name, tensor);
    }

    [[nodiscard]] const StoredTensor* find(std::string_view name) const {
        const auto at = left_.find(name);
        return at == left_.end() ? nullptr : at->second;
    }
    void put(Role role, const StoredTensor& tensor) {
        weights_.stored[static_cast<std::size_t>(role)].push_back(all_of(tensor));
        left_.erase(tensor.name);
    }
    // A norm of exactly that many weights, its bias included.
    bool put_norm(std::string_view weight, std::string_view bias, double elements) {
        const StoredTensor* scale = find(weight);
        const StoredTensor* shift = find(bias);
        if (scale == nullptr) return false;
        const double sum = elements_of(*scale) + (shift == nullptr ? 0 : elements_of(*shift));
        if (sum != elements) return false;
        put(Role::norm, *scale);
        if (shift != nullptr) put(Role::norm, *shift);
        return true;
    }
    [[nodiscard]] const ByName& left() const { return left_; }

  private:
    OutsideWeights& weights_;
    ByName left_{};
};

void read_embedding(GgufKeys& keys, Outside& outside, Model& model) {
    const StoredTensor* embedding = outside.find("token_embd.weight");
    if (embedding == nullptr) {
        keys.refuse("missing-tensor", "there is no tensor \"token_embd.weight\"",
                    "a language model with the embedding of its tokens");
    }
    model.vocabulary = outputs(*embedding);
    if (inputs(*embedding) != model.hidden ||
        model.hidden * model.vocabulary != elements_of(*embedding)) {
        keys.refuse("tensor-mismatch",
                    "the tensor \"token_embd.weight\" is " + shape_of(*embedding) + ", and " +
                        shown(keys.full("embedding_length")) + " is " + digits(model.hidden),
                    digits(model.hidden) + " values for each token");
    }
    outside.put(Role::embedding, *embedding);
}

void read_head(GgufKeys& keys, Outside& outside, Model& model) {
    const StoredTensor* head = outside.find("output.weight");
    model.tied = head == nullptr;
    if (head != nullptr) {
        if (inputs(*head) != model.hidden || outputs(*head) != model.vocabulary ||
            elements_of(*head) != model.hidden * model.vocabulary) {
            keys.refuse("tensor-mismatch",
                        "the tensor \"output.weight\" is " + shape_of(*head) +
                            ", and \"token_embd.weight\" has " + digits(model.vocabulary) +
                            " tokens",
                        digits(model.hidden) + " x " + digits(model.vocabulary));
        }
        outside.put(Role::head, *head);
    }
    const StoredTensor* bias = outside.find("output.bias");
    model.head_bias = bias != nullptr && elements_of(*bias) == model.vocabulary;
    if (model.head_bias) outside.put(Role::norm, *bias);
}

}  // namespace

Norm gguf_norm(const std::vector<StoredTensor>& tensors, double hidden) {
    bool scales = false;
    bool shifts = false;
    for (const StoredTensor& tensor : tensors) {
        if (!is_vector(tensor) || elements_of(tensor) != hidden) continue;
        const std::string_view name = tensor.name;
        if (name.find("norm") == std::string_view::npos) continue;
        scales = true;
        shifts = shifts || name.ends_with("norm.bias");
    }
    return shifts ? Norm::layer : scales ? Norm::rms : Norm::none;
}

OutsideWeights read_gguf_outside(GgufKeys& keys, const std::vector<const StoredTensor*>& tensors,
                                 Model& model) {
    OutsideWeights weights;
    Outside outside(tensors, weights);
    read_embedding(keys, outside, model);
    read_head(keys, outside, model);
    const double norm = model.norm == Norm::layer ? 2 * model.hidden : model.hidden;
    model.embedding_norm = outside.put_norm("token_embd_norm.weight", "token_embd_norm.bias", norm);
    model.final_norm = outside.put_norm("output_norm.weight", "output_norm.bias", norm);
    const StoredTensor* positions = outside.find("position_embd.weight");
    if (positions != nullptr && inputs(*positions) == model.hidden &&
        model.hidden * outputs(*positions) == elements_of(*positions)) {
        model.positions = outputs(*positions);
        outside.put(Role::positions, *positions);
    }
    // Of which a token reads a row.
    for (const std::string_view name : {"per_layer_token_embd.weight", "token_types.weight"}) {
        const StoredTensor* table = outside.find(name);
        if (table == nullptr) continue;
        model.lookup_parameters += elements_of(*table);
        outside.put(Role::positions, *table);
    }
    for (const auto& [name, tensor] : outside.left()) weights.rest.push_back(tensor);
    return weights;
}

}  // namespace napkin::formats
