// HIP C++, for AMD GPUs: the CUDA language as Clang compiles it, with the CUDA runtime under other
// names.
//
// Clang fuses a*b + c here by default but obeys pragmas, so a pragma forbids it and products are
// plain. Halves are _Float16, which converts in one instruction.
//
// A wavefront has 64 lanes (GCN, CDNA) or 32 (RDNA). Threads of a block are numbered x first, and
// the length of a row is a power of two of at most 32 threads. Each row therefore lies within one
// wavefront and starts at a multiple of its length, so shuffles with this width never leave the
// row.
//
// There are no async copies and no bulk copies. Shared memory is LDS, at most 64 KiB per block
// (schedule/machine.cpp), and static arrays may use all of it. The second argument of
// __launch_bounds__ counts wavefronts per SIMD and not blocks, so the blocks per multiprocessor of
// a schedule are not passed.
#include <fmt/format.h>

#include "compiler/emit/dialect.h"
#include "compiler/emit/reserved_names.h"

namespace stencil::emit {

namespace {

KernelHead hip_head(const kernel::Kernel& kernel, bool exported) {
  const auto [x, y, z] = kernel::hardware_threads(kernel);
  return {fmt::format("{} __global__ void __launch_bounds__({})",
                      exported ? "extern \"C\"" : "static", x * y * z),
          "", ""};
}

Dialect make_hip_dialect() {
  Dialect d = cuda_dialect();
  d.name = "HIP";
  d.kernel_head = hip_head;
  d.static_shared_bytes = Dialect().static_shared_bytes;
  d.dynamic_shared = "";
  d.shuffle[0] = "__shfl_up(";
  d.shuffle[1] = "__shfl_down(";
  d.async_copies = false;
  d.tensor_map = d.bulk_words = d.describe_boxes = "";
  d.infinity[0] = "__builtin_huge_valf()";
  d.infinity[1] = "__builtin_huge_val()";
  d.nan[0] = "__builtin_nanf(\"\")";
  d.nan[1] = "__builtin_nan(\"\")";
  d.product[0] = d.product[1] = "";
  d.file_head = [](const kernel::Module& module, bool) { return arithmetic_of_file(module.fp); };
  d.runtime = "hip";
  d.runtime_header = "hip/hip_runtime.h";
  d.runtime_api_header = "hip/hip_runtime_api.h";
  d.ignored = "(void)";  // hipError_t is [[nodiscard]]
  d.helpers = gpu_helpers();
  d.helpers.insert(
      d.helpers.end(),
      {{"float_bits", {}, "$fnunsigned stencil_float_bits(float x) { return __float_as_uint(x); }"},
       {"bits_float", {}, "$fnfloat stencil_bits_float(unsigned x) { return __uint_as_float(x); }"},
       {"half_to_float",
        {},
        "$fnfloat stencil_half_to_float($half bits) {\n"
        "  return (float)__builtin_bit_cast(_Float16, bits);\n"
        "}"},
       {"float_to_half",
        {},
        "$fn$half stencil_float_to_half(float value) {\n"
        "  return __builtin_bit_cast($half, (_Float16)value);\n"
        "}"},
       {"double_to_half",
        {},
        "$fn$half stencil_double_to_half(double value) {\n"
        "  return __builtin_bit_cast($half, (_Float16)value);\n"
        "}"}});
  d.declared = {kCppNames, kHipNames};
  d.reserved = {"blockIdx", "blockDim", "threadIdx", "gridDim", "warpSize",
                "half",     "half2",    "texture",   "surface"};
  d.reserved_prefixes.clear();
  for (char c = 'A'; c <= 'Z'; ++c) d.reserved_prefixes.push_back(std::string("hip") + c);
  return d;
}

}  // namespace

const Dialect& hip_dialect() {
  static const Dialect dialect = make_hip_dialect();
  return dialect;
}

}  // namespace stencil::emit
