// Streaming kernels with conditions on coordinates modulo a number.
#include <fmt/format.h>

#include "compiler/kernel/count.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/schedule/streaming/plan.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

using test::load;

// Two sweeps per step with one multiplication per value, on grids that start at `low`.
std::string flat(const std::string& red, const std::string& black, const std::string& grid,
                 const std::string& boundary = "") {
  return fmt::format(R"(
grid G = [{0}, {0}] steps 12;
field A : real on G{3};
stencil red   : A[i in {4}, j in {4}]{1} = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
stencil black : A[i in {4}, j in {4}]{2} = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)",
                     grid, red, black, boundary, boundary.empty() ? "1..254" : "0..255");
}
std::string deep(const std::string& red, const std::string& black) {
  const std::string value =
      "0.1 * (A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + A[0,0,-1] + A[0,0,1])";
  return fmt::format(R"(
grid G = [0..127, 0..127, 0..127] steps 12;
field A : real on G;
stencil red   : A[i in 1..126, j in 1..126, k in 1..126]{0} = {2};
stencil black : A[i in 1..126, j in 1..126, k in 1..126]{1} = {2};
)",
                     red, black, value);
}

void add_all(const kernel::Count& count, kernel::Tally& to) {
  to.add(count.threads);
  for (const kernel::Count::Loop& loop : count.loops) add_all(loop.iteration, to);
  for (const kernel::Count::Choice& choice : count.choices) {
    add_all(choice.then, to);
    add_all(choice.otherwise, to);
  }
}

// Counts the code of the deepest kernel, each version of its body once.
kernel::Tally tally(const std::string& text, const std::string& line) {
  const ir::Program program = load(text);
  Scheduler scheduler(program);
  Diagnostics diagnostics;
  const auto schedule = scheduler.parse("streaming " + line, diagnostics);
  const auto module = schedule ? scheduler.lower(*schedule, diagnostics) : std::nullopt;
  EXPECT_TRUE(module) << render(Source("", ""), diagnostics);
  kernel::Tally out;
  if (module) add_all(kernel::count(module->kernels[0], module->constants), out);
  return out;
}

const char* const kRed = " where (i + j) % 2 == 0";
const char* const kBlack = " where (i + j) % 2 == 1";
const char* const kLine = "T=2 block=32x1 elements=4x1 unroll=2";

TEST(StreamResidues, ColoursHalveTheWork) {
  for (const char* line : {kLine, "T=2 block=32x2 elements=4x1 unroll=4 interior=tested",
                           "T=4 block=32x1 elements=2x1 unroll=2 loads=bulk"}) {
    const kernel::Tally all = tally(flat("", "", "0..255"), line);
    const kernel::Tally half = tally(flat(kRed, kBlack, "0..255"), line);
    EXPECT_GT(all.single.multiply, 0);
    EXPECT_EQ(2 * half.single.multiply, all.single.multiply) << line;
    EXPECT_EQ(2 * half.single.add, all.single.add) << line;
    EXPECT_EQ(2 * half.shuffle, all.shuffle) << line;  // only from the left or only from the right
  }
}

TEST(StreamResidues, ColoursOfABoxHalveTheWork) {
  const std::string line = "T=1 block=16x8 elements=4x4 unroll=2 loads=bulk";
  const kernel::Tally all = tally(deep("", ""), line);
  const kernel::Tally half =
      tally(deep(" where (i + j + k) % 2 == 0", " where (i + j + k) % 2 == 1"), line);
  EXPECT_EQ(2 * half.single.multiply, all.single.multiply);
  EXPECT_EQ(2 * half.shuffle, all.shuffle);
}

TEST(StreamResidues, UsesStridesThatDivideTheUnrolling) {
  const auto multiplied = [](const std::string& red, const std::string& black) {
    return tally(flat(red, black, "0..255"), "T=1 block=32x1 elements=4x1 unroll=4")
        .single.multiply;
  };
  const double all = multiplied("", "");
  EXPECT_EQ(multiplied(" where i % 2 == 1", " where j % 4 == 1"), all * 3 / 8);
  EXPECT_EQ(multiplied(" where i % 4 == 1 and (j & 1) == 0", ""), all * 9 / 16);
  EXPECT_EQ(multiplied(" where not ((i - j) % 4 == 0)", ""), all * 7 / 8);
  EXPECT_EQ(multiplied(" where i % 3 == 0", ""), all);  // 4 planes are unrolled: no multiple of 3
  EXPECT_EQ(multiplied(" where j % 3 == 0", ""), all);  // 4 columns per thread: no multiple of 3
}

TEST(StreamResidues, HoldsForEveryLowBound) {
  for (const char* grid : {"-1..256", "-4..255", "0..256"}) {
    const kernel::Tally all = tally(flat("", "", grid), kLine);
    const kernel::Tally half = tally(flat(kRed, " where (i - j) % 2 != 0", grid), kLine);
    EXPECT_EQ(2 * half.single.multiply, all.single.multiply) << grid;
  }
}

TEST(StreamResidues, PeriodicImagesNeedAMatchingPeriod) {
  const std::string periodic = " boundary periodic";
  for (const char* grid : {"0..255", "0..256"}) {
    const double all = tally(flat("", "", grid, periodic), kLine).single.multiply;
    const double half = tally(flat(kRed, kBlack, grid, periodic), kLine).single.multiply;
    EXPECT_EQ(half, grid == std::string("0..255") ? all / 2 : all) << grid;
  }
}

TEST(StreamResidues, UnrollsTheLoopToKnowResidues) {
  const auto known = [](const std::string& red, const std::string& settings) {
    const ir::Program program = load(flat(red, "", "-1..270"));
    Diagnostics diagnostics;
    const auto schedule = parse("streaming " + settings, program, diagnostics);
    EXPECT_TRUE(schedule);
    const analysis::TimeTiles tiles(program);
    const StreamPlan plan = plan_stream(tiles, *schedule, schedule->time_tile);
    return std::make_tuple(plan.unroll, plan.known.modulus[0], plan.known.remainder[0],
                           plan.known.modulus[1]);
  };
  const auto of = [](int unroll, int64_t modulus, int64_t remainder, int64_t columns) {
    return std::make_tuple(unroll, modulus, remainder, columns);
  };
  const std::string own = "T=2 block=32x1 elements=4x1";
  EXPECT_EQ(known("", own), of(2, 1, 0, 4));
  EXPECT_EQ(known(kRed, own), of(2, 2, 1, 4));
  EXPECT_EQ(known(" where i % 3 == 0", own), of(6, 3, 2, 4));
  EXPECT_EQ(known(" where (i + 2 * j) % 4 == 0", own), of(4, 4, 3, 4));
  EXPECT_EQ(known(" where i % 7 == 0", own), of(2, 1, 0, 4));        // too many planes
  EXPECT_EQ(known(" where (i + j) % 3 == 0", own), of(2, 1, 0, 4));  // j is not known
  EXPECT_EQ(known(kRed, own + " unroll=1"), of(1, 1, 0, 4));
  EXPECT_EQ(known(kRed, own + " unroll=6"), of(6, 2, 1, 4));
  EXPECT_EQ(known(kRed, "T=2 block=32x1 elements=1x1"), of(2, 1, 0, 1));
}

}  // namespace
}  // namespace stencil::schedule
