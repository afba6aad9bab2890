// OpenCL C 1.2. The standard pragma forbids contraction, so plain operators are exact. Single
// precision division and square root are correctly rounded only with
// -cl-fp32-correctly-rounded-divide-sqrt (required_flags). Arithmetic on half is an extension, but
// vload_half and vstore_half are not: halves are stored as 16 bits and converted with these.
//
// On a CPU behind OpenCL, a block is a work-item that loops over its threads, as in C++. Such a
// kernel has no barriers, at which CPU implementations would split their loops over work-items, and
// the compiler vectorises rows. Shared buffers are local memory there too, which the device sizes
// and places.
#include <fmt/format.h>

#include "compiler/emit/dialect.h"
#include "compiler/emit/reserved_names.h"

namespace stencil::emit {

namespace {

KernelHead opencl_head(const kernel::Kernel& kernel, bool) {
  const auto [x, y, z] =
      kernel.thread_loops ? std::array<int, 3>{1, 1, 1} : kernel::hardware_threads(kernel);
  return {fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {})))", x, y, z),
          "void ", ""};
}

std::string opencl_pragmas(const kernel::Module& module, bool doubles) {
  std::string text;
  if (module.fp != FpMode::Fast) text += "#pragma OPENCL FP_CONTRACT OFF\n";
  if (doubles) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  return text.empty() ? "" : text + "\n";
}

Dialect make_opencl_dialect() {
  Dialect d;
  d.name = "OpenCL";
  d.types = {"bool", "char",   "uchar",  "short", "ushort", "int",
             "long", "ushort", "ushort", "float", "double"};
  d.wide_suffix = "L";
  d.function = "static inline ";
  d.constant[0] = "enum {{ {1} = {2} }};";
  d.constant[1] = "__constant {} {} = {};";
  d.kernel_head = opencl_head;
  d.restrict_keyword = "restrict";
  d.global_pointer = "__global ";
  d.shared_array = "__local ";
  d.barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
  d.memory_barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
  d.zeros = " = {0}";
  d.unroll = "#pragma unroll";
  d.block_index = "get_group_id(0)";
  d.thread_index = {"get_local_id(0)", "get_local_id(1)", "get_local_id(2)"};
  d.infinity[0] = "INFINITY";
  d.infinity[1] = "(double)INFINITY";
  d.nan[0] = "NAN";
  d.nan[1] = "(double)NAN";
  d.multiplies_divisions = true;
  d.file_head = opencl_pragmas;
  d.intrinsics = {
      {Op::Fma, "", "", "fma", "fma"},       {Op::Min, "min", "min", "", ""},
      {Op::Max, "max", "max", "", ""},       {Op::Abs, "", "", "fabs", "fabs"},
      {Op::Sqrt, "", "", "sqrt", "sqrt"},    {Op::Floor, "", "", "floor", "floor"},
      {Op::Ceil, "", "", "ceil", "ceil"},    {Op::Round, "", "", "round", "round"},
      {Op::Trunc, "", "", "trunc", "trunc"}, {Op::Mod, "", "", "fmod", "fmod"},
#define STENCIL_FUNCTION(op, name, operands) {Op::op, "", "", #name, #name},
#include "compiler/support/functions.def"
  };
  d.duplicates_after_barriers = true;
  d.fast_intrinsics = {{Op::Rsqrt, "", "", "rsqrt", "rsqrt"}};
  d.helpers = {
      {"float_bits", {}, "$fnuint stencil_float_bits(float x) { return as_uint(x); }"},
      {"bits_float", {}, "$fnfloat stencil_bits_float(uint x) { return as_float(x); }"},
      {"half_to_float",
       {},
       "$fnfloat stencil_half_to_float($half bits) {\n"
       "  return vload_half(0, (const half*)&bits);\n"
       "}"},
      {"float_to_half",
       {},
       "$fn$half stencil_float_to_half(float value) {\n"
       "  $half bits;\n"
       "  vstore_half_rte(value, 0, (half*)&bits);\n"
       "  return bits;\n"
       "}"},
      {"double_to_half",
       {},
       "$fn$half stencil_double_to_half(double value) {\n"
       "  $half bits;\n"
       "  vstore_half_rte(value, 0, (half*)&bits);\n"
       "  return bits;\n"
       "}"},
  };
  d.declared = {kOpenClNames};
  d.reserved = {"kernel",    "global",     "local",     "constant", "private", "generic",
                "uniform",   "pipe",       "quad",      "complex",  "half",    "half2",
                "image1d_t", "image2d_t",  "image3d_t", "event_t",  "queue_t", "sampler_t",
                "read_only", "write_only", "read_write"};
  d.reserved_prefixes = {"as_",      "async_", "atom",        "cl_",        "convert_",
                         "CLK_",     "get_",   "half_",       "image1d_",   "image2d_",
                         "image3d_", "intel_", "native_",     "read_image", "sub_group_",
                         "vload",    "vstore", "work_group_", "write_image"};
  return d;
}

Dialect make_loops_dialect() {
  Dialect d = make_opencl_dialect();
  d.implicit_threads = false;
  d.unroll = "";
  d.short_loop = "#pragma clang loop vectorize(disable) unroll(disable)";  // CPU drivers use Clang
  d.multiplies_divisions = false;                                          // CPUs divide vectors
  return d;
}

}  // namespace

const Dialect& opencl_dialect() {
  static const Dialect dialect = make_opencl_dialect();
  return dialect;
}

const Dialect& opencl_loops_dialect() {
  static const Dialect dialect = make_loops_dialect();
  return dialect;
}

}  // namespace stencil::emit
