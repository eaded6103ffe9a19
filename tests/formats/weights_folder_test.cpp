#include "formats/safetensors/weights_folder.hpp"

#include <algorithm>

#include "tests/support/problems.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace napkin;
using namespace napkin::formats;
using namespace napkin::test;

namespace {

/// What is chosen among empty files of these names: the name, or the id of what is wrong.
std::string chosen(const std::vector<std::string>& names) {
    const TemporaryFolder folder;
    for (const std::string& name : names) folder.write(name, "");
    try {
        return choose_weights(folder.path()).substr(folder.path().size() + 1);
    } catch (const Error& error) {
        return error.problems.at(0).id;
    }
}

std::vector<std::string> set_of(const std::string& stem, int count) {
    std::vector<std::string> names;
    for (int i = 1; i <= count; ++i) {
        names.push_back(stem + "-0000" + std::to_string(i) + "-of-0000" + std::to_string(count) +
                        ".safetensors");
    }
    return names;
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const std::string whole = "model.safetensors";
const std::string index_name = "model.safetensors.index.json";

}  // namespace

TEST_CASE("in a folder an index decides") {
    CHECK(chosen({index_name}) == index_name);
    CHECK(chosen(joined({index_name}, set_of("model", 2))) == index_name);
    CHECK(chosen(joined(joined({index_name}, set_of("model", 2)), set_of("model", 4))) ==
          index_name);
    CHECK(chosen(joined({index_name, whole}, set_of("model", 2))) == index_name);
    CHECK(chosen({index_name, "a.safetensors", "b.safetensors"}) == index_name);
}

TEST_CASE("one whole file beside an index is the model") {
    CHECK(chosen({index_name, whole}) == whole);
}

TEST_CASE("without an index the only file or set is the model") {
    CHECK(chosen({whole}) == whole);
    CHECK(chosen(set_of("model", 3)) == "model-00001-of-00003.safetensors");
    CHECK(chosen({"gemma.safetensors"}) == "gemma.safetensors");
    CHECK(chosen(set_of("pytorch_model", 2)) == "pytorch_model-00001-of-00002.safetensors");
    CHECK(chosen({whole, "extra.safetensors"}) == whole);
}

TEST_CASE("copies, variants, adapters and projectors are not the model") {
    for (const std::string other :
         {"consolidated.safetensors", "consolidated-00001-of-00001.safetensors",
          "model.fp16.safetensors", "model.fp16-00001-of-00001.safetensors",
          "adapter_model.safetensors", "mmproj-model-f16.safetensors", "original/model.safetensors",
          "model.gguf", "pytorch_model.bin"}) {
        CAPTURE(other);
        CHECK(chosen({other, whole}) == whole);
        CHECK(chosen(joined({other}, set_of("model", 2))) == "model-00001-of-00002.safetensors");
    }
}

TEST_CASE("without the model a consolidated copy or a variant stands for it") {
    CHECK(chosen({"consolidated.safetensors"}) == "consolidated.safetensors");
    CHECK(chosen({"consolidated.safetensors", "model.fp16.safetensors"}) ==
          "consolidated.safetensors");
    CHECK(chosen({"model.fp16.safetensors"}) == "model.fp16.safetensors");
    CHECK(chosen({"model.fp16.safetensors", "model.fp32.safetensors"}) == "ambiguous-weights");
}

TEST_CASE("two sets that no index decides between are both listed") {
    const TemporaryFolder folder;
    for (const std::string& name : joined(set_of("model", 2), set_of("model", 4))) {
        folder.write(name, "");
    }
    const Problem problem = test::problem_of([&] { return choose_weights(folder.path()); });
    CHECK(problem.id == "ambiguous-weights");
    CHECK(problem.suggestions ==
          std::vector<std::string>{"model-*-of-00002.safetensors", "model-*-of-00004.safetensors"});
    CHECK(chosen(joined({whole}, set_of("model", 2))) == "ambiguous-weights");
    CHECK(chosen({"a.safetensors", "b.safetensors"}) == "ambiguous-weights");
    CHECK(chosen({"a.safetensors.index.json", "b.safetensors.index.json"}) == "ambiguous-weights");
}

TEST_CASE("a folder without a model's weights says what it holds") {
    CHECK(chosen({}) == "no-weights");
    CHECK(chosen({"config.json"}) == "no-weights");
    CHECK(chosen({"adapter_model.safetensors"}) == "no-weights");
    CHECK(chosen({"mmproj.safetensors"}) == "no-weights");
    const TemporaryFolder folder;
    folder.write("unet/diffusion_pytorch_model.safetensors", "");
    folder.write("x.gguf", "");
    const Problem problem = test::problem_of([&] { return choose_weights(folder.path()); });
    CHECK(has(problem.hint, "\"unet/\", \"x.gguf\""));
}

TEST_CASE("what was not read is told by kind") {
    const TemporaryFolder folder;
    for (const std::string name :
         {"model.safetensors", "model.fp16.safetensors", "adapter_model.safetensors",
          "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
          "original/consolidated.00.pth", "model.safetensors.index.json", "config.json"}) {
        folder.write(name, "");
    }
    std::vector<std::string> notes;
    for (const Note& note :
         weights_left_out(folder.path(), {folder.path("model-00001-of-00002.safetensors"),
                                          folder.path("model-00002-of-00002.safetensors")})) {
        notes.push_back(note.message);
    }
    CHECK(notes == std::vector<std::string>{
                       "not counted: \"adapter_model.safetensors\", an adapter",
                       "not counted: \"model.fp16.safetensors\", a variant of the weights",
                       "not counted: \"model.safetensors\", other weights",
                       "not counted: weights in \"original/\""});
}
