// Affine functions, and Fourier-Motzkin elimination compared with brute force.
#include "compiler/ir/affine.h"

#include <gtest/gtest.h>

#include <random>

namespace stencil::ir {
namespace {

const Affine kN{0, {{0, 1}}};
const Affine kM{0, {{1, 1}}};

TEST(Affine, Arithmetic) {
  EXPECT_EQ(kN + kM - kN, kM);
  EXPECT_EQ((kN * 2 + kM - 1) * -1, (Affine{1, {{0, -2}, {1, -1}}}));
  EXPECT_TRUE((kN * 0).is_constant());
}

TEST(Affine, Print) {
  const std::vector<std::string> names = {"N", "M"};
  EXPECT_EQ(print(kN - 2, names), "N - 2");
  EXPECT_EQ(print(kN * 2 + kM - 1, names), "2*N + M - 1");
  EXPECT_EQ(print(kN * -1 - kM * 3, names), "-N - 3*M");
  EXPECT_EQ(print(Affine{}, names), "0");
  EXPECT_EQ(print(Affine{INT64_MIN, {{0, INT64_MIN}}}, names),
            "-9223372036854775808*N - 9223372036854775808");
}

TEST(Affine, EvaluateDetectsOverflow) {
  EXPECT_EQ(evaluate(kN * 3 - 1, {5, 0}), 14);
  EXPECT_EQ(evaluate(kN * 3, {INT64_MAX / 2, 0}), std::nullopt);
  EXPECT_EQ(evaluate(kN + 1, {INT64_MAX, 0}), std::nullopt);
}

TEST(ImpliesNonnegative, UsesAssumptions) {
  EXPECT_TRUE(implies_nonnegative({}, Affine{0, {}}));
  EXPECT_FALSE(implies_nonnegative({}, Affine{-1, {}}));
  EXPECT_FALSE(implies_nonnegative({}, kN));
  EXPECT_TRUE(implies_nonnegative({kN - 8}, kN - 8));
  EXPECT_FALSE(implies_nonnegative({kN - 8}, kN - 9));
  EXPECT_TRUE(implies_nonnegative({kN - kM, kM - 3}, kN - 3));
  EXPECT_TRUE(implies_nonnegative({kN * 2 - 3}, kN - 2));  // N >= 1.5, so the integer N >= 2
  EXPECT_TRUE(implies_nonnegative({kN - 5, kN * -1 + 3}, Affine{-1, {}}));  // contradiction
  EXPECT_TRUE(implies_nonnegative({Affine{-1, {}}}, kN));
}

TEST(ImpliesNonnegative, SurvivesHugeCoefficients) {
  const Affine huge{INT64_MAX, {{0, INT64_MAX - 1}, {1, -(INT64_MAX - 4)}}};
  const Affine other{INT64_MIN + 1, {{0, -INT64_MAX}, {1, INT64_MAX - 2}}};
  EXPECT_FALSE(implies_nonnegative({huge, other, kN - 1}, kM * -1 - 5));
}

TEST(ImpliesNonnegative, IsSoundOnRandomSystems) {
  std::mt19937 random(20120625);
  std::uniform_int_distribution<int> coefficient(-3, 3), constant(-6, 6);
  auto draw = [&] {
    return kN * coefficient(random) + kM * coefficient(random) + constant(random);
  };
  int proved = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<Affine> assumptions = {draw(), draw(), draw()};
    const Affine goal = draw();
    if (!implies_nonnegative(assumptions, goal)) continue;
    ++proved;
    for (int64_t n = -15; n <= 15; ++n) {
      for (int64_t m = -15; m <= 15; ++m) {
        bool admissible = true;
        for (const Affine& a : assumptions) admissible &= *evaluate(a, {n, m}) >= 0;
        if (admissible) {
          ASSERT_GE(*evaluate(goal, {n, m}), 0) << "round " << round;
        }
      }
    }
  }
  EXPECT_GT(proved, 200);
}

}  // namespace
}  // namespace stencil::ir
