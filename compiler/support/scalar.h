// Scalar types and operators: the arithmetic vocabulary that the stencil IR, the kernel IR, the
// interpreter and the writers share. Structures and vectors do not appear here: semantic analysis
// splits them into scalar components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stencil {

enum class Scalar : uint8_t { Bool, I8, U8, I16, U16, I32, I64, F16, BF16, F32, F64 };
constexpr size_t kScalarTypes = 11;

bool is_float(Scalar type);    // any floating type, storage-only ones included
bool is_integer(Scalar type);  // I32, I64: those that are computed with
int size_in_bytes(Scalar type);
std::string_view name(Scalar type);  // as programs write it: "integer", "float", "half", ...

// The type arithmetic on a stored value is done in: half and bfloat compute in float; byte, ubyte,
// short and ushort in integer.
Scalar arithmetic_type(Scalar type);
inline bool is_storage(Scalar type) {  // exists in memory only
  return arithmetic_type(type) != type;
}

// The values of a type of integers, storage types included.
struct IntegerRange {
  int64_t least, most;
  bool holds(int64_t value) const { return value >= least && value <= most; }
};
IntegerRange integer_range(Scalar type);

// Semantics that every interpreter, device and dialect must share:
//   Neg flips the sign bit of a float. Round takes halves away from zero, Trunc cuts off. Min(a, b)
//   is b < a ? b : a and Max(a, b) is a < b ? b : a. Rsqrt is 1 / sqrt(x) except under fast.
//   Integer Div and Mod truncate towards zero; by zero they give 0; by -1 they are Neg and 0 (so
//   the least integer wraps). Integer results out of range wrap around: the low bits are kept.
//   Shl/Shr take the shift count modulo the width; Shr is arithmetic. Select evaluates both arms.
//   Convert float -> integer truncates, saturates, and maps NaN to 0; to half and bfloat it rounds
//   to nearest even; from an integer to a narrower one it keeps the low bits.
enum class Op : uint8_t {
  Neg,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Fma,
  Min,
  Max,
  Abs,
  Sqrt,
  Rsqrt,
#define STENCIL_FUNCTION(op, name, operands) op,
#include "compiler/support/functions.def"
  Floor,
  Ceil,
  Round,
  Trunc,
  Lt,
  Le,
  Gt,
  Ge,
  Eq,
  Ne,
  And,
  Or,
  Not,
  Select,
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  Shl,
  Shr,
  Convert,  // to the node's type
  // On integers the same as Neg, Add, Sub, Mul and Abs, where the result is not proved to be in the
  // range of the type: compilers of kernels must not take it for granted. Programs do not write
  // them; ir::wrap_integers makes them.
  WrapNeg,
  WrapAdd,
  WrapSub,
  WrapMul,
  WrapAbs,
};

// What an operator is applied to, and gives: their common type where nothing else is said.
enum class OpClass : uint8_t {
  Numbers,     // integers or floats
  Integers,    // integers alone
  Floats,      // floats; integers become such
  Comparison,  // of two numbers: a truth value
  Logic,       // of truth values: one
  Select,      // of a truth value and two of anything: one of these
};

int arity(Op op);                  // number of operands: 1, 2 or 3
std::string_view name(Op op);      // "add", "fma", ... as printed in IR text
std::string_view spelling(Op op);  // as programs write it: "+", "and", "fma"
OpClass class_of(Op op);
bool is_comparison(Op op);  // Lt .. Ne
// True for operators whose float results differ between libraries (exp, sin, pow, ...): bitwise
// reproducibility holds for all the others.
bool is_transcendental(Op op);

// --fp: how the compiler may treat floating-point arithmetic (docs/language.md, "Floating point").
enum class FpMode : uint8_t { Strict, Contract, Fast };
std::string_view name(FpMode mode);

}  // namespace stencil
