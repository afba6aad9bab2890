#include "runtime/devices/cubin.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "runtime/devices/nvrtc.h"

namespace stencil::runtime {
namespace {

// Kernels with known loops: a pragma keeps each loop from being
// unrolled, and its body is its one line.
constexpr const char* kKernels = R"(
#define KERNEL extern "C" __global__ void
KERNEL no_loop(float* a) { a[threadIdx.x] = 1; }
KERNEL one_loop(float* a, const float* b, int n) {
  float s = 0;
  #pragma unroll 1
  for (int k = 0; k < n; ++k) s = fmaf(b[threadIdx.x + k * 32], s, 1.5f);
  a[threadIdx.x] = s;
}
KERNEL nested(float* a, const float* b, int n, int m) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < n; ++k) {
    tile[t] = b[t + k];
    __syncthreads();
    float s = 0;
    #pragma unroll 1
    for (int j = 0; j < m; ++j) {
      s = fmaf(tile[(t + j) & 127], s, 1.5f);
      s = __fadd_rn(s, __shfl_up_sync(~0u, s, 1));
      s = __fmul_rn(s, 0.75f);
    }
    a[t + k] = s;
    __syncthreads();
  }
}
KERNEL doubles(double* a, const double* b, int n) {
  double s = 0;
  #pragma unroll 1
  for (int k = 0; k < n; ++k) {
    double x = b[threadIdx.x + k];
    s = __dmul_rn(__dadd_rn(fma(x, s, 1.5), x), x);
  }
  a[threadIdx.x] = s;
}
KERNEL own_array(float* a, const int* b, int n) {
  float own[100];
  #pragma unroll
  for (int k = 0; k < 100; ++k) own[k] = a[k * 32 + threadIdx.x];
  #pragma unroll 1
  for (int k = 0; k < n; ++k) own[b[k]] = __fadd_rn(own[b[k]], a[k]);
  a[threadIdx.x] = own[b[threadIdx.x]];
}
KERNEL __launch_bounds__(1024) spilled(float* a, const float* b, int n) {
  float s[90];
  #pragma unroll
  for (int k = 0; k < 90; ++k) s[k] = a[k * 32 + threadIdx.x];
  #pragma unroll 1
  for (int j = 0; j < n; ++j) {
    #pragma unroll
    for (int k = 0; k < 90; ++k) s[k] = fmaf(s[(k + 7) % 90], b[j], s[k]);
  }
  #pragma unroll
  for (int k = 0; k < 90; ++k) a[k * 32 + threadIdx.x] = s[k];
}
// The slow path of a division is a subroutine after the kernel, which branches back and forth.
KERNEL divides(float* a, int n) {
  #pragma unroll 1
  for (int k = 0; k < n; ++k) a[threadIdx.x + k] = a[threadIdx.x + k + 32] / a[threadIdx.x + 64];
}
// Warps may have diverged before the shuffles; the code for that case is out of line.
KERNEL diverges(float* a, const float* b) {
  int t = threadIdx.x;
  if (b[t] > 3) {
    #pragma unroll 1
    for (int k = 0; k < b[t + 100]; ++k) {
      float x = b[t + k];
      x = __fadd_rn(x, __shfl_up_sync(~0u, x, 1));
      a[t + k] = __fadd_rn(x, __shfl_down_sync(~0u, x, 1));
    }
  }
}
KERNEL jumps(int* a, int n) {
  asm volatile("{.reg .u32 i; mov.u32 i, %0; ts: .branchtargets A, B, C; brx.idx i, ts;"
               "A: st.global.u32 [%1], 0; bra D; B: st.global.u32 [%1+4], 0; bra D;"
               "C: st.global.u32 [%1+8], 0; D: }" ::"r"(n), "l"(a));
}
// Each iteration accesses 1 + 2 + 4 + 8 + 16 bytes of each memory space.
KERNEL widths(char* a, int n) {
  __shared__ float4 tile[64];
  volatile char* b = (volatile char*)tile + 16 * threadIdx.x;
  #pragma unroll 1
  for (int k = 0; k < n; ++k) {
    *(volatile signed char*)(a + k) = k;
    *(volatile short*)(a + 2 * k) = k;
    *(volatile int*)(a + 4 * k) = k;
    *(volatile long long*)(a + 8 * k) = k;
    *(volatile signed char*)b = k;
    *(volatile short*)b = k;
    *(volatile int*)b = k;
    *(volatile long long*)b = k;
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(a + 16 * k), "r"(k));
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};"
                 ::"r"((unsigned)__cvta_generic_to_shared((void*)b)), "r"(k));
  }
}
#if __CUDA_ARCH__ >= 800
KERNEL copies(float4* a, int n) {
  extern __shared__ float4 tile[];
  unsigned to = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x);
  #pragma unroll 1
  for (int k = 0; k < n; ++k) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + k) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(a + n) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(a - k) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
}
#endif
)";

class CubinTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_.ok()) GTEST_SKIP() << nvrtc_.failure().message;
  }
  std::string compiled(int architecture) const {
    static std::map<int, std::string> images;  // compiling one takes a second
    if (images.count(architecture)) return images[architecture];
    const auto image = nvrtc_.value().compile({kKernels, architecture, "--fmad=false"});
    EXPECT_TRUE(image.ok()) << image.failure().message;
    return images[architecture] = image.ok() ? image.value() : "";
  }
  const Result<Nvrtc> nvrtc_ = Nvrtc::open(0);
};

CubinKernel kernel_called(const Cubin& cubin, const std::string& name) {
  for (const CubinKernel& kernel : cubin.kernels) {
    if (kernel.name == name) return kernel;
  }
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

std::string print(const InstructionMix& mix) {
  return fmt::format("local {} global {} shared {} shuffles {} singles {} doubles {} barriers {}",
                     mix.local, mix.global, mix.shared, mix.shuffles, mix.singles, mix.doubles,
                     mix.barriers);
}

// The loops with their depths; "?" if they are unknown.
std::string loops(const Cubin& cubin, const std::string& name) {
  const CubinKernel kernel = kernel_called(cubin, name);
  if (!kernel.work) return "?";
  std::string out;
  for (const MachineLoop& loop : kernel.work->loops) {
    out += fmt::format("{} in {}: {}\n", loop.depth, loop.outer, print(loop.mix));
    EXPECT_GE(loop.first, 0);
    EXPECT_LT(loop.last, kernel.instructions);
    EXPECT_LE(loop.mix.all, loop.last - loop.first + 1);
  }
  return out;
}

// For every architecture of this NVRTC, so that a newer NVRTC shows its changes here.
TEST_F(CubinTest, FindsLoopsAndTheirInstructions) {
  for (const int architecture : nvrtc_.value().info().architectures) {
    SCOPED_TRACE(architecture);
    if (!knows_instructions(architecture)) continue;
    const auto cubin = read_cubin(compiled(architecture));
    ASSERT_TRUE(cubin.ok()) << cubin.failure().message;
    EXPECT_EQ(cubin.value().architecture, architecture);
    const auto loops_of = [&](const char* name) { return loops(cubin.value(), name); };
    EXPECT_EQ(loops_of("no_loop"), "");
    EXPECT_EQ(loops_of("one_loop"),
              "1 in -1: local 0 global 1 shared 0 shuffles 0 singles 1 doubles 0 barriers 0\n");
    EXPECT_EQ(loops_of("nested"),
              "1 in -1: local 0 global 2 shared 2 shuffles 1 singles 3 doubles 0 barriers 2\n"
              "2 in 0: local 0 global 0 shared 1 shuffles 1 singles 3 doubles 0 barriers 0\n");
    EXPECT_EQ(loops_of("doubles"),
              "1 in -1: local 0 global 1 shared 0 shuffles 0 singles 0 doubles 3 barriers 0\n");
    EXPECT_EQ(loops_of("own_array"),
              "1 in -1: local 2 global 2 shared 0 shuffles 0 singles 1 doubles 0 barriers 0\n");
    EXPECT_EQ(loops_of("jumps"), "?");
    if (architecture < 80) continue;
    const CubinKernel copies = kernel_called(cubin.value(), "copies");
    ASSERT_TRUE(copies.work && copies.work->loops.size() == 1);
    EXPECT_EQ(copies.work->loops[0].mix.global, 3);
    EXPECT_EQ(copies.work->loops[0].mix.shared_written, 16 + 8 + 4);
    EXPECT_EQ(copies.work->loops[0].mix.global_written, 0);
  }
}

TEST_F(CubinTest, CountsBytesAndBranches) {
  for (const int architecture : nvrtc_.value().info().architectures) {
    SCOPED_TRACE(architecture);
    if (!knows_instructions(architecture)) continue;
    const auto cubin = read_cubin(compiled(architecture));
    ASSERT_TRUE(cubin.ok()) << cubin.failure().message;
    const CubinKernel widths = kernel_called(cubin.value(), "widths");
    ASSERT_TRUE(widths.work && widths.work->loops.size() == 1);
    const InstructionMix& mix = widths.work->loops[0].mix;
    EXPECT_EQ(mix.global, 5);
    EXPECT_EQ(mix.global_written, 31);
    EXPECT_EQ(mix.shared, 5);
    EXPECT_EQ(mix.shared_written, 31);
    EXPECT_EQ(mix.branches, 1) << "back";
    const CubinKernel doubles = kernel_called(cubin.value(), "doubles");
    EXPECT_EQ(doubles.work->loops[0].mix.global_written, 0) << "it loads";
    EXPECT_EQ(doubles.work->mix.global_written, 8);
  }
}

// The subroutine of a division has many instructions, and the code for diverged warps copies each
// shuffle. On sm_75 an inner loop waits until warps have converged.
TEST_F(CubinTest, ExcludesCodeOfRareCasesFromLoops) {
  for (const int architecture : nvrtc_.value().info().architectures) {
    SCOPED_TRACE(architecture);
    if (!knows_instructions(architecture)) continue;
    const auto cubin = read_cubin(compiled(architecture));
    ASSERT_TRUE(cubin.ok()) << cubin.failure().message;
    const CubinKernel divides = kernel_called(cubin.value(), "divides");
    ASSERT_TRUE(divides.work && divides.work->loops.size() == 1);
    EXPECT_EQ(divides.work->loops[0].mix.global, 3);
    EXPECT_LT(divides.work->loops[0].mix.all, 45);
    EXPECT_GT(divides.work->mix.all, 100);
    EXPECT_LT(divides.work->reached.all, 90) << "without the subroutine";
    EXPECT_GT(divides.work->reached.all, divides.work->loops[0].mix.all);
    EXPECT_GE(divides.work->loops[0].mix.branches, 3) << "to the subroutine and back";
    const CubinKernel diverges = kernel_called(cubin.value(), "diverges");
    ASSERT_TRUE(diverges.work && hottest_loop(*diverges.work) != nullptr);
    EXPECT_EQ(diverges.work->loops.size(), architecture < 80 ? 2u : 1u);
    EXPECT_EQ(print(hottest_loop(*diverges.work)->mix),
              "local 0 global 3 shared 0 shuffles 2 singles 2 doubles 0 barriers 0");
  }
}

TEST_F(CubinTest, ReadsResourcesOfKernels) {
  for (const int architecture : nvrtc_.value().info().architectures) {
    SCOPED_TRACE(architecture);
    const auto cubin = read_cubin(compiled(architecture));
    ASSERT_TRUE(cubin.ok()) << cubin.failure().message;
    const auto kernel = [&](const char* name) { return kernel_called(cubin.value(), name); };
    EXPECT_EQ(kernel("own_array").local_bytes, 400);
    EXPECT_EQ(kernel("one_loop").local_bytes, 0);
    EXPECT_EQ(kernel("one_loop").shared_bytes, 0);
    EXPECT_EQ(kernel("nested").shared_bytes, 512);
    if (architecture >= 80) {
      EXPECT_EQ(kernel("copies").shared_bytes, 0);
    }
    EXPECT_GT(kernel("spilled").local_bytes, 0);
    EXPECT_LE(kernel("spilled").registers, 64) << "as many as 1024 threads can have";
    for (const CubinKernel& each : cubin.value().kernels) {
      EXPECT_GE(each.registers, 4) << each.name;
      EXPECT_GT(each.code_bytes, 0) << each.name;
      EXPECT_EQ(each.instructions * kInstructionBytes, each.code_bytes) << each.name;
    }
  }
}

TEST_F(CubinTest, CountsSpills) {
  const auto cubin = read_cubin(compiled(90));
  ASSERT_TRUE(cubin.ok()) << cubin.failure().message;
  const CubinKernel spilled = kernel_called(cubin.value(), "spilled");
  ASSERT_TRUE(spilled.work);
  const MachineLoop* loop = hottest_loop(*spilled.work);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->mix.singles, 90);
  EXPECT_GT(loop->mix.local, 0);
}

