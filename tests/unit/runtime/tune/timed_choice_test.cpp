// The choice of `auto` after timing: on a fake device with a made-up clock, and
// on the devices of this machine.
#include "runtime/tune/timed_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>

#include "runtime/devices/kernel_cache.h"
#include "runtime/tune/database.h"
#include "runtime/tune/search.h"
#include "runtime/tune/timing.h"
#include "runtime/tune/tuned.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"
#include "tests/unit/runtime/tune/scripted_device.h"

namespace stencil::tune {
namespace {

using runtime::ChosenDevice;
using runtime::program_of;

constexpr int64_t kForever = int64_t{1} << 40;  // steps

constexpr const char* kSmooth = R"(
param N : integer = 400;
grid G = [0..N-1, 0..N-1] steps 50;
field A : real on G;
stencil s : A[1..N-2, 1..N-2] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)";

class TimedChoice : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("STENCIL_TUNED", database_.c_str(), 1);
    ::setenv("STENCIL_CACHE", directory_.file("cache").c_str(), 1);
    script = {};
    script.seconds = [](int) { return 1e-3; };
  }
  void TearDown() override {
    ::setenv("STENCIL_TUNED", "off", 1);
    ::setenv("STENCIL_CACHE", "off", 1);
  }
  // The time tile T in a schedule line.
  static int time_tile(const runtime::KnownLine& known) {
    const size_t at = known.line.find(" T=");
    return at == std::string::npos ? 1 : std::atoi(known.line.c_str() + at + 3);
  }
  std::optional<runtime::KnownLine> choose(int64_t steps, const ir::Program& program) {
    return timed_choice(program, device_, {.steps = steps});
  }
  std::optional<runtime::KnownLine> choose(int64_t steps) { return choose(steps, program_); }

  runtime::TemporaryDirectory directory_;
  const std::string database_ = directory_.file("tuned.db");
  const ir::Program program_ = program_of(kSmooth);
  ChosenDevice device_ = scripted_device();
};

TEST_F(TimedChoice, IsTheFastestMeasured) {
  schedule::Scheduler scheduler(program_, device_.device.machine);
  const auto space = schedule::explore(scheduler, schedule::Effort::Quick);
  std::set<int> tiles;  // tiles that are compared in any case
  for (const Candidate& each : Search(scheduler, space).first(5)) {
    tiles.insert(each.schedule.time_tile);
  }
  ASSERT_GE(tiles.size(), 3u) << "the compared tiles differ in T";
  for (const int fastest : tiles) {
    SCOPED_TRACE(fastest);
    ::setenv("STENCIL_CACHE", directory_.file(fmt::format("cache{}", fastest)).c_str(), 1);
    script.seconds = [&](int tile) { return tile == fastest ? 1e-3 : 2e-3; };
    const auto chosen = choose(kForever);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(time_tile(*chosen), fastest) << chosen->line;
    EXPECT_TRUE(chosen->origin.starts_with("the fastest of ")) << chosen->origin;
    EXPECT_NE(chosen->origin.find(" timed in "), std::string::npos) << chosen->origin;
  }
}

TEST_F(TimedChoice, IsCached) {
  const auto first = choose(kForever);
  const int loaded = script.loaded;
  EXPECT_GE(loaded, 2);
  const auto second = choose(kForever);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->line, first->line);
  EXPECT_EQ(second->origin.substr(second->origin.find("timed")), "timed before");
  EXPECT_EQ(script.loaded, loaded) << "neither compiled nor timed again";
  // A run too short for timing also uses the stored choice, unless the run is shorter than a time
  // tile.
  const auto brief = choose(100);
  ASSERT_TRUE(brief);
  EXPECT_EQ(brief->line, first->line);
  EXPECT_FALSE(choose(3));
  EXPECT_EQ(script.loaded, loaded);
}

// The number N in "the fastest of N timed ...".
int timed(const runtime::KnownLine& known) {
  return std::atoi(known.origin.c_str() + std::string("the fastest of ").size());
}

