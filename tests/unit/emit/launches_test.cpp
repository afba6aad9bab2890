// The replay of launches within a step in emitted CUDA drivers (`stencil_launches`): whole drivers,
// with a CUDA runtime on the host and the kernels of the C++ target, against the C++ driver.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "compiler/emit/emit.h"
#include "compiler/kernel/verify.h"
#include "compiler/schedule/schedule.h"
#include "tests/unit/emit/fake_cuda.h"
#include "tests/unit/emit/host_library.h"
#include "tests/unit/load.h"

namespace stencil::emit {
namespace {

using namespace testing_support;

// Calls an entry point with arrays of random numbers, no params, and results.
constexpr const char* kCall = R"text(
struct given {
  int64_t steps;
  std::vector<std::vector<float>> arrays;
  alignas(16) unsigned char results[512];
};
template <class T>
T take(given& from) {
  typedef std::remove_pointer_t<T> pointee;
  if constexpr (std::is_integral_v<T>) {
    return (T)from.steps;
  } else if constexpr (std::is_same_v<std::remove_const_t<pointee>, float>) {
    std::vector<float> values(40000);
    uint32_t state = 1 + (uint32_t)from.arrays.size();
    for (float& value : values) {
      state = state * 1664525u + 1013904223u;
      value = (float)(state >> 8) / 16777216.0f - 0.5f;
    }
    from.arrays.push_back(values);
    return from.arrays.back().data();
  } else if constexpr (std::is_const_v<pointee>) {
    return NULL;
  } else {
    return (T)from.results;
  }
}
template <class... T>
const char* call(const char* (*function)(T...), given& from) {
  from.arrays.reserve(sizeof...(T));
  memset(from.results, 0, sizeof from.results);
  std::tuple<T...> arguments{take<T>(from)...};
  return std::apply(function, arguments);
}
extern "C" bool execute(int with, int64_t steps, bool* same, int* counts) {
  static given expected, found;
  expected = given{steps, {}, {}};
  found = given{steps, {}, {}};
  runtime = with;
  objects = graphs = replays = 0;
  failed = false;
  if (call(cpp::sample_run, expected)) return false;
  const bool good = !call(cuda::sample_on_gpu_run, found);
  *same = found.arrays == expected.arrays &&
          memcmp(found.results, expected.results, sizeof found.results) == 0;
  counts[0] = graphs;
  counts[1] = replays;
  counts[2] = objects + (recording || failed ? 1 : 0);
  return good;
}
)text";

// The lines that begin with `start`, or all others.
std::string lines_of(const std::string& text, const std::string& start, bool these) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start) == these) out += line + "\n";
  }
  return out;
}

std::string source_of(const std::string& program_text, const std::string& line) {
  const ir::Program program = test::load(program_text);
  Diagnostics diagnostics;
  auto schedule = schedule::parse(line, program, diagnostics);
  EXPECT_TRUE(schedule) << line;
  schedule->rows = schedule::Rows::Dense;
  auto module = schedule::lower(program, *schedule, diagnostics);
  EXPECT_TRUE(module) << line;
  Options options;
  options.target = Target::Cpp;
  module->name = "sample";
  const std::string cpp = emit(*module, options);
  options.target = Target::Cuda;
  module->name = "sample_on_gpu";
  const std::string cuda = emit(*module, options);
  EXPECT_NE(cuda.find("struct stencil_launches {"), std::string::npos) << cuda;
  const size_t kernels = cuda.find("__global__"),
               driver = cuda.find("static const char* stencil_try");
  const std::regex launch(R"((\w+)<<<([^,]*),\s*dim3\([^)]*\),\s*\d+,\s*stream>>>\()");
  return std::string(
             "#include <math.h>\n#include <stdio.h>\n#include <algorithm>\n"
             "#include <tuple>\n#include <type_traits>\n") +
         kFakeCuda + kFakeCudaMemory + "namespace cpp {\n" + lines_of(cpp, "#include", false) +
         "}\nnamespace cuda {\n" + lines_of(cuda.substr(0, kernels), "constexpr", true) +
         std::regex_replace(cuda.substr(driver), launch, "fake_launch(cpp::$1, $2, ") + "}\n" +
         kCall;
}

struct Case {
  const char* name;
  std::string text, line;
  int runs;  // replayed launches per step, in runs
  int keys;  // different arguments, of all runs together
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.name;
}

// Eight functions in a chain; the last one goes back to the first field.
std::string chain(const std::string& more) {
  std::string text = "grid G = [0..29, 0..29] steps 9; field A0 : real on G;";
  for (int n = 1; n < 8; ++n) text += fmt::format("field A{} : real on G;", n);
  for (int n = 1; n < 8; ++n) {
    text += fmt::format(
        "stencil s{0} : A{0}[1..28, 1..28] = 0.25 * (A{1}[-1,0] + A{1}[0,1]) + 0.1 * A{0}[0,0];", n,
        n - 1);
  }
  return text + more;
}

constexpr const char* kLast = "stencil last : A0[1..28, 1..28] = A7[1,0] + 0.5 * A0[0,-1];";
const std::string kLevels =
    "param w : real = 0.8; grid G = [0..128, 0..128] levels 2 by 2 steps 9;"
    "subgrid interior of G = [first+1..last-1, first+1..last-1];"
    "field u, f, r : real on G boundary constant 0;"
    "function laplacian(v : field) = 4 * v[0,0] - v[-1,0] - v[1,0] - v[0,-1] - v[0,1];"
    "stencil smooth : u on interior = u[0,0] + w / 4 * (f[0,0] - laplacian(u));"
    "stencil residual : r on interior = f[0,0] - laplacian(u);"
    "stencil restrict : f on interior = fine r[0,0]; stencil zero : u on G = 0;"
    "stencil correct : u on interior = u[0,0] + coarse u[0,0];"
    "cycle v { smooth; smooth; smooth; residual; if level < 1 { coarser { restrict; zero; v; } "
    "correct; }"
    "smooth; smooth; smooth; smooth; smooth; smooth; }";