// Damaged files give a result or a Failure. The sanitizer build checks memory accesses.
TEST_F(CubinTest, RefusesBrokenFiles) {
  const std::string image = compiled(90);
  for (size_t size = 0; size < image.size(); size += 1 + size / 64) {
    const auto cubin = read_cubin(std::string(image, 0, size));
    ASSERT_FALSE(cubin.ok()) << size;
    EXPECT_EQ(cubin.failure().code, "R042");
  }
  std::mt19937 random(1);
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string broken = image;
    for (int count = 1 + static_cast<int>(random() % 8); count > 0; --count) {
      // Damages headers and tables as often as code.
      const size_t range = random() % 2 ? image.size() : 64;
      const size_t from = random() % 2 ? 0 : image.size() - range;
      broken[from + random() % range] = static_cast<char>(random());
    }
    const auto cubin = read_cubin(broken);
    read += cubin.ok();
  }
  EXPECT_GT(read, 100);
  EXPECT_LT(read, 19900);
}

TEST(CubinBytes, ThatAreRandomAreRefused) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    std::string bytes(random() % 4096, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_FALSE(read_cubin(bytes).ok());
  }
}

// Random code for a known architecture: branches to nowhere, to themselves, and across everything.
TEST(CubinBytes, OfRandomCodeNeverCrashTheAnalysis) {
  std::mt19937 random(3);
  int understood = 0;
  for (int round = 0; round < 2000; ++round) {
    const size_t count = 1 + random() % 60;
    std::string code(count * 16, '\0');
    for (size_t n = 0; n < count; ++n) {
      for (size_t b = 0; b < 16; ++b) code[16 * n + b] = static_cast<char>(random());
      if (random() % 3 == 0) continue;  // the others become branches or have no control flow
      const bool branches = random() % 2 == 0;
      const uint64_t distance = (random() % count - n - 1) * 16;
      const uint64_t low = branches ? 0x0947 | (random() % 8) << 12 | distance << 32 : 0x7223;
      const uint64_t high = (branches ? distance >> 32 & 0x3ffff : 0) | uint64_t{7} << 23;
      for (size_t b = 0; b < 8; ++b) {
        code[16 * n + b] = static_cast<char>(low >> 8 * b);
        code[16 * n + 8 + b] = static_cast<char>(high >> 8 * b);
      }
    }
    const auto work = work_of(code, 80, 0, std::nullopt);
    if (!work) continue;
    ++understood;
    for (const MachineLoop& loop : work->loops) {
      EXPECT_LE(loop.first, loop.last);
      EXPECT_LT(loop.last, static_cast<int64_t>(count));
    }
  }
  EXPECT_GT(understood, 500);
}

