// The tests' own evaluator: were it too lenient, an explanation could drift unseen.
#include "tests/support/evaluate.hpp"

#include "tests/support/catch.hpp"

using namespace napkin::test;

TEST_CASE("the evaluator reads what a person reads", "[evaluate]") {
    CHECK(evaluate("1 + 2 * 3") == 7);
    CHECK(evaluate("8 - 4 - 2") == 2);
    CHECK(evaluate("8 / 4 / 2") == 1);
    CHECK(evaluate("2 ^ 3 ^ 2") == 512);
    CHECK(evaluate("-2 ^ 2") == -4);
    CHECK(evaluate("2 ^ -1 - -1.5e+1") == 15.5);
    CHECK(evaluate("max(a, 2) * (a - 1)", {{"a", 5}}) == 20);
    CHECK(evaluate("ceil(1.2) + floor(1.8) + sqrt(9) + min(1, 2)") == 7);
    for (const char* wrong : {"", "1 +", "(1", "a", "1 2", "max(1)", "sin(1)", "1 $ 2"}) {
        CAPTURE(wrong);
        CHECK_THROWS(evaluate(wrong));
    }
}

TEST_CASE("the largest whole number lies between its neighbours", "[evaluate]") {
    const Names names{{"each", 3}, {"limit", 20}};
    CHECK(evaluate("largest(each * 6, limit, each * 7, 6)", names) == 6);
    CHECK_THROWS(evaluate("largest(each * 5, limit, each * 6, 5)", names));
    CHECK_THROWS(evaluate("largest(each * 7, limit, each * 8, 7)", names));
}
