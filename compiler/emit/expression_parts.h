// Shared by the files of the expression printer.
#pragma once

#include <string_view>

#include "compiler/kernel/kernel.h"

namespace stencil::emit {

// C's precedence, lowest first.
enum Level {
  kTernary = 1,
  kOr,
  kAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelation,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPostfix
};

// Whether the text begins with a minus sign.
bool negative(const kernel::Expr& expr);
// The name of the type as part of a helper's name.
std::string_view short_name(Scalar type);

}  // namespace stencil::emit