// A loop over all iterations contains one loop for the interior, one for edges, and one that waits.
TEST(HottestLoop, IsTheLeanestLoopWithMostArithmetic) {
  const auto loop = [](int outer, int64_t all, int64_t singles, int64_t global) {
    MachineLoop out;
    out.outer = outer;
    out.mix.all = all;
    out.mix.singles = singles;
    out.mix.global = global;
    return out;
  };
  MachineWork work;
  work.mix.singles = 130;
  work.loops = {loop(-1, 500, 120, 12), loop(0, 200, 60, 6), loop(0, 150, 58, 6),
                loop(2, 10, 0, 0),      loop(0, 20, 2, 0),   loop(-1, 40, 0, 8)};
  EXPECT_EQ(hottest_loop(work), &work.loops[2]);
  for (MachineLoop& each : work.loops) each.mix.singles = 0;
  EXPECT_EQ(hottest_loop(work), nullptr) << "the arithmetic is outside";
  work.mix.singles = 0;
  EXPECT_EQ(hottest_loop(work), &work.loops[5]) << "loads and stores";
}

TEST(CubinBytes, OfUnknownArchitecturesAreNotAnalysed) {
  EXPECT_FALSE(knows_instructions(70));
  EXPECT_FALSE(knows_instructions(130));
  EXPECT_FALSE(work_of(std::string(16, '\0'), 130, 0, std::nullopt));
  EXPECT_TRUE(work_of(std::string(16, '\0'), 90, 0, std::nullopt));
  EXPECT_FALSE(work_of(std::string(16, '\0'), 90, 0, std::vector<int64_t>{0})) << "no EXIT there";
}

}  // namespace
}  // namespace stencil::runtime
