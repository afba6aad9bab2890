// Small pieces of kernels that all families write.
#pragma once

#include <iterator>
#include <string>
#include <utility>

#include "compiler/kernel/kernel.h"

namespace stencil::schedule {

inline kernel::Expr literal(int64_t value) {
  return kernel::integer(value);
}
inline kernel::Expr at_least(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Ge, {a, b});
}
inline kernel::Expr plus(const kernel::Expr& a, int64_t b) {
  return b < 0 ? kernel::sub(a, literal(-b)) : kernel::add(a, literal(b));
}
inline kernel::Expr larger(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Max, {a, b});
}
inline kernel::Expr smaller(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Min, {a, b});
}
inline kernel::Expr modulo(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Mod, {a, b});
}
inline kernel::Expr select(const kernel::Expr& condition, const kernel::Expr& a,
                           const kernel::Expr& b) {
  return kernel::operation(Op::Select, {condition, a, b});
}
inline bool is_false(const kernel::Expr& expr) {
  const auto* value = std::get_if<kernel::IntegerLiteral>(&expr->kind);
  return value && value->value == 0;
}
inline bool is_true(const kernel::Expr& expr) {
  const auto* value = std::get_if<kernel::IntegerLiteral>(&expr->kind);
  return value && value->value != 0;
}

inline void append(kernel::Body& to, kernel::Body from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// `body` where the condition holds, else `otherwise`; `body` alone if it is known to hold.
inline kernel::Body guarded(const kernel::Expr& condition, kernel::Body body,
                            kernel::Body otherwise = {}) {
  if (is_true(condition)) return body;
  kernel::Body out;
  out.push_back({kernel::If{condition, std::move(body), std::move(otherwise)}});
  return out;
}

// What stands ahead of the stages of some steps of a tile, counted from 0; nothing for all steps.
inline std::string steps_title(size_t first, size_t last, int of) {
  if (first == 0 && last + 1 == static_cast<size_t>(of)) return "";
  const std::string number = std::to_string(first + 1);
  const std::string all = " of " + std::to_string(of);
  return first == last ? "step " + number + all
                       : "steps " + number + " to " + std::to_string(last + 1) + all;
}

}  // namespace stencil::schedule
