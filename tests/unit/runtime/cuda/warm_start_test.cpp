// A process that finds its kernels in the cache does not open NVRTC. This process never opens it
// either: child processes compile.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "compiler/schedule/schedule.h"
#include "runtime/devices/cuda_device.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/devices/nvrtc.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

bool nvrtc_is_open() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libnvrtc") != std::string::npos) return true;
  }
  return false;
}

template <class Body>
int in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool loads_and_runs() {
  const ir::Program program = program_of(kDecay);
  Diagnostics diagnostics;
  const auto module = schedule::lower(program, schedule::choose(program), diagnostics);
  const auto loaded = cuda_device().load({program, &*module}, "");
  if (!loaded.ok()) return false;
  reference::State state = initial_state(program, bind_params(program).value());
  auto session = loaded.value()->start(state);
  return session.ok() && session.value()->advance(1).ok() && session.value()->finish().ok();
}

TEST(WarmStart, LeavesNvrtcClosed) {
  const TemporaryDirectory directory;
  ::setenv("STENCIL_CACHE", directory.file("cache").c_str(), 1);
  const int missing = in_child([] { return Nvrtc::open(0).ok() ? 0 : 1; });
  if (missing) GTEST_SKIP() << "no NVRTC";
  enum { kFailed = 1, kOpened = 2, kStayedClosed = 3 };
  const auto start = [] {
    if (!loads_and_runs()) return kFailed;
    return nvrtc_is_open() ? kOpened : kStayedClosed;
  };
  EXPECT_EQ(in_child(start), kOpened);
  EXPECT_EQ(KernelCache(cache_settings()).contents().at("cuda").entries, 2) << "NVRTC, kernels";
  EXPECT_EQ(in_child(start), kStayedClosed);
  // With another search path the search is repeated, and the same kernels are found in the cache.
  ::setenv("CUDA_HOME", directory.file("none").c_str(), 1);
  EXPECT_EQ(in_child(start), kOpened);
  EXPECT_EQ(in_child(start), kStayedClosed);
  EXPECT_EQ(KernelCache(cache_settings()).contents().at("cuda").entries, 3);
  ASSERT_TRUE(KernelCache(cache_settings()).trim(0).ok());
  EXPECT_EQ(in_child(start), kOpened);
}

}  // namespace
}  // namespace stencil::runtime
