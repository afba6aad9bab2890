// The `cuda` device on a fake CUDA driver with the real NVRTC. Without NVRTC
// the tests of runs are skipped.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "compiler/emit/emit.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/schedule.h"
#include "runtime/devices/cuda_device.h"
#include "runtime/devices/nvrtc.h"
#include "runtime/run/run.h"
#include "runtime/verify/compare.h"
#include "tests/unit/runtime/cuda/fake_driver.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

using cuda::FakeDriver;

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override {
    fake_ = cuda::fresh_fake_driver();
    ASSERT_NE(fake_, nullptr) << "another driver was found before the fake one";
    if (!Nvrtc::open(0).ok()) GTEST_SKIP() << Nvrtc::open(0).failure().message;
  }

  // Compiles and loads the program's kernels; `module` must outlive the result.
  static Result<std::unique_ptr<LoadedProgram>> load(const ir::Program& program,
                                                     const std::string& line,
                                                     kernel::Module& module) {
    Diagnostics diagnostics;
    const auto schedule = schedule::parse(line, program, diagnostics);
    EXPECT_TRUE(schedule) << render(Source("", ""), diagnostics);
    auto lowered = schedule::lower(program, *schedule, diagnostics);
    EXPECT_TRUE(lowered) << render(Source("", ""), diagnostics);
    module = std::move(*lowered);
    return cuda_device().load({program, &module}, "");
  }

  // Advances a session by each of `advances` and checks that all steps launch the same kernels.
  // Returns how many a step launches; sets most_graphs_.
  size_t launches_of_each_step(const std::string& text, const std::vector<int64_t>& advances) {
    const ir::Program program = program_of(text.c_str());
    kernel::Module module;
    const auto loaded = load(program, "direct block=32", module);
    EXPECT_TRUE(loaded.ok()) << loaded.failure().message;
    reference::State state = initial_state(program, bind_params(program).value());
    const auto session = loaded.value()->start(state);
    EXPECT_TRUE(session.ok()) << session.failure().message;
    std::vector<std::string> of_step;
    int64_t taken = 0;
    for (const int64_t steps : advances) {
      fake_->launched.clear();
      EXPECT_TRUE(session.value()->advance(steps).ok());
      if (of_step.empty()) of_step = fake_->launched;
      std::vector<std::string> expected;
      for (int64_t n = 0; n < steps; ++n) {
        expected.insert(expected.end(), of_step.begin(), of_step.end());
      }
      EXPECT_EQ(fake_->launched, expected) << steps;
      EXPECT_EQ(state.step, taken += steps);
    }
    most_graphs_ = fake_->graphs;
    return of_step.size();
  }

  FakeDriver* fake_ = nullptr;
  int most_graphs_ = 0;  // live before the session of launches_of_each_step() ended
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// --- Which GPU
// ---------------------------------------------------------------------------------------

TEST_F(CudaDevice, IsDescribedByNameArchitectureAndMemory) {
  const DeviceInfo info = cuda_device().probe("");
  EXPECT_TRUE(info.available) << info.reason;
  EXPECT_TRUE(
      contains(info.description, "Fake A (sm_90, 1.0 GiB, 1980 MHz; CUDA driver 99.0, NVRTC "))
      << info.description;
  EXPECT_TRUE(contains(info.description, "one of 2 GPUs: cuda:0 to cuda:1")) << info.description;
}

TEST_F(CudaDevice, IsChosenByNumberOrName) {
  EXPECT_TRUE(contains(cuda_device().probe("1").description, "Fake B"));
  EXPECT_TRUE(contains(cuda_device().probe("e B").description, "Fake B"));
  EXPECT_EQ(cuda_device().probe("2").reason, "there is no GPU 2: GPUs are numbered from 0 to 1");
  EXPECT_TRUE(contains(cuda_device().probe("fake b").description, "Fake B"));
  EXPECT_EQ(cuda_device().probe("H100").reason, "no GPU is called 'H100'; found Fake A, Fake B");
}

