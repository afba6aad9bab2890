// C++17 for the host, parallel over blocks with OpenMP if it is enabled. There are no implicit
// threads: legalization (legalise.h) turns Threads into loops, and gives per-thread buffers that
// outlive one Threads statement a place per thread. Barriers vanish, because each loop ends before
// the next begins.
//
// Code compiled in process (runtime/host) has no headers, so the text declares what it uses. The
// caller distributes work over threads: a kernel processes a range of blocks. Correctly rounded
// functions are builtins, which may become single instructions. The other functions are calls of
// the C library, as in the interpreter.
#include "compiler/emit/dialect.h"
#include "compiler/emit/reserved_names.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

namespace {

// C++ compilers let flags decide about contraction and value-changing optimisation, so the file
// sets or checks them.
constexpr const char* kExactArithmetic = R"(#if defined(__FAST_MATH__)
#error "-ffast-math would change the results of this file: compile it without this flag"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

)";

// Values may change, but NaN and infinities must behave as the language defines.
constexpr const char* kFastArithmetic = R"(#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "-ffinite-math-only (part of -ffast-math) makes NaN wrong: add -fno-finite-math-only"
#endif

)";

// One clone per kind of CPU, chosen at program start. All give the same bits, but without FMA
// instructions an fma is a call and 10 to 30 times slower.
constexpr const char* kClones = R"(#if !defined(STENCIL_CLONES)
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__FMA__) && \
    (defined(__clang_major__) ? __clang_major__ >= 14 : defined(__GNUC__) && __GNUC__ >= 6)
#define STENCIL_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define STENCIL_CLONES
$warning#endif
#endif

)";

constexpr const char* kFmaWarning =
    R"(#if !defined(__FMA__) && !defined(__ARM_FEATURE_FMA) && !defined(__FP_FAST_FMAF) && \
    !defined(__FP_FAST_FMA) && defined(__GNUC__)
#warning "without FMA instructions this file is 10 to 30 times slower: compile with -march=native"
#endif
)";

// On most CPUs an operation on subnormal numbers takes some hundred cycles, and a spreading wave is
// surrounded by a shell of them: an acoustic program ran at a quarter of its speed.
constexpr const char* kFlushSubnormals =
    R"(// During its lifetime, the thread treats subnormal numbers as zero.
struct stencil_flush_subnormals {
#if defined(__x86_64__)
  const unsigned before = __builtin_ia32_stmxcsr();
  stencil_flush_subnormals() { __builtin_ia32_ldmxcsr(before | 0x8040u); }
  ~stencil_flush_subnormals() { __builtin_ia32_ldmxcsr(before); }
#elif defined(__aarch64__)
  unsigned long before;
  stencil_flush_subnormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before));
    asm volatile("msr fpcr, %0" ::"r"(before | 1ul << 24));
  }
  ~stencil_flush_subnormals() { asm volatile("msr fpcr, %0" ::"r"(before)); }
#else
  ~stencil_flush_subnormals() {}
#endif
  stencil_flush_subnormals(const stencil_flush_subnormals&) = delete;
};)";

std::string cpp_file_head(const kernel::Module& module, bool) {
  return arithmetic_of_file(module.fp) +
         replaced(kClones, "$warning", module.fp == FpMode::Contract ? kFmaWarning : "");
}

