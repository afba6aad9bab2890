// Compiles and loads files emitted in the C++ dialect, and compares their
// results bit for bit with plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/kernel/passes.h"
#include "tests/unit/emit/host_library.h"
#include "tests/unit/emit/samples.h"

namespace stencil::emit {
namespace {

using testing_support::HostLibrary;
using testing_support::run_command;
using testing_support::scratch_folder;

std::string cpp(const kernel::Module& module) {
  EXPECT_EQ(kernel::verify(module), std::vector<std::string>{});
  Options options;
  options.target = Target::Cpp;
  return emit(module, options);
}

std::vector<float> random_values(size_t count) {
  std::vector<float> values(count);
  uint32_t state = 12345;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
  }
  return values;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<float> heat_step(const std::vector<float>& a, int n, int m, float alpha) {
  std::vector<float> next = a;
  for (int y = 1; y < n - 1; ++y) {
    for (int x = 1; x < m - 1; ++x) {
      const auto at = [&](int dy, int dx) { return a[(y + dy) * m + x + dx]; };
      const float sum = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
      next[y * m + x] = std::fma(alpha, std::fma(-4.0f, at(0, 0), sum), at(0, 0));
    }
  }
  return next;
}

// `struct heat_params` and `struct wave_params`.
struct HeatParams {
  int n, m;
  float alpha;
};
struct WaveParams {
  int n;
};
using HeatRun = const char*(float*, int64_t, const HeatParams*);
using Packed = const char*(void**, const void* const*, int64_t, int64_t);

TEST(RunCpp, DirectKernelAtAwkwardSizes) {
  const HostLibrary library(cpp(samples::heat()));
  auto* run = library.get<HeatRun>("heat_run");
  ASSERT_TRUE(run);
  const auto run_heat = [&](float* a, int64_t steps, HeatParams params) {
    return run(a, steps, &params);
  };
  for (const auto& [n, m] : {std::pair{3, 3}, {5, 31}, {4, 33}, {37, 64}, {9, 100}}) {
    for (int steps : {0, 1, 2, 5}) {
      std::vector<float> got = random_values(static_cast<size_t>(n * m));
      std::vector<float> expected = got;
      for (int s = 0; s < steps; ++s) expected = heat_step(expected, n, m, 0.3f);
      ASSERT_STREQ(run_heat(got.data(), steps, {n, m, 0.3f}), nullptr);
      EXPECT_TRUE(same_bits(got, expected)) << n << "x" << m << ", " << steps << " steps";
    }
  }
}

// Seven launches in a step: one, and twice two tiles of the inner repeat and one more. The kernel
// takes one step, whatever the size of its tile.
TEST(RunCpp, NestedRepeats) {
  kernel::Module module = samples::heat();
  const kernel::Repeat inner{{2, {}, module.plan.actions}, 3};
  kernel::Repeat outer{{1, {}, module.plan.actions}, 2};
  outer.actions.insert(outer.actions.begin(), inner);
  module.plan.actions.push_back(outer);
  const HostLibrary library(cpp(module));
  auto* run = library.get<HeatRun>("heat_run");
  ASSERT_TRUE(run);
  for (int steps : {1, 2, 5}) {
    std::vector<float> got = random_values(size_t{9 * 40});
    std::vector<float> expected = got;
    for (int s = 0; s < 7 * steps; ++s) expected = heat_step(expected, 9, 40, 0.3f);
    const HeatParams params{9, 40, 0.3f};
    ASSERT_STREQ(run(got.data(), steps, &params), nullptr);
    EXPECT_TRUE(same_bits(got, expected)) << steps << " steps";
  }
}

TEST(RunCpp, ArgumentsAreCheckedBeforeTheRun) {
  const HostLibrary library(cpp(samples::heat()));
  auto* run = library.get<HeatRun>("heat_run");
  ASSERT_TRUE(run);
  const auto run_heat = [&](float* a, int64_t steps, HeatParams params) {
    return run(a, steps, &params);
  };
  EXPECT_STREQ(run_heat(nullptr, 1, {2, 9, 0.3f}), "N is at least 3");
  EXPECT_STREQ(run_heat(nullptr, -1, {9, 9, 0.3f}), "the number of steps is negative");
  EXPECT_STREQ(run_heat(nullptr, 1, {9, 0, 0.3f}),
               "array A: an extent is below 1, or the size is too large");
  EXPECT_STREQ(run_heat(nullptr, 1, {2147483647, 2147483647, 0.3f}),
               "array A: an extent is below 1, or the size is too large");
  EXPECT_STREQ(run_heat(nullptr, 1, {1000000000, 1000000000, 0.3f}),
               "array A: an extent is below 1, or the size is too large");
  EXPECT_STREQ(run_heat(nullptr, 1, {100000000, 100000000, 0.3f}),
               "heat_step: too many blocks for one launch");
}

TEST(RunCpp, TilesWithThreadBuffersAcrossBarriers) {
  for (const char* flags : {"", "-O2 -fopenmp"}) {
    const HostLibrary library(cpp(samples::tiled()), flags);
    auto* run = library.get<const char*(float*, int64_t)>("mean_run");
    ASSERT_TRUE(run);
    for (int steps : {1, 2, 3, 4, 7}) {
      std::vector<float> got = random_values(1000);
      std::vector<float> expected = got;
      for (int s = 0; s < steps; ++s) {
        const std::vector<float> old = expected;
        for (size_t i = 1; i < 999; ++i) {
          expected[i] = (old[i - 1] + old[i] + old[i + 1]) * static_cast<float>(1.0 / 3);
        }
      }
      ASSERT_STREQ(run(got.data(), steps), nullptr);
      EXPECT_TRUE(same_bits(got, expected)) << steps << " steps";
    }
  }
}

// One step of samples::exchange, with 4 points per thread.
template <class Real>
std::vector<Real> exchange_step(const std::vector<Real>& a) {
  std::vector<Real> next(a.size());
  for (size_t y = 0; y < 24; ++y) {
    for (int x = 0; x < 32; ++x) {
      const auto at = [&](int column) { return a[y * 32 + static_cast<size_t>(column)]; };
      const Real left = x == 0 ? at(3) : at(x - 1);
      const Real right = x == 31 ? at(28) : at(x + 1);
      const int thread = x / 4;
      const Real far = at(4 * (thread < 6 ? thread + 2 : thread) + 1);
      next[y * 32 + static_cast<size_t>(x)] = left + at(x) + right + far;
    }
  }
  return next;
}

template <class Real>
void run_exchange(Scalar type) {
  for (const char* flags : {"", "-O2 -fopenmp"}) {
    const HostLibrary library(cpp(samples::exchange(type)), flags);
    auto* run = library.get<const char*(Real*, int64_t)>("exchange_run");
    ASSERT_TRUE(run);
    const std::vector<float> start = random_values(24 * 32);
    std::vector<Real> got(start.begin(), start.end());
    std::vector<Real> expected = got;
    for (int s = 0; s < 3; ++s) expected = exchange_step(expected);
    ASSERT_STREQ(run(got.data(), 3), nullptr);
    EXPECT_EQ(got, expected);
  }
}

TEST(RunCpp, ShufflesAndCopies) {
  run_exchange<float>(Scalar::F32);
  run_exchange<double>(Scalar::F64);
}

TEST(RunCpp, BulkCopiesReadZerosOutsideTheArray) {
  const HostLibrary library(cpp(samples::boxes()));
  auto* run = library.get<const char*(float*, int64_t)>("boxes_run");
  ASSERT_TRUE(run);
  const std::vector<float> start = random_values(20 * 32);
  std::vector<float> got = start, expected(start.size());
  for (size_t y = 0; y + 2 < 20; ++y) {
    for (size_t x = 0; x + 3 < 32; ++x) expected[y * 32 + x] = start[(y + 2) * 32 + x + 3];
  }
  ASSERT_STREQ(run(got.data(), 1), nullptr);
  EXPECT_EQ(got, expected);
}

// Variables that live across sections get the dimensions of the block.
TEST(RunCpp, ThreadsOfFiveDimensions) {
  const HostLibrary library(cpp(samples::places()));
  auto* run = library.get<const char*(float*, int64_t)>("places_run");
  ASSERT_TRUE(run);
  std::vector<float> got(48, -1.0f), expected;
  for (int block = 0; block < 2; ++block) {
    for (int v = 0; v < 2; ++v) {
      for (int w = 0; w < 3; ++w) {
        for (int z = 0; z < 2; ++z) {
          for (int x = 0; x < 2; ++x) {
            expected.push_back(2.0f * static_cast<float>(x + 10 * z + 100 * w + 1000 * v));
          }
        }
      }
    }
  }
  ASSERT_STREQ(run(got.data(), 1), nullptr);
  EXPECT_EQ(got, expected);
}

// Runs exactly the requested steps, each tile by the kernel for its size.
TEST(RunCpp, RunsTilesOfThePlannedSizes) {
  for (const std::vector<int>& sizes : {std::vector{4, 2, 1}, {3, 1}, {1}}) {
    const kernel::Module module = samples::tiles_of_sizes(sizes);
    const HostLibrary library(cpp(module));
    auto* run = library.get<const char*(float*, int64_t)>("tiles_run");
    auto* packed = library.get<Packed>("tiles_run_packed");
    ASSERT_TRUE(run && packed);
    for (int steps = 0; steps <= 11; ++steps) {
      for (int64_t first : {0, 7}) {
        float value = 1;
        for (int done = 0; done < steps;) {
          int size = 0;
          for (int s : sizes) size = std::max(size, s <= steps - done ? s : 0);
          value = 2 * value + static_cast<float>(64 * (first + done) + 9 * size);
          done += size;
        }
        std::vector<float> got(5, 1.0f);
        if (first == 0) {
          ASSERT_STREQ(run(got.data(), steps), nullptr);
        } else {
          void* arrays[] = {got.data()};
          ASSERT_STREQ(packed(arrays, nullptr, steps, first), nullptr);
        }
        EXPECT_EQ(got, std::vector<float>(5, value)) << steps << " steps from " << first;
      }
    }
  }
}

TEST(RunCpp, LevelsEndInTheirArraysAndStepsContinue) {
  const HostLibrary library(cpp(samples::wave()));
  auto* run = library.get<const char*(float*, float*, const float*, int64_t, const WaveParams*)>(
      "wave_run");
  auto* packed = library.get<Packed>("wave_run_packed");
  ASSERT_TRUE(run && packed);
  const int n = 50;
  const WaveParams params{n};
  const std::vector<float> c2 = random_values(n);
  for (int steps = 0; steps < 8; ++steps) {
    for (int64_t first : {0, 3}) {
      std::vector<float> u = random_values(n), previous(n, 0.25f);
      std::vector<float> got = u, got_previous = previous;
      for (int s = 0; s < steps; ++s) {
        std::vector<float> next = u;
        for (size_t x = 1; x + 1 < n; ++x) {
          const float second = std::fma(-2.0f, u[x], u[x - 1] + u[x + 1]);
          next[x] = std::fma(c2[x], second, std::fma(2.0f, u[x], -previous[x])) +
                    static_cast<float>(first + s);
        }
        previous = u;
        u = next;
      }
      if (first == 0) {
        ASSERT_STREQ(run(got.data(), got_previous.data(), c2.data(), steps, &params), nullptr);
      } else {
        void* arrays[] = {got.data(), got_previous.data(), const_cast<float*>(c2.data())};
        const void* parameters[] = {&n};
        ASSERT_STREQ(packed(arrays, parameters, steps, first), nullptr);
      }
      EXPECT_TRUE(same_bits(got, u)) << steps << " steps";
      EXPECT_TRUE(same_bits(got_previous, previous)) << steps << " steps";
    }
  }
}

TEST(RunCpp, NullArraysAreRefusedByName) {
  const HostLibrary library(cpp(samples::wave()));
  auto* run = library.get<const char*(float*, float*, const float*, int64_t, const WaveParams*)>(
      "wave_run");
  auto* packed = library.get<Packed>("wave_run_packed");
  auto* derive = library.get<const char*(WaveParams*)>("wave_derive_params");
  ASSERT_TRUE(run && packed && derive);
  const WaveParams params{9};
  std::vector<float> u(9), older(9), c2(9);
  const void* parameters[] = {&params.n};
  EXPECT_STREQ(run(nullptr, older.data(), c2.data(), 1, &params), "argument U is NULL");
  EXPECT_STREQ(run(u.data(), nullptr, c2.data(), 1, &params), "argument U_1 is NULL");
  EXPECT_STREQ(run(u.data(), older.data(), nullptr, 1, &params), "argument c2 is NULL");
  void* arrays[] = {u.data(), nullptr, c2.data()};
  EXPECT_STREQ(packed(arrays, parameters, 1, 0), "argument U_1 is NULL");
  EXPECT_STREQ(packed(nullptr, parameters, 1, 0), "argument arrays is NULL");
  EXPECT_STREQ(run(nullptr, nullptr, nullptr, 0, &params), nullptr) << "checks the sizes";
  arrays[2] = nullptr;
  EXPECT_STREQ(packed(arrays, parameters, 0, 0), nullptr);
  EXPECT_STREQ(derive(nullptr), "argument params is NULL");
}

// The sanitizer also reports signed overflow.
TEST(RunCpp, StepsOutOfRangeAreRefused) {
  const HostLibrary library(cpp(samples::wave()), "-fsanitize=undefined -fno-sanitize-recover=all");
  auto* run = library.get<const char*(float*, float*, const float*, int64_t, const WaveParams*)>(
      "wave_run");
  auto* packed = library.get<Packed>("wave_run_packed");
  ASSERT_TRUE(run && packed);
  const WaveParams params{9};
  std::vector<float> u(9), older(9), c2(9);
  const char* const negative = "the number of steps is negative";
  const char* const too_many = "a run has at most 2147483647 steps";
  for (const auto& [steps, message] :
       {std::pair{INT64_MIN, negative}, {INT64_MAX, too_many}, {int64_t{1} << 31, too_many}}) {
    EXPECT_STREQ(run(u.data(), older.data(), c2.data(), steps, &params), message);
    EXPECT_STREQ(run(nullptr, nullptr, nullptr, steps, &params), message);
  }
  const void* parameters[] = {&params.n};
  void* arrays[] = {u.data(), older.data(), c2.data()};
  for (const int64_t first : {int64_t{-1}, int64_t{-3}, INT64_MIN}) {
    EXPECT_STREQ(packed(arrays, parameters, 5, first), "the first step is negative") << first;
  }
  for (const auto& [steps, first] : {std::pair{int64_t{1}, INT64_MAX},
                                     {INT64_MAX, int64_t{15}},
                                     {int64_t{2}, int64_t{2147483646}}}) {
    EXPECT_STREQ(packed(arrays, parameters, steps, first), too_many) << first;
  }
  EXPECT_STREQ(packed(arrays, parameters, 1, 2147483646), nullptr);
}

// Kernels read one array while they write another.
TEST(RunCpp, ArraysThatOverlapAreRefused) {
  const HostLibrary library(cpp(samples::wave()));
  auto* run = library.get<const char*(float*, float*, const float*, int64_t, const WaveParams*)>(
      "wave_run");
  auto* packed = library.get<Packed>("wave_run_packed");
  ASSERT_TRUE(run && packed);
  const WaveParams params{9};
  std::vector<float> all(30), c2(9);
  float* const u = all.data();
  EXPECT_STREQ(run(u, u, c2.data(), 2, &params), "arguments U and U_1 overlap");
  EXPECT_STREQ(run(u, u + 8, c2.data(), 2, &params), "arguments U and U_1 overlap");
  EXPECT_STREQ(run(u + 8, u, c2.data(), 2, &params), "arguments U and U_1 overlap");
  EXPECT_STREQ(run(u, c2.data(), u + 1, 2, &params), "arguments U and c2 overlap");
  EXPECT_STREQ(run(u, u + 9, c2.data(), 2, &params), nullptr) << "side by side";
  EXPECT_STREQ(run(u + 9, u, u + 18, 2, &params), nullptr);
  EXPECT_STREQ(run(u, u, c2.data(), 0, &params), nullptr) << "0 steps touch no array";
  float* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(u + 9) + 1);
  EXPECT_STREQ(run(u, odd, c2.data(), 2, &params),
               "argument U_1 is not aligned to its element type");
  const void* parameters[] = {&params.n};
  void* arrays[] = {u, u + 4, c2.data()};
  EXPECT_STREQ(packed(arrays, parameters, 1, 0), "arguments U and U_1 overlap");
}

TEST(RunCpp, FastMathIsRefusedByTheFileItself) {
  std::ofstream(scratch_folder() / "fast.cpp") << cpp(samples::heat());
  const std::string file = (scratch_folder() / "fast.cpp").string();
  EXPECT_NE(std::system(("c++ -ffast-math -fsyntax-only " + file + " 2> /dev/null").c_str()), 0);
  EXPECT_EQ(std::system(("c++ -fsyntax-only " + file).c_str()), 0);
}

// Even under --fp=fast, NaN and infinities follow the language.
TEST(RunCpp, FiniteMathIsRefusedEvenUnderFast) {
  std::ofstream(scratch_folder() / "faster.cpp") << cpp(samples::heat(FpMode::Fast));
  const std::string file = " -fsyntax-only " + (scratch_folder() / "faster.cpp").string();
  EXPECT_NE(std::system(("c++ -ffast-math" + file + " 2> /dev/null").c_str()), 0);
  EXPECT_EQ(std::system(("c++ -ffast-math -fno-finite-math-only" + file).c_str()), 0);
  EXPECT_EQ(std::system(("c++ " + required_flags(Target::Cpp, FpMode::Fast) + file).c_str()), 0);
}

TEST(RunCpp, StrictPragmaForbidsContraction) {
  const HostLibrary library(cpp(samples::heat(FpMode::Strict)), "-O3 -march=haswell");
  auto* run = library.get<HeatRun>("heat_run");
  ASSERT_TRUE(run);
  const auto run_heat = [&](float* a, int64_t steps, HeatParams params) {
    return run(a, steps, &params);
  };
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this CPU has no fused multiply-add";
  std::vector<float> got = random_values(64);
  const std::vector<float> old = got;
  ASSERT_STREQ(run_heat(got.data(), 1, {8, 8, 0.3f}), nullptr);
  const auto at = [&](int y, int x) { return old[y * 8 + x]; };
  for (int y = 1; y < 7; ++y) {
    for (int x = 1; x < 7; ++x) {
      const float sum = at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1);
      volatile float product = 0.3f * std::fma(-4.0f, at(y, x), sum);
      EXPECT_EQ(got[y * 8 + x], at(y, x) + product);
    }
  }
}

