// Names, globs and regular expressions of modules.
#include "formats/quantization/module_patterns.hpp"

#include <initializer_list>

#include "tests/support/catch.hpp"
#include "tests/support/watchdog.hpp"

using napkin::formats::ModulePatterns;

namespace {

ModulePatterns patterns(std::initializer_list<const char*> list) {
    ModulePatterns result;
    for (const char* one : list) CHECK(result.add(one));
    return result;
}

bool matches(const char* pattern, const char* module) {
    return patterns({pattern}).match(module);
}

}  // namespace

TEST_CASE("an empty list matches nothing") {
    CHECK(ModulePatterns().empty());
    CHECK_FALSE(ModulePatterns().match("layers.0.mlp.gate_proj"));
    CHECK_FALSE(ModulePatterns().match(""));
}

TEST_CASE("a name is a module or whole components of one, never a part of a word") {
    CHECK(matches("model.layers.0.mlp.gate_proj", "layers.0.mlp.gate_proj"));
    CHECK(matches("layers.0.mlp", "layers.0.mlp.gate_proj"));
    CHECK(matches("self_attn", "layers.3.self_attn.q_proj"));
    CHECK(matches("mlp.gate_proj", "layers.3.mlp.gate_proj"));
    CHECK(matches("lm_head", "lm_head"));
    CHECK_FALSE(matches("gate", "layers.3.mlp.gate_proj"));
    CHECK_FALSE(matches("mlp.gate", "layers.3.mlp.gate_proj"));
    CHECK_FALSE(matches("model.layers.1", "layers.10.mlp.gate_proj"));
    CHECK_FALSE(matches("layers.1.mlp", "layers.11.mlp.gate_proj"));
    CHECK_FALSE(matches("", "layers.1.mlp"));
    CHECK_FALSE(matches("mlp.experts", "layers.1.mlp.shared_experts.up_proj"));
}

TEST_CASE("wrappers before the layers differ from class to class") {
    for (const char* wrapper : {"model.", "model.language_model.", "language_model.model.",
                                "backbone.", "transformer.", ""}) {
        CAPTURE(wrapper);
        ModulePatterns list;
        CHECK(list.add(std::string(wrapper) + "layers.2.self_attn"));
        CHECK(list.add(std::string(wrapper) + "layers.3.mlp*"));
        CHECK(list.match("layers.2.self_attn.k_proj"));
        CHECK(list.match("layers.3.mlp.up_proj"));
        CHECK_FALSE(list.match("layers.2.mlp.up_proj"));
    }
    // A tower's layers, and those of multi-token prediction, are others.
    CHECK_FALSE(
        matches("vision_model.model.layers.0.self_attn.q_proj", "layers.0.self_attn.q_proj"));
    CHECK_FALSE(matches("mtp.layers.0.self_attn*", "layers.0.self_attn.q_proj"));
    CHECK_FALSE(matches("mtp*", "layers.0.self_attn.q_proj"));
}

TEST_CASE("globs: a star stands for any characters, and what is in a named module belongs to it") {
    CHECK(matches("*.mlp.shared_expert.*", "layers.7.mlp.shared_expert.up_proj"));
    CHECK(matches("model.layers.*.self_attn", "layers.7.self_attn.q_proj"));
    CHECK(matches("*self_attn*", "layers.7.self_attn.q_proj"));
    CHECK(matches("*", "anything"));
    CHECK(matches("*lm_head", "lm_head"));
    CHECK_FALSE(matches("*.mlp.gate", "layers.7.mlp.gate_proj"));
    CHECK_FALSE(matches("model.layers.1.*", "layers.10.self_attn.q_proj"));
    // As written: 1 and whatever begins with it.
    CHECK(matches("model.layers.1*", "layers.10.self_attn.q_proj"));
    CHECK_FALSE(matches("model.layers.0*", "layers.10.self_attn.q_proj"));
}

