// The replay of steps in emitted CUDA drivers (`stencil_replay`), against a runtime that logs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "tests/unit/emit/host_library.h"
#include "tests/unit/emit/samples.h"

namespace stencil::emit {
namespace {

using testing_support::HostLibrary;

// What the runtime does: a stream that can be recorded; one that cannot; one that the caller is
// recording; a graph that cannot be made; a graph that cannot run; a kernel that cannot be launched
// in the recorded cycle.
enum Runtime { Records, Refuses, IsRecorded, MakesNoGraph, RunsNoGraph, FailsInRecording };

constexpr const char* kRuntime = R"text(
#include <stddef.h>
#include <stdint.h>
#include <vector>

enum cudaError_t { cudaSuccess, cudaFailure };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum { cudaStreamCaptureModeRelaxed };
typedef int cudaStream_t;
typedef std::vector<int64_t>* cudaGraph_t;
typedef std::vector<int64_t>* cudaGraphExec_t;

static std::vector<int64_t> executed;
static std::vector<int64_t>* recording = NULL;
static int runtime, objects, replays;
static bool failed;  // an error that nothing has read

static cudaError_t result(bool good) {
  failed = failed || !good;
  return good ? cudaSuccess : cudaFailure;
}
static cudaError_t cudaGetLastError() {
  const cudaError_t last = failed ? cudaFailure : cudaSuccess;
  failed = false;
  return last;
}
static cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = runtime == 2 ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
static cudaError_t cudaStreamBeginCapture(cudaStream_t, int) {
  if (runtime == 2) ++objects;  // no caller expects this
  if (runtime == 1 || runtime == 2) return result(false);
  recording = new std::vector<int64_t>;
  ++objects;
  return cudaSuccess;
}
static cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = recording;
  recording = NULL;
  return cudaSuccess;
}
static cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  --objects;
  return cudaSuccess;
}
static cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, int) {
  if (runtime == 3) return result(false);
  *made = new std::vector<int64_t>(*graph);
  ++objects;
  return cudaSuccess;
}
static cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return cudaGraphDestroy(graph); }
static cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  if (runtime == 4) return result(false);
  executed.insert(executed.end(), graph->begin(), graph->end());
  ++replays;
  return cudaSuccess;
}
static cudaError_t launch(int64_t arguments) {
  if (runtime == 5 && recording) return result(false);
  (recording ? *recording : executed).push_back(arguments);
  return cudaSuccess;
}
)text";

// The arguments of a tile repeat after a cycle of 12 steps.
constexpr const char* kLoop = R"text(
static bool run(int64_t steps, int64_t tile) {
  stencil_replay replay(1, 12);
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
  const size_t begin = text.find("struct stencil_replay {"), end = text.find("\n};\n", begin);
  EXPECT_NE(begin, std::string::npos) << text;
  return kRuntime + text.substr(begin, end + 4 - begin) + kLoop;
}

TEST(Replay, TakesTheSameStepsInTheSameOrder) {
  const HostLibrary library(replay_text());
  auto* execute = library.get<bool(int, int64_t, int64_t, bool*, int*)>("execute");
  auto* left = library.get<int()>("left");
  ASSERT_TRUE(execute && left);
  for (const int64_t tile : {1, 3, 4, 12}) {
    for (int64_t steps = 0; steps < 160; ++steps) {
      for (const Runtime runtime : {Records, Refuses, IsRecorded, MakesNoGraph}) {
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
  for (const Runtime runtime : {RunsNoGraph, FailsInRecording}) {
    bool same = false;
    int graphs = 0;
    EXPECT_TRUE(execute(runtime, 108, 3, &same, &graphs)) << "too short to be recorded";
    EXPECT_FALSE(execute(runtime, 109, 3, &same, &graphs));
    EXPECT_EQ(left(), 0);
  }
}

}  // namespace
}  // namespace stencil::emit