TEST_F(CudaDevice, IsAbsentIfNvrtcLacksTheArchitecture) {
  fake_->architecture = 999;
  const DeviceInfo info = cuda_device().probe("");
  EXPECT_FALSE(info.available);
  EXPECT_TRUE(contains(info.reason, "does not support Fake A (sm_999), only sm_")) << info.reason;
  EXPECT_TRUE(contains(info.reason, ", sm_90, ")) << info.reason;
}

TEST_F(CudaDevice, IsTheDefaultOfAuto) {
  EXPECT_EQ(choose_device("auto").value().info.name, "cuda");
}

// --- Runs
// --------------------------------------------------------------------------------------------

// The positions of a kernel's array arguments: those that are read only, or those that are written.
std::vector<size_t> arguments_of(const kernel::Kernel& kernel, bool read_only) {
  std::vector<size_t> out;
  size_t number = 0;
  for (const kernel::Buffer& buffer : kernel.buffers) {
    if (buffer.space != kernel::Space::Global) continue;
    if (buffer.read_only == read_only) out.push_back(number);
    ++number;
  }
  return out;
}

// The reductions are due every 5 and every 7 steps. The condition is
// evaluated once both have a value.
TEST_F(CudaDevice, ReadsTheStopFlagWhenDueAndValuesAtTheEnd) {
  const ir::Program program = program_of(kConverging);
  kernel::Module module;
  const auto loaded = load(program, "direct block=32", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  int asked = 0;
  fake_->run = [&](const std::string& name, const cuda::LaunchConfig&, void** parameters) {
    const auto put = [&](size_t argument, auto value) {
      **static_cast<decltype(value)**>(parameters[argument]) = value;
    };
    if (name.ends_with("_largest")) put(1, 0.5f);  // after the values of the tiles
    if (name.ends_with("_total")) put(1, 3.0f);
    if (name.ends_with("_stop")) put(2, ++asked == 3 ? 1 : 0);  // after both values
  };
  {
    auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    const auto done = session.value()->advance(100);
    ASSERT_TRUE(done.ok()) << done.failure().message;
    EXPECT_EQ(done.value(), 14);  // evaluated after 7, 10 and 14
    EXPECT_TRUE(state.stopped);
    // The next tile was launched before the flag was read. Its steps do not count.
    EXPECT_FALSE(fake_->launched.back().ends_with("_stop")) << fake_->launched.back();
    EXPECT_EQ(fake_->events, 3) << "one for the flag, two for the time";
    EXPECT_EQ(session.value()->advance(1).value(), 0);
  }
  EXPECT_EQ(state.step, 14);
  EXPECT_EQ(state.reductions[0].real, 0.5);
  EXPECT_EQ(state.reductions[0].evaluations, 2);
  EXPECT_EQ(state.reductions[1].real, 3);
  EXPECT_EQ(state.reductions[1].evaluations, 2);
  EXPECT_TRUE(fake_->allocated.empty());
}

TEST_F(CudaDevice, LaunchesThreadsOfFourDimensionsInThree) {
  const ir::Program program = program_of(kFourDimensional);
  kernel::Module module;
  const auto loaded = load(program, "direct block=4x2x3x5", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  int launches = 0;
  fake_->run = [&](const std::string&, const cuda::LaunchConfig& config, void**) {
    ++launches;
    EXPECT_EQ(config.block[0], 4u);
    EXPECT_EQ(config.block[1], 2u);
    EXPECT_EQ(config.block[2], 15u);
  };
  auto session = loaded.value()->start(state);
  ASSERT_TRUE(session.ok()) << session.failure().message;
  ASSERT_TRUE(session.value()->advance(1).ok());
  EXPECT_EQ(launches, 1);
}

TEST_F(CudaDevice, UploadsLaunchesRotatesAndDownloads) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct block=32x4 rows=dense", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  const reference::State before = state;
  const kernel::Kernel& kernel = module.kernels[0];
  const size_t from = arguments_of(kernel, true).at(0), to = arguments_of(kernel, false).at(0);
  std::vector<int> steps;
  // The kernel adds one to every point.
  fake_->run = [&](const std::string& name, const cuda::LaunchConfig& config, void** parameters) {
    EXPECT_EQ(name, kernel.name);
    EXPECT_EQ(config.block[0], 32u);
    EXPECT_EQ(config.block[1], 4u);
    EXPECT_EQ(config.block[2], 1u);
    EXPECT_GT(config.grid[0], 0u);
    EXPECT_EQ(config.grid[1], 1u);
    EXPECT_NE(config.stream, nullptr);
    EXPECT_EQ(config.attribute_count, 0u);
    const auto* in = *static_cast<const float**>(parameters[from]);
    auto* out = *static_cast<float**>(parameters[to]);
    for (int64_t p = 0; p < state.fields[0].points; ++p) out[p] = in[p] + 1;
    // The second scalar is the first step; the first one is a.
    steps.push_back(*static_cast<int*>(parameters[kernel.buffers.size() + 1]));
  };
  {
    auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    EXPECT_EQ(fake_->allocated.size(), 2u);
    ASSERT_TRUE(session.value()->advance(2).ok());
    ASSERT_TRUE(session.value()->advance(1).ok());
    ASSERT_TRUE(session.value()->finish().ok());
  }
  EXPECT_EQ(steps, (std::vector<int>{0, 1, 2}));
  for (int64_t p = 0; p < state.fields[0].points; ++p) {
    ASSERT_EQ(state.fields[0].real(0, 0, p), before.fields[0].real(0, 0, p) + 3) << p;
  }
  EXPECT_TRUE(fake_->allocated.empty());
}

// Rows of 23 points take 24 elements. Copies leave the last element unchanged.
TEST_F(CudaDevice, CopiesPaddedRows) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct block=32x4 rows=padded", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  const reference::State before = state;
  const kernel::Kernel& kernel = module.kernels[0];
  const size_t from = arguments_of(kernel, true).at(0), to = arguments_of(kernel, false).at(0);
  fake_->run = [&](const std::string&, const cuda::LaunchConfig&, void** parameters) {
    const auto* in = *static_cast<const float**>(parameters[from]);
    auto* out = *static_cast<float**>(parameters[to]);
    for (int64_t p = 0; p < 20 * 24; ++p) out[p] = p % 24 == 23 ? -1e30f : in[p] + 1;
  };
  auto session = loaded.value()->start(state);
  ASSERT_TRUE(session.ok()) << session.failure().message;
  EXPECT_EQ(fake_->copies_of_rows, 1) << "the other buffer is copied on the GPU";
  EXPECT_EQ(fake_->cleared, 1) << "kernels read padding, so it must be cleared";
  for (const auto& [address, bytes] : fake_->allocated) EXPECT_EQ(bytes, 20u * 24 * 4);
  ASSERT_TRUE(session.value()->advance(2).ok());
  ASSERT_TRUE(session.value()->finish().ok());
  EXPECT_EQ(fake_->copies_of_rows, 2);
  for (int64_t p = 0; p < state.fields[0].points; ++p) {
    ASSERT_EQ(state.fields[0].real(0, 0, p), before.fields[0].real(0, 0, p) + 2) << p;
  }
}

