// Races of schedules during a run: on a fake device with a made-up clock, and on the host.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <set>
#include <thread>

#include "compiler/reference/interpreter.h"
#include "runtime/tune/race_start.h"
#include "runtime/tune/racing_program.h"
#include "runtime/verify/compare.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"
#include "tests/unit/runtime/tune/scripted_device.h"

namespace stencil::tune {
namespace {

using runtime::ChosenDevice;
using runtime::program_of;

constexpr const char* kHeat = R"(
param N : integer = 400;
grid G = [0..N-1, 0..N-1] steps 50;
field A : real on G;
stencil s : A[1..N-2, 1..N-2] = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);
)";

// --- Decisions

Samples samples(std::initializer_list<double> seconds_per_step) {
  Samples out(1);
  for (const double seconds : seconds_per_step) out.add(1000, 1000 * seconds);
  return out;
}

TEST(Samples, JoinPiecesUntilTheyAreLongEnough) {
  Samples out(0.01);
  out.add(10, 0.004);
  out.add(10, 0.004);
  EXPECT_EQ(out.size(), 0u);
  out.add(20, 0.012);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_DOUBLE_EQ(out.latest(), 0.0005);
}

TEST(Verdict, NeedsThreeSamplesToWin) {
  const Samples leader = samples({1.0, 1.01, 0.99});
  EXPECT_FALSE(verdict(samples({}), leader, false));
  EXPECT_FALSE(verdict(samples({0.5}), leader, false));
  EXPECT_FALSE(verdict(samples({0.5, 0.5}), leader, false));
  EXPECT_EQ(verdict(samples({0.5, 0.5, 0.5}), leader, false), true);
}

TEST(Verdict, OfSlowCandidatesComesSooner) {
  const Samples leader = samples({1.0, 1.0, 1.0});
  EXPECT_EQ(verdict(samples({1.2}), leader, false), false);
  EXPECT_FALSE(verdict(samples({1.1}), leader, false));
  EXPECT_EQ(verdict(samples({1.1, 1.1}), leader, false), false);
}

TEST(Verdict, IsForTheLeaderWithinTheNoise) {
  EXPECT_EQ(verdict(samples({0.998, 0.998, 0.998}), samples({1, 1, 1}), false), false);
  EXPECT_EQ(verdict(samples({0.99, 0.99, 0.99}), samples({1, 1, 1}), false), true);
  EXPECT_EQ(verdict(samples({0.99, 0.99, 0.99}), samples({1, 1, 1}), true), false) << "on a CPU";
  EXPECT_EQ(verdict(samples({0.95, 0.95, 0.95}), samples({0.9, 1, 1.1}), false), false);
}

TEST(RaceBudget, IsAPartOfTheRunAndOfTheSavings) {
  RaceBudget budget(100, false);
  EXPECT_TRUE(budget.allows(1.9, 1000));
  EXPECT_FALSE(budget.allows(2.1, 1000));
  budget.tried(10, 11.5, 1);  // 1.5 s lost
  EXPECT_DOUBLE_EQ(budget.lost(), 1.5);
  EXPECT_FALSE(budget.allows(0.6, 1000));
  budget.led(10, 1.5);  // 5 s saved
  EXPECT_DOUBLE_EQ(budget.saved(), 5);
  EXPECT_TRUE(budget.allows(1.7, 1000));
}

TEST(RaceBudget, ExpectsLessAfterFailures) {
  RaceBudget budget(1e6, false);
  EXPECT_TRUE(budget.repays(0.4, 10));
  EXPECT_FALSE(budget.repays(0.6, 10));
  for (int i = 0; i < 9; ++i) budget.judged(false);
  EXPECT_FALSE(budget.repays(0.1, 10));
  EXPECT_TRUE(budget.repays(0.04, 10));
  budget.judged(true);
  EXPECT_TRUE(budget.repays(0.4, 10));
}

TEST(RaceBudget, CountsCompilationsOnACpu) {
  RaceBudget budget(100, true);
  EXPECT_TRUE(budget.allows(9, 1000));
  budget.compiled(5);
  EXPECT_FALSE(budget.allows(6, 1000));
  EXPECT_FALSE(budget.allows_with_gain(6, 1000, 0.1));
  EXPECT_TRUE(budget.allows_with_gain(6, 1000, 0.5)) << "much faster according to the model";
  EXPECT_FALSE(budget.allows_with_gain(6, 10, 0.5)) << "too late";
}

// --- A fake device with a made-up clock

// The fake device with a compiler of its own, so that runs may go on meanwhile.
ChosenDevice compiling_device() {
  ChosenDevice out = scripted_device();
  out.device.compile = [](const runtime::Job&, const std::string&) {
    return Result<std::string>(std::string("code"));
  };
  return out;
}

constexpr int64_t kMany = int64_t{1} << 30;  // steps

