// The number of steps between exchanges that the model chooses, and its schedule.
#include "compiler/driver/cutting.h"

#include "compiler/schedule/explore.h"
#include "tests/unit/load.h"

namespace stencil {
namespace {

// A grid with `planes` planes in dimension 0.
ir::Program heat(int64_t planes, const std::string& type = "real") {
  const std::string z = std::to_string(planes - 1), inner = std::to_string(planes - 2);
  const auto program = test::load("grid G = [0.." + z +
                                  ", 0..511, 0..511] steps 100;\n"
                                  "field A : " +
                                  type +
                                  " on G;\n"
                                  "stencil s : A[1.." +
                                  inner +
                                  ", 1..510, 1..510] = 0.1 * (A[-1,0,0] + A[1,0,0] + A[0,-1,0]"
                                  " + A[0,1,0] + A[0,0,-1] + A[0,0,1]) + 0.4 * A[0,0,0];\n");
  return *decompose::at_sizes(program, {});
}

std::optional<Cutting> cut_heat(const ir::Program& program, const CutRequest& request,
                                const std::string& line = "auto") {
  Diagnostics diagnostics;
  auto out = cut(program, request, line, schedule::gpu(), gpu_link(), diagnostics);
  EXPECT_TRUE(out) << render(Source("", ""), diagnostics);
  return out;
}

TEST(Cutting, ASubdomainAloneWritesItsOwnPoints) {
  for (const int64_t steps : {4, 8}) {
    const ir::Program whole = heat(1024);
    const auto cutting = cut_heat(whole, {"1x1x4", steps}, "streaming T=4 block=16x16");
    ASSERT_TRUE(cutting);
    const ir::Program own = subdomain_alone(whole, *cutting);
    EXPECT_EQ(own.origin.rim[0], (std::array<int64_t, 2>{steps, steps}));
    EXPECT_EQ(decompose::high_of(own.grid(), 0) - decompose::low_of(own.grid(), 0) + 1,
              256 + 2 * steps);
    EXPECT_FALSE(own.origin.subdomain);
  }
}

// The halo adds planes but does not change the schedule.
TEST(Cutting, SubdomainsUseTheScheduleOfAGridOfTheirSize) {
  const ir::Program half = heat(512);
  schedule::Scheduler scheduler(half);
  const schedule::Schedule alone = scheduler.choose().schedule;
  const auto cutting = cut_heat(heat(1024), {"1x1x2", 0});
  ASSERT_TRUE(cutting);
  EXPECT_EQ(cutting->schedule.time_tile, alone.time_tile);
  EXPECT_EQ(cutting->schedule.block, alone.block);
  EXPECT_EQ(cutting->schedule.elements, alone.elements);
  const auto expected = schedule::predict(scheduler, alone);
  EXPECT_NEAR(cutting->prediction.alone / expected->prediction.seconds, 1, 0.06);
}

// If the exchange overlaps with interior tiles, more steps between
// exchanges only cost redundant planes.
TEST(Cutting, OverlappedExchangesFollowEveryTile) {
  const auto cutting = cut_heat(heat(1024), {"1x1x2", 0});
  ASSERT_TRUE(cutting);
  EXPECT_EQ(cutting->decomposition.steps, cutting->schedule.time_tile);
  EXPECT_LT(cutting->prediction.waited, 0.5 * cutting->prediction.exchange);
  EXPECT_GT(cutting->prediction.efficiency(), 0.95);
  const auto wide = cut_heat(heat(1024, "double"), {"1x1x2", 0});  // would gain half a percent
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->decomposition.steps, wide->schedule.time_tile);
  const auto across = cut_heat(heat(1024), {"1x2x1", 0});
  ASSERT_TRUE(across);
  EXPECT_EQ(across->prediction.waited, across->prediction.exchange);
  EXPECT_GT(across->decomposition.steps, across->schedule.time_tile);
}

TEST(Cutting, AnExchangeEveryStepLimitsTilesToOneStep) {
  const auto each = cut_heat(heat(1024), {"1x1x2", 1});
  ASSERT_TRUE(each);
  EXPECT_EQ(each->decomposition.common_tile, 1);
  EXPECT_LT(each->prediction.efficiency(), 0.7);
}

TEST(Cutting, StepsBetweenExchangesAreWholeTiles) {
  const auto cutting = cut_heat(heat(1024), {"1x1x2", 11}, "streaming T=4 block=16x16");
  ASSERT_TRUE(cutting);
  EXPECT_EQ(cutting->decomposition.steps, 8);
  EXPECT_EQ(cutting->decomposition.common_tile, 4);
}

TEST(Cutting, IsExplained) {
  Diagnostics diagnostics;
  const std::string text =
      explain_subdomains(heat(1024), {"2", 0}, "auto", schedule::gpu(), gpu_link(), diagnostics);
  for (const char* said : {"512 x 512 x 1024 points (x first), cut 1x1x2 into 2 subdomains",
                           "512 x 512 x 512 points", "overlapped with the interior of the last",
                           "redundant work", "GCells/s", "4+0 in z", "4.19 MB", "times one device",
                           "Steps between exchanges", "Ways to cut the grid", "2x1x1", "1x2x1"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
  }
  const std::string none = explain_subdomains(heat(1024), {"2x2x2x2", 0}, "auto", schedule::gpu(),
                                              gpu_link(), diagnostics);
  EXPECT_EQ(none, "");
  EXPECT_EQ(diagnostics.items().front().code, "L032");
}

}  // namespace
}  // namespace stencil
