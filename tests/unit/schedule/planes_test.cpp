// The planes family: what a tile stores and in which order it computes, its text form, refusals and
// defaults.
#include "compiler/schedule/planes/plan.h"

#include <gtest/gtest.h>

#include "compiler/kernel/verify.h"
#include "compiler/schedule/family.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using analysis::Margin;
using test::load;

const char* const kJacobi = R"(
grid G = [0..511, 0..511, 0..511] steps 9;
field A : real on G;
stencil s : A[1..510, 1..510, 1..510] = A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,0,1];
)";

PlanesPlan plan(const ir::Program& program, const std::string& settings, int steps) {
  Diagnostics diagnostics;
  const auto schedule = parse("planes " + settings, program, diagnostics);
  EXPECT_TRUE(schedule.has_value()) << render(Source("", ""), diagnostics);
  return plan_planes(analysis::TimeTiles(program), *schedule, steps);
}

std::string refusal(const std::string& text, const std::string& settings) {
  const ir::Program program = load(text);
  Diagnostics diagnostics;
  const auto schedule = parse("planes " + settings, program, diagnostics);
  if (schedule) lower(program, *schedule, diagnostics);
  return render(Source("test.stn", text), diagnostics);
}

TEST(PlanesPlan, EveryStepLagsByItsReadsAhead) {
  const PlanesPlan p = plan(load(kJacobi), "block=64x16", 3);
  ASSERT_EQ(p.stages.size(), 3u);
  for (int t = 0; t < 3; ++t) {
    const PlanesStage& stage = p.stages[t];
    EXPECT_EQ(stage.step, t);
    EXPECT_EQ(stage.lag, t);
    const int64_t left = 2 - t;  // number of later steps; reads go down in y and up in x
    EXPECT_EQ(stage.computed, (Margin{{left, left}, {left, 0}, {0, left}}));
    // A ring holds the planes below, here and above. No stage reads the last result.
    EXPECT_EQ(p.versions[stage.results[0].made].ring, t == 2 ? 0 : 3);
  }
  EXPECT_EQ(p.core(1), 14);
  EXPECT_EQ(p.core(2), 62);
  EXPECT_EQ(ring_bytes(load(kJacobi), p), 2 * 3 * 64 * 16 * 4);
}

TEST(PlanesPlan, ReadsBelowKeepPlanesAndReadsAheadAddLag) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A, B : real on G;"
      "stencil f : A[2..97, 0..99] = B[-2,0];"
      "stencil g : B[2..97, 0..99] = A[1,0];");
  const PlanesPlan p = plan(program, "block=64", 2);
  std::vector<int> lags, rings;
  for (const PlanesStage& stage : p.stages) {
    lags.push_back(stage.lag);
    rings.push_back(p.versions[stage.results[0].made].ring);
  }
  EXPECT_EQ(lags, (std::vector<int>{0, 1, 0, 1}));
  // g reads the plane that f just computed; f reads g's plane before the newest one.
  EXPECT_EQ(rings, (std::vector<int>{1, 2, 1, 0}));
}

TEST(PlanesPlan, OlderLevelsAreThoseOfEarlierSteps) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field U : real on G history 2;"
      "stencil f : U[1..98, 1..98] = U[1,0] + U[-1,0] - U@-1[0,0];");
  const PlanesPlan p = plan(program, "block=64", 3);
  const auto from = [&](size_t stage, int level) {
    return p.versions[p.stages[stage].source.at({0, level})].stage;
  };
  EXPECT_EQ(from(0, 0), -1);
  EXPECT_EQ(from(0, 1), -1);
  EXPECT_EQ(from(1, 0), 0);
  EXPECT_EQ(from(1, 1), -1);
  EXPECT_EQ(from(2, 0), 1);
  EXPECT_EQ(from(2, 1), 0);
  EXPECT_EQ(p.versions[p.stages[1].results[0].made].output, 1);
  EXPECT_EQ(p.versions[p.stages[2].results[0].made].output, 0);
}

TEST(PlanesPlan, UnreadResultsAreNotComputed) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A, B : real on G;"
      "stencil f : A on G = 2 * B[0,0]; stencil g : A on G = 3 * B[0,0];");
  const PlanesPlan p = plan(program, "block=64", 2);
  ASSERT_EQ(p.stages.size(), 1u);
  EXPECT_EQ(p.stages[0].step, 1);
  EXPECT_EQ(p.stages[0].function, 1u);
  EXPECT_FALSE(p.stages[0].carries);
}

bool alike(const std::string& text, int steps) {
  return plan(load("grid G = [0..99, 0..99] steps 9; field A, B, C : real on G; " + text),
              "block=64", steps)
      .alike;
}

