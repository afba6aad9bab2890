// One loop over threads per operator, so that compilers vectorise it.
#include "compiler/kernel/trace_values.h"

#include "compiler/support/evaluate.h"

namespace stencil::kernel::tracing {

namespace {

template <Op op>
[[gnu::flatten]] void apply_integer(Scalar type, const Value& a, const Value& b, int threads,
                                    Value& out) {
  const int bits = type == Scalar::I64 ? 64 : 32;
  const auto result = [bits, narrow = op == Op::Shl && type == Scalar::I32](int64_t x, int64_t y) {
    const int64_t value = evaluate_integer(op, x, y, bits).value;
    return narrow ? static_cast<int32_t>(value) : value;
  };
  if (a.uniform && b.uniform) return out.set(result(a.one, b.one));
  int64_t* const to = out.vary(threads);
  const int64_t* const left = a.each.data();
  const int64_t* const right = b.each.data();
  if (b.uniform) {
    for (int i = 0; i < threads; ++i) to[i] = result(left[i], b.one);
  } else if (a.uniform) {
    for (int i = 0; i < threads; ++i) to[i] = result(a.one, right[i]);
  } else {
    for (int i = 0; i < threads; ++i) to[i] = result(left[i], right[i]);
  }
}

template <Op op>
[[gnu::flatten]] void apply_comparison(const Value& a, const Value& b, int threads, Value& out) {
  if (a.uniform && b.uniform) return out.set(evaluate_comparison(op, a.one, b.one) ? 1 : 0);
  int64_t* const to = out.vary(threads);
  if (b.uniform) {
    for (int i = 0; i < threads; ++i) {
      to[i] = evaluate_comparison(op, a.each[i], b.one);
    }
  } else if (a.uniform) {
    for (int i = 0; i < threads; ++i) {
      to[i] = evaluate_comparison(op, a.one, b.each[i]);
    }
  } else {
    for (size_t i = 0; i < static_cast<size_t>(threads); ++i) {
      to[i] = evaluate_comparison(op, a.each[i], b.each[i]);
    }
  }
}

void apply_conversion(Scalar type, const Value& a, int threads, Value& out) {
  if (a.uniform) return out.set(stored_as(type, a.one));
  int64_t* const to = out.vary(threads);
  for (int i = 0; i < threads; ++i) to[i] = stored_as(type, a.each[i]);
}

}  // namespace

int64_t stored_as(Scalar type, int64_t value) {
  switch (type) {
    case Scalar::Bool:
      return value != 0;
    case Scalar::I8:
      return static_cast<int8_t>(value);
    case Scalar::U8:
      return static_cast<uint8_t>(value);
    case Scalar::I16:
      return static_cast<int16_t>(value);
    case Scalar::U16:
      return static_cast<uint16_t>(value);
    case Scalar::I32:
      return static_cast<int32_t>(value);
    default:
      return value;
  }
}

void apply(Op op, Scalar type, const Value& a, const Value& b, int threads, Value& out) {
  switch (op) {
#define STENCIL_APPLY(name) \
  case Op::name:            \
    return apply_integer<Op::name>(type, a, b, threads, out);
    STENCIL_APPLY(Neg)
    STENCIL_APPLY(Add)
    STENCIL_APPLY(Sub)
    STENCIL_APPLY(Mul)
    STENCIL_APPLY(Div)
    STENCIL_APPLY(Mod)
    STENCIL_APPLY(Min)
    STENCIL_APPLY(Max)
    STENCIL_APPLY(Abs)
    STENCIL_APPLY(And)
    STENCIL_APPLY(Or)
    STENCIL_APPLY(Not)
    STENCIL_APPLY(BitAnd)
    STENCIL_APPLY(BitOr)
    STENCIL_APPLY(BitXor)
    STENCIL_APPLY(BitNot)
    STENCIL_APPLY(Shl)
    STENCIL_APPLY(Shr)
    STENCIL_APPLY(WrapNeg)
    STENCIL_APPLY(WrapAdd)
    STENCIL_APPLY(WrapSub)
    STENCIL_APPLY(WrapMul)
    STENCIL_APPLY(WrapAbs)
#undef STENCIL_APPLY
#define STENCIL_APPLY(name) \
  case Op::name:            \
    return apply_comparison<Op::name>(a, b, threads, out);
    STENCIL_APPLY(Lt)
    STENCIL_APPLY(Le)
    STENCIL_APPLY(Gt)
    STENCIL_APPLY(Ge)
    STENCIL_APPLY(Eq)
    STENCIL_APPLY(Ne)
#undef STENCIL_APPLY
    case Op::Convert:
      return apply_conversion(type, a, threads, out);
    default:
      return out.forget();
  }
}

Mask where(const Value& condition, const Mask& mask, int threads) {
  if (condition.uniform) return condition.one != 0 ? mask : Mask();
  Mask out;
  for (int begin = 0, warp = 0; begin < threads; begin += kWarpThreads, ++warp) {
    if (mask.warp(warp) == 0) continue;
    const int count = threads - begin < kWarpThreads ? threads - begin : kWarpThreads;
    uint32_t holds = 0;
    for (int i = 0; i < count; ++i) {
      holds |= static_cast<uint32_t>(condition.each[begin + i] != 0) << i;
    }
    out.set_warp(warp, holds & mask.warp(warp));
  }
  return out;
}

}  // namespace stencil::kernel::tracing
