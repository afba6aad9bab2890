// The machine code of masks of points (schedule/streaming/masks.h), made by the real NVRTC.
#include <gtest/gtest.h>

#include "compiler/schedule/schedule.h"
#include "runtime/devices/cuda_job.h"
#include "runtime/devices/nvrtc.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

// All points of a patch are tested in `guess`, and half of them in each sweep.
constexpr const char* kSweeps = R"(
param N : integer = 33;
grid G = [0..N-1, 0..N-1, 0..N-1] steps 1;
subgrid interior of G = [1..N-2, 1..N-2, 1..N-2];
field u, g, f : real on G boundary constant 0;
function around(v : field) = v[-1,0,0] + v[1,0,0] + v[0,-1,0] + v[0,1,0] + v[0,0,-1] + v[0,0,1];
stencil guess : u on interior = u[0,0,0] + 0.5 * g[0,0,0];
stencil red : u { interior[i,j,k] where (i+j+k) % 2 == 0 = 0.125 * (around(u) + f[0,0,0]); }
stencil black : u { interior[i,j,k] where (i+j+k) % 2 == 1 = 0.125 * (around(u) + f[0,0,0]); }
stencil again : u { interior[i,j,k] where (i+j+k) % 2 == 0 = 0.125 * (around(u) + f[0,0,0]); }
)";

// Instructions R2P of code for sm_90: 16 bytes each, of which the lowest 12 bits are the operation.
int predicate_loads(const std::string& image) {
  int count = 0;
  for (size_t at = 0; at + 16 <= image.size(); at += 16) {
    const auto byte = [&](size_t b) { return static_cast<unsigned char>(image[at + b]); };
    if ((byte(0) | (byte(1) & 0xf) << 8) == 0x804) ++count;
  }
  return count;
}

class MachineCodeOfMasks : public testing::TestWithParam<const char*> {};

TEST_P(MachineCodeOfMasks, KeepsNoPredicatesInFixedRegisters) {
  const auto nvrtc = Nvrtc::open(0);
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
  const ir::Program program = program_of(kSweeps);
  Diagnostics diagnostics;
  const auto schedule = schedule::parse(GetParam(), program, diagnostics);
  ASSERT_TRUE(schedule) << render(Source("", ""), diagnostics);
  const auto module = schedule::lower(program, *schedule, diagnostics);
  ASSERT_TRUE(module) << render(Source("", ""), diagnostics);
  const NvrtcJob job = cuda_job(*module, 90);
  const auto image = nvrtc.value().compile(job);
  ASSERT_TRUE(image.ok()) << image.failure().message;
  EXPECT_EQ(predicate_loads(image.value()), 0) << job.source;
}

INSTANTIATE_TEST_SUITE_P(
    Lines, MachineCodeOfMasks,
    testing::Values("streaming T=1 block=16x16 elements=2x2 loads=registers",
                    "streaming T=1 block=16x8 elements=2x4 loads=registers interior=tested",
                    "streaming T=1 block=32x4 elements=1x4 loads=registers interior=tested",
                    "streaming T=1 block=16x4 elements=4x4 loads=registers interior=tested"));

// Counts in a kernel for which ptxas does use the instruction.
TEST(PredicateLoads, AreCounted) {
  const auto nvrtc = Nvrtc::open(0);
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.failure().message;
  const auto image = nvrtc.value().compile({R"(
extern "C" __global__ void masked(double* a, const int* masks) {
  const int mask = masks[threadIdx.x];
  double own[4];
  #pragma unroll
  for (int k = 0; k < 4; ++k) own[k] = a[threadIdx.x + k * 32];
  #pragma unroll
  for (int k = 0; k < 4; ++k) {
    a[threadIdx.x + k * 32] = mask >> k & 1 ? own[k] : own[(k + 1) % 4] * own[k];
  }
}
)",
                                            90, "--fmad=false"});
  ASSERT_TRUE(image.ok()) << image.failure().message;
  EXPECT_GT(predicate_loads(image.value()), 0);
}

}  // namespace
}  // namespace stencil::runtime
