// Reductions over some dimensions, checked by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/reference/interpreter.h"
#include "tests/unit/load.h"

namespace stencil::reference {
namespace {

State begun(const ir::Program& program) {
  std::string error;
  std::optional<State> state = allocate(program, {}, {}, error);
  EXPECT_TRUE(state) << error;
  initialise(program, *state);
  return std::move(*state);
}

TEST(ReduceOver, ReducesTheOtherDimensionsAtEachIndex) {
  const ir::Program program = test::load(
      "grid G = [0..2, 0..3] steps 4; field A : double on G;"
      "stencil s : A on G = A[0,0] + 1;"
      "reduce rows = sum(A[0,0]) over 1 on G;"
      "reduce columns = max(A[0,0]) over 0 on [1..2, 1..3] where A[0,0] < 25 every 2;"
      "init A[i,j] = real(10 * i + j); init columns = -1.0;");
  State state = begun(program);
  advance(program, state, 1);
  const FieldData& rows = state.fields[1];
  EXPECT_EQ(rows.points, 3);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(rows.real(0, 0, i), 4 * (10.0 * double(i) + 1) + 6);
  EXPECT_EQ(state.fields[2].real(0, 0, 0), -1);
  EXPECT_EQ(state.reductions[1].evaluations, 0);
  advance(program, state, 1);
  EXPECT_EQ(state.fields[2].points, 3);
  EXPECT_EQ(state.fields[2].real(0, 0, 0), 23);
  EXPECT_EQ(state.fields[2].real(0, 0, 2), 15);  // 25 is excluded
  EXPECT_EQ(state.reductions[0].evaluations, 2);
}

// a is the sum of A at the start of the step. A grows by a[0] - a@-1[1], clamped at the edge.
TEST(ReduceOver, IsReadAfterItsPlaceInTheStep) {
  const ir::Program program = test::load(
      "grid G = [0..1, 0..2] steps 4; field A : double on G;"
      "reduce a = sum(A[0,0]) over 1 on G boundary clamp;"
      "stencil s : A on G = A[0,0] + a[0] - a@-1[1];"
      "init A[i,j] = real(i + 1); init a[i] = real(10 * i);");
  State state = begun(program);
  advance(program, state, 1);  // a = {3, 6}, previously {0, 10}
  EXPECT_EQ(state.fields[0].real(0, 0, 0), 1 + 3 - 10);
  EXPECT_EQ(state.fields[0].real(0, 0, 3), 2 + 6 - 10);
  EXPECT_EQ(state.fields[1].real(1, 0, 1), 10);
  advance(program, state, 1);  // a = {-18, -6}, previously {3, 6}
  EXPECT_EQ(state.fields[0].real(0, 0, 0), -6 - 18 - 6);
  EXPECT_EQ(state.fields[0].real(0, 0, 3), -2 - 6 - 6);
}

// In floating point, compared with the definition: 40 rows and 70 columns in tiles of 32 by 32.
TEST(ReduceOver, SumsInTheOrderOfTheLanguage) {
  const ir::Program program = test::load(
      "grid G = [0..39, 0..2, 0..69] steps 1; field A : float on G;"
      "stencil s : A on G = A[0,0,0];"
      "reduce r = sum(A[0,0,0]) over [0, 2] on G;"
      "init A[i,j,k] = 1.0 / real(1 + i + 2 * j + 3 * k);");
  State state = begun(program);
  advance(program, state, 1);
  const auto combined = [](std::vector<float> lanes) {
    for (size_t s = 8; s > 0; s /= 2) {
      for (size_t l = 0; l < s; ++l) lanes[l] += lanes[l + s];
    }
    return lanes[0];
  };
  for (int j = 0; j < 3; ++j) {
    std::vector<float> of_tiles(16, 0.0f);
    for (int tile = 0; tile < 6; ++tile) {
      std::vector<float> lanes(16, 0.0f);
      for (int point = 0; point < 1024; ++point) {
        const int i = tile / 3 * 32 + point / 32, k = tile % 3 * 32 + point % 32;
        if (i < 40 && k < 70) lanes[size_t(point % 16)] += 1.0f / float(1 + i + 2 * j + 3 * k);
      }
      of_tiles[size_t(tile)] += combined(lanes);
    }
    EXPECT_EQ(state.fields[1].real(0, 0, j), double(combined(of_tiles))) << j;
  }
}

TEST(ReduceOver, RemembersTheFirstNan) {
  const ir::Program program = test::load(
      "grid G = [0..3, 0..4] steps 9; field A : float on G;"
      "stencil s : A on G = A[0,0] - 1;"
      "reduce r = max(sqrt(A[0,0])) over 1 on G; reduce whole = sum(integer(A[0,0])) over 1 on G;"
      "init A[i,j] = real(select(i == 2 and j == 3, 2, 100));");
  State state = begun(program);
  advance(program, state, 5);
  EXPECT_EQ(state.reductions[0].first_nan, 3);
  EXPECT_TRUE(std::isnan(state.fields[1].real(0, 0, 2)));
  EXPECT_FALSE(std::isnan(state.fields[1].real(0, 0, 1)));
  EXPECT_EQ(state.reductions[1].first_nan, 0);
}

TEST(ReduceOver, OfNoPointsIsTheNeutralElement) {
  const ir::Program program = test::load(
      "grid G = [0..3, 0..4] steps 9; field A : float on G;"
      "stencil s : A on G = A[0,0];"
      "reduce r = prod(A[0,0]) over 1 on [0..3, 3..2];");
  State state = begun(program);
  advance(program, state, 1);
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(state.fields[1].real(0, 0, i), 1);
}

}  // namespace
}  // namespace stencil::reference
