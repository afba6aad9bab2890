// Constant folding on the two tracks of sema::Constant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/value.h"

namespace stencil::sema {

struct Folded {
  // If there is neither a value nor a fault, the operation happens at run time.
  std::optional<Constant> value;
  const char* fault = nullptr;  // reason why the value does not exist ("division by zero")
};

// Applies `op` to constants of admissible types (checked in arithmetic.cpp). Operations on literals
// are always folded. Operations on integers and booleans are folded unless they overflow.
// Operations on typed floats are never folded, so they give the bits that the run-time operation
// gives.
Folded fold(Op op, const std::vector<Constant>& operands);

// Folds compile-time expressions. All operations are folded, reals are computed in double, and an
// overflow is a fault.
Folded fold_completely(Op op, const std::vector<Constant>& operands);

}  // namespace stencil::sema
