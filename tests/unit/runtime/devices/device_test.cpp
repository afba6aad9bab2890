#include "runtime/devices/device_table.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cctype>
#include <limits>
#include <thread>

#include "compiler/reference/interpreter.h"
#include "compiler/schedule/schedule.h"
#include "runtime/devices/opencl_device.h"
#include "runtime/verify/compare.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

TEST(Devices, AreListedWithAReasonForEveryAbsence) {
  std::vector<std::string> names;
  for (const DeviceInfo& info : devices()) {
    names.push_back(info.name);
    EXPECT_NE(info.available ? info.description : info.reason, "") << info.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"cuda", "host", "opencl", "reference"}));
}

TEST(ChooseDevice, TakesTheFirstAvailableOrTheNamedOne) {
  EXPECT_TRUE(choose_device("auto").ok());
  EXPECT_EQ(choose_device("reference").value().info.name, "reference");
}

TEST(ChooseDevice, SuggestsForUnknownNames) {
  const auto chosen = choose_device("opencll");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.failure().code, "R040");
  EXPECT_EQ(chosen.failure().hint, "did you mean 'opencl'?");
}

TEST(ChooseDevice, GivesTheReasonForAnAbsentDevice) {
  const auto chosen = choose_device("opencl:no such device");
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.failure().code, "R041");
  EXPECT_NE(chosen.failure().message, "");
}

// A device that runs kernels copies its own memory in a measurable time.
TEST(Devices, MeasureTheTimeOfACopy) {
  const ir::Program program = program_of(kDecay);
  for (const char* name : {"host", "opencl"}) {
    if (!choose_device(name).ok()) continue;
    Diagnostics diagnostics;
    const auto prepared = prepare(program, name, "direct", diagnostics);
    ASSERT_TRUE(prepared.ok()) << prepared.failure().message;
    const auto seconds = prepared.value().loaded->copy_seconds((int64_t{5} << 20) + 3);
    ASSERT_TRUE(seconds.ok()) << seconds.failure().message;
    EXPECT_GT(seconds.value(), 0) << name;
    EXPECT_LT(seconds.value(), 10) << name;
  }
  Diagnostics diagnostics;
  const auto prepared = prepare(program, "reference", "", diagnostics);
  ASSERT_TRUE(prepared.ok());
  EXPECT_EQ(prepared.value().loaded->copy_seconds(8).failure().code, "R045");
}

// By part of the name of the platform or of the device, in any case.
TEST(ChooseDevice, FindsOpenClByName) {
  const DeviceInfo any = opencl_device().probe("");
  if (!any.available) GTEST_SKIP() << any.reason;
  const size_t space = any.description.rfind(" (");  // "device (platform)"
  std::string device = any.description.substr(0, space), shouted = device;
  std::string platform = any.description.substr(space + 2);
  platform.pop_back();
  for (char& c : shouted) c = static_cast<char>(std::toupper(c));
  for (const std::string& name : {device, shouted, device.substr(1, 4), platform}) {
    EXPECT_EQ(choose_device("opencl:" + name).value().info.description, any.description) << name;
  }
  const auto missed = choose_device("opencl:no such device");
  ASSERT_FALSE(missed.ok());
  EXPECT_NE(missed.failure().message.find("is called 'no such device'; found "), std::string::npos);
  EXPECT_NE(missed.failure().message.find(any.description), std::string::npos)
      << missed.failure().message;
}

TEST(ChooseDevice, MatchesPartsOfNamesInEitherCase) {
  EXPECT_TRUE(names_device("", ""));
  EXPECT_TRUE(names_device("", "NVIDIA H100"));
  EXPECT_TRUE(names_device("h100", "NVIDIA H100"));
  EXPECT_TRUE(names_device("NVIDIA h", "nvidia H100"));
  EXPECT_FALSE(names_device("h1000", "NVIDIA H100"));
  EXPECT_FALSE(names_device("h", ""));
}