// Tests a CPU, and a GPU whose tiles are compiled anyway.
TEST_F(TimedChoice, ComparesMoreBeforeLongRuns) {
  for (const bool on_cpu : {true, false}) {
    SCOPED_TRACE(on_cpu);
    if (!on_cpu) device_.device.machine = schedule::gpu();
    ::setenv("STENCIL_CACHE", directory_.file(on_cpu ? "cpu" : "gpu").c_str(), 1);
    // All candidates are as fast as predicted, so none is dropped for being slow.
    std::optional<runtime::KnownLine> brief;
    for (int64_t steps = 1000; !brief && steps < kForever; steps += steps / 8) {
      brief = choose(steps);
    }
    ASSERT_TRUE(brief);
    EXPECT_GE(timed(*brief), 2);
    EXPECT_LE(timed(*brief), 7);
    ::setenv("STENCIL_CACHE", directory_.file(on_cpu ? "cpu2" : "gpu2").c_str(), 1);
    const auto longer = choose(kForever);
    ASSERT_TRUE(longer);
    EXPECT_GE(timed(*longer), 14);
    EXPECT_LE(timed(*longer), 16);
  }
}

// If compilers would be idle while the kernel of `auto` is compiled, the first
// run of any length uses timing.
TEST_F(TimedChoice, IsMadeWhileCompilersAreIdle) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "planning under a sanitizer takes longer than the budget for timing";
#endif
  std::string text = "grid G = [0..399, 0..399] steps 50;\n";  // slow to compile
  for (const char name : {'A', 'B', 'C'}) {
    text += fmt::format(
        "field {0} : real on G;\nstencil s{0} : {0}[1..398, 1..398] = 0.25 * "
        "({0}[-1,0] + {0}[1,0] + {0}[0,-1] + {0}[0,1]);\n",
        name);
  }
  const ir::Program program = program_of(text.c_str());
  device_.device.compile = [](const runtime::Job&, const std::string&) {
    return Result<std::string>(std::string("code"));
  };
  const auto choose_with = [&](const char* threads, const char* cache) {
    ::setenv("STENCIL_THREADS", threads, 1);
    ::setenv("STENCIL_CACHE", cache == std::string("off") ? cache : directory_.file(cache).c_str(),
             1);
    const auto chosen = choose(100, program);
    ::unsetenv("STENCIL_THREADS");
    return chosen;
  };
  EXPECT_FALSE(choose_with("2", "cache"));
  EXPECT_FALSE(choose_with("8", "off")) << "the choice could not be cached";
  const auto chosen = choose_with("8", "cache");
  ASSERT_TRUE(chosen);
  EXPECT_GE(timed(*chosen), 2);
  EXPECT_LE(timed(*chosen), 5) << "no further candidates";
  device_.device.machine = schedule::gpu();
  const auto on_gpu = choose_with("16", "gpu");
  ASSERT_TRUE(on_gpu);
  EXPECT_EQ(timed(*on_gpu), 9) << "more tiles than the five compiled at once";
}

// A cached choice is not used once anything has changed that may change the fastest schedule.
TEST_F(TimedChoice, IsCachedPerComputationAndDevice) {
  ASSERT_TRUE(choose(kForever));
  ASSERT_TRUE(choose(100));
  ProgramOptions options;
  options.real = Scalar::F64;
  EXPECT_FALSE(choose(100, program_of(kSmooth, options)));
  options = {};
  options.fp = FpMode::Strict;
  EXPECT_FALSE(choose(100, program_of(kSmooth, options)));
  options = {};
  options.definitions["N"] = "401";
  EXPECT_FALSE(choose(100, program_of(kSmooth, options)));
  ChosenDevice other = device_;
  other.info.description = "made up 1.1";
  EXPECT_FALSE(timed_choice(program_, other, {.steps = 100}));
  other = device_;
  other.info.hardware = "something else";
  EXPECT_FALSE(timed_choice(program_, other, {.steps = 100}));
  // The cached choice also applies to another number of steps.
  options = {};
  options.steps = 77;
  EXPECT_TRUE(choose(100, program_of(kSmooth, options)));
}

TEST_F(TimedChoice, IsNoneForShortRuns) {
  EXPECT_FALSE(choose(100));
  EXPECT_FALSE(timed_choice(program_, device_, {})) << "the program says 50";
  EXPECT_EQ(script.loaded, 0);
  ProgramOptions options;
  options.steps = INT32_MAX;  // the maximum of a run
  EXPECT_TRUE(timed_choice(program_of(kSmooth, options), device_, {}));
}

TEST_F(TimedChoice, IsNoneIfTuningIsOff) {
  ASSERT_TRUE(choose(kForever));
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_FALSE(choose(kForever));
}

TEST_F(TimedChoice, IsRepeatedWithoutACache) {
  ::setenv("STENCIL_CACHE", "off", 1);
  EXPECT_TRUE(choose(kForever));
  const int loaded = script.loaded;
  EXPECT_TRUE(choose(kForever));
  EXPECT_EQ(script.loaded, 2 * loaded);
  EXPECT_FALSE(choose(100));
}

