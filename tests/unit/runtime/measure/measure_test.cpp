// Figures derived from known times, and that the device `host` gives figures at all.
#include "runtime/measure/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "runtime/measure/working_sets.h"
#include "tests/unit/runtime/measure/fake_device.h"

namespace stencil::measure {
namespace {

std::map<std::string, double> values(const Report& report) {
  std::map<std::string, double> out;
  for (const Figure& figure : report.figures) out[figure.name] = figure.value;
  return out;
}

bool left_out(const Report& report, const std::string& what) {
  return std::any_of(report.left_out.begin(), report.left_out.end(),
                     [&](const auto& each) { return each.first == what; });
}

// The seconds of a pass or launch, by module and kernel.
double known(const fake::Launches& launches) {
  const auto count = static_cast<double>(launches.count);
  const auto passes = static_cast<double>(launches.passes());
  const std::string& name = launches.module.name;
  if (name == "arithmetic_float" || name == "arithmetic_double") {
    const double pass = name == "arithmetic_float" ? 1e-6 : 3e-6;
    const bool chain = launches.kernel() == 1;
    return count * passes * (chain ? kChainLength * 2e-9 : pass) + (count - 1) * 4e-6;
  }
  if (name == "overlap_float" || name == "overlap_double") {  // 1 s for memory, or more for FLOPs
    const double flops = 2 * kOverlapped * passes;
    return count * std::max(1.0, flops / 100);
  }
  if (name == "shared") {
    const int64_t kernel = launches.kernel();
    if (kernel == kSharedChase) return count * passes * kChaseLength * 15e-9;
    if (kernel >= kFirstBarrier) {
      return count * passes * kBarriers * static_cast<double>(kernel) * 1e-9;
    }
    return count * passes * 1e-6;
  }
  if (name == "shuffles") return count * passes * kShuffles * 12e-9;
  if (name == "chase")
    return count * passes * kChaseLength * 1e-9 * static_cast<double>(launches.chunks());
  if (name == "reads" || name == "reads_long") {  // four times as slow beyond 50 MiB
    const bool inside = launches.chunks() * kChunkBytes <= 50 << 20;
    return count * passes * (inside ? 1e-6 : 4e-6);
  }
  return count;
}

TEST(Measure, FiguresFollowFromTimes) {
  fake::loads = nullptr;
  fake::clock = known;
  const schedule::Machine machine = schedule::gpu();
  const auto measured = measure(fake::device(machine), {1e-6, 1});
  ASSERT_TRUE(measured.ok()) << measured.failure().message;
  const Report& report = measured.value();
  EXPECT_TRUE(report.left_out.empty());
  auto value = values(report);
  const double blocks = machine.multiprocessors * 4;  // 1024 threads each
  const double per_second = blocks * 256 * 4 * 32 / 1e-6;
  EXPECT_NEAR(value.at("multiply_adds_float") / per_second, 1, 1e-6);
  EXPECT_NEAR(value.at("register_bandwidth_double") / (32 * per_second / 3), 1, 1e-6);
  EXPECT_NEAR(value.at("double_cost"), 3, 1e-6);
  EXPECT_NEAR(value.at("multiply_add_latency_float"), 2e-9, 1e-12);
  EXPECT_NEAR(value.at("launch_seconds"), 4e-6, 1e-9);
  EXPECT_NEAR(value.at("shared_read_bandwidth_float"), blocks * 32 * 4 * 256 / 1e-6, 1);
  EXPECT_NEAR(value.at("shared_read_bandwidth_double"), blocks * 32 * 8 * 256 / 1e-6, 1);
  EXPECT_NEAR(value.at("shared_latency"), 15e-9, 1e-12);
  EXPECT_NEAR(value.at("shuffle_latency"), 12e-9, 1e-12);
  EXPECT_NEAR(value.at("l1_read_bandwidth_float"), blocks * kChunkBytes / 1e-6, 1);
  EXPECT_NEAR(value.at("memory_read_bandwidth_double"), blocks * kChunkBytes / 4e-6, 1);
  const double set = 256 << 20;  // four times the 50 MiB cache, rounded to a power of two
  EXPECT_NEAR(value.at("memory_copy_bandwidth"), 2 * set, 1);
  EXPECT_NEAR(value.at("memory_latency"), 1e-9 * set / (kChaseNodes * kChaseBytes), 1e-12);
  EXPECT_NEAR(value.at("balance_flops_float"), 100, 1e-6);
  // Interpolated between 96 (1 s) and 128 (1.28 s).
  EXPECT_NEAR(value.at("hidden_flops_float"), 96 + 32 * 0.1 / 0.28, 1e-6);
  EXPECT_GT(value.at("cache_bytes"), 50 << 20);
  EXPECT_LT(value.at("cache_bytes"), 75 << 20);
}

TEST(Measure, FiguresIncludeTheValuesOfTheMachineTable) {
  fake::loads = nullptr;
  fake::clock = known;
  const schedule::Machine machine = schedule::gpu();
  const auto measured = measure(fake::device(machine), {1e-6, 1});
  ASSERT_TRUE(measured.ok());
  std::map<std::string, double> table;
  for (const Figure& figure : measured.value().figures) {
    if (figure.machine) table[figure.member] = *figure.machine;
    if (figure.unit == "s" && figure.name != "launch_seconds") {
      ASSERT_TRUE(figure.cycles) << figure.name;
      EXPECT_DOUBLE_EQ(*figure.cycles, figure.value * 1e9);  // the clock of the fake device
    }
  }
  EXPECT_EQ(table.at("bytes_per_second"), machine.bytes_per_second);
  EXPECT_EQ(table.at("instructions_per_second"), machine.instructions_per_second);
  EXPECT_EQ(table.at("double_cost"), machine.double_cost);
  EXPECT_EQ(table.at("launch_seconds"), machine.launch_seconds);
  EXPECT_EQ(table.at("cache_bytes"), static_cast<double>(machine.cache_bytes));
}

TEST(Measure, BarrierCurvesAreInCycles) {
  fake::loads = nullptr;
  fake::clock = known;
  const auto measured = measure(fake::device(schedule::gpu()), {1e-6, 1});
  ASSERT_TRUE(measured.ok());
  const auto& curves = measured.value().curves;
  const auto curve = std::find_if(curves.begin(), curves.end(), [](const Curve& each) {
    return each.name == "barrier_by_warps";
  });
  ASSERT_NE(curve, curves.end());
  ASSERT_EQ(curve->points.size(), 6u);
  for (size_t b = 0; b < 6; ++b) {
    EXPECT_EQ(curve->points[b][0], 1 << b);
    EXPECT_NEAR(curve->points[b][1], static_cast<double>(kFirstBarrier + b), 1e-9);
  }
}

TEST(Measure, MissingFeaturesAreListedAsOmitted) {
  fake::loads = nullptr;
  fake::clock = known;
  const auto measured = measure(fake::device(schedule::cpu()), {1e-6, 1, 1 << 20});
  ASSERT_TRUE(measured.ok());
  EXPECT_TRUE(left_out(measured.value(), "shared memory and barriers"));
  EXPECT_TRUE(left_out(measured.value(), "shuffles"));
  const auto value = values(measured.value());
  EXPECT_EQ(value.count("shared_latency"), 0u);
  EXPECT_EQ(value.count("l3_latency"), 1u);
  schedule::Machine without = schedule::gpu();
  without.shuffles = false;
  const auto other = measure(fake::device(without), {1e-6, 1, 1 << 20});
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(left_out(other.value(), "shared memory and barriers"));
  EXPECT_TRUE(left_out(other.value(), "shuffles"));
}

TEST(Measure, FailuresOmitTheirGroup) {
  fake::clock = known;
  fake::loads = [](const std::string& module) { return module.find("double") == module.npos; };
  const auto measured = measure(fake::device(schedule::gpu()), {1e-6, 1});
  ASSERT_TRUE(measured.ok());
  EXPECT_TRUE(left_out(measured.value(), "arithmetic, double"));
  EXPECT_TRUE(left_out(measured.value(), "hidden FLOPs, double"));
  EXPECT_TRUE(left_out(measured.value(), "ratio of float to double"));
  EXPECT_EQ(measured.value().left_out.size(), 3u);
  EXPECT_EQ(values(measured.value()).count("launch_seconds"), 1u);

  fake::loads = [](const std::string&) { return false; };
  const auto nothing = measure(fake::device(schedule::gpu()), {1e-6, 1});
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.failure().code, "R042");
}

TEST(Measure, WorkingSetsAreOrderedAndLimited) {
  for (const schedule::Machine& machine : schedule::machine_table()) {
    for (const int64_t most : {int64_t{1} << 30, int64_t{1} << 20, int64_t{100000}}) {
      const WorkingSets sets = working_sets(machine, most);
      ASSERT_GE(sets.levels.size(), 3u);
      EXPECT_EQ(sets.levels.back().name, "memory");
      for (size_t l = 0; l < sets.levels.size(); ++l) {
        const int64_t bytes = sets.levels[l].bytes;
        EXPECT_EQ(bytes & (bytes - 1), 0) << machine.name;
        EXPECT_GE(bytes, kChunkBytes);
        EXPECT_LE(bytes, most);
        EXPECT_GE(bytes, sets.levels[l > 0 ? l - 1 : 0].bytes) << machine.name;
      }
      EXPECT_TRUE(std::is_sorted(sets.around_cache.begin(), sets.around_cache.end()));
      for (const int64_t bytes : sets.around_cache) {
        EXPECT_EQ(bytes % kChunkBytes, 0);
        EXPECT_LE(bytes, most);
      }
    }
  }
}

TEST(Measure, TheHostHasFigures) {
  const auto host = runtime::choose_device("host");
  if (!host.ok()) GTEST_SKIP() << host.failure().message;
  const auto measured = measure(host.value(), {1e-6, 1, 1 << 20});
  ASSERT_TRUE(measured.ok()) << measured.failure().message;
  for (const auto& [name, value] : values(measured.value())) {
    EXPECT_TRUE(value > 0 || (name == "launch_seconds" && value == 0)) << name << " " << value;
  }
  const auto value = values(measured.value());
  for (const char* name :
       {"multiply_adds_float", "multiply_adds_double", "l1_read_bandwidth_float",
        "l3_read_bandwidth_double", "memory_copy_bandwidth", "l2_latency", "memory_latency"}) {
    EXPECT_EQ(value.count(name), 1u) << name;
  }
}

// OpenCL on a CPU that runs work-items as a GPU does, including shared memory and barriers.
TEST(Measure, GpuKernelsRunOnOpenClCpus) {
  ::setenv("STENCIL_OPENCL_CPU", "work-items", 1);
  const auto opencl = runtime::choose_device("opencl");
  if (opencl.ok() && !opencl.value().device.machine.threads_are_loops) {
    const schedule::Machine& machine = opencl.value().device.machine;
    std::vector<kernel::Module> modules = {
        chase(machine).module, copies(machine).module, shared(machine).module,
        reads(Scalar::I64, machine).module, overlap(Scalar::F32, machine).module};
    for (kernel::Module& module : modules) {
      const auto kernels = static_cast<int64_t>(module.kernels.size());
      const std::string name = module.name;
      Subject subject(std::move(module));
      const Status loaded = subject.load(opencl.value());
      ASSERT_TRUE(loaded.ok()) << name << ": " << loaded.failure().message;
      for (int64_t kernel = 0; kernel < kernels; ++kernel) {
        const auto seconds = subject.seconds({kernel, 2, 3, 2}, {0, 1});
        ASSERT_TRUE(seconds.ok()) << name << ": " << seconds.failure().message;
      }
    }
  }
  ::unsetenv("STENCIL_OPENCL_CPU");
}

}  // namespace
}  // namespace stencil::measure
