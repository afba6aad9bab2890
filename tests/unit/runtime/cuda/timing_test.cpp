// Timing of candidates on the fake CUDA driver, whose clock and kernels the test controls.
#include "runtime/tune/timing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "compiler/schedule/explore.h"
#include "runtime/devices/nvrtc.h"
#include "runtime/tune/compiled_choice.h"
#include "runtime/tune/timed_choice.h"
#include "tests/unit/runtime/cuda/fake_driver.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::tune {
namespace {

using runtime::cuda::FakeDriver;

class TimingOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    fake_ = runtime::cuda::fresh_fake_driver();
    ASSERT_NE(fake_, nullptr) << "another driver was found before the fake one";
    const auto nvrtc = runtime::Nvrtc::open(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
    options_.threads = 2;
  }

  Timings time(const std::vector<std::string>& lines) {
    const auto device = runtime::choose_device("cuda");
    EXPECT_TRUE(device.ok()) << device.failure().message;
    const ir::Program program = runtime::program_of(runtime::kDecay);
    std::vector<Candidate> candidates;
    for (const std::string& line : lines) {
      Diagnostics diagnostics;
      const auto schedule =
          schedule::parse(line, program, diagnostics, device.value().device.machine);
      EXPECT_TRUE(schedule) << line;
      candidates.push_back({schedule.value_or(schedule::Schedule{}), 0});
    }
    auto timings = time_candidates(program, runtime::bind_params(program).value(), device.value(),
                                   candidates, options_);
    EXPECT_TRUE(timings.ok()) << timings.failure().message;
    return timings.ok() ? timings.value() : Timings{};
  }

  FakeDriver* fake_ = nullptr;
  TimingOptions options_;
};

// A launch takes 4 ms with 64 threads per block and 1 ms with 32. Only the device clock counts.
TEST_F(TimingOnCuda, UsesTheDeviceClock) {
  fake_->registers = 96;
  fake_->local_bytes = 24;
  fake_->run = [&](const std::string&, const runtime::cuda::LaunchConfig& config, void**) {
    fake_->clock += config.block[0] * config.block[1] == 64 ? 0.004 : 0.001;
  };
  const Timings timings = time(
      {"direct block=64x1", "direct block=32x1", "overlapped T=2 block=16x4", "direct block=16x2"});
  ASSERT_EQ(timings.candidates.size(), 4u);
  const auto& all = timings.candidates;
  EXPECT_NEAR(all[0].seconds, 0.004, 1e-9);
  EXPECT_NEAR(all[1].seconds, 0.001, 1e-9);
  EXPECT_NEAR(all[2].seconds, 0.002, 1e-9) << "a launch is two steps";
  EXPECT_NEAR(all[3].seconds, 0.001, 1e-9);
  EXPECT_EQ(all[1].spread, 0);
  EXPECT_TRUE(all[0].dropped);
  EXPECT_TRUE(all[2].dropped);
  EXPECT_FALSE(all[1].dropped);
  EXPECT_FALSE(all[3].dropped) << "as fast as the fastest";
  EXPECT_EQ(timings.best, 1u) << "equal times: the better prediction wins";
  EXPECT_EQ(timings.end, End::Settled);
  EXPECT_EQ(all[1].registers, 96);
  EXPECT_EQ(all[1].local_bytes, 24);
  EXPECT_EQ(fake_->modules, 0);
  EXPECT_TRUE(fake_->allocated.empty());
}

// All candidates get slower with each round. Candidates measured earlier must not gain from that.
TEST_F(TimingOnCuda, DriftFavoursNoCandidate) {
  int launches = 0;
  fake_->run = [&](const std::string&, const runtime::cuda::LaunchConfig& config, void**) {
    const double drift = 1 + 0.002 * ++launches;
    fake_->clock += drift * (config.block[0] * config.block[1] == 64 ? 0.0100 : 0.0104);
  };
  const Timings timings = time({"direct block=32x1", "direct block=64x1", "direct block=16x2"});
  EXPECT_EQ(timings.best, 1u);
}

// Memory suffices for the fields of one candidate only.
TEST_F(TimingOnCuda, CandidatesAlternateIfMemoryIsShort) {
  fake_->run = [&](const std::string&, const runtime::cuda::LaunchConfig&, void**) {
    fake_->clock += 0.001;
  };
  size_t least = 0;
  fake_->memory = size_t{1} << 30;
  options_.progress = [&](const TimingProgress&) {
    size_t bytes = 0;
    for (const auto& [address, size] : fake_->allocated) bytes += size;
    if (least == 0) least = bytes;
    if (least > 0) fake_->memory = least + least / 2;
    return true;
  };
  const Timings timings = time({"direct block=32x1", "direct block=64x1"});
  ASSERT_GT(least, 0u);
  for (const Timed& timed : timings.candidates) {
    EXPECT_EQ(timed.refused, "");
    EXPECT_GE(timed.runs, 3);
  }
}

// Only the second launch with 64 threads per block fails.
TEST_F(TimingOnCuda, FailedCandidatesAreDropped) {
  constexpr int kLaunchFailed = 719;
  fake_->run = [&](const std::string&, const runtime::cuda::LaunchConfig& config, void**) {
    fake_->clock += 0.001;
    if (config.block[0] * config.block[1] == 64) fake_->launch_code = kLaunchFailed;
  };
  options_.progress = [&](const TimingProgress&) {
    fake_->launch_code = 0;
    return true;
  };
  const Timings timings = time({"direct block=64x1", "direct block=32x1"});
  EXPECT_TRUE(timings.candidates[0].error.starts_with("R044 ")) << timings.candidates[0].error;
  EXPECT_EQ(timings.candidates[0].runs, 0);
  EXPECT_EQ(timings.candidates[1].error, "");
  EXPECT_GE(timings.candidates[1].runs, 3);
  EXPECT_EQ(timings.best, 1u);
  EXPECT_EQ(timings.end, End::Settled);
}