TEST(ChooseDevice, HasTheMachineOfTheChosenDevice) {
  const auto chosen = choose_device("opencl");
  if (!chosen.ok()) GTEST_SKIP() << chosen.failure().message;
  const schedule::Machine& machine = chosen.value().device.machine;
  EXPECT_FALSE(machine.in_place);
  EXPECT_GT(machine.shared_bytes, 0);
  EXPECT_GT(machine.multiprocessors, 0);
  EXPECT_FALSE(machine.shuffles && !machine.threads_are_loops);
  ASSERT_EQ(::setenv("STENCIL_OPENCL_CPU", "work-items", 1), 0);
  const auto threads = choose_device("opencl");
  ASSERT_EQ(::unsetenv("STENCIL_OPENCL_CPU"), 0);
  ASSERT_TRUE(threads.ok());
  EXPECT_FALSE(threads.value().device.machine.threads_are_loops);
  EXPECT_FALSE(threads.value().device.machine.shuffles);
}

TEST(ChooseDevice, GivesTheReasonForAbsentCuda) {
  if (dlopen("libcuda.so.1", RTLD_NOW)) GTEST_SKIP() << "this machine has a CUDA driver";
  for (const char* name : {"cuda", "cuda:1"}) {
    const auto chosen = choose_device(name);
    ASSERT_FALSE(chosen.ok());
    EXPECT_EQ(chosen.failure().code, "R041");
    EXPECT_EQ(chosen.failure().message,
              std::string("device '") + name +
                  "' is not present: the CUDA driver (libcuda.so.1) is not installed");
  }
}

// Every device that runs kernels, compared with the interpreter.
class KernelDevice : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto chosen = choose_device(GetParam());
    if (!chosen.ok()) GTEST_SKIP() << chosen.failure().message;
    device_ = chosen.value();
  }

  // Runs the steps in calls of the sizes `parts`, and compares with the interpreter.
  void check(const ir::Program& program, const Params& params, const std::string& line,
             const std::vector<int64_t>& parts) {
    check(program, initial_state(program, params), line, parts);
  }

  void check(const ir::Program& program, reference::State state, const std::string& line,
             const std::vector<int64_t>& parts) {
    Diagnostics diagnostics;
    const auto schedule = schedule::parse(line, program, diagnostics);
    ASSERT_TRUE(schedule) << render(Source("", ""), diagnostics);
    const auto module = schedule::lower(program, *schedule, diagnostics);
    ASSERT_TRUE(module) << render(Source("", ""), diagnostics);
    const auto loaded = device_.device.load({program, &*module}, device_.selector);
    ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
    reference::State expected = state;
    auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok()) << session.failure().message;
    for (const int64_t part : parts) {
      const auto done = session.value()->advance(part);
      ASSERT_TRUE(done.ok()) << done.failure().message;
      EXPECT_EQ(done.value(), part);
      reference::advance(program, expected, part);
    }
    ASSERT_TRUE(session.value()->finish().ok());
    EXPECT_EQ(state.step, expected.step);
    const auto difference = compare(program, expected, state);
    EXPECT_FALSE(difference) << difference->where << ": expected " << difference->expected
                             << ", found " << difference->actual;
  }

  ChosenDevice device_;
};

TEST_P(KernelDevice, CountsStepsAcrossCalls) {
  const ir::Program program = program_of(kDecay);
  check(program, bind_params(program).value(), "direct", {1, 0, 4});
}

TEST_P(KernelDevice, RotatesHistoryLevels) {
  const ir::Program program = program_of(kWave);
  // Tiles with more steps than kept levels, as many, and fewer.
  for (const char* schedule : {"direct", "overlapped T=1 block=16", "overlapped T=2 block=16",
                               "overlapped T=3 block=16 elements=2 regions=shrink"}) {
    check(program, bind_params(program).value(), schedule, {3, 2, 7, 1});
  }
}

TEST_P(KernelDevice, TakesOpenSizesAtRunTime) {
  ProgramOptions options;
  options.open = {"N"};
  const ir::Program program = program_of(kDecay, options);
  for (const char* size : {"3", "31"}) {
    check(program, bind_params(program, {{"N", size}}).value(), "overlapped T=3 block=16x4", {4});
  }
}

