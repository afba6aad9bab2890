#include "compiler/syntax/operators.h"

#include <algorithm>

namespace stencil {

int precedence_of(Op op) {
  return std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                      [&](const BinaryOperator& row) { return row.op == op; })
      ->precedence;
}

std::string_view spelling(ast::BoundaryKind kind) {
  switch (kind) {
    case ast::BoundaryKind::None:
      return "none";
    case ast::BoundaryKind::Constant:
      return "constant";
    case ast::BoundaryKind::Clamp:
      return "clamp";
    case ast::BoundaryKind::Mirror:
      return "mirror";
    case ast::BoundaryKind::Odd:
      return "odd";
    case ast::BoundaryKind::Symmetric:
      return "symmetric";
    case ast::BoundaryKind::Antisymmetric:
      return "antisymmetric";
    case ast::BoundaryKind::Linear:
      return "linear";
    case ast::BoundaryKind::Periodic:
      return "periodic";
    case ast::BoundaryKind::Gradient:
      return "gradient";
    case ast::BoundaryKind::MirrorGradient:
      return "mirror gradient";
    case ast::BoundaryKind::Fixed:
      return "fixed";
  }
  return "";
}

}  // namespace stencil
