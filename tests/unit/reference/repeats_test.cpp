// Repeats, checked by hand.
#include <gtest/gtest.h>

#include "compiler/reference/interpreter.h"
#include "tests/unit/load.h"
#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

using Values = std::vector<double>;

TEST(Repeats, RunTheirFunctionsInOrderSeveralTimes) {
  const ir::Program program = test::load(
      "grid G = [0..2] steps 4; field A, B : double on G boundary constant 0;"
      "stencil before : A on G = A[0] + 1;"
      "repeat 2 { stencil move : A on G = A[-1]; stencil sum : B on G = B[0] + A[0]; }"
      "stencil after : A on G = 10 * A[0];"
      "init A[i] = real(i + 1);");
  State state = state_of(program);
  advance(program, state, 1);
  // A: 2 3 4, then 0 2 3, then 0 0 2; B: the sum of the last two.
  EXPECT_EQ(values(state, 0), (Values{0, 0, 20}));
  EXPECT_EQ(values(state, 1), (Values{0, 2, 5}));
  advance(program, state, 1);
  // A: 1 1 21, then 0 1 1, then 0 0 1.
  EXPECT_EQ(values(state, 0), (Values{0, 0, 10}));
  EXPECT_EQ(values(state, 1), (Values{0, 3, 7}));
}

TEST(Repeats, KeepTimeAndHistoryLevelsOfTheStep) {
  const ir::Program program = test::load(
      "grid G = [0..0] steps 4; series w : double [0..9]; field A, B : double on G;"
      "field H : double on G history 2;"
      "repeat 3 {"
      "  stencil count : A on G = A[0] + time + 1;"
      "  stencil rarely : B every 2 on G = B[0] + w[time] + H@-1[0]; }"
      "stencil levels : H on G = H[0] + 1;"
      "init w[t] = 100 * real(t + 1); init H = 0.5;");
  State state = state_of(program);
  advance(program, state, 2);
  EXPECT_EQ(values(state, 0), Values{3 * 1 + 3 * 2});
  EXPECT_EQ(values(state, 1), Values{3 * 100.5});
  EXPECT_EQ(values(state, 2), Values{2.5});
  EXPECT_EQ(values(state, 2, 1), Values{1.5});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), Values{3 * 100.5 + 3 * 301.5});
}

TEST(Repeats, ReadReductionsAboveThem) {
  const ir::Program program = test::load(
      "grid G = [0..3] steps 4; field A : double on G;"
      "reduce total = sum(A[0]) on G;"
      "repeat 2 { stencil grow : A on G = A[0] + total; }"
      "reduce behind = sum(A[0]) on G initial 1;"
      "repeat 2 { stencil more : A on G = A[0] + behind@-1; }"
      "init A[i] = real(i);");
  State state = state_of(program);
  advance(program, state, 1);
  EXPECT_EQ(state.reductions[0].real, 6);
  EXPECT_EQ(state.reductions[1].real, 6 + 4 * 2 * 6);
  EXPECT_EQ(values(state, 0), (Values{14, 15, 16, 17}));
}

}  // namespace
}  // namespace stencil::reference