TEST(RunCpp, MainComparesWithTheReference) {
  const HostModules self_check{samples::heat_initial(), samples::heat_plain()};
  Options options;
  options.target = Target::Cpp;
  options.main = true;
  const std::string base = (scratch_folder() / "program").string();
  std::ofstream(base + ".cpp") << emit(samples::heat(), options, &self_check);
  ASSERT_TRUE(
      run_command("c++ -std=c++17 -O1 -Wall -Wextra -Werror -o " + base + " " + base + ".cpp"));
  EXPECT_TRUE(run_command(base + " N=20 M=33 --steps 3 --repeat 1"));
  std::ifstream log(scratch_folder() / "log");
  const std::string output((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  EXPECT_NE(output.find("PASSED: 3 steps agree with the plain loops"), std::string::npos) << output;
  EXPECT_NE(output.find("RESULT name=heat "), std::string::npos) << output;
  EXPECT_NE(output.find("check=passed"), std::string::npos) << output;

  // If the module differs from its reference, the check fails and reports where.
  HostModules wrong = self_check;
  auto& alpha = std::get<kernel::Launch>(wrong.reference->plan.actions[0]);
  wrong.reference->plan.arrays[0].copies = 2;
  alpha.arrays[0].slot = 1;
  alpha.arrays[1].slot = 0;
  std::ofstream(base + "2.cpp") << emit(samples::heat(), options, &wrong);
  ASSERT_TRUE(run_command("c++ -std=c++17 -O0 -o " + base + "2 " + base + "2.cpp"));
  const int status = std::system((base + "2 N=20 M=33 --repeat 1 > " + base + ".log 2>&1").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  std::ifstream failure(base + ".log");
  const std::string text((std::istreambuf_iterator<char>(failure)),
                         std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("FAILED at ["), std::string::npos) << text;
  EXPECT_EQ(WEXITSTATUS(std::system((base + " N=20 2> /dev/null").c_str())), 2) << "M is missing";

  // Comparing no values does not count as agreement.
  HostModules bare = self_check;
  bare.initial.kernels.clear();
  bare.initial.plan.actions.clear();
  std::ofstream(base + "3.cpp") << emit(samples::heat(), options, &bare);
  ASSERT_TRUE(run_command("c++ -std=c++17 -O0 -o " + base + "3 " + base + "3.cpp"));
  const auto status_with = [&](const std::string& arguments) {
    return WEXITSTATUS(std::system(
        (base + "3 N=20 M=33 --repeat 1 " + arguments + " > " + base + ".log").c_str()));
  };
  EXPECT_EQ(status_with(""), 0) << "random values";
  EXPECT_EQ(status_with("--zeros"), 1);
  EXPECT_EQ(status_with("--steps 0"), 1);
  EXPECT_EQ(status_with("--zeros --no-check"), 0);
}

}  // namespace
}  // namespace stencil::emit
