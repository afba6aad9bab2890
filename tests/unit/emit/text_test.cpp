// The emitted text, line by line: dialects, names, literals, layout.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "compiler/emit/emit.h"
#include "compiler/emit/expression.h"
#include "compiler/emit/names.h"
#include "compiler/emit/text.h"
#include "tests/unit/emit/samples.h"

namespace stencil::emit {
namespace {

using kernel::Expr;

std::string emit_for(Target target, const kernel::Module& module, bool kernels_only = false) {
  Options options;
  options.target = target;
  options.kernels_only = kernels_only;
  return emit(module, options);
}

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in\n" << text;
}
testing::AssertionResult lacks(const std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "there is \"" << part << "\" in\n" << text;
}

TEST(Cuda, KernelHead) {
  const std::string text = emit_for(Target::Cuda, samples::heat());
  EXPECT_TRUE(has(text, "constexpr int block_x = 32;  // points of a tile in x\n"));
  EXPECT_TRUE(
      has(text,
          "// One step: every thread computes one point.\n"
          "extern \"C\" __global__ void __launch_bounds__(128)\n"
          "heat_step(const float* __restrict__ A, float* __restrict__ A_next, const int N,"));
  EXPECT_TRUE(has(text, "  const int64_t block = blockIdx.x;\n"));
  EXPECT_TRUE(has(text, "  const int thread_y = threadIdx.y;\n"));
  EXPECT_TRUE(lacks(text, "thread_z")) << "it is not used";
  EXPECT_TRUE(lacks(text, "unused")) << "dead lets are dropped";
  EXPECT_TRUE(has(text, "A_next[y * M + x] = fmaf(alpha, laplacian, A[y * M + x]);\n"));
}

// Hardware has three thread dimensions; z and all further ones share the third.
TEST(Cuda, ThreadsBeyondTheThirdDimension) {
  const std::string text = emit_for(Target::Cuda, samples::places());
  EXPECT_TRUE(has(text, "void __launch_bounds__(24)\n"));
  EXPECT_TRUE(has(text,
                  "  const int thread_x = threadIdx.x;\n"
                  "  const int thread_z = threadIdx.z % 2;\n"
                  "  const int thread_w = threadIdx.z / 2 % 3;\n"
                  "  const int thread_v = threadIdx.z / 6;\n"));
  EXPECT_TRUE(has(text, "dim3(2, 1, 12)"));
  EXPECT_TRUE(has(emit_for(Target::OpenCl, samples::places()),
                  "__kernel __attribute__((reqd_work_group_size(2, 1, 12)))\n"));
}

TEST(Cuda, Driver) {
  const std::string text = emit_for(Target::Cuda, samples::heat());
  EXPECT_TRUE(has(
      text,
      "extern \"C\" const char* heat_run(float* A, int64_t steps, const heat_params* params) {"));
  EXPECT_TRUE(has(text, "const char* error = heat_run_device((float*)A_device.pointer, steps,"));
  EXPECT_TRUE(has(text, "dim3(32, 4, 1), 0, stream>>>(A_slots[0], A_slots[1],"));
  EXPECT_TRUE(has(text, "if (A_slots[0] != A) {"));
  EXPECT_TRUE(has(text, "return \"N is at least 3\";"));
}

TEST(Cuda, EveryEntryPointChecksItsArraysByOneFunction) {
  const std::string text = emit_for(Target::Cuda, samples::wave());
  for (const char* entry : {"wave_run_device(", "wave_run("}) {
    const size_t begin = text.find("extern \"C\" const char* " + std::string(entry));
    ASSERT_NE(begin, std::string::npos) << entry;
    const std::string body = text.substr(begin, text.find("\n}\n", begin) - begin);
    EXPECT_TRUE(has(body,
                    "  const void* const pointers[] = {U, U_1, c2};\n"
                    "  if (const char* error = wave_check(steps == 0 ? NULL : pointers, steps, N)) "
                    "return error;\n"
                    "  if (steps == 0) return NULL;\n"))
        << entry;
  }
  EXPECT_TRUE(has(text, "    {\"U_1\", (int64_t)sizeof(float) * N, 4, true},\n"));
  EXPECT_TRUE(has(text, "    {\"c2\", (int64_t)sizeof(float) * N, 4, false},\n"));
  EXPECT_TRUE(has(text, "  return stencil_check_arrays(memory, 3, pointers);\n"));
}

TEST(Cuda, StrictProductsInSumsAreNotFused) {
  const std::string strict = emit_for(Target::Cuda, samples::heat(FpMode::Strict));
  EXPECT_TRUE(has(strict, "A[y * M + x] + __fmul_rn(alpha, laplacian);"));
  const std::string tiled = emit_for(Target::Cuda, samples::tiled());
  EXPECT_TRUE(has(tiled, "next[e] = __fmul_rn(mean, 0.33333334f);"))
      << "a local array is no barrier";
  const Expr x = kernel::variable("x", Scalar::F32);
  const Expr square = kernel::mul(x, x);
  const auto of = [](const Expr& value, FpMode mode = FpMode::Strict) {
    return emit_for(Target::Cuda, samples::pointwise(Scalar::F32, Scalar::F32, value, mode), true);
  };
  EXPECT_TRUE(has(of(square), "= x * x;")) << "the product is only stored";
  EXPECT_TRUE(has(of(kernel::mul(square, x)), "= x * x * x;"));
  EXPECT_TRUE(has(of(kernel::add(kernel::operation(Op::Div, {x, kernel::real(4, Scalar::F32)}), x)),
                  "= __fmul_rn(x, 0.25f) + x;"));
  EXPECT_TRUE(has(of(kernel::add(square, x), FpMode::Fast), "= x * x + x;"));
  EXPECT_TRUE(has(emit_for(Target::OpenCl, samples::heat(FpMode::Strict)), "+ alpha * laplacian;"));
}

TEST(Cuda, DivisionsByConstantsAreMultipliedOut) {
  const auto over = [](double divisor, Target target, FpMode mode = FpMode::Contract,
                       Scalar type = Scalar::F32) {
    const Expr quotient =
        kernel::operation(Op::Div, {kernel::variable("x", type), kernel::real(divisor, type)});
    return emit_for(target, samples::pointwise(type, type, quotient, mode), true);
  };
  for (const Target target : {Target::Cuda, Target::OpenCl}) {
    const std::string even = over(118, target);
    EXPECT_TRUE(has(even, "= stencil_divide_even_float(x, 118.0f, 0.008474576f);"));
    EXPECT_TRUE(has(even, "float stencil_divide_even_float(float x, float c, float z) {"));
    EXPECT_TRUE(has(over(-3, target, FpMode::Strict, Scalar::F64),
                    "= stencil_divide_odd_double(-x, 3.0, 0.3333333333333333);"));
    EXPECT_TRUE(has(over(8, target), "= x * 0.125f;"));
    EXPECT_TRUE(has(over(0.3f, target), "= x / 0.3f;")) << "not proved";
    EXPECT_TRUE(has(over(118, target, FpMode::Fast), "= x / 118.0f;"));
  }
  EXPECT_TRUE(has(over(118, Target::Cpp), "= x / 118.0f;"));
}

TEST(Cuda, SharedMemory) {
  const std::string text = emit_for(Target::Cuda, samples::tiled());
  EXPECT_TRUE(has(text, "__launch_bounds__(64, 2)"));
  EXPECT_TRUE(has(text, "  __shared__ __align__(16) float values[padded];  // the tile\n"));
  EXPECT_TRUE(has(text, "#pragma unroll\n"));
  EXPECT_TRUE(has(text, "  __syncthreads();\n"));
  const std::string big = emit_for(Target::Cuda, samples::tiled(20000));
  EXPECT_TRUE(has(big, "extern __shared__ __align__(16) unsigned char shared_memory[];\n"));
  EXPECT_TRUE(has(
      big, "float (&values)[padded] = *reinterpret_cast<float (*)[padded]>(shared_memory + 0);"));
  EXPECT_TRUE(has(big, "cudaFuncAttributeMaxDynamicSharedMemorySize, 80016)"));
  EXPECT_TRUE(has(big, "dim3(64, 1, 1), 80016, stream>>>"));
}

TEST(Cuda, KernelsOnlyNeedNoHeaders) {
  for (const auto& module : {samples::heat(), samples::tiled(), samples::wave()}) {
    const std::string text = emit_for(Target::Cuda, module, true);
    EXPECT_TRUE(lacks(text, "#include"));
    EXPECT_TRUE(lacks(text, "int64_t"));
    EXPECT_TRUE(lacks(text, "_run"));
  }
}

TEST(Cuda, WideOffsetsAreComputedIn64Bits) {
  kernel::Module module = samples::heat();
  for (kernel::Buffer& buffer : module.kernels[0].buffers) buffer.wide = true;
  EXPECT_TRUE(has(emit_for(Target::Cuda, module), "A_next[(int64_t)y * M + x] ="));
  EXPECT_TRUE(has(emit_for(Target::Cuda, module, true), "A_next[(long long)y * M + x] ="));
}

TEST(Cuda, ShufflesHaveTheLengthOfARow) {
  const std::string text = emit_for(Target::Cuda, samples::exchange());
  EXPECT_TRUE(has(text, "row[k][0] = __shfl_up_sync(0xffffffffu, row[k][4], 1, 8);\n"));
  EXPECT_TRUE(has(text, "row[k][5] = __shfl_down_sync(0xffffffffu, row[k][1], 1, 8);\n"));
  EXPECT_TRUE(has(text, "row[k][6] = __shfl_down_sync(0xffffffffu, row[k][2], 2, 8);\n"));
  EXPECT_TRUE(lacks(text, "__syncthreads")) << "a shuffle is no barrier";
  kernel::Module module = samples::exchange();
  module.kernels[0].threads = {4, 8, 1};
  EXPECT_TRUE(has(emit_for(Target::Cuda, module), "__shfl_up_sync(0xffffffffu, row[k][4], 1, 4)"));
}

TEST(Cuda, ShuffleResultsAreNotConst) {
  kernel::Module module = samples::exchange();
  kernel::Kernel& kernel = module.kernels[0];
  const auto single = [&](const char* name) {
    kernel.buffers.push_back({name, Scalar::F32, kernel::Space::Thread, {}, false, false, ""});
    return static_cast<kernel::BufferId>(kernel.buffers.size()) - 1;
  };
  const kernel::BufferId one = single("one"), other = single("other");
  const Expr value = kernel::real(1, Scalar::F32);
  kernel.body.push_back(
      {kernel::Threads{{{kernel::Store{one, {}, value}}, {kernel::Store{other, {}, value}}}}});
  kernel.body.push_back({kernel::Shuffle{"", 1, {{one, {}, other, {}, 1}}}});
  const std::string text = emit_for(Target::Cuda, module);
  EXPECT_TRUE(has(text, "  float one;\n"));
  EXPECT_TRUE(has(text, "  one = __shfl_down_sync(0xffffffffu, other, 1, 8);\n"));
  EXPECT_TRUE(has(text, "  const float other = 1.0f;\n"));
}

TEST(Cuda, CopiesUseVectors) {
  const std::string text = emit_for(Target::Cuda, samples::exchange());
  EXPECT_TRUE(
      has(text, "stencil_load_4<float4>(&row[k][1], &staged[k][thread_y][thread_x * 4]);\n"));
  EXPECT_TRUE(has(text, "stencil_store_4<float4>(&A_next["));
  EXPECT_TRUE(has(text, "&sum[k][0]);\n"));
  EXPECT_TRUE(
      has(text, "own[0] = packed.x, own[1] = packed.y, own[2] = packed.z, own[3] = packed.w;"))
      << "so that the values can be in registers";

  // A vector copy moves at most 16 bytes.
  const std::string wide = emit_for(Target::Cuda, samples::exchange(Scalar::F64));
  EXPECT_TRUE(has(wide, "stencil_store_2<double2>(&A_next["));
  EXPECT_TRUE(has(wide, "&sum[k][0]);\n"));
  EXPECT_TRUE(has(wide, "&sum[k][2]);\n"));
  EXPECT_TRUE(lacks(wide, "double4"));
}

TEST(Cuda, OddCopiesMoveOneElementAtATime) {
  kernel::Module module = samples::exchange();
  auto& loop =
      std::get<kernel::For>(std::get<kernel::Threads>(module.kernels[0].body[5].kind).body[0].kind);
  std::get<kernel::Copy>(loop.body[0].kind).count = 3;
  const std::string text = emit_for(Target::Cuda, module);
  for (const char* line : {"= sum[k][0];\n", "= sum[k][1];\n", "= sum[k][2];\n"}) {
    EXPECT_TRUE(has(text, line));
  }
  EXPECT_TRUE(lacks(text, "= sum[k][3];"));
  EXPECT_TRUE(lacks(text, "stencil_store"));
}

TEST(Cuda, AsyncCopies) {
  const std::string text = emit_for(Target::Cuda, samples::exchange());
  EXPECT_TRUE(has(text, "stencil_copy_async_16(&staged[k][thread_y][thread_x * 4], &A["));
  EXPECT_TRUE(has(text, "  stencil_commit_copies();\n  stencil_await_copies<0>();\n"));
  EXPECT_TRUE(has(text, "cp.async.cg.shared.global [%0], [%1], 16;"));
  EXPECT_TRUE(has(text, "cp.async.commit_group;"));
  EXPECT_TRUE(has(text, "cp.async.wait_group %0;"));
  EXPECT_TRUE(lacks(text, "copy_async_8")) << "unused helpers are omitted";
  const std::string half = emit_for(Target::Cuda, samples::exchange(Scalar::F16));
  EXPECT_TRUE(has(half, "stencil_copy_async_8(&staged[k][thread_y][thread_x * 4], &A["));
  EXPECT_TRUE(lacks(half, "copy_async_16"));
  const std::string byte = emit_for(Target::Cuda, samples::exchange(Scalar::I8));
  EXPECT_TRUE(has(byte, "stencil_copy_async_4(&staged[k][thread_y][thread_x * 4], &A["));
  EXPECT_TRUE(has(byte, "stencil_store_4<char4>("));
  EXPECT_TRUE(lacks(byte, "copy_async_8"));
  const std::string none = emit_for(Target::Cuda, samples::tiled());
  EXPECT_TRUE(lacks(none, "cp.async"));
}

TEST(Cuda, BulkCopies) {
  const std::string text = emit_for(Target::Cuda, samples::boxes());
  EXPECT_TRUE(has(text, "const __grid_constant__ stencil_tensor_map A_boxes) {\n"));
  EXPECT_TRUE(has(text, "  __shared__ __align__(128) float ring[2][4][size_x];\n"));
  EXPECT_TRUE(has(text, "  __shared__ unsigned long long arrived[2];"));
  EXPECT_TRUE(has(text,
                  "  if (threadIdx.x == 0 && threadIdx.y == 0) stencil_bulk_begin(arrived, 2);\n"
                  "  __syncthreads();\n"));
  EXPECT_TRUE(has(text,
                  "  if (threadIdx.x == 0 && threadIdx.y == 0) {\n"
                  "    stencil_bulk_expect(&arrived[0], 512);\n"
                  "    stencil_bulk_copy_2(&ring[0][0][0], A_boxes, 2, 3, &arrived[0]);\n"
                  "  }\n"))
      << "all bytes of the box, including those outside A";
  EXPECT_TRUE(has(text, "stencil_bulk_copy_2(&ring[(n + 1) % 2][0][0], A_boxes, (n + 1) * 4 + 2"));
  EXPECT_TRUE(has(text, "    stencil_bulk_await(&arrived[n % 2], (n / 2) & 1);\n"));
  EXPECT_TRUE(has(text, "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900\n#error "));
  // The host passes the tensor map of the current buffer to the launch.
  EXPECT_TRUE(has(text,
                  "      stencil_tensor_map A_boxes;\n"
                  "      if (const char* error = stencil_describe(&A_boxes, \"A\", A_slots[0], "
                  "{size_y, size_x},\n          {4, 32})) {\n"
                  "        return error;\n"
                  "      }\n"));
  EXPECT_TRUE(has(text, "stream>>>(A_slots[0], A_slots[1], A_boxes);\n"));
  EXPECT_TRUE(lacks(emit_for(Target::Cuda, samples::exchange()), "tensor_map"));
  const std::string jit = emit_for(Target::Cuda, samples::boxes(), true);
  EXPECT_TRUE(has(jit, "struct __align__(64) stencil_tensor_map {\n"));
  EXPECT_TRUE(lacks(jit, "stencil_describe"));
}

TEST(Hip, KernelHeadAndRuntime) {
  const std::string text = emit_for(Target::Hip, samples::tiled());
  EXPECT_TRUE(has(text, "#include <hip/hip_runtime.h>\n"));
  EXPECT_TRUE(has(text, "#pragma STDC FP_CONTRACT OFF\n")) << "products need no intrinsic";
  EXPECT_TRUE(has(text, "extern \"C\" __global__ void __launch_bounds__(64)\nmean_steps("))
      << "HIP has no count of blocks per multiprocessor";
  EXPECT_TRUE(has(text, "hipMemcpyAsync("));
  EXPECT_TRUE(has(text, "hipStream_t stream) {"));
  EXPECT_TRUE(has(text, "(void)hipFreeAsync(pointer, stream);")) << "its results are [[nodiscard]]";
  EXPECT_TRUE(lacks(text, "cuda"));
  EXPECT_TRUE(lacks(emit_for(Target::Hip, samples::heat(FpMode::Strict)), "__fmul_rn"));
}

TEST(Hip, SharedMemoryIsStatic) {
  // 80 KB, which CUDA requests at launch. (Schedules for HIP use at most 64 KiB.)
  EXPECT_TRUE(has(emit_for(Target::Cuda, samples::tiled(20000)), "extern __shared__"));
  const std::string text = emit_for(Target::Hip, samples::tiled(20000));
  EXPECT_TRUE(has(text, "__shared__ __align__(16) float values[padded];"));
  EXPECT_TRUE(lacks(text, "shared_memory"));
  EXPECT_TRUE(lacks(text, "hipFuncSetAttribute"));
}

TEST(Hip, ShufflesHaveTheLengthOfARowAndNoMask) {
  const std::string text = emit_for(Target::Hip, samples::exchange());
  EXPECT_TRUE(has(text, "row[k][0] = __shfl_up(row[k][4], 1, 8);\n"));
  EXPECT_TRUE(has(text, "row[k][6] = __shfl_down(row[k][2], 2, 8);\n"));
  EXPECT_TRUE(lacks(text, "_sync("));
}

TEST(Hip, CopiesUseVectorsAndAreSynchronous) {
  const std::string text = emit_for(Target::Hip, samples::exchange());
  EXPECT_TRUE(has(text, "*reinterpret_cast<float4*>(&staged[k][thread_y][thread_x * 4]) ="));
  EXPECT_TRUE(has(text, "stencil_load_4<float4>(&row[k][1], "));
  EXPECT_TRUE(lacks(text, "async_16"));
  EXPECT_TRUE(lacks(text, "commit"));
  const std::string boxes = emit_for(Target::Hip, samples::boxes());
  EXPECT_TRUE(has(boxes, "for (int e_2 = thread_y * 8 + thread_x; e_2 < 128; e_2 += 32) {"));
  EXPECT_TRUE(lacks(boxes, "tensor_map"));
  EXPECT_TRUE(lacks(boxes, "arrived"));
  EXPECT_TRUE(has(boxes, "stream>>>(A_slots[0], A_slots[1]);\n"));
}

TEST(Hip, NamesOfItsHeadersAreReserved) {
  kernel::Module module = samples::heat();
  module.plan.arrays[0].name = "hipMalloc";
  EXPECT_TRUE(has(emit_for(Target::Hip, module), "heat_run(float* the_hipMalloc, int64_t steps,"));
  EXPECT_TRUE(has(emit_for(Target::Cuda, module), "heat_run(float* hipMalloc, int64_t steps,"));
  module.plan.arrays[0].name = "uchar3";
  EXPECT_TRUE(has(emit_for(Target::Hip, module), "heat_run(float* uchar3_, int64_t steps,"));
}

TEST(OpenCl, ThreadsShareTheElementsOfBulkCopies) {
  const std::string text = emit_for(Target::OpenCl, samples::boxes());
  EXPECT_TRUE(has(text,
                  "  for (int e_3 = thread_y * 8 + thread_x; e_3 < 128; e_3 += 32) {\n"
                  "    const int at_2 = e_3 % 32 + 3;\n"
                  "    const int at = e_3 / 32 + 2;\n"
                  "    if (at_2 >= 0 && at_2 < size_x && at >= 0 && at < size_y) {\n"
                  "      ring[0][e_3 / 32][e_3 % 32] = A[at * size_x + at_2];\n"
                  "    } else {\n"
                  "      ring[0][e_3 / 32][e_3 % 32] = 0.0f;\n"
                  "    }\n"
                  "  }\n"));
  EXPECT_TRUE(lacks(text, "A_boxes"));
  EXPECT_TRUE(lacks(text, "arrived"));
}

// On a CPU a block is one work-item: its threads are loops, and there are no barriers.
TEST(OpenCl, CpuWorkItemsLoopOverTheThreadsOfABlock) {
  Options options;
  options.target = Target::OpenCl;
  options.threads_are_loops = true;
  const std::string text = emit(samples::tiled(), options);
  EXPECT_TRUE(has(text, "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"));
  EXPECT_TRUE(has(text, "  const long block = get_group_id(0);\n"));
  EXPECT_TRUE(has(text, "  __local float "));
  EXPECT_TRUE(has(text, "for (int thread_x = 0; thread_x < "));
  EXPECT_TRUE(has(text, "local size {1, 1, 1}"));
  EXPECT_TRUE(lacks(text, "barrier("));
  EXPECT_TRUE(lacks(text, "get_local_id"));
  EXPECT_TRUE(lacks(text, "omp parallel"));
  EXPECT_TRUE(has(emit_for(Target::OpenCl, samples::tiled()), "barrier("));
}

TEST(OpenCl, ShufflesGoThroughLocalMemory) {
  const std::string text = emit_for(Target::OpenCl, samples::exchange());
  EXPECT_TRUE(has(text,
                  "  __local float exchange_2[6][4][8];  "
                  "// values for neighbouring threads\n"));
  EXPECT_TRUE(has(text,
                  "    exchange_2[k][thread_y][thread_x] = row[k][4];\n"
                  "    exchange_2[k + 2][thread_y][thread_x] = row[k][1];\n"
                  "    exchange_2[k + 4][thread_y][thread_x] = row[k][2];\n"
                  "  }\n"
                  "  barrier(CLK_LOCAL_MEM_FENCE);\n"));
  EXPECT_TRUE(has(text, "= exchange_2[k][thread_y][thread_x + (thread_x >= 1 ? -1 : 0)];\n"));
  EXPECT_TRUE(
      has(text,
          "    row[k][6] = exchange_2[k + 4][thread_y][thread_x + (thread_x < 6 ? 2 : 0)];\n"
          "  }\n"
          "  barrier(CLK_LOCAL_MEM_FENCE);\n"));
  EXPECT_TRUE(lacks(text, "shfl"));
}

TEST(OpenCl, CopiesMoveSingleElements) {
  const std::string text = emit_for(Target::OpenCl, samples::exchange());
  EXPECT_TRUE(has(text, "row[k][e_2 + 1] = staged[k][thread_y][thread_x * 4 + e_2];\n"));
  EXPECT_TRUE(lacks(text, "float4"));
  EXPECT_TRUE(lacks(text, "async"));
  EXPECT_TRUE(lacks(text, "commit"));
}

TEST(OpenCl, EmitsKernelsAndDescribesThePlan) {
  const std::string text = emit_for(Target::OpenCl, samples::tiled());
  EXPECT_TRUE(has(text, "#pragma OPENCL FP_CONTRACT OFF\n"));
  EXPECT_TRUE(lacks(text, "cl_khr_fp64"));
  EXPECT_TRUE(lacks(text, "#include"));
  EXPECT_TRUE(has(text, "enum { tile = 64 };  // points that a block completes\n"));
  EXPECT_TRUE(has(text,
                  "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
                  "void mean_steps(__global const float* restrict A,"));
  EXPECT_TRUE(has(text, "  __local float values[padded];  // the tile\n"));
  EXPECT_TRUE(has(text, "  barrier(CLK_LOCAL_MEM_FENCE);\n"));
  EXPECT_TRUE(has(text, "  const long block = get_group_id(0);\n"));
  EXPECT_TRUE(has(text,
                  "// Run (rotate: slot k becomes slot k+1, the last becomes slot 0):\n"
                  "//   for (int64_t step = 0; step < steps; step += 2) {\n"
                  "//     int count = steps - step < 2 ? (int)(steps - step) : 2;\n"
                  "//     launch mean_steps(A[0], A[1], count), local size {64, 1, 1}, global size "
                  "{1024, 1, 1};\n"
                  "//     rotate A;\n"
                  "//   }\n"));
  const Expr x = kernel::variable("x", Scalar::F64);
  EXPECT_TRUE(has(emit_for(Target::OpenCl, samples::pointwise(Scalar::F64, Scalar::F64, x)),
                  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
}

TEST(Cpp, ThreadsBecomeLoops) {
  const std::string text = emit_for(Target::Cpp, samples::tiled());
  EXPECT_TRUE(has(text, "#pragma omp parallel for schedule(static)\n"));
  EXPECT_TRUE(has(text, "  for (int thread_x = 0; thread_x < 64; ++thread_x) {\n"));
  EXPECT_TRUE(has(text, "  float next[64][2];\n")) << "it lives across a barrier";
  EXPECT_TRUE(has(text, "values[i] = next[thread_x][e];\n"));
  EXPECT_TRUE(lacks(text, "barrier"));
}

// The OpenMP loop is in a separate function, because compilers do not
// clone functions that contain one.
TEST(Cpp, ABlockIsAFunctionWithClones) {
  const std::string text = emit_for(Target::Cpp, samples::tiled());
  EXPECT_TRUE(has(text, "STENCIL_CLONES\nstatic void mean_steps_block("));
  EXPECT_TRUE(has(text, "    mean_steps_block("));
  EXPECT_TRUE(has(text, "target_clones(\"avx512f\", \"fma\", \"default\")"));
  EXPECT_TRUE(has(text, "#warning"));
}

TEST(Cpp, ShufflesReadTheNeighboursElement) {
  const std::string text = emit_for(Target::Cpp, samples::exchange());
  EXPECT_TRUE(has(text, "  float row[4][8][2][7];\n"));
  EXPECT_TRUE(has(
      text, "row[thread_y][thread_x][k][0] = row[thread_y][thread_x + (thread_x >= 1 ? -1 : 0)]"));
  EXPECT_TRUE(lacks(text, "exchange_2"));
  EXPECT_TRUE(lacks(text, "async"));
}

// Code after a Bool with cases is compiled once per value if the language allows it.
TEST(Cases, AreConstantsInTheFollowingCode) {
  kernel::Module module = samples::heat();
  kernel::Body& body = module.kernels[0].body;
  const Expr block = kernel::convert(kernel::variable("block", Scalar::I64), Scalar::I32);
  body.insert(body.begin(),
              {kernel::Let{"first", kernel::operation(Op::Eq, {block, kernel::integer(0)}), true}});
  auto& point = std::get<kernel::If>(std::get<kernel::Threads>(body.back().kind).body.back().kind);
  point.condition =
      kernel::operation(Op::And, {point.condition, kernel::variable("first", Scalar::Bool)});
  for (Target target : {Target::Cuda, Target::Cpp}) {
    const std::string text = emit_for(target, module);
    EXPECT_TRUE(has(text,
                    "stencil_cases((int)block == 0, [&](auto stencil_first) "
                    "__attribute__((always_inline)) {\n"));
    EXPECT_TRUE(has(text, "constexpr bool first = decltype(stencil_first)::value;\n"));
    EXPECT_TRUE(has(text, "first) {\n"));
  }
  EXPECT_TRUE(has(emit_for(Target::OpenCl, module), "const bool first = (int)block == 0;\n"));
}

// The driver splits a run into tiles of the planned sizes.
TEST(Driver, TilesOfSeveralSizes) {
  const kernel::Module module = samples::tiles_of_sizes({4, 2, 1});
  for (Target target : {Target::Cuda, Target::Cpp}) {
    const std::string text = emit_for(target, module);
    EXPECT_TRUE(has(text, "for (int64_t step = 0; step < steps;) {\n"));
    EXPECT_TRUE(
        has(text, "const int count = steps - step >= 4 ? 4 : steps - step >= 2 ? 2 : 1;\n"));
    for (const char* line : {"if (count == 4) {\n", "if (count == 2) {\n", "if (count == 1) {\n",
                             "step += count;\n"}) {
      EXPECT_TRUE(has(text, line));
    }
  }
  const std::string words = emit_for(Target::OpenCl, module);
  for (const char* line :
       {"//   for (int64_t step = 0; step < steps;) {\n",
        "//     int count = steps - step >= 4 ? 4 : steps - step >= 2 ? 2 : 1;\n",
        "//     if (count == 2) launch advance_2(A[0], A[1], (int)step, count),",
        "//     step += count;\n", "omit launches of global size 0):\n"}) {
    EXPECT_TRUE(has(words, line));
  }
}

TEST(Cpp, AThreadBufferOfOneSectionIsLocal) {
  kernel::Module module = samples::tiled();
  auto& body = module.kernels[0].body;
  auto& loop = std::get<kernel::For>(body[3].kind);
  kernel::Body once = loop.body;
  body.erase(body.begin() + 3);
  body.insert(body.begin() + 3, once.begin(), once.end());
  const std::string text = emit_for(Target::Cpp, module);
  EXPECT_TRUE(has(text, "    float mean;\n"));
  EXPECT_TRUE(has(text, "mean = values[i - 1]"));
  EXPECT_TRUE(has(text, "next[thread_x][e]"));
}

TEST(Names, ReservedNamesAreChangedEverywhere) {
  kernel::Module module = samples::heat();
  module.plan.arrays[0].name = "float4";
  module.plan.parameters[2].name = "steps";
  module.kernels[0].buffers[0].name = "blockIdx";
  module.kernels[0].buffers[1].name = "sin";
  module.kernels[0].name = "main";
  const std::string cuda = emit_for(Target::Cuda, module);
  EXPECT_TRUE(has(cuda, "main_(const float* __restrict__ blockIdx_, float* __restrict__ sin_,"));
  EXPECT_TRUE(has(cuda, "sin_[y * M + x] = "));
  EXPECT_TRUE(has(cuda, "heat_run(float* float4_, int64_t steps_2, const heat_params* params)"));
  EXPECT_TRUE(has(emit_for(Target::Cpp, module), "heat_run(float* float4, int64_t steps_2,"));
}

TEST(Names, TakenNamesGetFurtherUnderscores) {
  kernel::Module module = samples::heat();
  module.kernels[0].buffers[0].name = "int";
  module.kernels[0].buffers[1].name = "int_";
  const std::string text = emit_for(Target::Cuda, module);
  EXPECT_TRUE(has(text, "const float* __restrict__ int__, float* __restrict__ int_,"));
}

// fresh() must terminate for prefixes that stay reserved whatever is appended.
TEST(Names, FreshNamesDropReservedPrefixes) {
  kernel::Module module = samples::heat();
  module.name = "stencil_x";
  module.plan.arrays[0].name = "_";
  module.kernels[0].buffers[0].name = "__a";
  Names names(module, cuda_dialect());
  std::set<std::string> given = {names.spell("stencil_x"), names.spell("_"), names.spell("__a")};
  EXPECT_EQ(given.size(), 3u);
  for (const char* base : {"stencil_x_run", "stencil_", "__a", "__", "_", "int", "steps", "_"}) {
    const std::string name = names.fresh(base);
    EXPECT_NE(name.rfind("__", 0), 0u) << name;
    EXPECT_NE(name.rfind("stencil_", 0), 0u) << name;
    EXPECT_TRUE(given.insert(name).second) << name << " twice";
    EXPECT_EQ(names.spell(name), name);
  }
  for (Target target : {Target::Cuda, Target::Hip, Target::OpenCl, Target::Cpp}) {
    EXPECT_FALSE(emit_for(target, module).empty());
    EXPECT_TRUE(lacks(emit_for(target, module), " __a,"));
  }
}

TEST(Literals, AreShortAndReadBack) {
  const Dialect& d = cuda_dialect();
  EXPECT_EQ(real_literal(0.1f, Scalar::F32, d), "0.1f");
  EXPECT_EQ(real_literal(1, Scalar::F32, d), "1.0f");
  EXPECT_EQ(real_literal(1, Scalar::F64, d), "1.0");
  EXPECT_EQ(real_literal(-0.0, Scalar::F64, d), "-0.0");
  EXPECT_EQ(real_literal(1e-30, Scalar::F64, d), "1e-30");
  EXPECT_EQ(real_literal(0.1, Scalar::F64, d), "0.1");
  EXPECT_EQ(real_literal(-INFINITY, Scalar::F32, d), "-__int_as_float(0x7f800000)");
  EXPECT_EQ(real_literal(INFINITY, Scalar::F32, opencl_dialect()), "INFINITY");
}

TEST(Literals, TheLeastIntegersAreDifferences) {
  const Expr least = kernel::integer(std::numeric_limits<int32_t>::min());
  EXPECT_TRUE(has(emit_for(Target::Cpp, samples::pointwise(Scalar::I32, Scalar::I32, least)),
                  "out[(int)block] = (-2147483647 - 1);"));
}

TEST(Parentheses, AreWrittenOnlyIfNeeded) {
  const Expr x = kernel::variable("x", Scalar::F32);
  const auto of = [](const Expr& value) {
    return emit_for(Target::Cpp, samples::pointwise(Scalar::F32, Scalar::F32, value));
  };
  using kernel::add, kernel::mul, kernel::sub, kernel::operation;
  EXPECT_TRUE(has(of(sub(sub(x, x), x)), "= x - x - x;"));
  EXPECT_TRUE(has(of(sub(x, sub(x, x))), "= x - (x - x);"));
  EXPECT_TRUE(has(of(mul(add(x, x), x)), "= (x + x) * x;"));
  EXPECT_TRUE(has(of(operation(Op::Neg, {operation(Op::Neg, {x})})), "= -(-x);"));
  EXPECT_TRUE(has(of(operation(Op::Neg, {mul(x, x)})), "= -(x * x);"));
  EXPECT_TRUE(has(of(operation(Op::Neg, {kernel::real(-0.75, Scalar::F32)})), "= -(-0.75f);"));
  const Expr a = kernel::less(x, kernel::real(1, Scalar::F32));
  const Expr b = kernel::less(kernel::real(0, Scalar::F32), x);
  const Expr c = operation(Op::Or, {operation(Op::And, {a, b}), b});
  const Expr one = kernel::real(1, Scalar::F32);
  EXPECT_TRUE(has(of(operation(Op::Select, {c, x, operation(Op::Select, {a, one, x})})),
                  "= (x < 1.0f && 0.0f < x) || 0.0f < x ? x : x < 1.0f ? 1.0f : x;"));
}

TEST(Layout, NoLineIsTooLong) {
  Expr sum = kernel::variable("x", Scalar::F32);
  for (int i = 1; i < 60; ++i) {
    sum = kernel::add(
        sum, kernel::mul(kernel::real(0.125 * i, Scalar::F32), kernel::variable("x", Scalar::F32)));
  }
  for (Target target : {Target::Cuda, Target::Hip, Target::OpenCl, Target::Cpp}) {
    for (const auto& module :
         {samples::heat(), samples::tiled(20000), samples::wave(), samples::exchange(),
          samples::tiles_of_sizes({4, 2, 1}), samples::pointwise(Scalar::F32, Scalar::F32, sum)}) {
      std::istringstream lines(emit_for(target, module));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), kColumns) << line;
        EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
        for (char c : line) EXPECT_TRUE(c >= ' ') << line;
      }
    }
  }
}