TEST(PlanesPlan, StepsAreAlikeWithoutOlderLevels) {
  EXPECT_TRUE(plan(load(kJacobi), "block=64x16", 3).alike);
  EXPECT_FALSE(plan(load(kJacobi), "block=64x16", 1).alike);
  EXPECT_FALSE(plan(load("grid G = [0..99, 0..99] steps 9; field U : real on G history 2;"
                         "stencil f : U[1..98, 1..98] = U[1,0] + U[-1,0] - U@-1[0,0];"),
                    "block=64", 3)
                   .alike);
  // In the first program only the last step computes B. In the other the last two steps compute A.
  EXPECT_TRUE(alike("stencil f : A[1..98, 1..98] = A[1,0]; stencil g : B on G = A[0,0];", 4));
  EXPECT_FALSE(alike("stencil g : B on G = A[0,0]; stencil f : A on G = C[0,0];", 4));
}

TEST(PlanesPlan, ParametersAreLinearInTheStep) {
  const ir::Program program = load(
      "grid G = [0..99, 0..99] steps 9; field A, B : real on G;"
      "stencil f : A[2..97, 1..98] = A[0,1] + B[-2,0];"
      "stencil g : B[2..97, 1..98] = A[1,0] + B[0,-1];");
  const PlanesPlan p = plan(program, "block=64", 5);
  ASSERT_TRUE(p.alike);
  for (const PlanesStage& stage : p.stages) {
    const PlanesStage* before = p.before(stage);
    const PlanesStage* first = before ? p.before(*before) : nullptr;
    if (!first) continue;
    EXPECT_EQ(stage.lag - before->lag, before->lag - first->lag);
    for (size_t d = 0; d < 2; ++d) {
      EXPECT_EQ(stage.computed[d].low - before->computed[d].low,
                before->computed[d].low - first->computed[d].low);
      EXPECT_EQ(stage.computed[d].high - before->computed[d].high,
                before->computed[d].high - first->computed[d].high);
    }
  }
}

TEST(PlanesKernels, OneKernelServesTilesOfAnySize) {
  const auto kernels = [](const std::string& text) {
    Diagnostics diagnostics;
    const ir::Program program = load(text);
    const auto schedule = parse("planes T=4 block=32", program, diagnostics);
    return lower(program, *schedule, diagnostics)->kernels.size();
  };
  const std::string grid = "grid G = [0..99, 0..99] steps 9; field A : real on G";
  EXPECT_EQ(kernels(grid + "; stencil f : A[1..98, 1..98] = A[1,0];"), 1u);
  EXPECT_EQ(kernels(grid + " history 2; stencil f : A[1..98, 1..98] = A@-1[1,0];"), 3u);
}

TEST(PlanesPlan, EdgeTilesHaveMarginsOnlyInPeriodicDimensions) {
  const std::string around = "grid G = [0..99, 0..99] steps 9; field A : real on G boundary ";
  const std::string rule = "; stencil f : A on G = A[0,-1] + A[0,1];";
  const PlanesPlan clamped = plan(load(around + "clamp" + rule), "block=64", 2);
  EXPECT_EQ(clamped.images, (std::vector<bool>{false, false}));
  EXPECT_EQ(clamped.spared(1), 2);
  const PlanesPlan periodic = plan(load(around + "periodic" + rule), "block=64", 2);
  EXPECT_EQ(periodic.images, (std::vector<bool>{false, true}));
  EXPECT_EQ(periodic.spared(1), 0);
}

TEST(PlanesPlan, ChunksDivideThePlanesEvenly) {
  EXPECT_EQ(plan(load(kJacobi), "block=64x16", 1).chunk, 32);
  EXPECT_EQ(plan(load(kJacobi), "block=64x16", 4).chunk, 64);  // eight chunks of at most 72 planes
  EXPECT_EQ(plan(load(kJacobi), "block=64x16 chunk=100", 4).chunk, 100);
  EXPECT_EQ(plan(load("param N : integer; require N >= 9; grid G = [0..N, 0..N] steps 9;"
                      "field A : real on G; stencil f : A[1..N-1, 0..N] = A[-1,0];"),
                 "block=64", 3)
                .chunk,
            32);
  // With few blocks per thread chunks get shorter, down to twice the recomputed planes.
  EXPECT_EQ(plan(load("grid G = [0..99, 0..99] steps 9; field A : real on G;"
                      "stencil f : A[1..98, 0..99] = A[-1,0] + A[1,0];"),
                 "block=64", 6)
                .chunk,
            20);
}

TEST(PlanesText, RoundTrips) {
  const ir::Program program = load(kJacobi);
  for (const char* line : {"planes T=4 block=512x24x1 chunk=auto interior=split",
                           "planes T=1 block=8x8x1 chunk=7 interior=tested rows=dense"}) {
    Diagnostics diagnostics;
    const auto schedule = parse(line, program, diagnostics, cpu());
    ASSERT_TRUE(schedule.has_value()) << line;
    EXPECT_EQ(print(*schedule), line);
  }
}