Dialect make_cpp_dialect() {
  Dialect d;
  d.name = "C++";
  d.types = {"bool",    "int8_t",   "uint8_t",  "int16_t", "uint16_t", "int",
             "int64_t", "uint16_t", "uint16_t", "float",   "double"};
  d.wide_suffix = "LL";
  d.function = "static inline ";
  d.constant[0] = d.constant[1] = "constexpr {} {} = {};";
  d.restrict_keyword = "__restrict";
  d.implicit_threads = false;
  d.static_cases = true;
  d.flush_subnormals = "const stencil_flush_subnormals stencil_flush;";
  d.helpers = {{"flush_subnormals", {}, kFlushSubnormals}};
  d.file_head = cpp_file_head;
  d.infinity[0] = "HUGE_VALF";
  d.infinity[1] = "HUGE_VAL";
  d.nan[0] = "NAN";
  d.nan[1] = "(double)NAN";
  d.intrinsics = {
      {Op::Fma, "", "", "fmaf", "fma"},       {Op::Abs, "", "", "fabsf", "fabs"},
      {Op::Sqrt, "", "", "sqrtf", "sqrt"},    {Op::Floor, "", "", "floorf", "floor"},
      {Op::Ceil, "", "", "ceilf", "ceil"},    {Op::Round, "", "", "roundf", "round"},
      {Op::Trunc, "", "", "truncf", "trunc"}, {Op::Mod, "", "", "fmodf", "fmod"},
#define STENCIL_FUNCTION(op, name, operands) {Op::op, "", "", #name "f", #name},
#include "compiler/support/functions.def"
  };
  d.declared = {kCppNames};
  return d;
}

constexpr std::string_view kPrelude = R"(typedef signed long int64_t;
typedef unsigned int uint32_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
#define memcpy __builtin_memcpy
extern "C" {
float fmodf(float, float);
double fmod(double, double);
)"
#define STENCIL_OPERANDS_1(type) #type
#define STENCIL_OPERANDS_2(type) #type ", " #type
#define STENCIL_FUNCTION(op, name, operands) \
  "float " #name "f(" STENCIL_OPERANDS_##operands(float) ");\n"          \
  "double " #name "(" STENCIL_OPERANDS_##operands(double) ");\n"
#include "compiler/support/functions.def"
#undef STENCIL_OPERANDS_1
#undef STENCIL_OPERANDS_2
                                      R"(}

)";

Dialect make_jit_dialect() {
  Dialect d = make_cpp_dialect();
  d.block_ranges = true;
  d.file_head = nullptr;
  d.prelude = kPrelude;
  d.short_loop = "#pragma clang loop vectorize(disable) unroll(disable)";
  d.infinity[0] = "__builtin_huge_valf()";
  d.infinity[1] = "__builtin_huge_val()";
  d.nan[0] = "__builtin_nanf(\"\")";
  d.nan[1] = "__builtin_nan(\"\")";
  for (Intrinsic& intrinsic : d.intrinsics) {
    switch (intrinsic.op) {
      case Op::Fma:
        intrinsic = {Op::Fma, "", "", "__builtin_fmaf", "__builtin_fma"};
        break;
      case Op::Abs:
        intrinsic = {Op::Abs, "", "", "__builtin_fabsf", "__builtin_fabs"};
        break;
      case Op::Sqrt:
        intrinsic = {Op::Sqrt, "", "", "__builtin_sqrtf", "__builtin_sqrt"};
        break;
      case Op::Floor:
        intrinsic = {Op::Floor, "", "", "__builtin_floorf", "__builtin_floor"};
        break;
      case Op::Ceil:
        intrinsic = {Op::Ceil, "", "", "__builtin_ceilf", "__builtin_ceil"};
        break;
      case Op::Trunc:
        intrinsic = {Op::Trunc, "", "", "__builtin_truncf", "__builtin_trunc"};
        break;
      case Op::Round:
        intrinsic = {Op::Round, "", "", "__builtin_roundf", "__builtin_round"};
        break;
      default:
        break;
    }
  }
  return d;
}

}  // namespace

std::string arithmetic_of_file(FpMode fp) {
  return fp == FpMode::Fast ? kFastArithmetic : kExactArithmetic;
}

const Dialect& cpp_dialect() {
  static const Dialect dialect = make_cpp_dialect();
  return dialect;
}

const Dialect& cpp_jit_dialect() {
  static const Dialect dialect = make_jit_dialect();
  return dialect;
}

}  // namespace stencil::emit
