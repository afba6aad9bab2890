#include "runtime/run/run.h"

#include <gtest/gtest.h>

#include "compiler/reference/interpreter.h"
#include "runtime/verify/compare.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

TEST(BindParams, TakesDefaultsAndGivenValues) {
  ProgramOptions options;
  options.open = {"N"};
  const ir::Program program = program_of(kDecay, options);
  const auto params = bind_params(program, {{"N", "33"}});
  ASSERT_TRUE(params.ok());
  EXPECT_EQ(params.value().integers[0], 33);
  EXPECT_EQ(params.value().reals[1], 0.5);
}

TEST(BindParams, RefusesMissingAndMalformedValues) {
  ProgramOptions options;
  options.open = {"N"};
  const ir::Program program = program_of(kDecay, options);
  const auto missing = bind_params(program);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.failure().code, "R050");
  EXPECT_EQ(missing.failure().message, "param 'N' has no value");
  for (const char* text : {"", "x", "3.5", "3000000000", "7 "}) {
    const auto malformed = bind_params(program, {{"N", text}});
    ASSERT_FALSE(malformed.ok()) << text;
    EXPECT_EQ(malformed.failure().code, "R051");
  }
}

// One compiled program runs with several values of a param.
TEST(Execute, FloatParamsAreGivenAtRunTime) {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "host", "overlapped T=2 block=16x4", diagnostics);
  if (!prepared.ok()) GTEST_SKIP() << prepared.failure().message;
  for (const double a : {0.5, 0.1, -0.75}) {
    Params params = bind_params(program).value();
    params.reals[1] = a;
    reference::State expected = initial_state(program, params);
    reference::State state = expected;
    reference::advance(program, expected, 7);
    ASSERT_TRUE(execute(program, prepared.value(), state, 7).ok());
    EXPECT_FALSE(compare(program, expected, state)) << a;
  }
}

TEST(StepsOf, ComeFromTheProgramAndAreNeverNegative) {
  const ir::Program program = program_of(kDecay);
  EXPECT_EQ(steps_of(program, bind_params(program).value()).value(), 7);
  ir::Program without = program;
  without.steps.reset();
  EXPECT_EQ(steps_of(without, {}).failure().code, "R053");
  without.steps = ir::Affine{-1, {}};
  EXPECT_EQ(steps_of(without, {}).failure().code, "R053");
}

TEST(PrepareState, ReportsFailedChecksInTheProgram) {
  ProgramOptions options;
  options.open = {"N"};
  const ir::Program program = program_of(
      "param N : integer;\nrequire N >= 8;\ngrid G = [0..N-1] steps 1;\n"
      "field A : real on G;\nstencil s : A[2..N-3] = A[-2] + A[2];\n",
      options);
  Diagnostics diagnostics;
  const auto state =
      prepare_state(program, bind_params(program, {{"N", "4"}}).value(), diagnostics);
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.failure().code, "");
  EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Prepare, ReportsRefusals) {
  if (!choose_device("host").ok()) GTEST_SKIP() << choose_device("host").failure().message;
  const ir::Program program = program_of(kFourDimensional);
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "host", "streaming", diagnostics);
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.failure().code, "");
  EXPECT_TRUE(diagnostics.has_errors());
}

class Execute : public testing::TestWithParam<const char*> {};

TEST_P(Execute, RunsAllStepsAndReports) {
  if (!choose_device(GetParam()).ok()) GTEST_SKIP() << choose_device(GetParam()).failure().message;
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  const auto prepared = prepare(program, GetParam(), "auto", diagnostics);
  ASSERT_TRUE(prepared.ok()) << prepared.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  reference::State expected = state;
  std::vector<int64_t> seen;
  const auto report = execute(program, prepared.value(), state, 300, [&](const Progress& progress) {
    seen.push_back(progress.done);
    EXPECT_EQ(progress.total, 300);
    return true;
  });
  ASSERT_TRUE(report.ok()) << report.failure().message;
  EXPECT_EQ(report.value().steps, 300);
  EXPECT_EQ(report.value().updates, 300.0 * 20 * 23);
  EXPECT_FALSE(report.value().interrupted);
  ASSERT_GE(seen.size(), 2u);
  EXPECT_EQ(seen.back(), 300);
  reference::advance(program, expected, 300);
  EXPECT_FALSE(compare(program, expected, state));
}