TEST(Layout, OutputIsDeterministic) {
  for (Target target : {Target::Cuda, Target::Hip, Target::OpenCl, Target::Cpp}) {
    EXPECT_EQ(emit_for(target, samples::wave()), emit_for(target, samples::wave()));
  }
}

TEST(Targets, AreFoundByTheirNames) {
  for (const TargetInfo& target : targets()) {
    EXPECT_EQ(&info(target.target), &target);
    EXPECT_EQ(target_called(target.name), &target);
    EXPECT_EQ(emit_header(samples::wave(), target.target).empty(), target.header_ending.empty());
  }
  EXPECT_EQ(target_called("fortran"), nullptr);
  EXPECT_EQ(targets().front().target, Options().target) << "the default";
}

TEST(Targets, GiveTheCompileLine) {
  EXPECT_EQ(compile_line(Target::Hip, FpMode::Strict, "x.hip", ""),
            "hipcc -O3 -std=c++17 --offload-arch=gfx90a -ffp-contract=off "
            "-fhip-fp32-correctly-rounded-divide-sqrt -c x.hip");
  EXPECT_EQ(compile_line(Target::Cuda, FpMode::Fast, "x.cu", "x"),
            "nvcc -O3 -std=c++17 -arch=sm_90 --use_fast_math -o x x.cu");
  EXPECT_EQ(compile_line(Target::OpenCl, FpMode::Contract, "x.cl", ""),
            "clBuildProgram with -cl-fp32-correctly-rounded-divide-sqrt");
}

