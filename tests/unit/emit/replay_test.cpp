// The replay of steps in emitted CUDA drivers (`stencil_replay`), against a runtime that logs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "tests/unit/emit/fake_cuda.h"
#include "tests/unit/emit/host_library.h"
#include "tests/unit/emit/samples.h"

namespace stencil::emit {
namespace {

using namespace testing_support;

// The arguments of a tile repeat after a cycle of 12 steps.
constexpr const char* kLoop = R"text(
static std::vector<int64_t> executed;
static cudaError_t launch(int64_t arguments) {
  return queue([=] { executed.push_back(arguments); });
}
static bool run(int64_t steps, int64_t tile) {
  stencil_replay replay(cudaStreamPerThread, 12);
  for (int64_t step = 0; step < steps; step += tile) {
    if (replay.skip(&step, steps) != cudaSuccess) return false;
    const int64_t count = steps - step < tile ? steps - step : tile;
    if (launch(100 * count + step % 12) != cudaSuccess) return false;
  }
  return true;
}
extern "C" bool execute(int with, int64_t steps, int64_t tile, bool* same, int* graphs) {
  runtime = with;
  executed.clear();
  objects = replays = 0;
  failed = false;
  const bool good = run(steps, tile);
  std::vector<int64_t> expected;
  for (int64_t step = 0; step < steps; step += tile) {
    expected.push_back(100 * (steps - step < tile ? steps - step : tile) + step % 12);
  }
  *same = executed == expected && objects == 0 && !recording && !failed;
  *graphs = replays;
  executed.swap(expected);
  return good;
}
extern "C" int left() { return objects + (recording ? 1 : 0); }
)text";

std::string replay_text() {
  kernel::Module module = samples::heat();
  Options options;
  options.target = Target::Cuda;
  const std::string text = emit(module, options);
  const size_t begin = text.find("struct stencil_recording {");
  const size_t end = text.find("\n};\n", text.find("struct stencil_replay {"));
  EXPECT_NE(begin, std::string::npos) << text;
  return kFakeCuda + text.substr(begin, end + 4 - begin) + kLoop;
}

TEST(Replay, TakesTheSameStepsInTheSameOrder) {
  const HostLibrary library(replay_text());
  auto* execute = library.get<bool(int, int64_t, int64_t, bool*, int*)>("execute");
  auto* left = library.get<int()>("left");
  ASSERT_TRUE(execute && left);
  for (const int64_t tile : {1, 3, 4, 12}) {
    for (int64_t steps = 0; steps < 160; ++steps) {
      for (const FakeRuntime runtime : {Records, Refuses, IsRecorded, MakesNoGraph}) {
        bool same = false;
        int graphs = 0;
        EXPECT_TRUE(execute(runtime, steps, tile, &same, &graphs));
        EXPECT_TRUE(same) << steps << " steps in tiles of " << tile << ", runtime " << runtime;
        // All cycles but the first, and at least one step is left.
        const int64_t whole = steps > 9 * 12 ? (steps - 1) / 12 - 1 : 0;
        EXPECT_EQ(graphs, runtime == Records ? whole : 0) << steps;
      }
    }
  }
}

TEST(Replay, ErrorsEndTheRunAndLeaveNothing) {
  const HostLibrary library(replay_text());
  auto* execute = library.get<bool(int, int64_t, int64_t, bool*, int*)>("execute");
  auto* left = library.get<int()>("left");
  ASSERT_TRUE(execute && left);
  for (const FakeRuntime runtime : {RunsNoGraph, FailsInRecording}) {
    bool same = false;
    int graphs = 0;
    EXPECT_TRUE(execute(runtime, 108, 3, &same, &graphs)) << "too short to be recorded";
    EXPECT_FALSE(execute(runtime, 109, 3, &same, &graphs));
    EXPECT_EQ(left(), 0);
  }
}

}  // namespace
}  // namespace stencil::emit