// Candidates compiled after the budget are not timed; the only timed one wins.
TEST_F(TimingOnCuda, CandidatesBeyondTheBudgetAreReported) {
  fake_->run = [&](const std::string&, const runtime::cuda::LaunchConfig&, void**) {
    fake_->clock += 0.001;
  };
  options_.threads = 1;
  options_.budget = 1;
  options_.progress = [&](const TimingProgress& progress) {
    const double wait = progress.timed > 0 ? 0.85 * options_.budget - progress.elapsed : 0;
    if (wait > 0) std::this_thread::sleep_for(std::chrono::duration<double>(wait));
    return true;
  };
  std::vector<std::string> lines;
  for (int block = 32; block <= 1024; block += 32) {
    lines.push_back(fmt::format("direct block={}x1", block));
  }
  const Timings timings = time(lines);
  EXPECT_TRUE(timings.best);
  for (const Timed& timed : timings.candidates) {
    EXPECT_EQ(timed.refused + timed.error, "") << timed.line;
  }
  EXPECT_EQ(timings.candidates.back().runs, 0);
  EXPECT_EQ(timings.end, End::Budget);
}

// An error after which the process can no longer use the GPU.
TEST_F(TimingOnCuda, ALostDeviceEndsTheTiming) {
  constexpr int kIllegalAddress = 700;
  fake_->run = [&](const std::string&, const runtime::cuda::LaunchConfig& config, void**) {
    fake_->clock += 0.001;
    if (config.block[0] * config.block[1] == 64) fake_->finish_code = kIllegalAddress;
  };
  const Timings timings = time({"direct block=64x1", "direct block=32x1"});
  EXPECT_NE(timings.candidates[0].error, "");
  EXPECT_EQ(timings.end, End::Lost);
}

// --- The choice of `auto` before a long run
// -----------------------------------------------------------------------------------------------

class ChoiceOnCuda : public TimingOnCuda {
 protected:
  void SetUp() override {
    ::setenv("STENCIL_CACHE", directory_.file("cache").c_str(), 1);
    ::setenv("STENCIL_TUNED", directory_.file("tuned.db").c_str(), 1);
    TimingOnCuda::SetUp();
  }
  void TearDown() override {
    ::setenv("STENCIL_CACHE", "off", 1);
    ::setenv("STENCIL_TUNED", "off", 1);
  }
  std::optional<runtime::KnownLine> choose(int64_t steps) {
    return automatic_line(program_, runtime::choose_device("cuda").value(), {.steps = steps});
  }
  runtime::TemporaryDirectory directory_;
  const ir::Program program_ = runtime::program_of(R"(
grid G = [0..1023, 0..1023] steps 100;
field A : real on G;
stencil s : A[1..1022, 1..1022] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)");
};

// `auto` takes the tile with the shortest launches among those compiled for a short run.
TEST_F(ChoiceOnCuda, IsTheFastestTileByTheDeviceClock) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "planning under a sanitizer takes longer than the budget for timing";
#endif
  fake_->run = [&](const std::string&, const runtime::cuda::LaunchConfig&, void**) {
    fake_->clock += 0.001;
  };
  ::setenv("STENCIL_TUNED", "off", 1);
  const auto untimed = choose(10);
  ASSERT_TRUE(untimed);
  EXPECT_EQ(untimed->origin, "the fastest predicted of 5 compiled");
  EXPECT_TRUE(fake_->launched.empty()) << "nothing has run";
  ::setenv("STENCIL_TUNED", directory_.file("tuned.db").c_str(), 1);
  const auto brief = choose(10);
  ASSERT_TRUE(brief);
  EXPECT_TRUE(brief->origin.starts_with("the fastest of ")) << brief->origin;
  EXPECT_NE(brief->origin.find(" timed in "), std::string::npos) << brief->origin;
  fake_->launched.clear();
  const auto chosen = choose(int64_t{1} << 40);
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(chosen->origin.starts_with("the fastest of 16 timed in ")) << chosen->origin;
  EXPECT_FALSE(fake_->launched.empty());
  EXPECT_TRUE(fake_->allocated.empty());
  // Every launch takes the same time, so the deepest of at least five tiles wins.
  schedule::Scheduler scheduler(program_, runtime::choose_device("cuda").value().device.machine);
  int deepest = 0;
  const auto space = schedule::explore(scheduler, schedule::Effort::Quick);
  for (const auto& tile : schedule::best_of_tiles(space, kTilesCompared)) {
    deepest = std::max(deepest, tile.time_tile);
  }
  Diagnostics diagnostics;
  const auto line = scheduler.parse(chosen->line, diagnostics);
  ASSERT_TRUE(line) << chosen->line;
  EXPECT_GE(line->time_tile, deepest) << chosen->line;
  const auto again = choose(100);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->line, chosen->line);
  EXPECT_EQ(again->origin, "the fastest of 16 timed before");
}

TEST_F(ChoiceOnCuda, UsesTheModelIfTheDeviceHasNoMemory) {
  fake_->memory = 1 << 20;
  const auto chosen = choose(int64_t{1} << 40);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->origin, "the fastest predicted of 5 compiled");
  EXPECT_TRUE(fake_->launched.empty());
}

}  // namespace
}  // namespace stencil::tune
