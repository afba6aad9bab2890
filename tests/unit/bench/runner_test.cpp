// Benchmark jobs on the devices of this machine, and on the `cuda` device with a fake driver whose
// clock and kernels the test controls.
#include "tools/bench/runner.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runtime/devices/nvrtc.h"
#include "tests/unit/runtime/cuda/fake_driver.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::bench {
namespace {

using runtime::cuda::FakeDriver;

// Stays finite for all initial values.
constexpr const char* kHalving = R"(
grid G = [0..29] steps 100;
field A : real on G;
stencil s : A on G = 0.5 * A[0];
reduce largest = max(A[0]) on G every 5;
stop when largest < 0.01;
)";

class RunnerTest : public testing::Test {
 protected:
  RunnerTest() {
    std::ofstream(directory_.file("decay.stn")) << runtime::kDecay;
    std::ofstream(directory_.file("wave.stn")) << runtime::kWave;
    std::ofstream(directory_.file("halving.stn")) << kHalving;
    settings_.root = directory_.file("");
    settings_.threads = 2;
  }

  // Returns the records of a suite's jobs. `seen` gets the number of records at each report.
  std::vector<Record> run(const std::string& device, const std::string& suite,
                          std::vector<size_t>* seen = nullptr) {
    const auto chosen = runtime::choose_device(device);
    EXPECT_TRUE(chosen.ok()) << chosen.failure().message;
    auto jobs = read_suite(suite);
    EXPECT_TRUE(jobs.ok()) << jobs.failure().message;
    Runner runner(chosen.value(), settings_, std::move(jobs).value());
    return runner.run([&](const std::vector<Record>& records) {
      if (seen) seen->push_back(records.size());
    });
  }

  runtime::TemporaryDirectory directory_;
  Settings settings_;
};

// --- Devices that execute kernels
// -----------------------------------------------------------------------------------------

class OnDevices : public RunnerTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    const auto chosen = runtime::choose_device(GetParam());
    if (!chosen.ok()) GTEST_SKIP() << chosen.failure().message;
  }
};

TEST_P(OnDevices, AreCheckedAndTimed) {
  std::vector<size_t> seen;
  const auto records = run(GetParam(), R"([
    {"program": "decay.stn", "fps": ["contract", "fast"], "define": {"N": 70, "a": 0.25}, "steps": 8,
     "repeat": 3, "schedules": ["overlapped T=2 block=16x4"]},
    {"program": "wave.stn", "real": "double", "define": {"N": 90}, "steps": 9, "repeat": 2,
     "verify_steps": 9, "schedules": ["direct"]},
    {"program": "halving.stn", "steps": 500, "repeat": 1, "schedules": ["direct"]}])",
                           &seen);
  EXPECT_EQ(seen, (std::vector<size_t>{1, 2, 3, 4}));
  for (const Record& record : records) {
    SCOPED_TRACE(record.dump(1));
    EXPECT_EQ(record["kind"], "time");
    EXPECT_EQ(record.value("check", ""), "passed");
    EXPECT_GT(record.value("gcells", 0.0), 0);
    EXPECT_GT(record.value("time_ms", 0.0), 0);
    EXPECT_GT(record.value("copy_gbs", 0.0), 0);
    EXPECT_GT(record.value("copy_gcells", 0.0), 0);
    EXPECT_GT(record.value("jit_s", 0.0), 0);
    EXPECT_EQ(record["runs_ms"].size(), record["repeat"].get<size_t>());
  }
  EXPECT_EQ(records[0]["check_steps"], 5) << "two time tiles and one step";
  EXPECT_EQ(records[0]["checked_against"], "direct, contract");
  EXPECT_EQ(records[1]["checked_against"], "direct, strict");
  EXPECT_EQ(records[2]["check_steps"], 9);
  EXPECT_EQ(records[3]["check_steps"], 6) << "a reduction is due";
  EXPECT_EQ(records[3]["steps"], 10) << "the stop condition held";
}

