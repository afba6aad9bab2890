// Tables behind the scalar vocabulary: one row per type and per operator.
#include "compiler/support/scalar.h"

#include <array>

namespace stencil {

namespace {

struct OpRow {
  Op op;
  std::string_view name;
  int arity;
};

constexpr std::array kOps = {
    OpRow{Op::Neg, "neg", 1},       OpRow{Op::Add, "add", 2},         OpRow{Op::Sub, "sub", 2},
    OpRow{Op::Mul, "mul", 2},       OpRow{Op::Div, "div", 2},         OpRow{Op::Mod, "mod", 2},
    OpRow{Op::Fma, "fma", 3},       OpRow{Op::Min, "min", 2},         OpRow{Op::Max, "max", 2},
    OpRow{Op::Abs, "abs", 1},       OpRow{Op::Sqrt, "sqrt", 1},       OpRow{Op::Rsqrt, "rsqrt", 1},
    OpRow{Op::Exp, "exp", 1},       OpRow{Op::Log, "log", 1},         OpRow{Op::Pow, "pow", 2},
    OpRow{Op::Sin, "sin", 1},       OpRow{Op::Cos, "cos", 1},         OpRow{Op::Tan, "tan", 1},
    OpRow{Op::Tanh, "tanh", 1},     OpRow{Op::Floor, "floor", 1},     OpRow{Op::Ceil, "ceil", 1},
    OpRow{Op::Lt, "lt", 2},         OpRow{Op::Le, "le", 2},           OpRow{Op::Gt, "gt", 2},
    OpRow{Op::Ge, "ge", 2},         OpRow{Op::Eq, "eq", 2},           OpRow{Op::Ne, "ne", 2},
    OpRow{Op::And, "and", 2},       OpRow{Op::Or, "or", 2},           OpRow{Op::Not, "not", 1},
    OpRow{Op::Select, "select", 3}, OpRow{Op::BitAnd, "bitand", 2},   OpRow{Op::BitOr, "bitor", 2},
    OpRow{Op::BitXor, "bitxor", 2}, OpRow{Op::BitNot, "bitnot", 1},   OpRow{Op::Shl, "shl", 2},
    OpRow{Op::Shr, "shr", 2},       OpRow{Op::Convert, "convert", 1},
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
      return 1;
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
  return type == Scalar::F16 || type == Scalar::BF16 ? Scalar::F32 : type;
}

int arity(Op op) {
  return kOps[static_cast<size_t>(op)].arity;
}
std::string_view name(Op op) {
  return kOps[static_cast<size_t>(op)].name;
}
bool is_comparison(Op op) {
  return op >= Op::Lt && op <= Op::Ne;
}

bool is_transcendental(Op op) {
  return op >= Op::Exp && op <= Op::Tanh;
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
