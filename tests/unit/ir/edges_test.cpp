// Conditions near the edges of the grid, compared with the values of the nodes at all points.
#include "compiler/ir/edges.h"

#include <fmt/format.h>

#include "compiler/ir/lower/passes.h"
#include "compiler/ir/rewrite.h"
#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

constexpr const char* kGrid = "grid G = [2..21, -3..20]; field A, B : real on G boundary clamp; ";

// The conditions of `stencil s : A on G = select(CONDITION, A[-1,0], B[0,1])`, as texts.
std::vector<std::string> conditions_of(const std::string& condition, const std::string& grid) {
  const Program program =
      test::load(grid + "stencil s : A[i in first..last, j in first..last] = select(" + condition +
                 ", A[-1,0], B[0,1]);");
  std::vector<std::string> out;
  if (program.functions.empty()) return out;
  for (const EdgeCondition& one : edge_conditions(program, program.functions[0].pieces[0].graph)) {
    out.push_back(fmt::format("{} {} {}/{}{}", one.dimension, one.low ? "low" : "high", one.within,
                              one.first, one.inverted ? " inverted" : ""));
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Edges, AreFoundInComparisons) {
  EXPECT_EQ(conditions_of("i < 3", kGrid), (Texts{"0 low 1/1"}));
  EXPECT_EQ(conditions_of("i <= 3", kGrid), (Texts{"0 low 2/2"}));
  EXPECT_EQ(conditions_of("3 >= i", kGrid), (Texts{"0 low 2/2"}));
  EXPECT_EQ(conditions_of("i >= 4", kGrid), (Texts{"0 low 2/2 inverted"}));
  EXPECT_EQ(conditions_of("i > 20", kGrid), (Texts{"0 high 1/1"}));
  EXPECT_EQ(conditions_of("19 < j", kGrid), (Texts{"1 high 1/1"}));
  EXPECT_EQ(conditions_of("j < 19", kGrid), (Texts{"1 high 2/2 inverted"}));
  EXPECT_EQ(conditions_of("i == 2", kGrid), (Texts{"0 low 1/1"}));
  EXPECT_EQ(conditions_of("i == 4", kGrid), (Texts{"0 low 3/0"}));
  EXPECT_EQ(conditions_of("j != 20", kGrid), (Texts{"1 high 1/1 inverted"}));
  EXPECT_EQ(conditions_of("i == 2 or j > 19", kGrid), (Texts{"0 low 1/1", "1 high 1/1"}));
  EXPECT_EQ(conditions_of("i < 12", kGrid), Texts{}) << "far from both edges";
  EXPECT_EQ(conditions_of("i < j", kGrid), Texts{});
  EXPECT_EQ(conditions_of("i % 2 == 0", kGrid), Texts{});
}

TEST(Edges, OfOpenSizesAreCompared) {
  Diagnostics diagnostics;
  const std::string open =
      "param N : integer; grid G = [0..N-1, 0..2*N]; field A, B : real on G boundary clamp; ";
  EXPECT_EQ(conditions_of("i > N - 3", open), (Texts{"0 high 2/2"}));
  EXPECT_EQ(conditions_of("j >= 2 * N", open), (Texts{"1 high 1/1"}));
  EXPECT_EQ(conditions_of("j > N", open), Texts{});
}

// Where the accesses A[-1,0] and B[0,1] of the program may escape if their values are used.
std::vector<uint32_t> used_escapes(const std::string& value) {
  const Program program =
      test::load(std::string(kGrid) + "stencil s : A[i in 2..21, j in -3..20] = " + value + ";");
  const Piece& piece = program.functions[0].pieces[0];
  const Unused unused =
      unused_at_edges(piece.graph, piece.results, 2, edge_conditions(program, piece.graph));
  std::vector<uint32_t> out;
  for (const auto& [id, access] : accesses(piece.graph, piece.results)) {
    out.push_back(used_part(program, *access, unused[id]).escapes);
  }
  return out;
}

TEST(Edges, SelectsMakeRulesUnnecessary) {
  using Escapes = std::vector<uint32_t>;
  EXPECT_EQ(used_escapes("A[-1,0]"), (Escapes{1}));
  EXPECT_EQ(used_escapes("select(i < 3, 0.5, A[-1,0])"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(i >= 3, A[-1,0], 0.5)"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(i < 3, A[-1,0], 0.5)"), (Escapes{1}));
  EXPECT_EQ(used_escapes("select(i < 3, 0.5, A[-2,0])"), (Escapes{1})) << "also beyond point 3";
  EXPECT_EQ(used_escapes("select(i < 4, 0.5, A[-2,0])"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(i == 2, 0.5, A[-1,0])"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(i == 3, 0.5, A[-2,0])"), (Escapes{1})) << "not at point 2";
  EXPECT_EQ(used_escapes("select(j > 19, 0.5, B[0,1])"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(j > 19, 0.5, A[-1,0])"), (Escapes{1})) << "another dimension";
  EXPECT_EQ(used_escapes("select(i < 3 or j > 5, 0.5, A[-1,0])"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(i < 3 and j > 5, 0.5, A[-1,0])"), (Escapes{1}));
  EXPECT_EQ(used_escapes("select(i >= 3 and j > 5, A[-1,0], 0.5)"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(not (i >= 3), 0.5, A[-1,0])"), (Escapes{0}));
  EXPECT_EQ(used_escapes("select(i < 3, 0.5, A[-1,0]) + A[-1,0]"), (Escapes{1}))
      << "also used without a condition";
  EXPECT_EQ(used_escapes("select(j > 5, 0.5, select(i < 3, 0.5, 2 * A[-1,0]))"), (Escapes{0}));
}

TEST(Edges, GraphsAwayFromThemHaveNoConditions) {
  const Program program =
      test::load(std::string(kGrid) +
                 "stencil s : A[i in 2..21, j in -3..20] = "
                 "select(i < 3 or j > 19, B[0,0], select(j != -3, A[0,0], 7));");
  const Piece& piece = program.functions[0].pieces[0];
  const Residual inside =
      away_from_edges(piece.graph, piece.results, edge_conditions(program, piece.graph));
  ASSERT_EQ(inside.results.size(), 1u);
  const auto* access = std::get_if<Access>(&inside.graph[inside.results[0]].kind);
  ASSERT_TRUE(access);
  EXPECT_EQ(program.fields[access->field].name, "A");
}

// The rules that are computed leave such conditions.
TEST(Edges, ComeFromBoundaryRules) {
  for (const char* rule : {"antisymmetric", "odd", "gradient 1"}) {
    const Program written =
        test::load(std::string("grid G = [0..15, 0..15]; field A : real on G boundary ") + rule +
                   "; stencil s : A on G = A[-1,0] + A[0,1];");
    const auto lowered = lower_for_kernels(written, {false});
    const Program& program = lowered ? *lowered : written;
    EXPECT_EQ(edge_conditions(program, program.functions[0].pieces[0].graph).size(), 2u) << rule;
  }
}

}  // namespace
}  // namespace stencil::ir