class Launches : public ::testing::TestWithParam<Case> {};

TEST_P(Launches, GiveTheBitsOfTheCppDriver) {
  const HostLibrary library(source_of(GetParam().text, GetParam().line), "-w");
  auto* execute = library.get<bool(int, int64_t, bool*, int*)>("execute");
  ASSERT_TRUE(execute);
  const auto [name, text, line, runs, keys] = GetParam();
  for (const FakeRuntime with : {Records, Refuses, IsRecorded, MakesNoGraph}) {
    for (const int64_t steps : {0, 1, 2, 3, 5, 6, 7, 24, 25, 60}) {
      bool same = false;
      int counts[3] = {};
      EXPECT_TRUE(execute(with, steps, &same, counts)) << with;
      EXPECT_TRUE(same) << with << ", steps " << steps;
      EXPECT_EQ(counts[2], 0) << "what is left, runtime " << with;
      if (with == Records && steps >= 24) {
        EXPECT_EQ(counts[0], keys) << steps;
        EXPECT_EQ(counts[1], runs * steps - 2 * keys) << steps;
      }
      if (with != Records) EXPECT_EQ(counts[1], 0);
    }
  }
  for (const FakeRuntime with : {RunsNoGraph, FailsInRecording}) {
    bool same = false;
    int counts[3] = {};
    EXPECT_TRUE(execute(with, 2, &same, counts));
    EXPECT_FALSE(execute(with, 24, &same, counts)) << with;
    EXPECT_EQ(counts[2], with == FailsInRecording ? 0 : counts[2]) << "what is left";
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Launches,
    ::testing::Values(
        Case{"plain", chain(kLast), "direct block=32", 1, 2},
        Case{"reduction", chain(kLast) + "reduce most = max(A0[0,0]) on G;", "direct block=32", 1,
             2},
        Case{"stop", chain(kLast) + "reduce most = max(A0[0,0]) on G; stop when most > 1e30;",
             "direct block=32", 1, 2},
        Case{"every second step", chain(kLast) + "reduce most = max(A0[0,0]) on G every 2;",
             "direct block=32", 1, 2},
        Case{"cycle",
             kLevels + "step { v; } reduce norm = max(abs(r[0,0])) on G;"
                       "stop when norm < 1e-30;",
             "direct block=32", 1, 2},
        Case{"within the step",
             kLevels + "reduce norm = max(abs(r[0,0])) on G; stencil scale : f on G = f[0,0] + "
                       "0.001 / (1 + norm); step { v; norm; scale; v; }",
             "direct block=32", 2, 2},
        Case{"history",
             chain(kLast) + "field H : real on G history 2; stencil h : H on G = 0.5 * H[0,0] + "
                            "0.3 * H@-1[0,0] - A0[0,0]; reduce most = max(H[0,0]) on G;",
             "direct block=32", 1, 6},
        Case{"repeat",
             "grid G = [0..29, 0..29] steps 9; field A : real on G; field B : real on G;"
             "repeat 17 { stencil s : A[1..28, 1..28] = 0.25 * (A[-1,0] + A[0,1] + A[0,0]); }"
             "stencil t : B on G = A[0,0]; reduce most = max(B[0,0]) on G every 3;",
             "overlapped T=2 block=32x8", 1, 2}));

// Launches with an input, of which more values occur than graphs are kept: tiles of 1 to 20 steps.
constexpr const char* kInputs = R"text(
extern "C" bool execute_inputs(int values, int rounds, int* counts) {
  int slots[] = {1, 2};
  void* pointers[] = {slots, slots + 1};
  std::vector<int64_t> found, expected;
  runtime = objects = graphs = replays = 0;
  {
    cuda::stencil_launches launches(cudaStreamPerThread, {{pointers, sizeof pointers}});
    for (int64_t n = 0; n < (int64_t)values * rounds; ++n) {
      const int64_t input = n % values;
      const auto launch = [&]() -> const char* {
        const int64_t slot = *(int*)pointers[0];
        queue([&found, slot, input] { found.push_back(10 * input + slot); });
        std::swap(pointers[0], pointers[1]);
        return NULL;
      };
      expected.push_back(10 * input + *(int*)pointers[0]);
      if (launches.run(launch, {input})) return false;
    }
  }
  counts[0] = graphs;
  counts[1] = replays;
  return found == expected && objects == 0;
}
)text";

TEST(LaunchesWithInputs, AreReplayedForTheFirstValues) {
  const HostLibrary library(
      source_of(chain(kLast) + "reduce most = max(A0[0,0]) on G;", "direct block=32") + kInputs,
      "-w");
  auto* execute = library.get<bool(int, int, int*)>("execute_inputs");
  ASSERT_TRUE(execute);
  int counts[2] = {};
  EXPECT_TRUE(execute(3, 10, counts));
  EXPECT_EQ(counts[0], 6) << "three values, two roles of slots";
  EXPECT_EQ(counts[1], 30 - 2 * 6);
  EXPECT_TRUE(execute(40, 5, counts));
  EXPECT_EQ(counts[0], 16) << "the roles are the same for a value";
  EXPECT_EQ(counts[1], 16 * 3);
}

}  // namespace
}  // namespace stencil::emit
