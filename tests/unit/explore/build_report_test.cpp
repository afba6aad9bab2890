// Reports compared with the explored space that they summarise.
#include "tools/stencilc/explore/build_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "compiler/schedule/settings.h"
#include "tests/unit/load.h"

namespace stencil::explore {
namespace {

using test::load;

const char* const kHeat = R"(
grid G = [0..255, 0..255] steps 12;
field A : real on G;
stencil s : A[1..254, 1..254] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)";

// Ranked schedules that differ in T and in points per thread. The fastest one spills.
class CurvesTest : public testing::Test {
 protected:
  CurvesTest() {
    rank("streaming T=4 block=32x4 elements=4x1", 3);
    rank("streaming T=2 block=32x2 elements=4x1", 4);
    rank("overlapped T=2 block=32x8 elements=2x2", 5);
    rank("streaming T=2 block=32x4 elements=1x1", 6);
    rank("direct block=32x8 elements=1x4", 7);
    rank("streaming T=11 block=32x4 elements=2x1", 8);  // not one of the usual T
    rank("streaming T=4 block=32x4 elements=1x1", 2).prediction.spills = true;
  }

  schedule::Candidate& rank(const std::string& line, double seconds) {
    Diagnostics none;
    auto candidate = schedule::predict(scheduler_, scheduler_.parse(line, none).value()).value();
    candidate.prediction.points_per_second = 1e9 / seconds;
    candidate.prediction.seconds = seconds;
    candidate.prediction.spills = false;
    space_.ranked.push_back(candidate);
    return space_.ranked.back();
  }

  // Returns the report with the first `kept` candidates.
  Report report(size_t kept) {
    Report out;
    out.candidates = candidates_of(scheduler_, space_.ranked, kept);
    return out;
  }

  std::string whole(const std::string& line) {
    Diagnostics none;
    return schedule::print(*scheduler_.parse(line, none), 2);
  }

