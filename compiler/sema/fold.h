// Arithmetic at compile time, on the two tracks of sema::Constant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/value.h"

namespace stencil::sema {

struct Folded {
  std::optional<Constant> value;  // nothing and no fault: leave the operation to run time
  const char* fault = nullptr;    // why there is no such value ("division by zero")
};

// `op` applied to constants whose types admit it (arithmetic.cpp has checked them). Operations on
// literals are always folded; those on integers and booleans where they do not overflow; those on
// typed floats never, so that the bits are those of the run-time operation.
Folded fold(Op op, const std::vector<Constant>& operands);

// The same where there is no run time: everything is folded, reals in double, and an overflow is a
// fault.
Folded fold_completely(Op op, const std::vector<Constant>& operands);

}  // namespace stencil::sema
