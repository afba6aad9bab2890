// C++17 for the host, parallel over blocks with OpenMP where it is on. There are no implicit
// threads: the writer turns Threads into loops, after legalisation (legalise.h) has given the
// per-thread buffers that outlive one of them a place per thread. Barriers vanish, because the
// loops end there.
#include "compiler/emit/dialect.h"

namespace stencil::emit {

namespace {

Dialect make_dialect() {
  Dialect d;
  d.name = "C++";
  d.types = {"bool", "int", "int64_t", "uint16_t", "uint16_t", "float", "double"};
  d.wide_suffix = "LL";
  d.function = "static inline ";
  d.restrict_keyword = "__restrict";
  d.implicit_threads = false;
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
  d.reserved = {"blocks"};
  return d;
}

}  // namespace

const Dialect& cpp_dialect() {
  static const Dialect dialect = make_dialect();
  return dialect;
}

}  // namespace stencil::emit