  const ir::Program program_ = load(kHeat);
  schedule::Scheduler scheduler_{program_};
  schedule::Space space_;
};

std::vector<std::string> lines(const std::vector<Best>& curve) {
  std::vector<std::string> out;
  for (const Best& best : curve) out.push_back(best.predicted.schedule);
  return out;
}

TEST_F(CurvesTest, ShowTheBestOfTheWholeSpace) {
  for (const size_t kept : {size_t{1}, space_.ranked.size()}) {
    Report out = report(kept);
    add_curves(scheduler_, space_, out);
    EXPECT_EQ(lines(out.by_elements),
              (std::vector<std::string>{whole("streaming T=2 block=32x4 elements=1x1"),
                                        whole("direct block=32x8 elements=1x4"),
                                        whole("streaming T=2 block=32x2 elements=4x1"),
                                        whole("streaming T=4 block=32x4 elements=4x1")}));
    EXPECT_EQ(lines(out.by_time_tile),
              (std::vector<std::string>{whole("direct block=32x8 elements=1x4"),
                                        whole("streaming T=2 block=32x2 elements=4x1"),
                                        whole("streaming T=4 block=32x4 elements=4x1")}));
    ASSERT_EQ(out.by_elements.size(), 4u);
    EXPECT_EQ(out.by_elements[0].predicted.elements, 1);
    EXPECT_EQ(out.by_elements[2].predicted.elements, 4);
    EXPECT_EQ(out.by_elements[2].predicted.time_tile, 2);
    EXPECT_DOUBLE_EQ(out.by_elements[2].predicted.predicted, 0.25);
    for (const Best& best : out.by_elements) {
      EXPECT_FALSE(best.measured.has_value());
      EXPECT_EQ(best.timed, "");
    }
  }
}

// Measured rates need not follow the predicted order, and may belong to a schedule that spills.
TEST_F(CurvesTest, IncludeTheBestMeasuredSchedule) {
  Report out = report(space_.ranked.size());
  const auto measure = [&](const std::string& line, double rate) {
    for (Candidate& c : out.candidates) {
      if (c.schedule == whole(line)) c.measured = rate;
    }
  };
  measure("streaming T=2 block=32x2 elements=4x1", 10);
  measure("overlapped T=2 block=32x8 elements=2x2", 20);
  measure("streaming T=2 block=32x4 elements=1x1", 30);
  add_curves(scheduler_, space_, out);
  ASSERT_EQ(out.by_elements.size(), 4u);
  EXPECT_EQ(out.by_elements[0].measured, 30);
  EXPECT_EQ(out.by_elements[1].measured, std::nullopt);
  EXPECT_EQ(out.by_elements[2].measured, 20);
  EXPECT_EQ(out.by_elements[2].timed, whole("overlapped T=2 block=32x8 elements=2x2"));
  EXPECT_EQ(out.by_elements[2].predicted.schedule, whole("streaming T=2 block=32x2 elements=4x1"));
  ASSERT_EQ(out.by_time_tile.size(), 3u);
  EXPECT_EQ(out.by_time_tile[0].measured, std::nullopt);
  EXPECT_EQ(out.by_time_tile[1].measured, 30);
  EXPECT_EQ(out.by_time_tile[1].timed, whole("streaming T=2 block=32x4 elements=1x1"));
  // A measured time tile between the points of a curve becomes a point of its own.
  Candidate unusual = out.candidates[0];
  unusual.time_tile = 7;
  unusual.elements = 1;
  unusual.measured = 5;
  out.candidates.push_back(unusual);
  add_curves(scheduler_, space_, out);
  ASSERT_EQ(out.by_time_tile.size(), 4u);
  EXPECT_EQ(out.by_time_tile[3].predicted.time_tile, 7);
  EXPECT_EQ(out.by_time_tile[3].measured, 5);
  EXPECT_EQ(out.by_elements.size(), 5u);
}

// One sweep of a 5-point stencil loads each 4-byte word once. Longer tiles load less and compute
// more points redundantly.
TEST_F(CurvesTest, GiveTheCostsPerPoint) {
  Report out = report(1);
  add_curves(scheduler_, space_, out);
  ASSERT_EQ(out.by_time_tile.size(), 3u);
  const Candidate& direct = out.by_time_tile[0].predicted;
  EXPECT_DOUBLE_EQ(direct.words_loaded, 1);
  EXPECT_DOUBLE_EQ(direct.redundancy, 1);
  EXPECT_DOUBLE_EQ(direct.shared_bytes_moved, 0);
  for (size_t i = 1; i < 3; ++i) {
    const Candidate &c = out.by_time_tile[i].predicted, &before = out.by_time_tile[i - 1].predicted;
    Diagnostics none;
    const auto cost = schedule::measure(program_, *scheduler_.parse(c.schedule, none));
    EXPECT_DOUBLE_EQ(c.words_loaded, cost->bytes_read / 4);
    EXPECT_DOUBLE_EQ(c.redundancy, cost->redundancy);
    EXPECT_LT(c.words_loaded, before.words_loaded);
    EXPECT_GT(c.redundancy, before.redundancy);
    EXPECT_GT(c.shared_bytes_moved, 0);
  }
}

TEST_F(CurvesTest, NeighboursBelongToTheSameFamily) {
  Diagnostics none;
  const auto neighbours =
      neighbours_of(space_, *scheduler_.parse("streaming T=4 block=32x4 elements=4x1", none));
  ASSERT_EQ(neighbours.size(), 2u);
  EXPECT_EQ(neighbours[0].time_tile, 2);
  EXPECT_DOUBLE_EQ(neighbours[0].predicted, 0.25);
  EXPECT_EQ(neighbours[1].time_tile, 4);
}

// No candidate of the exploration beats the curves.
TEST(CurvesOfPrograms, NoCandidateIsBetter) {
  for (const char* text :
       {kHeat,
        "grid G = [0..99999] steps 9; field A : real on G;"
        "stencil s : A[1..99998] = A[-1] + A[1] - A[0];",
        "grid G = [0..63, 0..63, 0..63] steps 5; field A : real on G boundary clamp;"
        "stencil s : A on G = A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + A[0,0,1];",
        "grid G = [0..255, 0..255] steps 1; field A : real on G;"
        "stencil s : A[1..254, 1..254] = A[-1,0] + A[0,1];"}) {
    for (const schedule::Machine& machine : {schedule::gpu(), schedule::cpu()}) {
      const ir::Program program = load(text);
      schedule::Scheduler scheduler(program, machine);
      const schedule::Space space = schedule::explore(scheduler, schedule::Effort::Whole);
      Report out;
      out.candidates = candidates_of(scheduler, space.ranked, 10);
      add_curves(scheduler, space, out);
      std::map<std::pair<int64_t, int>, double> most;
      std::map<int, double> most_of;
      const auto& usual = schedule::usual_time_tiles();
      for (const schedule::Candidate& c : space.ranked) {
        if (c.prediction.spills) continue;
        const int T = c.schedule.time_tile;
        if (std::find(usual.begin(), usual.end(), T) == usual.end()) continue;
        const double rate = 1e-9 * c.prediction.points_per_second;
        double& best = most[{c.schedule.elements.product(), T}];
        best = std::max(best, rate);
        most_of[T] = std::max(most_of[T], rate);
      }
      ASSERT_EQ(out.by_elements.size(), most.size());
      ASSERT_EQ(out.by_time_tile.size(), most_of.size());
      auto each = out.by_elements.begin();
      for (const auto& [key, rate] : most) {
        EXPECT_EQ(each->predicted.elements, key.first);
        EXPECT_EQ(each->predicted.time_tile, key.second);
        EXPECT_DOUBLE_EQ(each->predicted.predicted, rate);
        EXPECT_FALSE(each->predicted.spills);
        ++each;
      }
      auto of = out.by_time_tile.begin();
      for (const auto& [T, rate] : most_of) {
        EXPECT_EQ(of->predicted.time_tile, T);
        EXPECT_DOUBLE_EQ(of->predicted.predicted, rate);
        ++of;
      }
    }
  }
}

double flops(const std::string& text, ProgramOptions options = {}) {
  return flops_of(load(text, options));
}

TEST(Flops, AreCountedBeforeOptimization) {
  const std::string jacobi =
      "grid G = [0..9, 0..9] steps 2; field A : real on G boundary clamp;"
      "stencil s : A on G = 0.5 * A[0,0] + 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);";
  for (const FpMode fp : {FpMode::Strict, FpMode::Contract, FpMode::Fast}) {
    ProgramOptions options;
    options.fp = fp;
    EXPECT_DOUBLE_EQ(flops(jacobi, options), 6);
    options.real = Scalar::F64;
    EXPECT_DOUBLE_EQ(flops(jacobi, options), 6);
  }
}

TEST(Flops, AreAveragedOverTheGrid) {
  const std::string grid = "grid G = [0..9, 0..19] steps 2; field A, B : real on G;";
  EXPECT_DOUBLE_EQ(flops(grid + "stencil s : A[1..8, 1..18] = A[-1,0] + A[1,0];"), 0.8 * 0.9);
  EXPECT_DOUBLE_EQ(flops(grid + "stencil s : A { [0..4, 0..19] = A[0,0] * A[0,0];"
                                "  [5..9, 0..19] = A[0,0] + A[0,0] * A[0,0] - 3; }"),
                   0.5 * 1 + 0.5 * 3);
  EXPECT_DOUBLE_EQ(
      flops(grid + "stencil s : A on G = A[0,0] + 1; stencil t : B on G = A[0,0] / 3;"), 2);
  // Open extents get a default: 4096 in two dimensions.
  EXPECT_DOUBLE_EQ(flops("param N : integer; grid G = [0..N-1, 0..N-1] steps 4;"
                         "field A : real on G; stencil s : A[1..N-2, 0..N-1] = A[-1,0] + A[1,0];"),
                   4094. / 4096);
  EXPECT_DOUBLE_EQ(flops("grid G = [0..9] steps 2; field L : integer on G boundary periodic;"
                         "stencil s : L on G = L[-1] + L[1];"),
                   0);
}

}  // namespace
}  // namespace stencil::explore
