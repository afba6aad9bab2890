// When timing is worthwhile for a run, and how much memory is available for it.
#include "runtime/tune/worth.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/tune/free_memory.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::tune {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;

Contest contest_on_cpu() {
  return {.candidates = 6,
          .compilations = {1, 1, 1, 1, 1, 1},
          .compilers = 2,
          .on_cpu = true,
          .tile = 1e-3,
          .bytes = 8 * kMegabyte};
}

TEST(Worth, IsAtMostATenthOfTheRun) {
  const Contest contest = contest_on_cpu();
  const double cost = cost_of(contest);
  EXPECT_FALSE(is_worth(contest, 9.99 * cost));
  EXPECT_TRUE(is_worth(contest, 10.01 * cost));
  EXPECT_FALSE(is_worth(contest, 0));
}

TEST(Worth, BudgetIsAFractionOfTheRun) {
  const Contest contest = contest_on_cpu();
  const double cost = cost_of(contest);
  EXPECT_DOUBLE_EQ(budget_of(contest, 10 * cost), 2 * cost) << "at most a fifth of the run";
  EXPECT_DOUBLE_EQ(budget_of(contest, 50 * cost), 5 * cost);
  EXPECT_EQ(budget_of(contest, 1e9), 30);
}

TEST(Worth, OneCandidateIsNeverTimed) {
  Contest contest = contest_on_cpu();
  contest.candidates = 1;
  EXPECT_FALSE(is_worth(contest, 1e9));
  contest.candidates = 0;
  EXPECT_FALSE(is_worth(contest, 1e9));
  contest.candidates = 2;
  EXPECT_TRUE(is_worth(contest, 1e9));
}

TEST(Worth, CompilersWorkInParallel) {
  Contest contest = contest_on_cpu();
  const auto cost_with = [&](int compilers) {
    contest.compilers = compilers;
    return cost_of(contest);
  };
  EXPECT_DOUBLE_EQ(cost_with(1), cost_with(2) + 3);
  EXPECT_EQ(cost_with(6), cost_with(64));
  contest.compilations[3] = 5;  // the others wait for this one
  EXPECT_DOUBLE_EQ(cost_with(2), cost_with(1) - 5);
  EXPECT_EQ(cost_with(2), cost_with(64));
}

// Compiling such kernels adds no cost, but the budget still includes the time for it.
TEST(Worth, KernelsCompiledAnywayCostNothing) {
  Contest contest = contest_on_cpu();
  const double cost = cost_of(contest), budget = budget_of(contest, 1);
  contest.compiled = 6;
  EXPECT_DOUBLE_EQ(cost_of(contest), cost - 3);
  EXPECT_EQ(budget_of(contest, 1), budget);
  contest.compiled = 4;  // the last two are not compiled
  EXPECT_DOUBLE_EQ(cost_of(contest), cost - 2);
  contest.compilers = 6;  // in parallel, so no extra time
  EXPECT_EQ(cost_of(contest), cost - 3);
}

// Timing may double the time for which any run waits for its compilers.
TEST(Worth, MayDoubleTheWaitForCompilers) {
  Contest contest = contest_on_cpu();
  EXPECT_EQ(waiting_of(contest), 0);
  EXPECT_FALSE(is_worth(contest, 0));
  contest.compilers = 6;
  contest.compiled = 1;
  contest.compilations = {2, 1, 1, 1, 1, 1};
  EXPECT_EQ(waiting_of(contest), 2);
  EXPECT_TRUE(is_worth(contest, 0));
  contest.compilations[5] = 3.5;  // the others wait for it
  EXPECT_FALSE(is_worth(contest, 0));
  contest.compilations = {0.45, 0.4, 0.4, 0.4, 0.4, 0.4};  // less than a second in total
  EXPECT_GT(cost_of(contest), waiting_of(contest));
  EXPECT_TRUE(is_worth(contest, 0));
  contest.compilations = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
  EXPECT_FALSE(is_worth(contest, 0));
}

// Each further candidate takes as long as the longest known one, and waits for those before it.
TEST(Worth, IncludesCompilingFurtherCandidates) {
  Contest contest = contest_on_cpu();
  contest.compilations[3] = 2;
  Contest longer = contest;
  longer.follow = 4;
  contest.candidates = 10;
  EXPECT_DOUBLE_EQ(cost_of(longer), cost_of(contest) + 4);
  longer.compilers = 10;
  contest.compilers = 10;
  EXPECT_DOUBLE_EQ(cost_of(longer), cost_of(contest) + 2);
}

