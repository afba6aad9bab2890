// CUDA C++, for nvcc and for NVRTC (which has no standard headers).
//
// nvcc fuses a*b + c by default. Where this would change bits, products are written as __fmul_rn
// and __dmul_rn, which nvcc never fuses, so the emitted file is correct for any -fmad. Square roots
// and divisions are correctly rounded by default. Halves are stored as 16 bits and converted with
// one instruction. bfloats are converted by bit arithmetic, which works on every architecture.
#include <fmt/format.h>

#include "compiler/emit/dialect.h"
#include "compiler/emit/reserved_names.h"

namespace stencil::emit {

namespace {

KernelHead cuda_head(const kernel::Kernel& kernel, bool exported) {
  const auto [x, y, z] = kernel::hardware_threads(kernel);
  const int threads = x * y * z;
  std::string bounds = std::to_string(threads);
  std::string_view helper;
  if (kernel.min_blocks > 0) {
    // If every multiprocessor can hold these blocks, no architecture test is needed.
    const bool anywhere = threads * kernel.min_blocks <= 1024 && kernel.min_blocks <= 16;
    if (!anywhere) helper = "resident";
    bounds += fmt::format(fmt::runtime(anywhere ? ", {}" : ", STENCIL_RESIDENT({}, {})"),
                          kernel.min_blocks, threads);
  }
  return {fmt::format("{} __global__ void __launch_bounds__({})",
                      exported ? "extern \"C\"" : "static", bounds),
          "", helper};
}

constexpr const char* kDescribe =
    R"text(// Describes an array of 2 or 3 dimensions to the hardware that copies its boxes.
template <typename T, int rank>
static const char* stencil_describe(stencil_tensor_map* map, const char* array, const T* memory,
                                    const int64_t (&extents)[rank], const int (&box)[rank]) {
  typedef int (*encode_function)(stencil_tensor_map*, int, unsigned, const void*, const uint64_t*,
                                 const uint64_t*, const unsigned*, const unsigned*, int, int, int,
                                 int);  // cuTensorMapEncodeTiled of the driver
  static thread_local void* encode = NULL;
  static thread_local char text[512];
  if (!encode) {
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t status = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
#else
    const cudaError_t status =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &found);
#endif
    if (status != cudaSuccess) return stencil_try("finding cuTensorMapEncodeTiled", status);
    if (found != cudaDriverEntryPointSuccess || !encode) {
      encode = NULL;
      return "the driver has no cuTensorMapEncodeTiled; loads=bulk needs CUDA 12.0 or later";
    }
  }
  if ((uintptr_t)memory % 16 != 0) {
    snprintf(text, sizeof text,
             "array %.64s does not start at a multiple of 16 bytes, as loads=bulk requires", array);
    return text;
  }
  // Innermost dimension first. Values move as bits: unsigned integers of 1, 2, 4 or 8 bytes.
  const int types[] = {0, 0, 1, 0, 2, 0, 0, 0, 4};
  const unsigned steps[] = {1, 1, 1};
  uint64_t sizes[rank], strides[rank];
  unsigned boxes[rank];
  uint64_t stride = sizeof(T);
  for (int d = 0; d < rank; ++d) {
    sizes[d] = (uint64_t)extents[rank - 1 - d];
    boxes[d] = (unsigned)box[rank - 1 - d];
    stride *= sizes[d];
    strides[d] = stride;  // between neighbours in dimension d + 1
  }
  const int status = ((encode_function)encode)(map, types[sizeof(T)], (unsigned)rank, memory, sizes,
                                               strides, boxes, steps, 0, 0, 2, 0);
  if (status == 0) return NULL;
  snprintf(text, sizeof text,
           "describing array %.64s for bulk copies: cuTensorMapEncodeTiled returned %d", array,
           status);
  return text;
}

)text";

