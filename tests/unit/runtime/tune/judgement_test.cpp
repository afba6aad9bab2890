// When a candidate is beaten, on made-up runs.
#include "runtime/tune/judgement.h"

#include <gtest/gtest.h>

namespace stencil::tune {
namespace {

TimedRuns runs_of(const std::vector<double>& seconds, int first = 1) {
  TimedRuns out;
  for (const double each : seconds) out.push_back({first++, each});
  return out;
}

TEST(Judgement, TakesMedians) {
  EXPECT_EQ(median(std::vector<double>{3}), 3);
  EXPECT_EQ(median(std::vector<double>{5, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 2, 8}), 3);
  EXPECT_EQ(spread(runs_of({1, 2, 3, 9})), 1);
  EXPECT_EQ(spread(runs_of({7})), 0);
}

TEST(Judgement, DropsCandidatesSlowerBeyondTheNoise) {
  EXPECT_TRUE(beats(runs_of({1.00, 1.01, 0.99}), runs_of({1.05, 1.06, 1.07})));
  EXPECT_FALSE(beats(runs_of({1.00, 1.01, 0.99}), runs_of({1.05, 1.06, 1.005})))
      << "one of its runs was as fast";
  EXPECT_FALSE(beats(runs_of({1.00, 1.10, 0.90}), runs_of({1.05, 1.06, 1.07})))
      << "the leader's spread is as large";
  EXPECT_FALSE(beats(runs_of({1.00, 1.00, 1.00}), runs_of({1.05, 1.15, 1.30})))
      << "the other's spread is larger";
  EXPECT_FALSE(beats(runs_of({1, 1, 1}), runs_of({1.004, 1.004, 1.004})))
      << "below the resolution of clocks";
}

TEST(Judgement, NeedsRoundsInCommon) {
  EXPECT_FALSE(beats(runs_of({1, 1, 1}), runs_of({9, 9, 9}, 4)));
  EXPECT_FALSE(beats(runs_of({1, 1, 1}), runs_of({1.2, 1.2}, 2)))
      << "two runs need a larger difference";
  EXPECT_FALSE(beats(runs_of({1, 1, 1}), runs_of({1.9}, 3))) << "one run needs a still larger one";
  EXPECT_TRUE(beats(runs_of({1, 1, 1}), runs_of({1.4, 1.5}, 2))) << "large enough for two runs";
  EXPECT_TRUE(beats(runs_of({1, 1, 1}), runs_of({2.1}, 3))) << "large enough for one run";
  // Drift between their rounds does not count.
  TimedRuns leader = runs_of({1, 1, 1, 2, 2, 2});
  EXPECT_FALSE(beats(leader, runs_of({2.0, 2.0, 2.0}, 4)));
}

TEST(Judgement, TreatsOnePercentAsEqual) {
  EXPECT_TRUE(equals(runs_of({1, 1, 1}), runs_of({1.009, 1, 1.2})));
  EXPECT_FALSE(equals(runs_of({1, 1, 1}), runs_of({1.02, 1.02, 1.02})));
}

}  // namespace
}  // namespace stencil::tune