TEST_F(CudaDevice, ReleasesAllResources) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  {
    const auto loaded = load(program, "direct", module);
    ASSERT_TRUE(loaded.ok());
    EXPECT_EQ(fake_->modules, 1);
    reference::State state = initial_state(program, bind_params(program).value());
    const auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok());
    EXPECT_EQ(fake_->streams, 1) << "one per session";
  }
  EXPECT_EQ(fake_->modules, 0);
  EXPECT_EQ(fake_->streams, 0);
}

// In runs of many steps, most launches come from a graph.
TEST_F(CudaDevice, ReplaysGraphsOfLaunches) {
  const ir::Program program = program_of(kWave);
  kernel::Module module;
  const auto loaded = load(program, "direct block=32", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  {
    const auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    for (const int64_t steps : {1000, 999}) {
      fake_->launched.clear();
      ASSERT_TRUE(session.value()->advance(steps).ok());
      EXPECT_EQ(static_cast<int64_t>(fake_->launched.size()), steps);
    }
    EXPECT_GT(fake_->replays, 50);
    EXPECT_EQ(fake_->graphs, 1) << "its instance";
  }
  EXPECT_EQ(fake_->graphs, 0);
}

// The launches of a step are replayed together, although a reduction follows each step. With two
// slots, two different tiles take turns.
TEST_F(CudaDevice, ReplaysTilesOfManyLaunches) {
  const size_t launches = launches_of_each_step(
      "grid G = [0..99]; field u : real on G; reduce most = max(u[0]) on G;"
      "repeat 9 { stencil s : u[1..98] = 0.5 * (u[-1] + u[1]); }",
      {1, 1, 1, 1, 5, 8});
  EXPECT_GE(launches, 10u);
  EXPECT_EQ(most_graphs_, 2);
  EXPECT_EQ(fake_->replays, 17 - 2) << "all but the first of each";
  EXPECT_EQ(fake_->graphs, 0);
}

// A reduction within the step takes the index of the step, so the launches before it and those
// after it are replayed on their own.
TEST_F(CudaDevice, ReplaysLaunchesBetweenReductionsOfTheStep) {
  const size_t launches = launches_of_each_step(
      "grid G = [0..99]; field u, v : real on G; reduce most = max(u[0]) on G;"
      "stencil s : u[1..98] = 0.5 * (u[-1] + u[1]); stencil t : v[1..98] = 0.5 * (v[-1] + v[1]);"
      "stencil scale : v on G = v[0] / (1 + most);"
      "step { repeat 9 { s; } most; scale; repeat 10 { t; } }",
      {1, 1, 1, 9});
  EXPECT_GE(launches, 22u);
  EXPECT_EQ(most_graphs_, 3) << "slots of u turn nine times in a step, those of v ten times";
  EXPECT_EQ(fake_->replays, 2 * 12 - 3) << "all but the first of each";
  EXPECT_EQ(fake_->graphs, 0);
}

// If kernels take longer than their launches, they are launched on streams without a graph.
TEST_F(CudaDevice, DoesNotUseGraphsForLongKernels) {
  const ir::Program program = program_of(kWave);
  kernel::Module module;
  const auto loaded = load(program, "direct block=32", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  for (const double seconds : {1e-6, 1e-3}) {
    fake_->launched.clear();
    fake_->run = [&](const std::string&, const cuda::LaunchConfig&, void**) {
      fake_->clock += fake_->launched.size() < 3 ? 0.5 : seconds;  // first uses load
    };
    fake_->replays = 0;
    reference::State state = initial_state(program, bind_params(program).value());
    const auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    ASSERT_TRUE(session.value()->advance(1000).ok());
    EXPECT_EQ(fake_->replays > 0, seconds < 1e-4);
    EXPECT_EQ(state.step, 1000);
  }
}

// A launch takes 3 ms on the device clock, whatever the host clock shows.
TEST_F(CudaDevice, TimesStepsByTheDeviceClock) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  fake_->run = [&](const std::string&, const cuda::LaunchConfig&, void**) {
    fake_->clock += 0.003;
  };
  {
    auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    for (const int64_t steps : {2, 5}) {
      ASSERT_TRUE(session.value()->advance(steps).ok());
      EXPECT_NEAR(session.value()->seconds().value_or(0), 0.003 * static_cast<double>(steps), 1e-6);
      fake_->clock += 1;  // between two calls
    }
  }
  EXPECT_EQ(fake_->events, 0);
}

TEST_F(CudaDevice, ReportsTheDeviceTimeOfARun) {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  auto prepared = prepare(program, "cuda", "direct", diagnostics);
  ASSERT_TRUE(prepared.ok()) << prepared.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  fake_->run = [&](const std::string&, const cuda::LaunchConfig&, void**) { fake_->clock += 10; };
  const auto run =
      execute(program, prepared.value(), state, 7, [](const Progress&) { return true; });
  ASSERT_TRUE(run.ok());
  EXPECT_NEAR(run.value().seconds, 70, 1e-3);
}

TEST_F(CudaDevice, ReportsResourcesOfKernels) {
  const ir::Program program = program_of(kDecay);
  fake_->registers = 72;
  fake_->local_bytes = 16;
  fake_->static_shared_bytes = 1000;
  kernel::Module module;
  const auto loaded = load(program, "overlapped T=2 block=32x8 elements=4x8", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  const auto resources = loaded.value()->resources();
  ASSERT_EQ(resources.size(), module.kernels.size());
  EXPECT_EQ(resources[0].kernel, module.kernels[0].name);
  EXPECT_EQ(resources[0].registers, 72);
  EXPECT_EQ(resources[0].local_bytes, 16);
  EXPECT_EQ(resources[0].shared_bytes,
            1000 + emit::dynamic_shared_bytes(module.kernels[0], module));
}

TEST_F(CudaDevice, TimesCopiesByTheDeviceClock) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  fake_->copy_seconds = 0.25;
  const auto seconds = loaded.value()->copy_seconds(1 << 20);
  ASSERT_TRUE(seconds.ok()) << seconds.failure().message;
  EXPECT_NEAR(seconds.value(), 0.25, 1e-6);
  ASSERT_FALSE(fake_->copied.empty());
  EXPECT_NE(fake_->copied[0].first, fake_->copied[0].second);
  const auto too_much = loaded.value()->copy_seconds(int64_t{1} << 30);
  ASSERT_FALSE(too_much.ok());
  EXPECT_EQ(too_much.failure().code, "R043");
  EXPECT_TRUE(fake_->allocated.empty());
  EXPECT_EQ(fake_->streams, 0);
  EXPECT_EQ(fake_->events, 0);
}

TEST_F(CudaDevice, CompilesWithoutOpeningTheGpu) {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  std::optional<schedule::Schedule> schedule;
  const auto module = lower(program, "direct", schedule::gpu(), schedule, diagnostics);
  ASSERT_TRUE(module);
  const auto code = cuda_device().compile({program, module.get()}, "");
  ASSERT_TRUE(code.ok()) << code.failure().message;
  EXPECT_EQ(fake_->modules, 0);
  ASSERT_TRUE(cuda_device().load({program, module.get(), &code.value()}, "").ok());
  const std::string damaged = "no machine code";
  const auto refused = cuda_device().load({program, module.get(), &damaged}, "");
  ASSERT_FALSE(refused.ok()) << "the given code must be loaded";
  EXPECT_EQ(refused.failure().code, "R044");
}

// Fields larger than a few megabytes are copied through pinned memory, with any row layout.
TEST_F(CudaDevice, CopiesLargeFieldsThroughPinnedMemory) {
  for (const auto& [size, options] :
       {std::pair{"3001", "rows=dense"}, std::pair{"3001", "rows=padded"}}) {
    SCOPED_TRACE(options);
    ProgramOptions sizes;
    sizes.definitions["N"] = size;
    const ir::Program program = program_of(kDecay, sizes);
    kernel::Module module;
    {
      const auto loaded = load(program, std::string("direct block=32x4 ") + options, module);
      ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
      reference::State state = initial_state(program, bind_params(program).value());
      ASSERT_GT(state.fields[0].points * 4, 16 << 20);
      const reference::State before = state;
      fake_->pageable_copies = 0;
      auto session = loaded.value()->start(state);
      ASSERT_TRUE(session.ok()) << session.failure().message;
      EXPECT_GT(fake_->pinned.size(), 0u);
      std::memset(state.fields[0].data(0, 0), 0xff,
                  static_cast<size_t>(state.fields[0].points) * 4);
      ASSERT_TRUE(session.value()->finish().ok());
      EXPECT_EQ(fake_->pageable_copies, 0);
      EXPECT_FALSE(compare(program, before, state));
    }
    EXPECT_TRUE(fake_->pinned.empty());
    EXPECT_EQ(fake_->events, 0);
  }
}

TEST_F(CudaDevice, CopiesWithoutPinnedMemoryIfItRunsOut) {
  ProgramOptions sizes;
  sizes.definitions["N"] = "3001";
  const ir::Program program = program_of(kDecay, sizes);
  for (const size_t limit : {size_t{0}, size_t{5} << 20}) {  // room for no buffer, and for one
    fake_->pinned_limit = limit;
    kernel::Module module;
    const auto loaded = load(program, "direct block=32x4", module);
    ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
    reference::State state = initial_state(program, bind_params(program).value());
    const reference::State before = state;
    auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    std::memset(state.fields[0].data(0, 0), 0xff, static_cast<size_t>(state.fields[0].points) * 4);
    ASSERT_TRUE(session.value()->finish().ok());
    EXPECT_FALSE(compare(program, before, state));
  }
}

// Each thread runs its own program, and all threads share another one.
TEST_F(CudaDevice, SupportsSeveralThreadsAtOnce) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module, others[4];
  const auto shared = load(program, "direct", module);
  ASSERT_TRUE(shared.ok()) << shared.failure().message;
  std::atomic<int> right = 0;
  const auto run = [&](const LoadedProgram& loaded) {
    reference::State state = initial_state(program, bind_params(program).value());
    auto session = loaded.start(state);
    bool ok = session.ok();
    for (int part = 0; ok && part < 20; ++part) ok = session.value()->advance(3).ok();
    if (ok && session.value()->finish().ok()) ++right;
  };
  std::vector<std::thread> threads;
  for (kernel::Module& other : others) {
    threads.emplace_back([&] { run(*shared.value()); });
    threads.emplace_back([&] {
      const auto loaded = load(program, "direct", other);
      if (loaded.ok()) run(*loaded.value());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(fake_->launched.size(), 8u * 60);
  EXPECT_TRUE(fake_->allocated.empty());
}

TEST_F(CudaDevice, RunsInThreadsThatDidNotLoadTheProgram) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  Result<std::unique_ptr<LoadedProgram>> loaded = Failure{};
  std::thread([&] { loaded = load(program, "direct", module); }).join();
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State state = initial_state(program, bind_params(program).value());
  std::thread([&] {
    auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    EXPECT_TRUE(session.value()->advance(1).ok());
  }).join();
}

TEST_F(CudaDevice, RequestsSharedMemoryBeyondStaticArrays) {
  ProgramOptions options;
  options.real = Scalar::F64;
  const ir::Program program = program_of(kDecay, options);
  kernel::Module module;
  const std::string line = "overlapped T=2 block=32x8 elements=4x8";
  const auto loaded = load(program, line, module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  const int64_t bytes = emit::dynamic_shared_bytes(module.kernels[0], module);
  ASSERT_GT(bytes, 48 * 1024);
  EXPECT_EQ(fake_->shared_raised[module.kernels[0].name], bytes);
  unsigned requested = 0;
  fake_->run = [&](const std::string&, const cuda::LaunchConfig& config, void**) {
    requested = config.shared_bytes;
  };
  reference::State state = initial_state(program, bind_params(program).value());
  ASSERT_TRUE(loaded.value()->start(state).value()->advance(1).ok());
  EXPECT_EQ(requested, bytes);

  fake_->shared_bytes = static_cast<int>(bytes) - 1;
  const auto refused = load(program, line, module);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().code, "R043");
  EXPECT_TRUE(contains(refused.failure().message, "bytes of shared memory, but Fake A has"))
      << refused.failure().message;
}

// --- Code
// --------------------------------------------------------------------------------------------

TEST_F(CudaDevice, ReturnsSourcePtxAndMachineCode) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct", module);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  const auto source = loaded.value()->code(CodeKind::Source);
  const auto ptx = loaded.value()->code(CodeKind::Ptx);
  const auto image = loaded.value()->code(CodeKind::MachineCode);
  ASSERT_TRUE(source.ok() && ptx.ok() && image.ok());
  EXPECT_TRUE(contains(source.value(), module.kernels[0].name + "("));
  EXPECT_TRUE(contains(ptx.value(), ".target sm_90"));
  EXPECT_TRUE(contains(ptx.value(), ".entry " + module.kernels[0].name));
  EXPECT_EQ(ptx.value().find('\0'), std::string::npos);
  EXPECT_EQ(image.value().substr(0, 4), "\177ELF");
}

// --- Failures
// ----------------------------------------------------------------------------------------

// `expected` follows "to allocate" in the message; the driver has `memory` bytes.
TEST_F(CudaDevice, OutOfMemoryErrorsStateTheNeed) {
  struct Case {
    const char* program;
    const char* schedule;
    size_t memory;
    const char* expected;
  };
  for (const Case& c : {
           // One copy of 20 x 23 floats fits, two do not.
           Case{kDecay, "direct rows=dense", 3000,
                "1840 bytes on Fake A, which has 1160 of 3000 free: FAKE_ERROR (so the test wants "
                "it); the program needs 3680 bytes: A 2 x 1840"},
           Case{kDecay, "direct rows=padded", 3000,
                "1920 bytes on Fake A, which has 1080 of 3000 free: FAKE_ERROR (so the test wants "
                "it); the program needs 3840 bytes: A 2 x 1920 (1840 without padding)"},
           Case{
               kConverging, "direct rows=dense", 130,
               "4 bytes on Fake A, which has 2 of 130 free: FAKE_ERROR (so the test wants it); the "
               "program needs 156 bytes: A 2 x 64; reductions 28"},
       }) {
    SCOPED_TRACE(c.schedule);
    const ir::Program program = program_of(c.program);
    kernel::Module module;
    const auto loaded = load(program, c.schedule, module);
    ASSERT_TRUE(loaded.ok());
    reference::State state = initial_state(program, bind_params(program).value());
    fake_->memory = c.memory;
    const auto session = loaded.value()->start(state);
    ASSERT_FALSE(session.ok());
    EXPECT_EQ(session.failure().code, "R043");
    EXPECT_EQ(session.failure().message, std::string("CUDA failed to allocate ") + c.expected);
    EXPECT_TRUE(fake_->allocated.empty());
  }
}

TEST_F(CudaDevice, ReportsFailedLaunches) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct block=32x4", module);
  ASSERT_TRUE(loaded.ok());
  reference::State state = initial_state(program, bind_params(program).value());
  auto session = loaded.value()->start(state);
  ASSERT_TRUE(session.ok());
  for (const auto& [code, expected] :
       {std::pair{719, "R044"}, std::pair{cuda::kLaunchOutOfResources, "R043"}}) {
    fake_->launch_code = code;
    const auto done = session.value()->advance(1);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.failure().code, expected);
    EXPECT_TRUE(contains(done.failure().message, "CUDA failed to launch " + module.kernels[0].name))
        << done.failure().message;
    EXPECT_TRUE(contains(done.failure().message, "blocks of 32x4x1 threads"))
        << done.failure().message;
  }
}

TEST_F(CudaDevice, ReportsFailedKernels) {
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct", module);
  ASSERT_TRUE(loaded.ok());
  reference::State state = initial_state(program, bind_params(program).value());
  auto session = loaded.value()->start(state);
  ASSERT_TRUE(session.ok());
  fake_->finish_code = 700;
  const auto done = session.value()->advance(1);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.failure().code, "R044");
  EXPECT_EQ(done.failure().message,
            "CUDA failed to run kernels: FAKE_ERROR (so the test wants it)");
}

TEST_F(CudaDevice, RefusesBlocksThatNeedTooManyRegisters) {
  fake_->threads = 64;
  const ir::Program program = program_of(kDecay);
  kernel::Module module;
  const auto loaded = load(program, "direct block=32x4", module);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.failure().code, "R043");
  EXPECT_TRUE(contains(loaded.failure().message, "has 128 threads per block, but Fake A allows 64"))
      << loaded.failure().message;
}

}  // namespace
}  // namespace stencil::runtime
