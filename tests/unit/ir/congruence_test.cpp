// Conditions on coordinates modulo a number, compared with the values of the nodes at all points.
#include "compiler/ir/congruence.h"

#include <fmt/format.h>

#include "compiler/ir/known.h"
#include "compiler/ir/rewrite.h"
#include "tests/unit/load.h"

namespace stencil::ir {
namespace {

using test::load;

constexpr int64_t kAll = 12;  // a multiple of all moduli below

// The piece with this condition, on [low..low+9, low-2..low+8].
Piece piece_of(const std::string& condition, int low) {
  const std::string text = fmt::format(R"(
grid G = [{0}..{0}+9, {0}-2..{0}+8];
field A : real on G;
stencil s : A[i in {0}..{0}+9, j in {0}-2..{0}+8] where {1} = 2 * A[0,0];
)",
                                       low, condition);
  Program program = load(text);
  return program.functions.empty() ? Piece{} : program.functions[0].pieces[0];
}

// The values of nodes that depend on coordinates alone; 0 for all others.
std::vector<int64_t> values_at(const Graph& graph, int i, int j) {
  std::vector<Constant> values;
  for (const Node& node : graph.nodes()) {
    Constant value;
    if (const auto* constant = std::get_if<Constant>(&node.kind)) value = *constant;
    if (const auto* index = std::get_if<Index>(&node.kind)) {
      value.integer = index->dimension == 0 ? i : j;
    }
    if (const auto* operation = std::get_if<Operation>(&node.kind)) {
      std::vector<Constant> of;
      for (const NodeId id : operation->operands) of.push_back(values[id]);
      value = evaluate_known(operation->op, node.type, graph[operation->operands[0]].type, of);
    }
    values.push_back(value);
  }
  std::vector<int64_t> out;
  for (const Constant& value : values) out.push_back(value.integer);
  return out;
}

Residue residue_of(int i, int j) {
  return {{kAll, kAll}, {(i % kAll + kAll) % kAll, (j % kAll + kAll) % kAll}};
}

// The number of values in the region that are determined by residues of coordinates. Expects all of
// them to be correct.
int decided(const std::string& condition, int low) {
  const Piece piece = piece_of(condition, low);
  const auto found = congruences(piece.graph, piece.region);
  int count = 0;
  for (int i = low; i <= low + 9; ++i) {
    for (int j = low - 2; j <= low + 8; ++j) {
      const std::vector<int64_t> values = values_at(piece.graph, i, j);
      for (const Congruence& congruence : found) {
        const auto value = value_at(congruence, residue_of(i, j));
        if (!value) continue;
        ++count;
        EXPECT_EQ(*value, values[congruence.node]) << condition << " at " << i << ", " << j;
      }
    }
  }
  return count;
}

constexpr int kPoints = 10 * 11;

TEST(Congruences, FollowFromResidues) {
  for (const int low : {2, 0, -1, -5, -16}) {
    EXPECT_EQ(decided("(i + j) % 2 == 0", low), kPoints) << low;
    EXPECT_EQ(decided("0 != (5 * i - 3 * j + 7) % 4", low), kPoints) << low;
    EXPECT_EQ(decided("((i - j) & 3) == 2", low), kPoints) << low;
    EXPECT_EQ(decided("(-(2 * i) + 1) % 3 == 0 and long(j) % 2 == 0", low), 2 * kPoints) << low;
  }
}

TEST(Congruences, OfNegativeNumbersDependOnTheSign) {
  EXPECT_EQ(decided("(i + j) % 2 == 1", 1), kPoints);       // the remainder itself
  EXPECT_EQ(decided("(i + j) % 2 == 1", -3), kPoints / 2);  // only where the condition fails
  EXPECT_EQ(decided("(i - 40) % 3 == -1", 1), kPoints * 7 / 10);
  EXPECT_EQ(decided("(40 - i) % 3 != 1", 1), kPoints);
}

TEST(Congruences, OnlyLinearFormsAreDecided) {
  for (const char* condition :
       {"A[0,0] > 0.5", "(i * j) % 2 == 0", "i % 65 == 0", "time % 2 == 0", "i / 2 == 0",
        "(i & 5) == 0", "(i + integer(A[0,0])) % 2 == 0", "i % j == 0"}) {
    EXPECT_EQ(decided(condition, 1), 0) << condition;
  }
}

TEST(Congruences, PeriodIsTheModulusNeededPerCoordinate) {
  const Piece piece = piece_of("(2 * i + 3 * j) % 4 == 0", 0);
  const auto found = congruences(piece.graph, piece.region);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].period(0), 2);
  EXPECT_EQ(found[0].period(1), 4);
  EXPECT_FALSE(value_at(found[0], {{1, 4}, {0, 0}}));
  EXPECT_FALSE(value_at(found[0], {{2, 2}, {0, 0}}));
  EXPECT_TRUE(value_at(found[0], {{2, 4}, {0, 0}}));
}

TEST(Congruences, KeepTheAccessesThatAPointNeeds) {
  const Program program = load(R"(
grid G = [0..9, 0..9];
field A : real on G;
stencil s : A[i in 1..8, j in 1..8] where (i + j) % 2 == 0 and not (j % 3 == 1)
    = A[-1,0] + A[1,0] + A[0,-1] + A[0,1];
)");
  const Piece& piece = program.functions[0].pieces[0];
  const auto found = congruences(piece.graph, piece.region);
  const auto accesses_at = [&](const Residue& residue) {
    const Residual rest = at_residue(piece.graph, piece.results, found, residue);
    return accesses(rest.graph, rest.results).size();
  };
  EXPECT_EQ(accesses_at({{2, 6}, {0, 0}}), 4u);
  EXPECT_EQ(accesses_at({{2, 6}, {1, 0}}), 1u);  // only its own value
  EXPECT_EQ(accesses_at({{2, 6}, {0, 4}}), 1u);
  EXPECT_EQ(accesses_at({{2, 2}, {1, 0}}), 1u);
  EXPECT_EQ(accesses_at({{2, 2}, {0, 0}}), 5u);  // either branch
  EXPECT_EQ(accesses_at({{1, 1}, {0, 0}}), 5u);
}

}  // namespace
}  // namespace stencil::ir
