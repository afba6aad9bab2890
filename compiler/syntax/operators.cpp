#include "compiler/syntax/operators.h"

#include <algorithm>

namespace stencil {

int precedence_of(Op op) {
  return std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                      [&](const BinaryOperator& row) { return row.op == op; })
      ->precedence;
}

}  // namespace stencil