// Further candidates may take a fiftieth of the run.
TEST(Worth, LongRunsJustifyMoreCandidates) {
  const Contest contest = contest_on_cpu();
  EXPECT_EQ(more_worth(contest, 8, 1), 0u);
  EXPECT_EQ(more_worth(contest, 8, 1e9), 8u);
  Contest longer = contest;
  longer.follow = 3;
  const double extra = cost_of(longer) - cost_of(contest);
  EXPECT_EQ(more_worth(contest, 8, 50.01 * extra), 3u);
  EXPECT_EQ(more_worth(contest, 8, 49.9 * extra), 2u);
  EXPECT_EQ(more_worth(contest, 2, 1e9), 2u);
}

// On a GPU with compiled kernels, timing small fields takes a fraction of a second.
TEST(Worth, TakesAFractionOfASecondOnAGpu) {
  const Contest contest = {.candidates = 5,
                           .compilations = {1, 1, 1, 2, 1},
                           .compilers = 8,
                           .compiled = 5,
                           .tile = 1e-4,
                           .bytes = 32 * kMegabyte};
  EXPECT_LT(cost_of(contest), 0.5);
}

TEST(Worth, LongTilesAndLargeFieldsCost) {
  Contest contest = contest_on_cpu();
  const double cost = cost_of(contest);
  contest.tile = 1;
  EXPECT_GT(cost_of(contest), cost + 6 * 5);
  contest.tile = 1e-3;
  contest.bytes = 1024 * kMegabyte;
  const double large = cost_of(contest);
  EXPECT_GT(large, cost + 1);
  // Six sessions do not fit in memory together: each timed run begins with a copy.
  contest.bytes = 8 * 1024 * kMegabyte;
  EXPECT_GT(cost_of(contest), 6 * large);
}

TEST(Worth, NeedsMemoryForACopyOfTheFields) {
  Contest contest = contest_on_cpu();
  contest.on_cpu = false;
  EXPECT_FALSE(has_room(contest, 8 * kMegabyte)) << "to spare";
  EXPECT_TRUE(has_room(contest, 12 * kMegabyte));
  contest.on_cpu = true;  // sessions share this memory
  EXPECT_FALSE(has_room(contest, 12 * kMegabyte));
  EXPECT_TRUE(has_room(contest, 200 * kMegabyte));
  contest.bytes = INT64_MAX / 64;
  EXPECT_FALSE(has_room(contest, INT64_MAX / 64));
}

// --- Free memory
// ------------------------------------------------------------------------------------------

class FreeMemory : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = directory_.file(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int64_t found() const { return free_memory_below(directory_.file("")); }
  runtime::TemporaryDirectory directory_;
};

TEST_F(FreeMemory, IsUnknownWithoutInformation) {
  EXPECT_EQ(found(), INT64_MAX);
  write("proc/meminfo", "MemTotal: 100 kB\n");
  EXPECT_EQ(found(), INT64_MAX);
}

TEST_F(FreeMemory, IsTheAvailableMemoryOfTheSystem) {
  write("proc/meminfo", "MemTotal:  1000 kB\nMemFree: 10 kB\nMemAvailable:    600 kB\n");
  EXPECT_EQ(found(), 600 * 1024);
}

TEST_F(FreeMemory, IsLimitedByControlGroups) {
  write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  write("sys/fs/cgroup/job/step/memory.current", "5000\n");
  EXPECT_EQ(found(), 1024000000);
  write("sys/fs/cgroup/job/memory.max", "50000\n");
  write("sys/fs/cgroup/job/memory.current", "30000\n");
  EXPECT_EQ(found(), 20000);
  write("sys/fs/cgroup/job/memory.stat", "anon 20000\ninactive_file 9000\n");
  EXPECT_EQ(found(), 29000) << "the page cache can be reclaimed";
  write("sys/fs/cgroup/job/memory.current", "70000\n");
  EXPECT_EQ(found(), 0);
}

TEST_F(FreeMemory, IsLimitedByControlGroupsOfVersion1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/\n4:hugetlb,memory:/elsewhere\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "70000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "30000\n");
  write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n");
  EXPECT_EQ(found(), 42000) << "uses the mount's root if the path belongs to the host system";
}

TEST(FreeMemoryHere, IsPositive) {
  EXPECT_GT(free_memory(), 0);
}

}  // namespace
}  // namespace stencil::tune
