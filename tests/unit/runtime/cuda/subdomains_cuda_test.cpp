// Subdomains on several GPUs of one process, on the fake CUDA driver: which operations are queued,
// and in which order.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/decompose/restrict.h"
#include "compiler/driver/cutting.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/threads.h"
#include "runtime/cluster/local_subdomains.h"
#include "runtime/devices/cuda_device.h"
#include "runtime/devices/nvrtc.h"
#include "tests/unit/runtime/cuda/fake_driver.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

constexpr const char* kHeat =
    "grid G = [0..255, 0..63] steps 9;\nfield A : real on G boundary clamp;\n"
    "stencil s : A on G = 0.25 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1]);\n";

class CudaSubdomains : public testing::Test {
 protected:
  void SetUp() override {
    fake_ = cuda::fresh_fake_driver();
    ASSERT_NE(fake_, nullptr) << "another driver was found before the fake one";
    if (!Nvrtc::open(0).ok()) GTEST_SKIP() << Nvrtc::open(0).failure().message;
  }

  // Two subdomains run `steps` steps in tiles of two steps, with an exchange per tile.
  void run(const std::string& cuts, int64_t steps) {
    const ir::Program program = program_of(kHeat);
    Diagnostics diagnostics;
    const auto cutting = cut(program, {cuts, 2}, "streaming T=2 block=32 chunk=16", schedule::gpu(),
                             gpu_link(), diagnostics);
    ASSERT_TRUE(cutting) << render(Source("", ""), diagnostics);
    LocalSubdomains subdomains(2);
    in_threads(2, [&](int rank) {
      const ir::Program own = decompose::restrict_to(program, cutting->decomposition, rank);
      Diagnostics refusals;
      const auto module = schedule::lower(own, cutting->schedule, refusals);
      ASSERT_TRUE(module) << render(Source("", ""), refusals);
      const auto loaded = cuda_device().load({own, &*module}, "");
      ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
      reference::State state = initial_state(own, bind_params(own).value());
      const auto session = loaded.value()->start_subdomain(state, subdomains.communicator(rank));
      ASSERT_TRUE(session.ok()) << session.failure().message;
      EXPECT_EQ(session.value()->advance(steps).value(), steps);
    });
  }
  int64_t launches_of(const std::string& what) const {
    return std::count_if(fake_->launched.begin(), fake_->launched.end(),
                         [&](const std::string& name) { return name.find(what) != name.npos; });
  }

  cuda::FakeDriver* fake_ = nullptr;
};

// A halo of whole rows is one contiguous range. Boundary blocks start before interior blocks.
TEST_F(CudaSubdomains, WholeRowsAreCopiedBetweenArrays) {
  run("1x2", 8);
  EXPECT_EQ(launches_of("pack"), 0);
  EXPECT_EQ(fake_->copied.size(), 2 * (1 + 4)) << "a spare buffer, and a halo after each tile";
  EXPECT_EQ(fake_->copied_by_kernel, 2 * 4) << "short ranges are copied by kernels";
  EXPECT_EQ(launches_of("stream"), 2 * (4 + 4)) << "a tile with an exchange is two launches";
  EXPECT_EQ(fake_->begun_before.size(), 2 * 4)
      << "interior blocks wait until boundary blocks have started";
}

TEST_F(CudaSubdomains, ColumnsArePacked) {
  run("2x1", 8);
  EXPECT_EQ(launches_of("unpack"), 2 * 3);
  EXPECT_EQ(launches_of("_pack"), 2 * 3);
}

}  // namespace
}  // namespace stencil::runtime