TEST(Header, DeclaresTheEntryPoints) {
  const std::string text = emit_header(samples::wave(), Target::Cuda);
  EXPECT_TRUE(has(text, "#ifndef STENCIL_CUDA_wave_H\n"));
  EXPECT_TRUE(
      has(text, "typedef struct wave_params {\n  int N;  // must be given\n} wave_params;"));
  EXPECT_TRUE(has(text, "wave_params wave_default_params(void);"));
  EXPECT_TRUE(has(text, "const char* wave_derive_params(wave_params* params);"));
  EXPECT_TRUE(has(
      text, "const char* wave_init(float* U, float* U_1, float* c2, const wave_params* params);"));
  EXPECT_TRUE(has(text,
                  "const char* wave_run(float* U, float* U_1, const float* c2, int64_t steps,\n"
                  "    const wave_params* params);"));
  EXPECT_TRUE(has(text, "cudaStream_t stream);"));
  EXPECT_TRUE(has(text, "//   U_1[N], 1 step(s) back\n"));
  const std::string cpp = emit_header(samples::wave(), Target::Cpp);
  EXPECT_TRUE(lacks(cpp, "cuda"));
  EXPECT_TRUE(has(cpp, "#ifndef STENCIL_CPP_wave_H\n"));
  EXPECT_TRUE(has(cpp, "wave_run_packed(void** arrays, const void* const* parameters,"));
  const std::string hip = emit_header(samples::wave(), Target::Hip);
  EXPECT_TRUE(has(hip, "#ifndef STENCIL_HIP_wave_H\n"));
  EXPECT_TRUE(has(hip, "#include <hip/hip_runtime_api.h>\n"));
  EXPECT_TRUE(has(hip, "hipStream_t stream);"));
  EXPECT_TRUE(has(hip, "#ifdef STENCIL_CUDA_wave_H\n#error \"the .cu and the .hip of wave define"));
  EXPECT_TRUE(has(text, "#ifdef STENCIL_HIP_wave_H\n#error \"the .cu and the .hip of wave define"));
}

}  // namespace
}  // namespace stencil::emit