class ARace : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("STENCIL_TUNED", directory_.file("tuned.db").c_str(), 1);
    ::setenv("STENCIL_CACHE", directory_.file("cache").c_str(), 1);
    script = {};
    script.seconds = [](int) { return 1e-3; };
  }
  void TearDown() override {
    ::setenv("STENCIL_TUNED", "off", 1);
    ::setenv("STENCIL_CACHE", "off", 1);
  }
  // A race that begins with this line.
  std::unique_ptr<RacingProgram> race(const std::string& line, double expected = 1e6) {
    Diagnostics diagnostics;
    const auto& machine = device_.device.machine;
    const auto schedule = schedule::parse(line, program_, diagnostics, machine);
    auto module = runtime::lower(program_, *schedule, machine, diagnostics);
    auto loaded = device_.device.load({program_, module.get()}, "");
    RacedRun run{device_, kMany, expected, [this](const Choice& kept) { kept_ = kept; }};
    return std::make_unique<RacingProgram>(program_, run, *schedule, module,
                                           std::move(loaded).value());
  }
  reference::State state() {
    Diagnostics diagnostics;
    return runtime::prepare_state(program_, runtime::bind_params(program_).value(), diagnostics)
        .value();
  }
  // Advances until `enough` or for a minute.
  static void advance(runtime::Session& session, int64_t steps,
                      const std::function<bool()>& enough) {
    const auto begin = std::chrono::steady_clock::now();
    while (!enough() && std::chrono::steady_clock::now() - begin < std::chrono::minutes(1)) {
      ASSERT_TRUE(session.advance(steps).ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  runtime::TemporaryDirectory directory_;
  ir::Program program_ = program_of(kHeat);
  ChosenDevice device_ = compiling_device();
  std::optional<Choice> kept_;
};

TEST_F(ARace, IsWonByTheFastest) {
  script.seconds = [](int tile) { return 1e-3 / tile; };
  const auto program = race("planes T=1");
  reference::State state = this->state();
  auto session = program->start(state).value();
  advance(*session, 64,
          [&] { return program->report().changes >= 1 && script.advanced.size() >= 4; });
  const RaceReport report = program->report();
  EXPECT_GE(report.changes, 1);
  EXPECT_GT(report.schedule.time_tile, 1);
  EXPECT_NEAR(report.gain, report.schedule.time_tile, 1e-6);
  EXPECT_GT(report.saved, 0);
  const int64_t before = state.step;
  ASSERT_EQ(session->advance(1000).value(), 1000);
  EXPECT_EQ(state.step, before + 1000) << "trials take steps of the run";
  session.reset();
  ASSERT_TRUE(kept_);
  EXPECT_EQ(kept_->line, schedule::print(program->report().schedule, 2));
  EXPECT_EQ(kept_->timed, program->report().tried + 1);
}

TEST_F(ARace, GoesBackToTheLeaderAfterALostTrial) {
  script.seconds = [](int tile) { return tile == 1 ? 1e-4 : 1e-3; };
  const auto program = race("planes T=1");
  reference::State state = this->state();
  auto session = program->start(state).value();
  advance(*session, 64, [&] { return program->report().tried >= 3; });
  EXPECT_GE(program->report().tried, 3);
  EXPECT_EQ(program->report().schedule.time_tile, 1);
  EXPECT_GT(program->report().lost, 0);
  EXPECT_GE(script.advanced.size(), 2u);
  // The trial in progress ends after some steps.
  advance(*session, 64, [&] { return script.latest == 1; });
  EXPECT_EQ(script.latest, 1);
}

// The tiles of a slow candidate may take much longer than a sample.
TEST_F(ARace, EndsSlowTrialsAfterOneTile) {
  script.seconds = [](int tile) { return tile == 1 ? 1 : 5; };
  const auto program = race("planes T=1", 1e12);
  reference::State state = this->state();
  auto session = program->start(state).value();
  advance(*session, 64, [&] { return program->report().tried >= 1; });
  ASSERT_EQ(program->report().tried, 1);
  const auto tile = static_cast<double>(*script.advanced.rbegin());
  EXPECT_GT(tile, 1);
  EXPECT_NEAR(program->report().lost, 4 * tile, 0.1);
}

TEST_F(ARace, GoesOnIfACandidateCannotStart) {
  script.starts = [](int tile) { return tile == 1; };
  const auto program = race("planes T=1");
  reference::State state = this->state();
  auto session = program->start(state).value();
  advance(*session, 64, [&] { return program->report().refused >= 2; });
  EXPECT_GE(program->report().refused, 2);
  const int64_t before = state.step;
  EXPECT_EQ(session->advance(100).value(), 100);
  EXPECT_EQ(state.step, before + 100);
}

TEST_F(ARace, DoesNotBeginInShortRuns) {
  const auto program = race("planes T=1", 1e-3);
  reference::State state = this->state();
  auto session = program->start(state).value();
  const auto begin = std::chrono::steady_clock::now();
  advance(*session, 64,
          [&] { return std::chrono::steady_clock::now() - begin > std::chrono::seconds(1); });
  EXPECT_EQ(program->report().tried, 0);
}

TEST_F(ARace, TakesNoStepsAfterTheStopCondition) {
  script.seconds = [](int tile) { return 1e-3 / tile; };
  const auto program = race("planes T=1");
  reference::State state = this->state();
  auto session = program->start(state).value();
  advance(*session, 64, [&] { return program->report().tried >= 1; });
  script.stop = state.step + 40;
  EXPECT_EQ(session->advance(1000).value(), 40);
  EXPECT_EQ(session->advance(1000).value(), 0);
}

TEST_F(ARace, IsOfOneSessionAtATime) {
  script.seconds = [](int tile) { return 1e-3 / tile; };
  const auto program = race("planes T=1");
  reference::State first = this->state(), second = this->state();
  auto one = program->start(first).value();
  auto other = program->start(second).value();
  const auto begin = std::chrono::steady_clock::now();
  const auto a_second = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::seconds(1);
  };
  advance(*other, 64, a_second);
  EXPECT_EQ(script.advanced, std::set<int>{1});
  one.reset();
  other.reset();
  auto later = program->start(second).value();
  advance(*later, 64, [&] { return program->report().tried >= 1; });
  EXPECT_GE(program->report().tried, 1);
}

// --- The beginning

TEST_F(ARace, BeginsInLongRunsOnly) {
  EXPECT_TRUE(race_start(program_, device_, {.steps = int64_t{1} << 30}));
  EXPECT_FALSE(race_start(program_, device_, {.steps = 10}));
  EXPECT_FALSE(race_start(program_, device_, {.steps = int64_t{1} << 30, .dense = true}));
  EXPECT_FALSE(race_start(program_, device_, {.steps = int64_t{1} << 30, .only_stored = true}));
  ProgramOptions fast;
  fast.fp = FpMode::Fast;
  EXPECT_FALSE(race_start(program_of(kHeat, fast), device_, {.steps = int64_t{1} << 30}));
  ChosenDevice other = device_;
  other.device.compile = nullptr;
  EXPECT_FALSE(race_start(program_, other, {.steps = int64_t{1} << 30}));
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_FALSE(race_start(program_, device_, {.steps = int64_t{1} << 30}));
}

TEST_F(ARace, BeginsWithTheResultOfAnEarlierOne) {
  const int64_t steps = int64_t{1} << 30;
  const auto start = race_start(program_, device_, {.steps = steps});
  ASSERT_TRUE(start);
  start->run.keep({"planes T=3", 5, start->run.expected});
  EXPECT_FALSE(race_start(program_, device_, {.steps = steps})) << "nothing is left to try";
  start->run.keep({"planes T=3", 5, start->run.expected / 10});
  const auto longer = race_start(program_, device_, {.steps = steps});
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->line.line, "planes T=3");
  EXPECT_EQ(longer->line.origin, "the fastest of 5 timed before");
}