// `auto` times schedules even for short runs.
TEST_P(OnDevices, AutoTimesSchedules) {
  const std::string suite = R"([
    {"program": "decay.stn", "define": {"N": 200}, "steps": 8, "repeat": 1, "schedules": ["auto", "direct"]}])";
  ::setenv("STENCIL_TUNED", directory_.file("tuned.db").c_str(), 1);
  const auto records = run(GetParam(), suite);
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_TRUE(records[0].value("chosen", "").starts_with("the fastest of ")) << records[0].dump(1);
  EXPECT_NE(records[0].value("settings", ""), "");
  EXPECT_EQ(records[0].value("check", ""), "passed");
  EXPECT_FALSE(records[1].contains("chosen"));
  EXPECT_FALSE(run(GetParam(), suite)[0].contains("chosen")) << "tuning is off";
}

TEST_P(OnDevices, AreComparedWithTheInterpreterAtSmallSizes) {
  settings_.check_only = true;
  const auto records = run(GetParam(), R"([
    {"program": "decay.stn", "define": {"N": 4000}, "steps": 8, "schedules": ["overlapped T=2 block=16x4"]},
    {"program": "wave.stn", "define": {"N": 90}, "check": {"N": 33}, "check_steps": 5, "steps": 9,
     "schedules": ["direct"]}])");
  ASSERT_EQ(records.size(), 2u);
  for (const Record& record : records) {
    SCOPED_TRACE(record.dump(1));
    EXPECT_EQ(record["kind"], "check");
    EXPECT_EQ(record.value("check", ""), "passed");
    EXPECT_EQ(record["checked_against"], "the reference interpreter");
    EXPECT_FALSE(record.contains("gcells"));
  }
  EXPECT_EQ(records[0]["define"].dump(), R"({"N":203})");
  EXPECT_EQ(records[0]["steps"], 7);
  EXPECT_EQ(records[1]["define"].dump(), R"({"N":33})");
  EXPECT_EQ(records[1]["steps"], 5);
}

TEST_P(OnDevices, RecordRefusalsAndErrors) {
  std::ofstream(directory_.file("wrong.stn")) << "grid G = [0..9] steps 1;\nfield A : real on H;\n";
  const auto records = run(GetParam(), R"({"defaults": {"steps": 3, "repeat": 1}, "entries": [
    {"program": "wave.stn", "schedules": ["streaming"]},
    {"program": "wave.stn", "schedules": ["direct blocks=3"]},
    {"program": "wrong.stn", "schedules": ["direct"]},
    {"program": "wave.stn", "define": {"N": 0}, "schedules": ["direct"]},
    {"program": "absent.stn", "schedules": ["direct"]}]})");
  ASSERT_EQ(records.size(), 5u);
  const auto has = [&](size_t r, const char* key, const char* part) {
    return records[r].value(key, "").find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(0, "refused", "L018")) << records[0].dump(1);
  EXPECT_TRUE(has(1, "error", "L001")) << records[1].dump(1);
  EXPECT_TRUE(has(2, "error", "wrong.stn:2:")) << records[2].dump(1);
  EXPECT_TRUE(records[3].contains("error")) << records[3].dump(1);
  EXPECT_TRUE(has(4, "error", "R010")) << records[4].dump(1);
}

