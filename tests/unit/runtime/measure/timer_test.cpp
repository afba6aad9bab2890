#include "runtime/measure/timer.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/measure/fake_device.h"

namespace stencil::measure {
namespace {

class Timer : public testing::Test {
 protected:
  Timer() { fake::loads = nullptr; }
  const runtime::ChosenDevice device_ = fake::device(schedule::gpu());
};

TEST_F(Timer, SamplesCombineManyLaunches) {
  int64_t most = 0;
  fake::clock = [&](const fake::Launches& launches) {
    most = std::max(most, launches.count);
    return 2e-6 * static_cast<double>(launches.count);
  };
  Subject subject(arithmetic(Scalar::F32, device_.device.machine).module);
  ASSERT_TRUE(subject.load(device_).ok());
  const auto seconds = subject.seconds({}, {0.01, 3});
  ASSERT_TRUE(seconds.ok());
  EXPECT_DOUBLE_EQ(seconds.value(), 2e-6);
  EXPECT_GE(most, 5000) << "a sample takes the requested time";
}

TEST_F(Timer, TakesTheMedian) {
  int calls = 0;
  fake::clock = [&](const fake::Launches&) {  // the first warms up, the second is long enough
    const double seconds[] = {9, 1, 5, 2, 3, 4, 1};
    return seconds[calls++];
  };
  Subject subject(arithmetic(Scalar::F32, device_.device.machine).module);
  ASSERT_TRUE(subject.load(device_).ok());
  const auto seconds = subject.seconds({}, {0.5, 5});
  ASSERT_TRUE(seconds.ok());
  EXPECT_EQ(calls, 7);
  EXPECT_DOUBLE_EQ(seconds.value(), 3);
}

TEST_F(Timer, StopsIfTheClockStandsStill) {
  fake::clock = [](const fake::Launches&) { return 0.0; };
  Subject subject(arithmetic(Scalar::F32, device_.device.machine).module);
  ASSERT_TRUE(subject.load(device_).ok());
  const auto seconds = subject.seconds({}, {0.01, 1});
  ASSERT_TRUE(seconds.ok());
  EXPECT_EQ(seconds.value(), 0);
}

TEST_F(Timer, PreparesMemoryOnceBeforehand) {
  fake::clock = [](const fake::Launches&) { return 1.0; };
  fake::prepared = 0;
  Subject subject(copies(device_.device.machine).module);
  ASSERT_TRUE(subject.load(device_).ok());
  ASSERT_TRUE(subject.seconds({}, {0.5, 2}).ok());
  EXPECT_EQ(fake::prepared, 1);
}

// 3 ns per pass and 700 ns between launches, so that a single launch has no gap.
TEST_F(Timer, SeparatesLaunchGapsFromPasses) {
  fake::clock = [](const fake::Launches& launches) {
    const auto count = static_cast<double>(launches.count);
    return 3e-9 * static_cast<double>(launches.passes()) * count + 700e-9 * (count - 1);
  };
  Subject subject(arithmetic(Scalar::F32, device_.device.machine).module);
  ASSERT_TRUE(subject.load(device_).ok());
  Work work;
  work.passes = 1000;
  const auto between = subject.seconds_between(work, 64, {1e-3, 3});
  ASSERT_TRUE(between.ok());
  EXPECT_NEAR(between.value(), 700e-9, 1e-12);
}

TEST_F(Timer, LoadFailuresGiveTheReason) {
  fake::loads = [](const std::string&) { return false; };
  Subject subject(copies(device_.device.machine).module);
  const Status loaded = subject.load(device_);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.failure().message, "no copies");
}

}  // namespace
}  // namespace stencil::measure
