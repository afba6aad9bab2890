// Hash-consing, and queries on programs.
#include "compiler/ir/program.h"

#include <gtest/gtest.h>

#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

TEST(Graph, EqualNodesAreShared) {
  Graph graph;
  const NodeId a = graph.add({Access{0, 0, 0, {1}, 0}, Scalar::F32, {}, {}});
  const NodeId b = graph.add({Access{0, 0, 0, {2}, 0}, Scalar::F32, {}, {}});
  EXPECT_NE(a, b);
  EXPECT_EQ(a, graph.add({Access{0, 0, 0, {1}, 0}, Scalar::F32, {5, 9}, "other"}));
  const NodeId sum = graph.add({Operation{Op::Add, {a, b}}, Scalar::F32, {}, {}});
  EXPECT_EQ(sum, graph.add({Operation{Op::Add, {a, b}}, Scalar::F32, {}, {}}));
  EXPECT_NE(sum, graph.add({Operation{Op::Add, {b, a}}, Scalar::F32, {}, {}}));
  EXPECT_NE(sum, graph.add({Operation{Op::Add, {a, b}}, Scalar::F64, {}, {}}));
  EXPECT_EQ(graph.size(), 5);
}

TEST(Graph, ConstantsAreComparedByBits) {
  Graph graph;
  const NodeId zero = graph.add({Constant{0.0, 0}, Scalar::F32, {}, {}});
  EXPECT_NE(zero, graph.add({Constant{-0.0, 0}, Scalar::F32, {}, {}}));
  EXPECT_EQ(zero, graph.add({Constant{0.0, 0}, Scalar::F32, {}, {}}));
}

TEST(Graph, TheFirstNameIsKept) {
  Graph graph;
  const NodeId id = graph.add({Time{}, Scalar::I32, {}, {}});
  graph.name(id, "first");
  graph.name(id, "second");
  EXPECT_EQ(graph[id].hint, "first");
}

TEST(Piece, CountsReachableOperations) {
  Piece piece;
  const NodeId a = piece.graph.add({Access{0, 0, 0, {0}, 0}, Scalar::F32, {}, {}});
  const NodeId sum = piece.graph.add({Operation{Op::Add, {a, a}}, Scalar::F32, {}, {}});
  piece.graph.add({Operation{Op::Mul, {sum, sum}}, Scalar::F32, {}, {}});  // not needed
  const NodeId half = piece.graph.add({Operation{Op::Convert, {sum}}, Scalar::F16, {}, {}});
  piece.results = {half};
  EXPECT_EQ(count_operations(piece), 1);
}

// The operation count of `expression`, where a, b and c are values of a point.
int flops(const std::string& expression, FpMode fp) {
  ProgramOptions options;
  options.fp = fp;
  const Program program = test::load(
      "param p : real = 2;\ngrid G = [0..63] steps 4;\n"
      "field a, b, c : real on G;\nfield n : integer on G constant;\n"
      "stencil s : a on G = " +
          expression + ";\n",
      options);
  return count_flops(program.functions[0].pieces[0]);
}

TEST(Piece, CountsFlopsAsWritten) {
  const struct {
    const char* expression;
    int count;
  } cases[] = {
      {"a[0]", 0},
      {"-a[0]", 0},
      {"a[0] + b[0] + c[0]", 2},
      {"a[0] * b[0] + c[0]", 2},
      {"c[0] - a[0] * b[0]", 2},
      {"a[0] * b[0] * c[0] - 0.5 * a[0]", 4},
      {"0.25 * a[0] - 0.5 * b[0] - c[0]", 4},
      {"(a[0] - b[0]) * (a[0] - b[0]) + 1", 3},            // the difference occurs again
      {"(a[0] * b[0] + c[0]) / (c[0] - a[0] * b[0])", 4},  // so does the product
      {"(a[0] * b[0] + c[0]) * (a[0] * b[0])", 3},         // the product too
      {"(0.5 * b[0] + c[0]) / (c[0] - 0.5 * b[0])", 4},    // the product too, with a literal
      {"fma(a[0], b[0], c[0])", 2},
      {"sqrt(a[0]) + max(b[0], abs(c[0]))", 4},
      {"p * sin(p) * a[0] + time * p", 2},  // the other operations are computed once for all points
      {"select(a[0] > b[0] and c[0] < 1, a[0], -b[0])", 0},
      {"a[0] * n[0]", 1},
  };
  for (const auto& each : cases) {
    for (const FpMode fp : {FpMode::Strict, FpMode::Contract, FpMode::Fast}) {
      EXPECT_EQ(flops(each.expression, fp), each.count) << each.expression << ' ' << name(fp);
    }
  }
}

}  // namespace
}  // namespace stencil::ir