TEST_P(OnDevices, AreSkippedOnceTheBudgetIsUsedUp) {
  settings_.budget = 1e-9;
  const auto records =
      run(GetParam(),
          R"([{"program": "wave.stn", "steps": 1, "schedules": ["direct", "overlapped"]}])");
  ASSERT_EQ(records.size(), 2u);
  for (const Record& record : records) {
    EXPECT_EQ(record.value("left_out", ""), "the budget is used up");
    EXPECT_FALSE(record.contains("gcells"));
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, OnDevices, testing::Values("host", "opencl"));

// --- CUDA
// -------------------------------------------------------------------------------------------------

class OnCuda : public RunnerTest {
 protected:
  void SetUp() override {
    fake_ = runtime::cuda::fresh_fake_driver();
    ASSERT_NE(fake_, nullptr) << "another driver was found before the fake one";
    const auto nvrtc = runtime::Nvrtc::open(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
  }

  FakeDriver* fake_ = nullptr;
};

// 100 x 103 points. One launch (one step) takes 2 ms; copying 256 MiB takes 0.5 s.
TEST_F(OnCuda, AreTimedByTheDeviceClock) {
  fake_->copy_seconds = 0.5;
  fake_->registers = 96;
  fake_->local_bytes = 24;
  fake_->static_shared_bytes = 512;
  int launches = 0;
  fake_->run = [&](const std::string& kernel, const runtime::cuda::LaunchConfig&, void**) {
    EXPECT_TRUE(kernel.starts_with("decay_0000")) << kernel;
    fake_->clock += 0.002;
    ++launches;
  };
  const auto records = run("cuda", R"([{"program": "decay.stn", "define": {"N": 100}, "steps": 5,
    "repeat": 3, "verify_steps": 0, "schedules": ["direct"]}])");
  ASSERT_EQ(records.size(), 1u);
  const Record& record = records[0];
  EXPECT_EQ(launches, 4 * 5) << "one warm-up run, three timed runs";
  EXPECT_NEAR(record.value("time_ms", 0.0), 10, 1e-3) << record.dump(1);
  EXPECT_NEAR(record.value("gcells", 0.0), 1e-9 * 100 * 103 * 5 / 0.01, 1e-8);
  const double bandwidth = 2e-9 * (256 << 20) / 0.5;
  EXPECT_NEAR(record.value("copy_gbs", 0.0), bandwidth, 1e-3);
  EXPECT_NEAR(record.value("copy_gcells", 0.0), bandwidth / 8, 1e-3) << "4 bytes in, 4 bytes out";
  EXPECT_EQ(record["registers"], 96);
  EXPECT_EQ(record["local_bytes"], 24);
  EXPECT_EQ(record["shared_bytes"], 512);
  EXPECT_EQ(record["check_steps"], 0);
  EXPECT_FALSE(record.contains("check"));
  EXPECT_EQ(fake_->modules, 0);
  EXPECT_TRUE(fake_->allocated.empty());
}

// The fake kernels write nothing, so the result differs from the interpreter's.
TEST_F(OnCuda, AreNotTimedIfDirectIsWrong) {
  const auto records =
      run("cuda", R"([{"program": "decay.stn", "steps": 5, "schedules": ["direct"]}])");
  EXPECT_TRUE(records[0].value("error", "").starts_with("direct, against the interpreter: "))
      << records[0].dump(1);
  EXPECT_FALSE(records[0].contains("gcells"));
}

// No step is compared at the small size, so `direct` passes there although it writes nothing. The
// kernel of the job writes one wrong value.
TEST_F(OnCuda, AreNotTimedIfTheirResultIsWrong) {
  fake_->run = [&](const std::string& kernel, const runtime::cuda::LaunchConfig&,
                   void** parameters) {
    if (!kernel.starts_with("decay_0000")) return;
    for (const int array : {0, 1}) **static_cast<float**>(parameters[array]) = 7;
  };
  const auto records = run("cuda", R"([{"program": "decay.stn", "steps": 1, "check_steps": 0,
    "schedules": ["direct block=32x4 rows=dense"]}])");
  EXPECT_TRUE(records[0].value("check", "").starts_with("1 value differs, the first is A[0, 0]: "))
      << records[0].dump(1);
  EXPECT_FALSE(records[0].contains("gcells"));
}

TEST_F(OnCuda, EndIfTheDeviceFails) {
  fake_->finish_code = 700;  // after the first launch
  const auto records = run("cuda", R"([{"program": "decay.stn", "steps": 5, "verify_steps": 0,
    "schedules": ["direct", "overlapped", "overlapped T=2"]}])");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_TRUE(records[0].value("error", "").starts_with("R044 ")) << records[0].dump(1);
  EXPECT_EQ(records[1].value("left_out", ""), "the device no longer responds");
  EXPECT_EQ(records[2].value("left_out", ""), "the device no longer responds");
}

// The first block is too large for this device; the second fits.
TEST_F(OnCuda, AreRefusedIfTheDeviceIsTooSmall) {
  fake_->threads = 64;
  const auto records = run("cuda", R"([{"program": "decay.stn", "steps": 5, "verify_steps": 0,
    "repeat": 1, "schedules": ["direct block=32x4", "direct block=32x2"]}])");
  EXPECT_TRUE(records[0].value("refused", "").starts_with("R043 ")) << records[0].dump(1);
  EXPECT_TRUE(records[1].contains("time_ms")) << records[1].dump(1);
}

}  // namespace
}  // namespace stencil::bench
