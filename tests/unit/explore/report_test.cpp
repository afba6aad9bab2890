// Functions shared by all report formats.
#include "tools/stencilc/explore/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/explore/sample.h"

namespace stencil::explore {
namespace {

Report with_rates(const std::vector<std::pair<double, std::optional<double>>>& rates) {
  Report report;
  for (const auto& [predicted, measured] : rates) {
    Candidate candidate;
    candidate.predicted = predicted;
    candidate.measured = measured;
    report.candidates.push_back(candidate);
  }
  return report;
}

TEST(ReportTest, TauIsOneForTheSameOrder) {
  EXPECT_DOUBLE_EQ(*kendall_tau(with_rates({{3, 30}, {2, 20}, {1, 10}})), 1);
  EXPECT_DOUBLE_EQ(*kendall_tau(with_rates({{3, 10}, {2, 20}, {1, 30}})), -1);
}

// Five of six pairs agree, one does not.
TEST(ReportTest, TauCountsPairs) {
  EXPECT_DOUBLE_EQ(*kendall_tau(with_rates({{4, 40}, {3, 20}, {2, 30}, {1, 10}})), 4. / 6);
}

// One of three pairs is tied in the prediction: (2 - 0) / sqrt(2 * 3).
TEST(ReportTest, TauCorrectsForTies) {
  EXPECT_DOUBLE_EQ(*kendall_tau(with_rates({{2, 30}, {2, 20}, {1, 10}})), 2 / std::sqrt(6.));
  EXPECT_DOUBLE_EQ(*kendall_tau(with_rates({{3, 20}, {2, 20}, {1, 10}})), 2 / std::sqrt(6.));
}

TEST(ReportTest, TauIgnoresUnmeasuredCandidates) {
  EXPECT_DOUBLE_EQ(*kendall_tau(with_rates({{3, 30}, {9, std::nullopt}, {1, 10}})), 1);
  EXPECT_EQ(kendall_tau(with_rates({{3, 30}, {9, std::nullopt}})), std::nullopt);
  EXPECT_EQ(kendall_tau(with_rates({{3, 30}, {3, 10}})), std::nullopt);
  EXPECT_EQ(kendall_tau(with_rates({})), std::nullopt);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(kendall_tau(with_rates({{3, 30}, {nan, 10}})), std::nullopt);
}

TEST(ReportTest, NumbersHaveThreeDigits) {
  EXPECT_EQ(three_digits(1673.19), "1673");
  EXPECT_EQ(three_digits(999.7), "1000");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(12.34), "12.3");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(1.0), "1.00");
  EXPECT_EQ(three_digits(0.12345), "0.123");
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(three_digits(2.5e9), "2.5e+09");
  EXPECT_EQ(three_digits(std::numeric_limits<double>::infinity()), "-");
}

TEST(ReportTest, TheWinnerIsTheChosenCandidate) {
  const Report report = jacobi_sample();
  ASSERT_NE(winner_of(report), nullptr);
  EXPECT_TRUE(winner_of(report)->chosen);
  EXPECT_NE(winner_of(report), &report.candidates.front());
  Report unmarked = report;
  for (Candidate& c : unmarked.candidates) c.chosen = false;
  EXPECT_EQ(winner_of(unmarked), &unmarked.candidates.front());
  EXPECT_EQ(winner_of(empty_sample()), nullptr);
  EXPECT_EQ(points_of(report), int64_t{512} * 512 * 512);
}

}  // namespace
}  // namespace stencil::explore
