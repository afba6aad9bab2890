#include "compiler/syntax/operators.h"

#include <algorithm>

namespace stencil {

const BinaryOperator& row_of(ast::BinaryOp op) {
  return *std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                       [&](const BinaryOperator& row) { return row.op == op; });
}

std::string_view spelling(ast::UnaryOp op) {
  switch (op) {
    case ast::UnaryOp::Neg:
      return "-";
    case ast::UnaryOp::Not:
      return "not";
    case ast::UnaryOp::BitNot:
      return "~";
  }
  return "";
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
    case ast::BoundaryKind::Periodic:
      return "periodic";
  }
  return "";
}

}  // namespace stencil
