// Precedence of operators, and spelling of boundary rules, as the parser reads and both printers
// write them. compiler/support/scalar.h has the spelling of operators.
#pragma once

#include <array>
#include <string_view>

#include "compiler/syntax/ast.h"

namespace stencil {

struct BinaryOperator {
  Op op;
  int precedence;  // greater binds tighter
};

inline constexpr int kComparisonPrecedence = 3;  // comparisons do not associate
inline constexpr int kPrefixPrecedence = 10;

inline constexpr std::array kBinaryOperators = {
    BinaryOperator{Op::Or, 1},     BinaryOperator{Op::And, 2},    BinaryOperator{Op::Eq, 3},
    BinaryOperator{Op::Ne, 3},     BinaryOperator{Op::Lt, 3},     BinaryOperator{Op::Le, 3},
    BinaryOperator{Op::Gt, 3},     BinaryOperator{Op::Ge, 3},     BinaryOperator{Op::BitOr, 4},
    BinaryOperator{Op::BitXor, 5}, BinaryOperator{Op::BitAnd, 6}, BinaryOperator{Op::Shl, 7},
    BinaryOperator{Op::Shr, 7},    BinaryOperator{Op::Add, 8},    BinaryOperator{Op::Sub, 8},
    BinaryOperator{Op::Mul, 9},    BinaryOperator{Op::Div, 9},    BinaryOperator{Op::Mod, 9},
};

int precedence_of(Op op);  // of a binary operator

}  // namespace stencil