Dialect make_cuda_dialect(std::string_view wide) {
  Dialect d;
  d.name = "CUDA";
  d.types = {"bool", "signed char",    "unsigned char",  "short", "unsigned short", "int",
             wide,   "unsigned short", "unsigned short", "float", "double"};
  d.wide_suffix = "LL";
  d.function = "static __device__ __forceinline__ ";
  d.both_function = "static __host__ __device__ __forceinline__ ";
  d.constant[0] = d.constant[1] = "constexpr {} {} = {};";
  d.kernel_head = cuda_head;
  d.restrict_keyword = "__restrict__";
  d.global_pointer = "";
  d.shared_array = "__shared__ __align__({}) ";  // vectors and boxes need alignment
  d.static_shared_bytes = 48 << 10;
  d.dynamic_shared = "extern __shared__ __align__({}) unsigned char shared_memory[];";
  d.barrier = d.memory_barrier = "__syncthreads();";
  d.unroll = "#pragma unroll";
  d.rolled = "#pragma unroll 1";
  d.static_steps = true;
  d.static_cases = true;
  d.block_index = "blockIdx.x";
  d.thread_index = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
  d.shuffle[0] = "__shfl_up_sync(0xffffffffu, ";
  d.shuffle[1] = "__shfl_down_sync(0xffffffffu, ";
  d.vectors[0] = {"uchar2",    "char2",   "uchar2",  "short2", "ushort2", "int2",
                  "longlong2", "ushort2", "ushort2", "float2", "double2"};
  d.vectors[1] = {"uchar4", "char4",   "uchar4",  "short4", "ushort4", "int4",
                  "",       "ushort4", "ushort4", "float4", ""};
  d.async_copies = true;
  d.tensor_map = "const __grid_constant__ stencil_tensor_map";
  d.bulk_words = "__shared__ unsigned long long {}[{}];";
  d.describe_boxes = kDescribe;
  d.infinity[0] = "__int_as_float(0x7f800000)";
  d.infinity[1] = "__longlong_as_double(0x7ff0000000000000LL)";
  d.nan[0] = "__int_as_float(0x7fc00000)";
  d.nan[1] = "__longlong_as_double(0x7ff8000000000000LL)";
  d.product[0] = "__fmul_rn";
  d.product[1] = "__dmul_rn";
  d.multiplies_divisions = true;
  d.runtime = "cuda";
  d.runtime_header = "cuda_runtime.h";
  d.runtime_api_header = "cuda_runtime_api.h";
  // min and max are not used for 64-bit integers: under nvcc int64_t is long, but the literals
  // (suffix LL) are long long, so a call with both would be ambiguous.
  d.intrinsics = {
      {Op::Fma, "", "", "fmaf", "fma"},       {Op::Min, "min", "", "", ""},
      {Op::Max, "max", "", "", ""},           {Op::Abs, "", "", "fabsf", "fabs"},
      {Op::Sqrt, "", "", "sqrtf", "sqrt"},    {Op::Floor, "", "", "floorf", "floor"},
      {Op::Ceil, "", "", "ceilf", "ceil"},    {Op::Round, "", "", "roundf", "round"},
      {Op::Trunc, "", "", "truncf", "trunc"}, {Op::Mod, "", "", "fmodf", "fmod"},
#define STENCIL_FUNCTION(op, name, operands) {Op::op, "", "", #name "f", #name},
#include "compiler/support/functions.def"
  };
  d.fast_intrinsics = {{Op::Rsqrt, "", "", "rsqrtf", "rsqrt"}};
  d.helpers = gpu_helpers();
  d.helpers.insert(
      d.helpers.end(),
      {
          {"float_bits",
           {},
           "$fnunsigned stencil_float_bits(float x) { return __float_as_uint(x); }"},
          {"bits_float",
           {},
           "$fnfloat stencil_bits_float(unsigned x) { return __uint_as_float(x); }"},
          {"copy_async_4",
           {},
           "$fnvoid stencil_copy_async_4(void* to, const void* from) {\n"
           "#if __CUDA_ARCH__ >= 800\n"
           "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\"\n"
           "               ::\"r\"((unsigned)__cvta_generic_to_shared(to)),\n"
           "               \"l\"(__cvta_generic_to_global(from)) : \"memory\");\n"
           "#else\n"
           "  *(int*)to = *(const int*)from;\n"
           "#endif\n"
           "}"},
          {"copy_async_8",
           {},
           "$fnvoid stencil_copy_async_8(void* to, const void* from) {\n"
           "#if __CUDA_ARCH__ >= 800\n"
           "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 8;\"\n"
           "               ::\"r\"((unsigned)__cvta_generic_to_shared(to)),\n"
           "               \"l\"(__cvta_generic_to_global(from)) : \"memory\");\n"
           "#else\n"
           "  *(int2*)to = *(const int2*)from;\n"
           "#endif\n"
           "}"},
          {"copy_async_16",
           {},
           "$fnvoid stencil_copy_async_16(void* to, const void* from) {\n"
           "#if __CUDA_ARCH__ >= 800\n"
           "  asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\"\n"
           "               ::\"r\"((unsigned)__cvta_generic_to_shared(to)),\n"
           "               \"l\"(__cvta_generic_to_global(from)) : \"memory\");\n"
           "#else\n"
           "  *(int4*)to = *(const int4*)from;\n"
           "#endif\n"
           "}"},
          {"commit_copies",
           {},
           "$fnvoid stencil_commit_copies() {\n"
           "#if __CUDA_ARCH__ >= 800\n"
           "  asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"
           "#endif\n"
           "}"},
          {"await_copies",
           {},
           "template <int pending>\n"
           "$fnvoid stencil_await_copies() {\n"
           "#if __CUDA_ARCH__ >= 800\n"
           "  asm volatile(\"cp.async.wait_group %0;\" ::\"n\"(pending) : \"memory\");\n"
           "#endif\n"
           "}"},
          {"resident",
           {},
           "// Blocks per multiprocessor: as requested, or as many as fit.\n"
           "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750\n"
           "#define STENCIL_RESIDENT(blocks, threads) \\\n"
           "  ((blocks) * (threads) > 1024 ? 1024 / (threads) : (blocks) > 16 ? 16 : (blocks))\n"
           "#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ / 10 % 10 >= 6 || __CUDA_ARCH__ >= "
           "1100)\n"
           "#define STENCIL_RESIDENT(blocks, threads) \\\n"
           "  ((blocks) * (threads) > 1536 ? 1536 / (threads) : (blocks) > 16 ? 16 : (blocks))\n"
           "#else\n"
           "#define STENCIL_RESIDENT(blocks, threads) (blocks)\n"
           "#endif"},
          {"tensor_map",
           {},
           "// A CUtensorMap (cuda.h).\n"
           "struct __align__(64) stencil_tensor_map {\n"
           "  unsigned long long opaque[16];\n"
           "};\n"
           "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900\n"
           "#error \"loads=bulk needs compute capability 9.0: compile with -arch=sm_90 or later, "
           "or use loads=async\"\n"
           "#endif"},
          {"bulk_begin",
           {},
           "// Initialises the words that track the arrival of batches; called by one thread.\n"
           "$fnvoid stencil_bulk_begin(unsigned long long* arrived, int words) {\n"
           "  for (int word = 0; word < words; ++word) {\n"
           "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\"\n"
           "                 ::\"r\"((unsigned)__cvta_generic_to_shared(arrived + word)) : "
           "\"memory\");\n"
           "  }\n"
           "  asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");\n"
           "  asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n"
           "}"},
          {"bulk_expect",
           {},
           "$fnvoid stencil_bulk_expect(unsigned long long* arrived, int bytes) {\n"
           "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\"\n"
           "               ::\"r\"((unsigned)__cvta_generic_to_shared(arrived)), \"r\"(bytes) : "
           "\"memory\");\n"
           "}"},
          {"bulk_await",
           {},
           "// A batch in the ring is one phase of its word: waits for the end of the phase of "
           "this parity.\n"
           "$fnvoid stencil_bulk_await(unsigned long long* arrived, int parity) {\n"
           "  unsigned done = 0;\n"
           "  while (!done) {\n"
           "    asm volatile(\"{\\n\"\n"
           "                 \".reg .pred done;\\n\"\n"
           "                 \"mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\\n\"\n"
           "                 \"selp.u32 %0, 1, 0, done;\\n\"\n"
           "                 \"}\"\n"
           "                 : \"=r\"(done)\n"
           "                 : \"r\"((unsigned)__cvta_generic_to_shared(arrived)), \"r\"(parity)\n"
           "                 : \"memory\");\n"
           "  }\n"
           "}"},
          {"bulk_copy_2",
           {"tensor_map"},
           "$fnvoid stencil_bulk_copy_2(\n"
           "    void* to, const stencil_tensor_map& from, int y, int x, unsigned long long* "
           "arrived) "
           "{\n"
           "  asm volatile(\n"
           "      \"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes\"\n"
           "      \" [%0], [%1, {%3, %4}], [%2];\"\n"
           "      ::\"r\"((unsigned)__cvta_generic_to_shared(to)), \"l\"(&from),\n"
           "        \"r\"((unsigned)__cvta_generic_to_shared(arrived)), \"r\"(x), \"r\"(y) : "
           "\"memory\");\n"
           "}"},
          {"bulk_copy_3",
           {"tensor_map"},
           "$fnvoid stencil_bulk_copy_3(\n"
           "    void* to, const stencil_tensor_map& from, int z, int y, int x, unsigned long long* "
           "arrived) {\n"
           "  asm volatile(\n"
           "      \"cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes\"\n"
           "      \" [%0], [%1, {%3, %4, %5}], [%2];\"\n"
           "      ::\"r\"((unsigned)__cvta_generic_to_shared(to)), \"l\"(&from),\n"
           "        \"r\"((unsigned)__cvta_generic_to_shared(arrived)), \"r\"(x), \"r\"(y), "
           "\"r\"(z) : \"memory\");\n"
           "}"},
          {"half_to_float",
           {},
           "$fnfloat stencil_half_to_float($half bits) {\n"
           "  float value;\n"
           "  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(value) : \"h\"(bits));\n"
           "  return value;\n"
           "}"},
          {"float_to_half",
           {},
           "$fn$half stencil_float_to_half(float value) {\n"
           "  $half bits;\n"
           "  asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(value));\n"
           "  return bits;\n"
           "}"},
          {"double_to_half",
           {},
           "$fn$half stencil_double_to_half(double value) {\n"
           "  $half bits;\n"
           "  asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(bits) : \"d\"(value));\n"
           "  return bits;\n"
           "}"},
      });
  d.declared = {kCppNames, kCudaNames};
  d.reserved = {"blockIdx",      "blockDim", "threadIdx", "gridDim", "warpSize",
                "shared_memory", "half",     "half2",     "texture", "surface"};
  for (char c = 'A'; c <= 'Z'; ++c) d.reserved_prefixes.push_back(std::string("cuda") + c);
  return d;
}

}  // namespace