TEST_F(TimedChoice, IsNoneForOpenSizesAndParams) {
  ProgramOptions options;
  options.open = {"N"};
  EXPECT_FALSE(choose(kForever, program_of(kSmooth, options)));
  EXPECT_FALSE(choose(kForever, program_of(R"(
param a : real;
grid G = [0..399, 0..399];
field A : real on G;
stencil s : A on G = a * A[0,0];
)")));
  EXPECT_EQ(script.loaded, 0);
}

// Errors, refusals and beaten candidates do not affect the others.
TEST_F(TimedChoice, SkipsFailingCandidates) {
  schedule::Scheduler scheduler(program_, device_.device.machine);
  const auto space = schedule::explore(scheduler, schedule::Effort::Quick);
  const auto first = Search(scheduler, space).first(2);
  const int broken = first[0].schedule.time_tile, refused = first[1].schedule.time_tile;
  ASSERT_NE(broken, refused);
  script.seconds = [&](int tile) { return tile == broken ? -1 : 1e-3 / tile; };
  script.loads = [&](int tile) { return tile != refused; };
  script.time_tiles.clear();
  const auto chosen = choose(kForever);
  ASSERT_TRUE(chosen);
  ASSERT_TRUE(script.time_tiles.erase(broken) && script.time_tiles.erase(refused));
  EXPECT_EQ(time_tile(*chosen), *script.time_tiles.rbegin()) << "the deepest of the others";
}

TEST_F(TimedChoice, IsNoneAndNotCachedIfNothingRuns) {
  script.loads = [](int) { return false; };  // as if memory were short
  EXPECT_FALSE(choose(kForever));
  script.loads = {};
  script.seconds = [](int) { return -1.0; };
  EXPECT_FALSE(choose(kForever));
  script.seconds = [](int) { return 1e-3; };
  EXPECT_TRUE(choose(kForever));
}

TEST_F(TimedChoice, SeriesAreNotReadBeyondTheirEnd) {
  const ir::Program program = program_of(R"(
grid G = [0..399, 0..399] steps 50;
series s : real [0..50];
field A : real on G;
stencil f : A[1..398, 1..398] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]) + s[time];
)");
  ASSERT_FALSE(program.step_limits.empty());
  const auto last = ir::evaluate(program.step_limits.front().steps, {});
  EXPECT_TRUE(choose(kForever, program));
  EXPECT_GT(script.last_step, 0);
  EXPECT_LE(script.last_step, *last);
}

// Measurements in the user's database have priority.
TEST_F(TimedChoice, ComesAfterTheDatabase) {
  if (!has_database()) GTEST_SKIP() << database_settings().note;
  const auto timed = automatic_line(program_, device_, {.steps = kForever});
  ASSERT_TRUE(timed);
  EXPECT_TRUE(timed->origin.starts_with("the fastest of ")) << timed->origin;
  Timings measured;
  measured.candidates = {{.line = "direct block=64x2", .seconds = 1e-6, .runs = 5}};
  ASSERT_TRUE(
      remember(program_, runtime::bind_params(program_).value(), device_, measured).value());
  const auto tuned = automatic_line(program_, device_, {.steps = kForever});
  ASSERT_TRUE(tuned);
  EXPECT_EQ(tuned->line, "direct block=64x2");
  EXPECT_TRUE(tuned->origin.starts_with("tuned: ")) << tuned->origin;
}

// --- Devices of this machine
// ------------------------------------------------------------------------------

class TimedChoiceOn : public TimedChoice, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    TimedChoice::SetUp();
    auto chosen = runtime::choose_device(GetParam());
    if (!chosen.ok()) GTEST_SKIP() << chosen.failure().message;
    device_ = std::move(chosen).value();
  }
};

TEST_P(TimedChoiceOn, CanBeRun) {
  const auto chosen = choose(kForever);
  ASSERT_TRUE(chosen);
  Diagnostics diagnostics;
  const auto prepared = runtime::prepare(
      program_, GetParam(), "auto", diagnostics, false, {},
      [&](const ChosenDevice& device) { return timed_choice(program_, device, {.steps = 100}); });
  ASSERT_TRUE(prepared.ok());
  EXPECT_EQ(schedule::print(*prepared.value().schedule, 2), chosen->line);
  EXPECT_NE(prepared.value().origin.find("timed before"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Devices, TimedChoiceOn, testing::Values("host", "opencl"));

}  // namespace
}  // namespace stencil::tune
