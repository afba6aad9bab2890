// Shorthands for kernel expressions and statements.
#pragma once

#include <iterator>
#include <string>
#include <utility>

#include "compiler/kernel/kernel.h"
#include "compiler/schedule/common/names.h"

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
inline kernel::Expr divided(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Div, {a, b});
}
inline kernel::Expr modulo(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Mod, {a, b});
}
inline kernel::Expr is_equal(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Eq, {a, b});
}
inline kernel::Expr both(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::And, {a, b});
}
inline kernel::Expr either(const kernel::Expr& a, const kernel::Expr& b) {
  return kernel::operation(Op::Or, {a, b});
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
// A literal or a variable.
inline bool is_plain(const kernel::Expr& expr) {
  return std::holds_alternative<kernel::IntegerLiteral>(expr->kind) ||
         std::holds_alternative<kernel::Variable>(expr->kind);
}
// Binds the value to a name, unless it is a literal or variable.
inline kernel::Expr let(Names& names, kernel::Body& body, const std::string& wanted,
                        const kernel::Expr& value) {
  if (is_plain(value)) return value;
  const std::string name = names.unique(wanted);
  body.push_back({kernel::Let{name, value}});
  return kernel::variable(name, value->type);
}

inline void append(kernel::Body& to, kernel::Body from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Appends the statements of a phase of a kernel below a comment that names it; nothing if there are
// none.
inline void append_phase(kernel::Body& to, const std::string& comment, kernel::Body from) {
  if (from.empty()) return;
  to.push_back({kernel::Comment{comment}});
  append(to, std::move(from));
}

inline kernel::Body as_body(kernel::Statement statement) {
  kernel::Body out;
  out.push_back(std::move(statement));
  return out;
}

// `body` if the condition holds, else `otherwise`; no branch if the condition is constant.
inline kernel::Body guarded(const kernel::Expr& condition, kernel::Body body,
                            kernel::Body otherwise = {}) {
  if (is_true(condition)) return body;
  if (is_false(condition)) return otherwise;
  return as_body({kernel::If{condition, std::move(body), std::move(otherwise)}});
}

inline kernel::Statement threads(kernel::Body body) {
  return {kernel::Threads{std::move(body)}};
}
inline kernel::Statement loop(kernel::LoopKind kind, std::string variable, kernel::Expr begin,
                              kernel::Expr end, int step, kernel::Body body) {
  return {kernel::For{kind, std::move(variable), std::move(begin), std::move(end), step,
                      std::move(body)}};
}
// As above, with a literal as step.
inline kernel::Statement loop(kernel::LoopKind kind, std::string variable, kernel::Expr begin,
                              kernel::Expr end, const kernel::Expr& step, kernel::Body body) {
  const auto& [number, name] = std::get<kernel::IntegerLiteral>(step->kind);
  return {kernel::For{kind, std::move(variable), std::move(begin), std::move(end), number,
                      std::move(body), name}};
}

// Heading for the stages of some steps of a tile, counted from 0; "" if these are all steps.
inline std::string steps_title(size_t first, size_t last, int of) {
  if (first == 0 && last + 1 == static_cast<size_t>(of)) return "";
  const std::string number = std::to_string(first + 1);
  const std::string all = " of " + std::to_string(of);
  return first == last ? "step " + number + all
                       : "steps " + number + " to " + std::to_string(last + 1) + all;
}

}  // namespace stencil::schedule