TEST(PlanesRefusals, NameTheReason) {
  EXPECT_EQ(refusal("grid G = [0..99] steps 9; field A : real on G; stencil f : A on G = 1;", ""),
            "test.stn:1:6: error L018: planes refused: the grid has one dimension\n"
            "    1 | grid G = [0..99] steps 9; field A : real on G; stencil f : A on G = 1;\n"
            "      |      ^\n"
            "      = hint: there is nothing to tile beside the streamed dimension; use --schedule "
            "overlapped\n");
  EXPECT_EQ(refusal(kJacobi, "block=8x8x2"),
            "test.stn: error L019: planes refused: the block must not extend along the streamed "
            "dimension\n"
            "      = expected: a block of up to 2 dimensions\n"
            "      = found: block=8x8x2\n"
            "      = hint: the outermost dimension is processed plane by plane; see chunk=\n");
  EXPECT_EQ(refusal(kJacobi, "T=9 block=64x8"),
            "test.stn: error L014: planes refused: the tile is smaller than its halo in y\n"
            "      = expected: a block of at least 9 for T=9\n"
            "      = found: 8\n"
            "      = hint: fewer steps per tile or a larger block; block=64x16x1 would work\n");
  EXPECT_EQ(refusal(kJacobi, "T=9 block=64x16x1"), "");
  EXPECT_EQ(refusal(kJacobi, "T=40 block=64x16"),
            "test.stn: error L014: planes refused: the tile is smaller than its halo in y\n"
            "      = expected: a block of at least 40 for T=40\n"
            "      = found: 16\n"
            "      = hint: fewer steps per tile; T=16 would work\n");
  EXPECT_EQ(refusal(kJacobi, "T=15 block=32x32"), "");
  EXPECT_EQ(refusal(kJacobi, "T=25 block=32x32"),
            "test.stn: error L015: planes refused: the rings exceed shared memory\n"
            "      = expected: at most 232448 bytes per block\n"
            "      = found: 294912 bytes\n"
            "      = hint: fewer steps per tile or a smaller block\n");
}

TEST(PlanesRefusals, ReadsOutsideTheHaloNeedUnwrittenFields) {
  const std::string text =
      "param N : integer; require N >= 30; grid G = [0..N, 0..N] steps 9;"
      "subgrid S of G = [5..20, 0..N];"
      "field A : real on S boundary periodic; field B, C : real on G;";
  const std::string outside_halo = "stencil f : B[5..20, 0..N] = A[1,0];";
  EXPECT_EQ(refusal(text + outside_halo, "T=2 block=64"), "");  // no function writes A
  const std::string written = text + outside_halo + "stencil g : A[5..20, 0..N] = C[0,0];";
  EXPECT_EQ(refusal(written, "T=1 block=64"), "");
  EXPECT_NE(
      refusal(written, "T=2 block=64").find("error L016: planes refused: the boundary of 'A'"),
      std::string::npos);
  const std::string before = text + "stencil g : A[5..20, 0..N] = C[0,0];" + outside_halo;
  EXPECT_NE(refusal(before, "T=1 block=64").find("error L016"), std::string::npos);
}

TEST(PlanesDefaults, OnACpuTilesStayInCache) {
  const ir::Program program = load(kJacobi);
  const Schedule schedule = choose(program, nullptr, cpu());
  EXPECT_EQ(schedule.family, "planes");
  EXPECT_GT(schedule.time_tile, 1);
  EXPECT_EQ(schedule.interior, Interior::Split);
  const PlanesPlan p = plan_planes(analysis::TimeTiles(program), schedule, schedule.time_tile);
  EXPECT_LE(ring_bytes(program, p), cpu().shared_bytes);
  EXPECT_EQ(choose(program).family, "streaming");
}

// A block of one point in a dimension has no room for the halo of a second step.
TEST(PlanesDefaults, SupportSeveralStepsInManyDimensions) {
  for (const char* size : {" = 32", " = 700", ""}) {
    for (const auto& [box, offset] :
         {std::pair("[0..N-1, 0..N-1, 0..N-1, 0..N-1]", "[0,1,0,-1]"),
          std::pair("[0..N-1, 0..N-1, 0..N-1, 0..N-1, 0..N-1]", "[1,-1,1,-1,1]")}) {
      const ir::Program program =
          load(std::string("param N : integer") + size + "; grid G = " + box +
               " steps 9; field A : real on G boundary clamp; stencil s : A on G = 2 * A" + offset +
               ";");
      for (const Machine& machine : {gpu(), cpu()}) {
        Diagnostics diagnostics;
        const auto schedule = parse("planes", program, diagnostics, machine);
        ASSERT_TRUE(schedule.has_value());
        EXPECT_GT(schedule->time_tile, 1) << box << size;
        EXPECT_TRUE(lower(program, *schedule, diagnostics, machine).has_value()) << box << size;
        EXPECT_EQ(choose(program, nullptr, machine).family, "direct");  // measured to be faster
      }
    }
  }
}

}  // namespace
}  // namespace stencil::schedule
