// Every preset as a GGUF file, read back: the same layers, weight for weight.
#include <algorithm>
#include <cmath>

#include "tests/formats/gguf_model_writer.hpp"
#include "tests/support/catch.hpp"

using namespace napkin;
using namespace napkin::test;

namespace {

// What a file of llama.cpp cannot say, or its name for it is not known here.
bool writable(const Model& model) {
    if (is_size(model) || model.embedding_width > 0 || has_encoder(model)) return false;
    return std::none_of(model.blocks.begin(), model.blocks.end(), [](const Block& block) {
        const auto* m = std::get_if<Attention>(&block.mixer);
        const bool odd = m != nullptr && (m->over_prompt || m->uncached);
        return odd || block.continues || std::holds_alternative<Lightning>(block.mixer);
    });
}

// The two ways of writing the same block become one.
Block plain(Block block) {
    if (auto* m = std::get_if<Attention>(&block.mixer); m != nullptr) {
        if (m->value_dim == m->head_dim) m->value_dim = 0;
        // Without keys of its own a layer has none to bias, nor are they of any number.
        if (m->shares_cache) m->bias_k = m->bias_v = m->key_is_value = false;
    }
    // Presets leave out the sizes of an index that another layer makes; the file has them.
    if (auto* m = std::get_if<LatentAttention>(&block.mixer); m != nullptr && m->index_shared) {
        m->index_heads = m->index_dim = m->index_top = 0;
    }
    if (auto* f = std::get_if<Experts>(&block.feed_forward); f != nullptr) {
        block.norms += f->extra_norms;
        f->extra_norms = 0;
    }
    block.state_bytes = 4;
    block.parallel = false;
    block.formats.clear();
    block.count = 1;
    return block;
}

}  // namespace

TEST_CASE("presets written as GGUF files read back as the same layers", "[gguf][model]") {
    const Catalog catalog;
    std::size_t written = 0;
    for (const std::string& id : catalog.ids(PresetKind::model)) {
        Model preset = catalog.model(id);
        if (!writable(preset)) continue;
        ++written;
        CAPTURE(id);
        const ModelFile file = ModelWriter(preset).write();
        const Model model = file.read().model;
        CHECK(parameters(model) == file.elements);
        CHECK(parameters(model) == parameters(preset));
        CHECK(active_parameters(model) == Approx(active_parameters(preset)).epsilon(1e-12));
        CHECK(std::abs(weight_bytes(model).value() - file.bytes) < 0.5);
        CHECK(kv_bytes_per_token(model, bfloat16()).value() ==
              kv_bytes_per_token(preset, bfloat16()).value());
        CHECK(model.tied == preset.tied);
        CHECK(model.vocabulary == preset.vocabulary);
        REQUIRE(layers(model) == layers(preset));
        std::size_t layer = 0;
        for (const Block& block : preset.blocks) {
            for (double i = 0; i < block.count; ++i, ++layer) {
                CAPTURE(layer);
                const Block& found = model.blocks[model.order[layer]];
                CHECK((plain(found).mixer == plain(block).mixer));
                CHECK((plain(found).feed_forward == plain(block).feed_forward));
                if (model.norm == preset.norm) CHECK(plain(found).norms == plain(block).norms);
            }
        }
    }
    CHECK(written > 150);
}