TEST_P(Execute, StopsBetweenTimeTilesOnRequest) {
  if (!choose_device(GetParam()).ok()) GTEST_SKIP() << choose_device(GetParam()).failure().message;
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  const auto prepared = prepare(program, GetParam(), "auto", diagnostics);
  ASSERT_TRUE(prepared.ok()) << prepared.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  reference::State expected = state;
  const auto report =
      execute(program, prepared.value(), state, 300, [](const Progress&) { return false; });
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report.value().interrupted);
  EXPECT_LT(report.value().steps, 300);
  EXPECT_EQ(state.step, report.value().steps);
  reference::advance(program, expected, report.value().steps);
  EXPECT_FALSE(compare(program, expected, state));
}

INSTANTIATE_TEST_SUITE_P(All, Execute, testing::Values("reference", "host", "opencl"));

TEST_P(Execute, ReducesInTheOrderOfTheLanguage) {
  if (!choose_device(GetParam()).ok()) GTEST_SKIP() << choose_device(GetParam()).failure().message;
  const ir::Program program = program_of(kSummed);
  Diagnostics diagnostics;
  const auto prepared = prepare(program, GetParam(), "auto", diagnostics);
  ASSERT_TRUE(prepared.ok()) << prepared.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  reference::State expected = state;
  reference::advance(program, expected, 3);
  ASSERT_TRUE(execute(program, prepared.value(), state, 3).ok());
  const auto difference = compare(program, expected, state);
  EXPECT_FALSE(difference) << difference->where << ": " << difference->actual;
}

// A device and its schedule.
class ExecuteStop : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ExecuteStop, EndsWhereTheInterpreterEnds) {
  const auto& [device, schedule] = GetParam();
  if (!choose_device(device).ok()) GTEST_SKIP() << choose_device(device).failure().message;
  const ir::Program program = program_of(kConverging);
  reference::State state = initial_state(program, bind_params(program).value());
  reference::State expected = state;
  const int64_t steps = reference::advance(program, expected, 1000);
  ASSERT_TRUE(expected.stopped);
  ASSERT_GT(steps, 20);
  ASSERT_LT(steps, 1000);
  Diagnostics diagnostics;
  const auto prepared = prepare(program, device, schedule, diagnostics);
  ASSERT_TRUE(prepared.ok()) << prepared.failure().message;
  const auto report = execute(program, prepared.value(), state, 1000);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  EXPECT_TRUE(report.value().stopped);
  EXPECT_EQ(report.value().steps, steps);
  const auto difference = compare(program, expected, state);
  EXPECT_FALSE(difference) << difference->where;
}

// Reduction values outlive a session: `total` is 7 steps old when the condition is evaluated again.
TEST_P(ExecuteStop, UsesReductionsOfAnEarlierSession) {
  const auto& [device, schedule] = GetParam();
  if (!choose_device(device).ok()) GTEST_SKIP() << choose_device(device).failure().message;
  const ir::Program program = program_of(kConverging);
  reference::State state = initial_state(program, bind_params(program).value());
  reference::State expected = state;
  reference::advance(program, expected, 1000);
  Diagnostics diagnostics;
  const auto prepared = prepare(program, device, schedule, diagnostics);
  ASSERT_TRUE(prepared.ok()) << prepared.failure().message;
  for (int64_t done = 0; done < 1000 && !state.stopped;) {
    const auto session = prepared.value().loaded->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    const auto advanced = session.value()->advance(3);
    ASSERT_TRUE(advanced.ok()) << advanced.failure().message;
    ASSERT_TRUE(session.value()->finish().ok());
    done += advanced.value();
    ASSERT_EQ(state.step, done);
  }
  const auto difference = compare(program, expected, state);
  EXPECT_FALSE(difference) << difference->where;
}

INSTANTIATE_TEST_SUITE_P(
    All, ExecuteStop,
    testing::Values(std::pair{"reference", "auto"}, std::pair{"host", "direct block=8"},
                    std::pair{"host", "overlapped T=3 block=32 elements=1"},
                    std::pair{"opencl", "direct block=8"},
                    std::pair{"opencl", "overlapped T=4 block=32 elements=1"}));

}  // namespace
}  // namespace stencil::runtime