TEST_CASE("regular expressions match from the beginning of a name, to its end only with $") {
    CHECK(matches("re:.*self_attn.*", "layers.7.self_attn.q_proj"));
    CHECK(matches("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "layers.7.mlp.up_proj"));
    CHECK_FALSE(
        matches("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "layers.7.mlp.experts.0.up_proj"));
    CHECK_FALSE(matches("re:.*mlp.gate$", "layers.7.mlp.gate_proj"));
    CHECK(matches("re:.*mlp.gate$", "layers.7.mlp.gate"));
    CHECK(matches("re:.*mlp.gate", "layers.7.mlp.gate_proj"));  // as Python's re.match
    CHECK_FALSE(matches("re:self_attn", "layers.7.self_attn.q_proj"));
    CHECK(
        matches("re:^model.layers.0.mlp.*", "layers.0.mlp.up_proj"));  // dots that are not escaped
    CHECK(matches("re:model\\.layers\\.0\\.mlp", "layers.0.mlp.up_proj"));
    CHECK(matches("re:language_model.model.layers.\\d+.mlp.*", "layers.41.mlp.up_proj"));
    CHECK(matches("re:.*layers\\.(?:0|1|2)\\..*", "layers.1.mlp.up_proj"));
    CHECK_FALSE(matches("re:.*layers\\.(?:0|1|2)\\..*", "layers.11.mlp.up_proj"));
    CHECK(matches("re:.*(self_attn|mlp\\.(gate|up)_proj)$", "layers.1.mlp.up_proj"));
    CHECK(matches("re:(.*)up_proj|(.*)gate_proj", "layers.1.mlp.gate_proj"));
    CHECK(matches("re:.+\\.up_proj", "layers.1.mlp.up_proj"));
    CHECK_FALSE(matches("re:.+layers", "layers"));
}

TEST_CASE("what globs cannot say is not taken in") {
    for (const char* pattern :
         {"re:.*layers\\.[0-9]\\..*", "re:a+", "re:(a|b)*", "re:a{3}", "re:(a", "re:a)", "re:a?b",
          "re:\\w+", "re:.*?x", "re:[", "re:(((((((((((a)))))))))))",
          "re:(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)"}) {
        CAPTURE(pattern);
        ModulePatterns list;
        CHECK_FALSE(list.add(pattern));
        CHECK(list.empty());
    }
    CHECK_FALSE(ModulePatterns().add("re:" + std::string(100000, '(')));
    CHECK_FALSE(ModulePatterns().add("re:" + std::string(100000, 'a')));
}

TEST_CASE("lists of any length take bounded time and memory") {
    const napkin::test::Watchdog bounded(10);
    ModulePatterns names;
    for (int i = 0; i < 100000; ++i) names.add("model.layers." + std::to_string(i) + ".mlp");
    CHECK(names.match("layers.99999.mlp.up_proj"));
    CHECK_FALSE(names.full());

    ModulePatterns globs;
    for (int i = 0; i < 100000; ++i) globs.add("*x" + std::to_string(i));
    CHECK(globs.full());
    CHECK(globs.globs() <= ModulePatterns::most_globs + 1);

    ModulePatterns expressions;
    std::string wide = "re:(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)";
    wide += std::string(250, 'x');
    for (int i = 0; i < 100000; ++i) expressions.add(wide);
    CHECK(expressions.full());
    ModulePatterns wrong;
    for (int i = 0; i < 100000; ++i) wrong.add(wide + "[");
    CHECK(wrong.full());
}

TEST_CASE("a glob of many stars does not go back more than once") {
    ModulePatterns list;
    std::string stars;
    for (int i = 0; i < 2000; ++i) stars += "*a";
    for (int i = 0; i < 1000; ++i) list.add(stars + "b" + std::to_string(i));
    list.add("*a*a*a*a*b");
    const std::string module(4000, 'a');
    const napkin::test::Watchdog bounded(10);
    CHECK_FALSE(list.match(module));
    CHECK(list.match(module + "b"));
}
