// The part of the expression printer that changes types: conversions, and loads of storage types,
// which exist in memory only.
#include <fmt/format.h>

#include "compiler/emit/expression.h"
#include "compiler/emit/expression_parts.h"

namespace stencil::emit {

using kernel::Expr;
using kernel::Operation;

std::string_view short_name(Scalar type) {
  return type == Scalar::I32 ? "int" : name(type);
}

// Loads an element of a storage type and converts it to its arithmetic type.
void ExpressionPrinter::put_stored(const kernel::Load& load, Scalar stored, int level) {
  if (stored == Scalar::Bool) {
    open(kEquality < level);
    put_element(load.buffer, load.index);
    out_ += " != 0";
    close(kEquality < level);
  } else if (arithmetic_type(stored) == Scalar::I32) {  // explicit, for overloaded functions
    open(kUnary < level);
    out_ += fmt::format("({})", dialect_.type(Scalar::I32));
    put_element(load.buffer, load.index);
    close(kUnary < level);
  } else {
    const std::string helper = std::string(short_name(stored)) + "_to_float";
    helpers_.insert(helper);
    out_ += "stencil_" + helper;
    open(true);
    put_element(load.buffer, load.index);
    close(true);
  }
}

void ExpressionPrinter::put_to_storage(const Expr& value, Scalar to) {
  const std::string target(short_name(to));
  switch (value->type) {
    case Scalar::F32:
      return put_helper("float_to_" + target, {value}, false);
    case Scalar::F64:
      return put_helper("double_to_" + target, {value}, false);
    case Scalar::I64:
      if (to == Scalar::BF16) return put_helper("long_to_bfloat", {value}, false);
      [[fallthrough]];
    case Scalar::I32:
      // A float represents exactly every integer up to well beyond the largest half.
      return put_to_storage(kernel::convert(value, to == Scalar::F16 ? Scalar::F32 : Scalar::F64),
                            to);
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::U8:
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::F16:
    case Scalar::BF16:
      return put_to_storage(kernel::convert(value, Scalar::F32), to);
  }
}

void ExpressionPrinter::put_convert(const Expr& value, Scalar to, int level) {
  const Scalar from = value->type;
  uses_double_ |= from == Scalar::F64;
  if (to == Scalar::F16 || to == Scalar::BF16) return put_to_storage(value, to);
  if (from == Scalar::F16 || from == Scalar::BF16) {
    const Expr widened = kernel::convert(value, Scalar::F32);
    if (to != Scalar::F32) return put_convert(widened, to, level);
    return put_helper(std::string(short_name(from)) + "_to_float", {value}, false);
  }
  if (to == Scalar::Bool) {
    const Expr zero = is_float(from) ? kernel::real(0, from) : kernel::integer(0, from);
    return put_infix(Operation{Op::Ne, {value, zero}}, level, false);
  }
  if (is_float(from) && is_storage(to)) {
    return put_convert(kernel::convert(value, arithmetic_type(to)), to, level);
  }
  if (is_float(from) && is_integer(to)) {
    const std::string name = fmt::format("{}_to_{}", short_name(from), short_name(to));
    return put_helper(name, {value}, false);
  }
  open(kUnary < level);
  out_ += fmt::format("({})", dialect_.type(to));
  put(value, negative(value) ? kPostfix : kUnary, false);
  close(kUnary < level);
}

}  // namespace stencil::emit