// Divisors that are replaced by multiplication and others, with dividends of all sizes: quotients
// are subnormal, ties, or overflow.
TEST_P(KernelDevice, DividesByConstants) {
  for (const Scalar type : {Scalar::F32, Scalar::F64}) {
    for (const FpMode mode : {FpMode::Strict, FpMode::Contract}) {
      ProgramOptions options;
      options.real = type;
      options.fp = mode;
      const ir::Program program = program_of(kQuotients, options);
      reference::State state = initial_state(program, bind_params(program).value());
      reference::FieldData& dividends = state.fields[0];
      const bool single = type == Scalar::F32;
      const double least = single ? 0x1p-149 : 0x1p-1074;
      const double infinity = std::numeric_limits<double>::infinity();
      int64_t place = 0;
      for (const double x : {0.0, infinity, std::numeric_limits<double>::quiet_NaN(),
                             single ? 0x1.fffffep127 : 0x1.fffffffffffffp1023}) {
        dividends.set_real(0, 0, place++, x);
        dividends.set_real(0, 0, place++, -x);
      }
      for (int64_t units = 1; place < dividends.points / 2; ++units) {
        dividends.set_real(0, 0, place++,
                           (units % 2 ? -least : least) * static_cast<double>(units));
      }
      double x = -least;
      for (; place < dividends.points; ++place) {
        dividends.set_real(0, 0, place, x);
        x *= single ? -1.097 : -2.03;
      }
      check(program, state, "direct", {1});
      check(program, state, "streaming T=1 block=32x1 elements=2x1", {1});
    }
  }
}

TEST_P(KernelDevice, RunsSeveralSessionsOfOneProgram) {
  const ir::Program program = program_of(kDecay);
  const Params params = bind_params(program).value();
  Diagnostics diagnostics;
  const auto module = schedule::lower(program, schedule::choose(program), diagnostics);
  ASSERT_TRUE(module);
  const auto loaded = device_.device.load({program, &*module}, device_.selector);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  reference::State expected = initial_state(program, params);
  reference::advance(program, expected, 2);
  for (int i = 0; i < 2; ++i) {
    reference::State state = initial_state(program, params);
    auto session = loaded.value()->start(state);
    ASSERT_TRUE(session.ok());
    ASSERT_TRUE(session.value()->advance(2).ok());
    ASSERT_TRUE(session.value()->finish().ok());
    EXPECT_FALSE(compare(program, expected, state));
  }
}

TEST_P(KernelDevice, ReturnsTheSourceOfItsKernels) {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  const auto module = schedule::lower(program, schedule::choose(program), diagnostics);
  const auto loaded = device_.device.load({program, &*module}, device_.selector);
  ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
  const auto source = loaded.value()->code(CodeKind::Source);
  ASSERT_TRUE(source.ok()) << source.failure().message;
  EXPECT_NE(source.value().find(module->kernels[0].name + "("), std::string::npos);
  const auto ptx = loaded.value()->code(CodeKind::Ptx);
  if (device_.info.name == "cuda") {
    EXPECT_TRUE(ptx.ok());
  } else {
    ASSERT_FALSE(ptx.ok());
    EXPECT_EQ(ptx.failure().code, "R045");
    EXPECT_EQ(ptx.failure().message, "this device has no PTX");
  }
  const auto machine_code = loaded.value()->code(CodeKind::MachineCode);
  if (machine_code.ok()) {
    EXPECT_NE(machine_code.value(), "");
  }
}

// Several threads load and run separate programs, and all of them share one.
TEST_P(KernelDevice, SupportsSeveralThreads) {
  const ir::Program program = program_of(kDecay);
  const Params params = bind_params(program).value();
  Diagnostics diagnostics;
  const auto module = schedule::lower(program, schedule::choose(program), diagnostics);
  ASSERT_TRUE(module);
  const auto shared = device_.device.load({program, &*module}, device_.selector);
  ASSERT_TRUE(shared.ok()) << shared.failure().message;
  reference::State expected = initial_state(program, params);
  reference::advance(program, expected, 60);
  std::atomic<int> right = 0;
  const auto run = [&](const LoadedProgram& loaded) {
    reference::State state = initial_state(program, params);
    auto session = loaded.start(state);
    if (!session.ok()) return;
    for (int part = 0; part < 20; ++part) {
      if (!session.value()->advance(3).ok()) return;
    }
    if (session.value()->finish().ok() && !compare(program, expected, state)) ++right;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] { run(*shared.value()); });
    threads.emplace_back([&] { run(*shared.value()); });
    threads.emplace_back([&] {
      const auto loaded = device_.device.load({program, &*module}, device_.selector);
      if (loaded.ok()) run(*loaded.value());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 6);
}

INSTANTIATE_TEST_SUITE_P(All, KernelDevice, testing::Values("host", "opencl", "cuda"));

}  // namespace
}  // namespace stencil::runtime
