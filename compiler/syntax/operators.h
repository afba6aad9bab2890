// Operators and rules as they are spelled, and how tightly binary operators bind: what the parser
// reads and both printers write.
#pragma once

#include <array>
#include <string_view>

#include "compiler/syntax/ast.h"

namespace stencil {

struct BinaryOperator {
  std::string_view text;
  ast::BinaryOp op;
  int precedence;  // greater binds tighter
};

inline constexpr int kComparisonPrecedence = 3;  // comparisons do not associate
inline constexpr int kPrefixPrecedence = 10;

inline constexpr std::array kBinaryOperators = {
    BinaryOperator{"or", ast::BinaryOp::Or, 1},    BinaryOperator{"and", ast::BinaryOp::And, 2},
    BinaryOperator{"==", ast::BinaryOp::Eq, 3},    BinaryOperator{"!=", ast::BinaryOp::Ne, 3},
    BinaryOperator{"<", ast::BinaryOp::Lt, 3},     BinaryOperator{"<=", ast::BinaryOp::Le, 3},
    BinaryOperator{">", ast::BinaryOp::Gt, 3},     BinaryOperator{">=", ast::BinaryOp::Ge, 3},
    BinaryOperator{"|", ast::BinaryOp::BitOr, 4},  BinaryOperator{"^", ast::BinaryOp::BitXor, 5},
    BinaryOperator{"&", ast::BinaryOp::BitAnd, 6}, BinaryOperator{"<<", ast::BinaryOp::Shl, 7},
    BinaryOperator{">>", ast::BinaryOp::Shr, 7},   BinaryOperator{"+", ast::BinaryOp::Add, 8},
    BinaryOperator{"-", ast::BinaryOp::Sub, 8},    BinaryOperator{"*", ast::BinaryOp::Mul, 9},
    BinaryOperator{"/", ast::BinaryOp::Div, 9},    BinaryOperator{"%", ast::BinaryOp::Mod, 9},
};

const BinaryOperator& row_of(ast::BinaryOp op);
std::string_view spelling(ast::UnaryOp op);  // "not" for Not
std::string_view spelling(ast::BoundaryKind kind);

}  // namespace stencil
