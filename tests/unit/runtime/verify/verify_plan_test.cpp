#include "runtime/verify/verify_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace stencil::runtime {
namespace {

using Stage = VerifyCase::Stage;

const std::vector<double> kPoints = {4, 9, 400, 25};

PlannedRow row_of(const std::string& device, const std::string& family, int64_t time_tile,
                  size_t fixed_size) {
  const int64_t t = time_tile;
  PlannedRow row{device, family, false, t, {}, {{true, {0, 1, 2, 3}}, {false, {fixed_size}}}};
  std::set<int64_t> steps = {0, 1, t, t + 1, 2 * t + 1};
  row.steps.assign(steps.begin(), steps.end());
  return row;
}

// Two devices with the same schedules; the third schedule is in use on the first device.
std::vector<PlannedRow> rows() {
  std::vector<PlannedRow> out;
  for (const char* device : {"host", "opencl"}) {
    out.push_back(row_of(device, "direct", 1, 0));
    out.push_back(row_of(device, "overlapped", 1, 1));
    out.push_back(row_of(device, "planes", 4, 2));
    out.push_back(row_of(device, "overlapped", 3, 3));
    out.push_back({device, "", false, 1, {}, {}});  // refused
  }
  out[2].in_use = true;
  return out;
}

std::vector<size_t> rows_of(const std::vector<VerifyCase>& cases, Stage stage) {
  std::vector<size_t> out;
  for (const VerifyCase& one : cases) {
    if (one.stage != stage) continue;
    if (out.empty() || out.back() != one.row) out.push_back(one.row);
  }
  return out;
}

TEST(VerifyPlan, HasEveryCaseOnce) {
  const auto planned = rows();
  const auto cases = plan_cases(planned, kPoints);
  std::set<std::tuple<size_t, size_t, size_t, int64_t>> different;
  for (const VerifyCase& one : cases) different.insert({one.row, one.build, one.size, one.steps});
  size_t all = 0;
  for (const PlannedRow& row : planned) {
    for (const PlannedBuild& build : row.builds) all += build.sizes.size() * row.steps.size();
  }
  EXPECT_EQ(different.size(), cases.size());
  EXPECT_EQ(cases.size(), all);
  EXPECT_EQ(plan_cases(planned, kPoints), cases);
}

TEST(VerifyPlan, OrdersTheStages) {
  const auto cases = plan_cases(rows(), kPoints);
  const bool sorted = std::is_sorted(
      cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.stage < b.stage; });
  EXPECT_TRUE(sorted);
}

// The kernels with the sizes compiled in, at the size with the most points, and with two time tiles
// and a remainder.
TEST(VerifyPlan, BeginsWithTheScheduleInUse) {
  const auto cases = plan_cases(rows(), kPoints);
  ASSERT_GE(cases.size(), 2u);
  EXPECT_EQ(cases[0], (VerifyCase{2, 1, 2, 9, Stage::InUse}));
  EXPECT_EQ(cases[1].stage, Stage::Family);
}

TEST(VerifyPlan, GoesOnWithOneScheduleOfEachFamilyAndDevice) {
  const auto cases = plan_cases(rows(), kPoints);
  // planes of the first device has been run: it is in use there.
  EXPECT_EQ(rows_of(cases, Stage::Family), (std::vector<size_t>{0, 3, 5, 8, 7}));
  for (const VerifyCase& one : cases) {
    if (one.stage == Stage::Family) {
      EXPECT_EQ(one.size, 2u);
    }
  }
}

// These need no compiler, so they come before the other schedules, size by size. The kernels of the
// schedule in use that have open sizes are the exception, and come last.
TEST(VerifyPlan, TriesEdgesWithTheKernelsThatItHas) {
  const auto cases = plan_cases(rows(), kPoints);
  std::vector<size_t> sizes;
  int open_in_use = 0;
  for (const VerifyCase& one : cases) {
    if (one.stage != Stage::Edge) continue;
    EXPECT_NE(one.row, 1u) << "another schedule of the family is compiled";
    if (one.row == 2 && one.build == 0) {
      ++open_in_use;
      continue;
    }
    EXPECT_EQ(open_in_use, 0);
    if (sizes.empty() || sizes.back() != one.size) sizes.push_back(one.size);
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(open_in_use, 4 * 5);  // sizes, step counts
}

TEST(VerifyPlan, AlternatesBetweenDevicesInTheRest) {
  const auto rest = rows_of(plan_cases(rows(), kPoints), Stage::Rest);
  // The first schedules of each group have other kernels left; the second ones follow.
  EXPECT_EQ(rest, (std::vector<size_t>{0, 1, 5, 6, 7, 3, 8}));
}

TEST(VerifyPlan, TakesStepsThatLeaveARemainder) {
  PlannedRow row = row_of("host", "planes", 4, 0);
  EXPECT_EQ(main_steps(row), 9);
  row.steps = {1, 5, 8, 101};
  EXPECT_EQ(main_steps(row), 5);
  row.steps = {8};
  EXPECT_EQ(main_steps(row), 8);
  row.steps = {40};  // --steps
  EXPECT_EQ(main_steps(row), 40);
  EXPECT_EQ(main_steps(row_of("host", "direct", 1, 0)), 3);
}

TEST(VerifyPlan, IsEmptyWithoutSchedules) {
  EXPECT_TRUE(plan_cases({}, {}).empty());
  EXPECT_TRUE(plan_cases({{"host", "", false, 1, {}, {}}}, {9}).empty());
}

}  // namespace
}  // namespace stencil::runtime
