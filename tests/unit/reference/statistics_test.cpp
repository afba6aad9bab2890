// Reductions evaluated within the step, checked by hand.
#include <gtest/gtest.h>

#include "compiler/reference/interpreter.h"
#include "tests/unit/load.h"
#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

double at(const State& state, size_t field, int64_t i) {
  return state.fields[field].real(0, 0, i);
}

TEST(Statistics, AreEvaluatedAtTheirPlaceInTheStep) {
  const ir::Program program = test::load(
      "grid G = [0..3] steps 4; field A, B : double on G;"
      "reduce before = sum(A[0]) on G;"
      "stencil grow : A on G = A[0] + before + late@-1;"
      "reduce after = sum(A[0]) on G initial 7;"
      "stencil keep : B on G = after - after@-1;"
      "reduce late = max(B[0]) on G initial 0.5;"
      "reduce unread = sum(B[0]) on G every 2;"
      "init A[i] = real(i);");
  State state = state_of(program);
  advance(program, state, 1);
  // before = 0+1+2+3, A = i + 6.5, after = 32, B = 32 - 7
  EXPECT_EQ(state.reductions[0].real, 6);
  EXPECT_EQ(at(state, 0, 3), 9.5);
  EXPECT_EQ(state.reductions[1].real, 32);
  EXPECT_EQ(at(state, 1, 0), 25);
  EXPECT_EQ(state.reductions[2].real, 25);
  EXPECT_EQ(state.reductions[3].evaluations, 0);
  advance(program, state, 1);
  // before = 32, A = i + 6.5 + 32 + 25, after = 260, B = 260 - 32
  EXPECT_EQ(state.reductions[0].real, 32);
  EXPECT_EQ(at(state, 0, 0), 63.5);
  EXPECT_EQ(at(state, 1, 2), 228);
  EXPECT_EQ(state.reductions[3].real, 4 * 228.0);
  for (size_t r = 0; r < 3; ++r) EXPECT_EQ(state.reductions[r].evaluations, 2);
}

// Until the first function writes a field, its levels are those of the previous step.
TEST(Statistics, ReadTheHistoryLevelsOfTheirPlace) {
  const ir::Program program = test::load(
      "grid G = [0..1] steps 2; field U : double on G history 2; field B : double on G;"
      "reduce above = sum(U[0] - U@-1[0]) on G;"
      "stencil s : U on G = 2 * U[0] + U@-1[0] + above * time;"
      "reduce below = sum(U[0] - U@-1[0]) on G;"
      "stencil t : B on G = 100 * above + below;"
      "init U = 1.0;");
  State state = state_of(program);
  advance(program, state, 1);
  EXPECT_EQ(at(state, 1, 0), 2 * (3 - 1));
  advance(program, state, 1);  // above = 2*(3-1), U = 2*3 + 1 + 4 = 11, below = 2*(11-3)
  EXPECT_EQ(at(state, 0, 1), 11);
  EXPECT_EQ(at(state, 1, 0), 100 * 4 + 16);
}

TEST(Statistics, StopTheRunAfterTheStepThatMeetsTheCondition) {
  const ir::Program program = test::load(
      "grid G = [0..1] steps 9; field A : double on G;"
      "reduce top = max(A[0]) on G; stencil s : A on G = A[0] + top;"
      "stop when top >= 4; init A = 1.0;");
  State state = state_of(program);
  EXPECT_EQ(advance(program, state, 9), 3);  // top is 1, 2, 4
  EXPECT_TRUE(state.stopped);
  EXPECT_EQ(at(state, 0, 0), 8);
}

}  // namespace
}  // namespace stencil::reference
