// Boundary rules that are lowered, in the values of a run.
#include "tests/unit/load.h"
#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

using Values = std::vector<double>;

// A pattern that moves along the diagonal of a torus changes its sign with each turn.
TEST(BoundaryRules, AntiperiodicEdgesChangeTheSignInEachTurn) {
  const ir::Program program = test::load(
      "grid G = [0..2, 0..1] steps 12;\n"
      "field U : real on G boundary antiperiodic;\n"
      "stencil s : U on G = U[-1,-1];\n");
  State state = started(program);
  const Values first = {1, 2, 3, 4, 5, 6};
  set(state, 0, first);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{6, -5, -2, 1, -4, 3}));
  advance(program, state, 5);  // two turns of dimension 0, three of dimension 1
  EXPECT_EQ(values(state, 0), (Values{-1, -2, -3, -4, -5, -6}));
  advance(program, state, 6);
  EXPECT_EQ(values(state, 0), first);
}

// Integers of the least value keep it, as every negation does.
TEST(BoundaryRules, TheSignOfAnIntegerWrapsAround) {
  const ir::Program program = test::load(
      "grid G = [0..1] steps 1;\n"
      "field U : integer on G boundary antiperiodic;\n"
      "stencil s : U on G = U[-2];\n");
  State state = started(program);
  set(state, 0, {7, -2147483648.0});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 0), (Values{-7, -2147483648.0}));
}

}  // namespace
}  // namespace stencil::reference