std::vector<Helper> gpu_helpers() {
  return {
      {"steps",
       {},
       "template <int n>\n"
       "struct stencil_number { static constexpr int value = n; };\n"
       "\n"
       "// The body for first, first + 1, ... last - 1, unrolled before any optimisation.\n"
       "template <int first, int last, class Body>\n"
       "$fnvoid stencil_steps(const Body& body) {\n"
       "  if constexpr (first < last) {\n"
       "    body(stencil_number<first>());\n"
       "    stencil_steps<first + 1, last>(body);\n"
       "  }\n"
       "}"},
      {"load_2",
       {},
       "// Moves contiguous values in one access; a thread's own values may be in registers.\n"
       "template <class Vector, class T>\n"
       "$fnvoid stencil_load_2(T* own, const T* memory) {\n"
       "  const Vector packed = *reinterpret_cast<const Vector*>(memory);\n"
       "  own[0] = packed.x, own[1] = packed.y;\n"
       "}"},
      {"load_4",
       {},
       "// Moves contiguous values in one access; a thread's own values may be in registers.\n"
       "template <class Vector, class T>\n"
       "$fnvoid stencil_load_4(T* own, const T* memory) {\n"
       "  const Vector packed = *reinterpret_cast<const Vector*>(memory);\n"
       "  own[0] = packed.x, own[1] = packed.y, own[2] = packed.z, own[3] = packed.w;\n"
       "}"},
      {"store_2",
       {},
       "template <class Vector, class T>\n"
       "$fnvoid stencil_store_2(T* memory, const T* own) {\n"
       "  *reinterpret_cast<Vector*>(memory) = Vector{own[0], own[1]};\n"
       "}"},
      {"store_4",
       {},
       "template <class Vector, class T>\n"
       "$fnvoid stencil_store_4(T* memory, const T* own) {\n"
       "  *reinterpret_cast<Vector*>(memory) = Vector{own[0], own[1], own[2], own[3]};\n"
       "}"},
  };
}

const Dialect& cuda_dialect() {
  static const Dialect dialect = make_cuda_dialect("int64_t");
  return dialect;
}

const Dialect& cuda_jit_dialect() {
  static const Dialect dialect = make_cuda_dialect("long long");
  return dialect;
}

}  // namespace stencil::emit
