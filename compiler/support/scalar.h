// Scalar types and operators: the arithmetic vocabulary shared by the stencil IR, the kernel IR,
// the interpreter and the writers. Structures and vectors do not occur here, because semantic
// analysis splits them into scalar components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stencil {

enum class Scalar : uint8_t { Bool, I8, U8, I16, U16, I32, I64, F16, BF16, F32, F64 };
constexpr size_t kScalarTypes = 11;

bool is_float(Scalar type);    // any floating type, including storage-only types
bool is_integer(Scalar type);  // I32, I64: the integer types of arithmetic
int size_in_bytes(Scalar type);
std::string_view name(Scalar type);  // as in programs: "integer", "float", "half", ...

// The type of arithmetic on a stored value: half and bfloat compute in float; byte, ubyte, short
// and ushort in integer.
Scalar arithmetic_type(Scalar type);
inline bool is_storage(Scalar type) {  // exists only in memory
  return arithmetic_type(type) != type;
}

// The values of an integer type, including storage types.
struct IntegerRange {
  int64_t least, most;
  bool holds(int64_t value) const { return value >= least && value <= most; }
};
IntegerRange integer_range(Scalar type);

// Semantics that every interpreter, device and dialect must share:
//   Neg flips the sign bit of a float. Round rounds halves away from zero, Trunc truncates.
//   Min(a, b) is b < a ? b : a and Max(a, b) is a < b ? b : a. Rsqrt is 1 / sqrt(x) except under
//   fast. Integer Div and Mod truncate towards zero. If the divisor is 0, both give 0. If it is -1,
//   Div is Neg (so the smallest integer wraps) and Mod gives 0. Integer results out of range wrap
//   around: the low bits are kept. Shl/Shr take the shift count modulo the width; Shr is
//   arithmetic. Select evaluates both arms. Convert from float to integer truncates, saturates, and
//   maps NaN to 0. Convert to half and bfloat rounds to nearest even. Convert from an integer to a
//   narrower one keeps the low bits.
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
  // Integer versions of Neg, Add, Sub, Mul and Abs whose result is not proved to be in the range of
  // the type, so kernel compilers must not assume that it is. Programs cannot contain them;
  // ir::wrap_integers creates them.
  WrapNeg,
  WrapAdd,
  WrapSub,
  WrapMul,
  WrapAbs,
  // 64 random bits: the operands are coordinates, followed by the seed, all of type long. Any
  // number of operands. Only the program as mathematics has it (ir/random.h).
  Random,
};

// Operand and result types of an operator: one common type unless stated otherwise.
enum class OpClass : uint8_t {
  Numbers,     // integers or floats
  Integers,    // only integers
  Floats,      // floats; integer operands are converted
  Comparison,  // of two numbers: a truth value
  Logic,       // truth values
  Select,      // a truth value and two values of any type; the result is one of these
};

int arity(Op op);                  // number of operands: 1, 2 or 3; 0: any (Random)
std::string_view name(Op op);      // "add", "fma", ... as printed in IR text
std::string_view spelling(Op op);  // as in programs: "+", "and", "fma"
OpClass class_of(Op op);
bool is_comparison(Op op);  // Lt .. Ne
// True for operators whose float results differ between libraries (exp, sin, pow, ...). All other
// operators are bitwise reproducible.
bool is_transcendental(Op op);

// --fp: how the compiler may treat floating-point arithmetic (docs/reference/language.md, "Floating
// point").
enum class FpMode : uint8_t { Strict, Contract, Fast };
std::string_view name(FpMode mode);

}  // namespace stencil
