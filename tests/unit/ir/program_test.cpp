// Hash-consing and the queries on programs.
#include "compiler/ir/program.h"

#include <gtest/gtest.h>

namespace stencil::ir {
namespace {

TEST(Graph, EqualNodesAreOne) {
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

TEST(Graph, TheFirstNameStays) {
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

}  // namespace
}  // namespace stencil::ir
