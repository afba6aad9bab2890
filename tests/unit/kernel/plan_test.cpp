// How a run is divided into time tiles.
#include "compiler/kernel/plan.h"

#include <gtest/gtest.h>

namespace stencil::kernel {
namespace {

std::vector<int64_t> tiles_of(const Plan& plan, int64_t steps) {
  std::vector<int64_t> tiles;
  for (int64_t done = 0; done < steps; done += tiles.back()) {
    tiles.push_back(steps_of_tile(plan, steps - done, done));
  }
  return tiles;
}

using Tiles = std::vector<int64_t>;

TEST(StepsOfTile, TakesAnySizeUpToTheTimeTileUnlessSizesAreListed) {
  Plan plan;
  plan.time_tile = 4;
  EXPECT_EQ(tiles_of(plan, 0), Tiles{});
  EXPECT_EQ(tiles_of(plan, 3), Tiles{3});
  EXPECT_EQ(tiles_of(plan, 4), Tiles{4});
  EXPECT_EQ(tiles_of(plan, 11), (Tiles{4, 4, 3}));
}

TEST(StepsOfTile, TakesTheLargestListedSizeThatFits) {
  Plan plan;
  plan.time_tile = 10;
  plan.tile_sizes = {10, 5, 2, 1};
  EXPECT_EQ(tiles_of(plan, 1), Tiles{1});
  EXPECT_EQ(tiles_of(plan, 4), (Tiles{2, 2}));
  EXPECT_EQ(tiles_of(plan, 9), (Tiles{5, 2, 2}));
  EXPECT_EQ(tiles_of(plan, 10), Tiles{10});
  EXPECT_EQ(tiles_of(plan, 28), (Tiles{10, 10, 5, 2, 1}));
  EXPECT_EQ(steps_of_tile(plan, int64_t{1} << 40), 10);
}

Reduction every(int64_t steps) {
  Reduction reduction;
  reduction.every = steps;
  return reduction;
}

TEST(StepsOfTile, EndsTilesAtReductions) {
  Plan plan;
  plan.time_tile = 4;
  plan.reductions = {every(6), every(10)};
  EXPECT_EQ(tiles_of(plan, 21), (Tiles{4, 2, 4, 2, 4, 2, 2, 1}));
  EXPECT_EQ(steps_of_tile(plan, 100, 9), 1);
  plan.tile_sizes = {4, 2, 1};
  plan.reductions = {every(7)};
  EXPECT_EQ(tiles_of(plan, 9), (Tiles{4, 2, 1, 2}));
}

TEST(StepsOfTile, StopConditionsWithoutReductionsEndTilesAfterEveryStep) {
  Plan plan;
  plan.time_tile = 4;
  plan.reductions = {every(6)};
  plan.stop = Stop{};
  EXPECT_EQ(tiles_of(plan, 3), (Tiles{1, 1, 1}));
  plan.stop->reductions = {0};
  EXPECT_EQ(tiles_of(plan, 3), Tiles{3});
}

}  // namespace
}  // namespace stencil::kernel