// --- On the host

TEST_F(ARace, GivesTheBitsOfOneSchedule) {
  const auto host = runtime::choose_device("host");
  if (!host.ok()) GTEST_SKIP() << host.failure().message;
  device_ = host.value();
  program_ = program_of(R"(
grid G = [0..59, 0..40] steps 50;
field A : real on G boundary clamp;
field B : real on G history 2;
stencil a : A on G = 0.2 * (A[0,0] + A[-1,0] + A[1,0] + A[0,-1] + A[0,1]) + 0.01 * B@-1[0,0]
  + select(time % 3 == 0, 0.01, -0.005);
stencil b : B[1..58, 1..39] = 0.5 * (B[0,0] + A[-1,1]);
init A[i,j] = random(i, j, 1);
init B[i,j] = random(i, j, 2);
reduce total = sum(A[0,0]) on G every 5;
)");
  const auto program = race("direct");
  reference::State state = this->state(), expected = this->state();
  auto session = program->start(state).value();
  advance(*session, 2000, [&] { return program->report().tried >= 2 || state.step > 2'000'000; });
  ASSERT_TRUE(session->finish().ok());
  EXPECT_GE(program->report().tried, 1);
  ASSERT_GT(state.step, 2000);
  session.reset();
  Diagnostics diagnostics;
  const auto& machine = device_.device.machine;
  std::optional<schedule::Schedule> schedule;
  const auto module = runtime::lower(program_, "direct", machine, schedule, diagnostics);
  const auto loaded = device_.device.load({program_, module.get()}, "").value();
  auto plain = loaded->start(expected).value();
  ASSERT_TRUE(plain->advance(state.step).ok());
  ASSERT_TRUE(plain->finish().ok());
  const auto difference = runtime::compare(program_, expected, state);
  EXPECT_FALSE(difference) << "after " << state.step << " steps";
}

}  // namespace
}  // namespace stencil::tune
