// Tables of scalar types and operators: one row each.
#include "compiler/support/scalar.h"

#include <array>
#include <limits>

namespace stencil {

namespace {

struct OpRow {
  Op op;
  std::string_view name;
  std::string_view spelling;
  int arity;
  OpClass of;
};

constexpr std::array kOps = {
    OpRow{Op::Neg, "neg", "-", 1, OpClass::Numbers},
    OpRow{Op::Add, "add", "+", 2, OpClass::Numbers},
    OpRow{Op::Sub, "sub", "-", 2, OpClass::Numbers},
    OpRow{Op::Mul, "mul", "*", 2, OpClass::Numbers},
    OpRow{Op::Div, "div", "/", 2, OpClass::Numbers},
    OpRow{Op::Mod, "mod", "%", 2, OpClass::Integers},
    OpRow{Op::Fma, "fma", "fma", 3, OpClass::Floats},
    OpRow{Op::Min, "min", "min", 2, OpClass::Numbers},
    OpRow{Op::Max, "max", "max", 2, OpClass::Numbers},
    OpRow{Op::Abs, "abs", "abs", 1, OpClass::Numbers},
    OpRow{Op::Sqrt, "sqrt", "sqrt", 1, OpClass::Floats},
    OpRow{Op::Rsqrt, "rsqrt", "rsqrt", 1, OpClass::Floats},
#define STENCIL_FUNCTION(op, name, operands) OpRow{Op::op, #name, #name, operands, OpClass::Floats},
#include "compiler/support/functions.def"
    OpRow{Op::Floor, "floor", "floor", 1, OpClass::Floats},
    OpRow{Op::Ceil, "ceil", "ceil", 1, OpClass::Floats},
    OpRow{Op::Round, "round", "round", 1, OpClass::Floats},
    OpRow{Op::Trunc, "trunc", "trunc", 1, OpClass::Floats},
    OpRow{Op::Lt, "lt", "<", 2, OpClass::Comparison},
    OpRow{Op::Le, "le", "<=", 2, OpClass::Comparison},
    OpRow{Op::Gt, "gt", ">", 2, OpClass::Comparison},
    OpRow{Op::Ge, "ge", ">=", 2, OpClass::Comparison},
    OpRow{Op::Eq, "eq", "==", 2, OpClass::Comparison},
    OpRow{Op::Ne, "ne", "!=", 2, OpClass::Comparison},
    OpRow{Op::And, "and", "and", 2, OpClass::Logic},
    OpRow{Op::Or, "or", "or", 2, OpClass::Logic},
    OpRow{Op::Not, "not", "not", 1, OpClass::Logic},
    OpRow{Op::Select, "select", "select", 3, OpClass::Select},
    OpRow{Op::BitAnd, "bitand", "&", 2, OpClass::Integers},
    OpRow{Op::BitOr, "bitor", "|", 2, OpClass::Integers},
    OpRow{Op::BitXor, "bitxor", "^", 2, OpClass::Integers},
    OpRow{Op::BitNot, "bitnot", "~", 1, OpClass::Integers},
    OpRow{Op::Shl, "shl", "<<", 2, OpClass::Integers},
    OpRow{Op::Shr, "shr", ">>", 2, OpClass::Integers},
    OpRow{Op::Convert, "convert", "convert", 1, OpClass::Numbers},
    OpRow{Op::WrapNeg, "wrap_neg", "-", 1, OpClass::Integers},
    OpRow{Op::WrapAdd, "wrap_add", "+", 2, OpClass::Integers},
    OpRow{Op::WrapSub, "wrap_sub", "-", 2, OpClass::Integers},
    OpRow{Op::WrapMul, "wrap_mul", "*", 2, OpClass::Integers},
    OpRow{Op::WrapAbs, "wrap_abs", "abs", 1, OpClass::Integers},
    OpRow{Op::Random, "random", "random", 0, OpClass::Integers},
};

constexpr bool rows_in_order() {
  for (size_t i = 0; i < kOps.size(); ++i) {
    if (static_cast<size_t>(kOps[i].op) != i) return false;
  }
  return true;
}
static_assert(rows_in_order(), "kOps must list the operators in the order of enum Op");

}  // namespace

bool is_float(Scalar type) {
  return type == Scalar::F16 || type == Scalar::BF16 || type == Scalar::F32 || type == Scalar::F64;
}

bool is_integer(Scalar type) {
  return type == Scalar::I32 || type == Scalar::I64;
}

int size_in_bytes(Scalar type) {
  switch (type) {
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::U8:
      return 1;
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::F16:
    case Scalar::BF16:
      return 2;
    case Scalar::I32:
    case Scalar::F32:
      return 4;
    case Scalar::I64:
    case Scalar::F64:
      return 8;
  }
  return 0;
}

std::string_view name(Scalar type) {
  switch (type) {
    case Scalar::Bool:
      return "bool";
    case Scalar::I8:
      return "byte";
    case Scalar::U8:
      return "ubyte";
    case Scalar::I16:
      return "short";
    case Scalar::U16:
      return "ushort";
    case Scalar::I32:
      return "integer";
    case Scalar::I64:
      return "long";
    case Scalar::F16:
      return "half";
    case Scalar::BF16:
      return "bfloat";
    case Scalar::F32:
      return "float";
    case Scalar::F64:
      return "double";
  }
  return "";
}

Scalar arithmetic_type(Scalar type) {
  switch (type) {
    case Scalar::I8:
    case Scalar::U8:
    case Scalar::I16:
    case Scalar::U16:
      return Scalar::I32;
    case Scalar::F16:
    case Scalar::BF16:
      return Scalar::F32;
    case Scalar::Bool:
    case Scalar::I32:
    case Scalar::I64:
    case Scalar::F32:
    case Scalar::F64:
      return type;
  }
  return type;
}

namespace {

template <class T>
constexpr IntegerRange range_of_type() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

}  // namespace

IntegerRange integer_range(Scalar type) {
  switch (type) {
    case Scalar::Bool:
      return {0, 1};
    case Scalar::I8:
      return range_of_type<int8_t>();
    case Scalar::U8:
      return range_of_type<uint8_t>();
    case Scalar::I16:
      return range_of_type<int16_t>();
    case Scalar::U16:
      return range_of_type<uint16_t>();
    case Scalar::I32:
      return range_of_type<int32_t>();
    case Scalar::I64:
    case Scalar::F16:
    case Scalar::BF16:
    case Scalar::F32:
    case Scalar::F64:
      break;
  }
  return range_of_type<int64_t>();
}

int arity(Op op) {
  return kOps[static_cast<size_t>(op)].arity;
}
std::string_view name(Op op) {
  return kOps[static_cast<size_t>(op)].name;
}
std::string_view spelling(Op op) {
  return kOps[static_cast<size_t>(op)].spelling;
}
OpClass class_of(Op op) {
  return kOps[static_cast<size_t>(op)].of;
}
bool is_comparison(Op op) {
  return class_of(op) == OpClass::Comparison;
}

bool is_transcendental(Op op) {
  return op > Op::Rsqrt && op < Op::Floor;
}

std::string_view name(FpMode mode) {
  switch (mode) {
    case FpMode::Strict:
      return "strict";
    case FpMode::Contract:
      return "contract";
    case FpMode::Fast:
      return "fast";
  }
  return "";
}

}  // namespace stencil
