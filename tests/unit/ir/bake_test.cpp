// Fixed params in the IR text: their values replace references, and constant folding follows.
#include <gtest/gtest.h>

#include "compiler/ir/passes.h"
#include "compiler/reference/interpreter.h"
#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

const char* const kHead =
    "param a : real = 0.1; param b : real = 3; param d : double = 0.1;\n"
    "grid G = [0..9] steps 3; field A : real on G;\n";

ProgramOptions fixing(std::set<std::string> names, FpMode fp = FpMode::Contract) {
  ProgramOptions options;
  options.fp = fp;
  options.fixed = std::move(names);
  return options;
}

std::string expression(const std::string& text, const ProgramOptions& options) {
  const Program program = test::load(kHead + ("stencil f : A[1..8] = " + text + ";"), options);
  const std::string printed = print(program);
  const size_t begin = printed.find("    = ") + 6;
  return printed.substr(begin, printed.find('\n', begin) - begin);
}

TEST(BakeParams, ReplacesParamsByTheirValues) {
  EXPECT_EQ(expression("A[0] * a", fixing({"a"})), "mul(A[0], 0.1)");
  EXPECT_EQ(expression("A[0] * a / b", fixing({"b"})), "div(mul(A[0], a), 3)");
}

TEST(BakeParams, UsesTheValueOfTheCommandLine) {
  ProgramOptions options = fixing({"a"});
  options.definitions["a"] = "0.5";
  EXPECT_EQ(expression("A[0] * a", options), "mul(A[0], 0.5)");
}

TEST(BakeParams, FoldsConstantsInTheirType) {
  EXPECT_EQ(expression("A[0] * (a * b)", fixing({"a", "b"})), "mul(A[0], 0.3)");
  EXPECT_EQ(expression("float(A[0] * (d * b))", fixing({"b", "d"})),
            "float(mul(double(A[0]), 0.30000000000000004))");
}

TEST(BakeParams, FoldsSelectionsWithKnownConditions) {
  EXPECT_EQ(expression("select(a < b, A[0], A[1])", fixing({"a", "b"})), "A[0]");
  EXPECT_EQ(expression("select(a < b, A[0], A[1])", fixing({"a"})),
            "select(lt(0.1, b), A[0], A[1])");
}

TEST(BakeParams, FormsTheFusedOperationsOfTheUnfixedProgram) {
  // 2*a is a product, and is fused before its value is known.
  EXPECT_EQ(expression("A[0] + 2 * a", fixing({})), "fma(2, a, A[0])");
  EXPECT_EQ(expression("A[0] + 2 * a", fixing({"a"})), "fma(2, 0.1, A[0])");
}

TEST(BakeParams, DoesNotFoldNonFiniteValues) {
  EXPECT_EQ(expression("A[0] * (1 / (a - a))", fixing({"a"})), "mul(A[0], div(1, 0))");
}

TEST(BakeParams, ChangesNothingWithoutFixedParams) {
  EXPECT_EQ(expression("A[0] * (a * b)", fixing({})), "mul(A[0], mul(a, b))");
}

TEST(BakeParams, TheStopConditionKeepsItsReductions) {
  // The reductions that the condition names determine the steps at which it is evaluated.
  const Program program = test::load(kHead + std::string("stencil f : A[1..8] = a * A[0];\n"
                                                         "reduce r = max(A[0]) on G every 2;\n"
                                                         "stop when select(a > 1, r, 0.5) < 0.7;"),
                                     fixing({"a"}));
  bool named = false;
  for (const Node& node : program.run.until->graph.nodes()) {
    named = named || std::holds_alternative<ReductionRef>(node.kind);
    EXPECT_FALSE(std::holds_alternative<ParamRef>(node.kind));
  }
  EXPECT_TRUE(named);
}

TEST(BakeParams, RequirementsThatHoldAreDropped) {
  const std::string text = kHead + std::string("require a < 0.25; stencil f : A on G = A[0];");
  EXPECT_EQ(test::load(text, fixing({})).requirements.size(), 1u);
  EXPECT_EQ(test::load(text, fixing({"a"})).requirements.size(), 0u);
}

TEST(BakeParams, ChangesNoBit) {
  const std::string text =
      kHead + std::string(
                  "stencil f : A[1..8] = (a * A[-1] + b * (1 - a) * A[0] - A[1] / b) / "
                  "(2 + a * b) + sqrt(a) * 2 * a;");
  for (FpMode fp : {FpMode::Strict, FpMode::Contract}) {
    std::vector<std::vector<double>> results;
    for (const auto& names : {std::set<std::string>{}, {"a"}, {"b"}, {"a", "b"}}) {
      const Program program = test::load(text, fixing(names, fp));
      std::string error;
      auto state = reference::allocate(program, {0, 0, 0}, {0.1, 3, 0.1}, error);
      ASSERT_TRUE(state) << error;
      for (int64_t p = 0; p < 10; ++p) state->fields[0].set_real(0, 0, p, 0.37 * double(p) - 1);
      reference::advance(program, *state, 3);
      std::vector<double>& result = results.emplace_back();
      for (int64_t p = 0; p < 10; ++p) result.push_back(state->fields[0].real(0, 0, p));
    }
    for (const auto& result : results) EXPECT_EQ(result, results.front());
  }
}

}  // namespace
}  // namespace stencil::ir
