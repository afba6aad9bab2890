// Records in the interpreter: which rows are filled when, and the order of summation.
#include <gtest/gtest.h>

#include "compiler/reference/interpreter.h"
#include "tests/unit/load.h"
#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

// Every product and sum is rounded in float, so another order would change some bits.
TEST(Records, AddRowByRow) {
  const ir::Program program = test::load(
      "grid G = [0..9, 0..9, 0..9] steps 1; points p [0..63] on G weights 3; field A : float on G;"
      "stencil s : A on G = A[0,0,0]; record r [0..0] = A[0,0,0] at p;"
      "init A[i,j,k] = 1.0 / real(1 + i + 7 * j + 3 * k);"
      "init p[n] = { at = { 1 + n % 8, 1 + n / 8, 4.5 }, weight = { { 0.3, 0.5, 0.1 }, "
      "{ 0.7, 0.2, 0.9 }, { 0.4, 0, 0.6 } } };");
  State state = started(program);
  advance(program, state, 1);
  constexpr double kWeights[3][3] = {{0.3, 0.5, 0.1}, {0.7, 0.2, 0.9}, {0.4, 0, 0.6}};
  for (int n = 0; n < 64; ++n) {
    float sum = 0;
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        for (int c = 0; c < 3; ++c) {
          const int i = n % 8 + a, j = n / 8 + b, k = 3 + c;
          const auto weight = static_cast<float>(kWeights[0][a] * kWeights[1][b] * kWeights[2][c]);
          const float product = weight * (1.0f / static_cast<float>(1 + i + 7 * j + 3 * k));
          if (c != 1) sum = sum + product;
        }
      }
    }
    EXPECT_EQ(state.fields[2].real(0, 0, n), static_cast<double>(sum)) << n;
  }
}

TEST(Records, FillOneRowPerSample) {
  const ir::Program program = test::load(
      "grid G = [0..9] steps 7; points p [0..1] on G; field A : float on G;"
      "stencil s : A on G = A[0] + 1; record r [0..3] = A[0] at p every 3;"
      "init p[n] = { real(n) + 2.5 };");
  State state = started(program);
  advance(program, state, 4);
  advance(program, state, 3);
  const FieldData& rows = state.fields[2];
  EXPECT_EQ(rows.extents, (std::vector<int64_t>{4, 2}));
  EXPECT_TRUE(rows.spare.empty()) << "rows are filled in place";
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t n = 0; n < 2; ++n) {
      EXPECT_EQ(rows.real(0, 0, 2 * row + n), row < 2 ? 3.0 * static_cast<double>(row + 1) : 0.0);
    }
  }
  EXPECT_EQ(state.reductions[0].evaluations, 2);
}

}  // namespace
}  // namespace stencil::reference
