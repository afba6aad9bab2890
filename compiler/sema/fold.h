// Constant folding on the two tracks of sema::Constant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/value.h"

namespace stencil::sema {

struct Folded {
  std::optional<Constant> value;  // no value and no fault: the operation is left to run time
  const char* fault = nullptr;    // why the value does not exist ("division by zero")
};

// `op` applied to constants of admissible types (checked in arithmetic.cpp). Operations on literals
// are always folded. Operations on integers and booleans are folded unless they overflow.
// Operations on typed floats are never folded, so that the bits are those of the operation at run
// time.
Folded fold(Op op, const std::vector<Constant>& operands);

// Folding for compile-time expressions: everything is folded, reals in double, and an overflow is a
// fault.
Folded fold_completely(Op op, const std::vector<Constant>& operands);

}  // namespace stencil::sema
