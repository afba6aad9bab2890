// Which nodes have the same value at all points.
#include "compiler/ir/uniform.h"

#include <gtest/gtest.h>

#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

struct Node {
  bool uniform, timed, known, once;
};

// The first result of the first function, in a program with a param `a` and fields of type `type`.
Node result_of(const std::string& value, const std::string& type = "float") {
  const Program program = test::load(
      "param a : float = 2; param m : integer; param n : integer = 5;\n"
      "grid G = [0..63] steps 4;\nfield A : " +
      type + " on G;\nstencil s : A[i in 1..62] = " + value + ";\n");
  const Piece& piece = program.functions[0].pieces[0];
  const Uniformity kinds = uniformity(piece.graph);
  const size_t id = static_cast<size_t>(piece.results[0]);
  return {kinds.uniform[id], kinds.timed[id], kinds.known[id],
          kinds.computed_once(piece.graph, piece.results[0])};
}

TEST(Uniform, HoldsForExpressionsOfParamsAndTime) {
  for (const char* value :
       {"a * a", "sqrt(a) / (m + 1)", "select(m > 3, a, -a)", "min(a, m / 3)"}) {
    const Node node = result_of(value);
    EXPECT_TRUE(node.uniform && node.once) << value;
    EXPECT_FALSE(node.timed || node.known) << value;
  }
  for (const char* value : {"a * time", "sin(a * time)", "select(time % 3 == 1, a, 2.0)"}) {
    const Node node = result_of(value);
    EXPECT_TRUE(node.uniform && node.once && node.timed) << value;
  }
  for (const char* value : {"a * A[0]", "a * i", "select(time > 2, A[0], a)", "sin(a) + A[-1]"}) {
    const Node node = result_of(value);
    EXPECT_FALSE(node.uniform || node.once) << value;
  }
}

// Compilers fold expressions of literals, but not calls of library functions.
TEST(Uniform, KnownValuesAreLeftToTheCompiler) {
  EXPECT_TRUE(result_of("n * 1.0 / 3.0").known);
  EXPECT_FALSE(result_of("sin(n * 1.0)").known);
  EXPECT_FALSE(result_of("a / 3.0").known);
}

// Values of storage types exist in memory only.
TEST(Uniform, StorageTypesAreNotPrecomputed) {
  EXPECT_TRUE(result_of("a * a", "half").uniform);
  EXPECT_FALSE(result_of("a * a", "half").once);
}

TEST(Uniform, UniformNodesAreNotCountedPerPoint) {
  const Program program = test::load(
      "param a : real = 2;\ngrid G = [0..63] steps 4;\n"
      "field A : real on G;\n"
      "stencil s : A on G = A[0] * (1 + sin(a * time)) - a / 3;\n");
  EXPECT_EQ(count_operations(program.functions[0].pieces[0]), 1);  // fma
}

}  // namespace
}  // namespace stencil::ir
