// C++17 for the host, parallel over blocks with OpenMP where it is on. There are no implicit
// threads: legalisation (legalise.h) turns Threads into loops, and gives the per-thread buffers that
// outlive one of them a place per thread. Barriers vanish, because the loops end there.
//
// Compiled in process (runtime/host) there are no headers, so the text declares what it uses, and
// threads are not the language's business: a kernel does a range of blocks. What a processor rounds
// correctly is asked for as a builtin, which may become one instruction; the other functions are
// calls of the C library, as in the interpreter.
#include "compiler/emit/dialect.h"
#include "compiler/emit/reserved_names.h"

namespace stencil::emit {

namespace {

Dialect make_cpp_dialect() {
  Dialect d;
  d.name = "C++";
  d.types = {"bool", "int", "int64_t", "uint16_t", "uint16_t", "float", "double"};
  d.wide_suffix = "LL";
  d.function = "static inline ";
  d.restrict_keyword = "__restrict";
  d.implicit_threads = false;
  d.static_cases = true;
  d.infinity[0] = "HUGE_VALF";
  d.infinity[1] = "HUGE_VAL";
  d.nan[0] = "NAN";
  d.nan[1] = "(double)NAN";
  d.intrinsics = {
      {Op::Fma, "", "", "fmaf", "fma"},       {Op::Abs, "", "", "fabsf", "fabs"},
      {Op::Sqrt, "", "", "sqrtf", "sqrt"},    {Op::Exp, "", "", "expf", "exp"},
      {Op::Log, "", "", "logf", "log"},       {Op::Pow, "", "", "powf", "pow"},
      {Op::Sin, "", "", "sinf", "sin"},       {Op::Cos, "", "", "cosf", "cos"},
      {Op::Tan, "", "", "tanf", "tan"},       {Op::Tanh, "", "", "tanhf", "tanh"},
      {Op::Floor, "", "", "floorf", "floor"}, {Op::Ceil, "", "", "ceilf", "ceil"},
      {Op::Mod, "", "", "fmodf", "fmod"},
  };
  d.declared = {kCppNames};
  return d;
}

constexpr std::string_view kPrelude = R"(typedef signed long int64_t;
typedef unsigned int uint32_t;
typedef unsigned short uint16_t;
#define memcpy __builtin_memcpy
extern "C" {
float expf(float);
float logf(float);
float powf(float, float);
float sinf(float);
float cosf(float);
float tanf(float);
float tanhf(float);
float fmodf(float, float);
double exp(double);
double log(double);
double pow(double, double);
double sin(double);
double cos(double);
double tan(double);
double tanh(double);
double fmod(double, double);
}

)";

Dialect make_jit_dialect() {
  Dialect d = make_cpp_dialect();
  d.block_ranges = true;
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
      default:
        break;
    }
  }
  return d;
}

}  // namespace

const Dialect& cpp_dialect() {
  static const Dialect dialect = make_cpp_dialect();
  return dialect;
}

const Dialect& cpp_jit_dialect() {
  static const Dialect dialect = make_jit_dialect();
  return dialect;
}

}  // namespace stencil::emit
