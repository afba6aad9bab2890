// The choice of `auto` for runs that are too short to repay a long compilation.
#include "runtime/tune/brief_run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "compiler/schedule/explore.h"
#include "runtime/tune/compilation.h"
#include "runtime/tune/search.h"
#include "runtime/tune/timed_choice.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::tune {
namespace {

using runtime::ChosenDevice;
using runtime::program_of;

// Three coupled fields in space: time tiles have long kernels.
constexpr const char* kCoupled = R"(
grid G = [0..127, 0..127, 0..127] steps 100;
field A : real on G;
field B : real on G;
field C : real on G;
function lap(u : field) = u[-2,0,0] + u[2,0,0] + u[0,-2,0] + u[0,2,0] + u[0,0,-2] + u[0,0,2]
  + 4 * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]) - 30 * u[0,0,0];
stencil a : A[2..125, 2..125, 2..125] = A[0,0,0] + 0.01 * lap(A) + 0.1 * B[0,0,0] * C[0,0,0];
stencil b : B[2..125, 2..125, 2..125] = B[0,0,0] + 0.01 * lap(B) - 0.1 * A[0,0,0] * C[0,0,0];
stencil c : C[2..125, 2..125, 2..125] = C[0,0,0] + 0.01 * lap(C) + 0.1 * A[0,0,0] * B[0,0,0];
)";

ChosenDevice device_with(const schedule::Machine& machine) {
  runtime::Device device{"scripted", true, nullptr, nullptr, machine};
  return {device, "", {"scripted", "made up 1.0", true, "", "made up"}};
}

class BriefRun : public testing::Test {
 protected:
  void SetUp() override { ::setenv("STENCIL_TUNED", "", 1); }
  void TearDown() override { ::setenv("STENCIL_TUNED", "off", 1); }

  // Estimated seconds until a run of `steps` ends, compilation included.
  double end_of(const Candidate& candidate, int64_t steps) const {
    const auto compiling = compilation_of(program_, candidate.schedule, device_.device.machine);
    EXPECT_TRUE(compiling);
    return compiling.value_or(0) + candidate.predicted * static_cast<double>(steps);
  }

  const ir::Program program_ = program_of(kCoupled);
  const ChosenDevice device_ = device_with(schedule::cpu());
};

TEST_F(BriefRun, TakesTheScheduleThatEndsFirst) {
  schedule::Scheduler scheduler(program_, device_.device.machine);
  const auto space = schedule::explore(scheduler, schedule::Effort::Quick);
  Search search(scheduler, space);
  std::vector<Candidate> candidates = search.first(5);
  std::set<std::string> families;
  for (const schedule::Candidate& best : space.ranked) {
    if (!families.insert(best.schedule.family).second) continue;
    if (const auto candidate = search.give(best.schedule)) candidates.push_back(*candidate);
  }
  const auto brief = brief_choice(program_, device_, {.steps = 3});
  ASSERT_TRUE(brief);
  EXPECT_EQ(brief->origin, "compiles sooner than a faster one would save");
  EXPECT_NE(brief->line, schedule::print(candidates.front().schedule, 3));
  double least = end_of(candidates.front(), 3);
  std::string line;
  for (const Candidate& candidate : candidates) {
    if (end_of(candidate, 3) >= least) continue;
    least = end_of(candidate, 3);
    line = schedule::print(candidate.schedule, 3);
  }
  EXPECT_EQ(brief->line, line);
  EXPECT_GE(end_of(candidates.front(), 3) - least, 0.5);
}

TEST_F(BriefRun, LeavesLongRunsToTheModel) {
  EXPECT_FALSE(brief_choice(program_, device_, {.steps = 1000000}));
  EXPECT_FALSE(automatic_line(program_, device_, {.steps = 1000000, .only_stored = true}));
}

TEST_F(BriefRun, IsPartOfTheAutomaticChoice) {
  const auto line = automatic_line(program_, device_, {.steps = 3, .only_stored = true});
  ASSERT_TRUE(line);
  EXPECT_EQ(line->line, brief_choice(program_, device_, {.steps = 3})->line);
}

TEST_F(BriefRun, NeedsACpuAndKnownSizes) {
  EXPECT_FALSE(brief_choice(program_, device_with(schedule::gpu()), {.steps = 3}));
  const ir::Program small = program_of(
      "grid G = [0..99] steps 3;\nfield A : real on G;\n"
      "stencil s : A[1..98] = A[-1] + A[1];\n");
  EXPECT_FALSE(brief_choice(small, device_, {.steps = 3})) << "its kernels compile at once";
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_FALSE(brief_choice(program_, device_, {.steps = 3}));
}

}  // namespace
}  // namespace stencil::tune
