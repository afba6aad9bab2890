// The expression printer. It writes minimal parentheses by C's precedence (plus those whose absence
// compilers warn about) and exact arithmetic as support/scalar.h defines it.
//
// Left-associative chains print flat, so the recursion is as deep as the longest chain. Expressions
// with more nested parentheses than compilers accept have been split before (legalise.h).
//
// 64-bit index arithmetic is full of widened 32-bit values. C widens an operand implicitly if the
// other one is wide, so only one of the two is converted: ((int64_t)z * size_y + y) * size_x.
//
// Products and fusion: nvcc may fuse a*b + c even if the product was first bound to a name or a
// local array. A product stays a plain `*` only if its consumer is visibly not an addition.
// Otherwise (`exposed`) the dialect's unfusable function is called.
#include "compiler/emit/expression.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/emit/expression_parts.h"
#include "compiler/emit/text.h"
#include "compiler/support/division.h"

namespace stencil::emit {

using kernel::Expr;
using kernel::Operation;

namespace {

struct Infix {
  std::string_view symbol;
  int level;  // 0: not an infix operator
};

Infix infix(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
      return {spelling(op), kSum};
    case Op::Mul:
    case Op::Div:
    case Op::Mod:
      return {spelling(op), kProduct};
    case Op::Eq:
    case Op::Ne:
      return {spelling(op), kEquality};
    case Op::And:
      return {"&&", kAnd};
    case Op::Or:
      return {"||", kOr};
    case Op::BitAnd:
      return {spelling(op), kBitAnd};
    case Op::BitOr:
      return {spelling(op), kBitOr};
    case Op::BitXor:
      return {spelling(op), kBitXor};
    case Op::Shl:
    case Op::Shr:
      return {spelling(op), kShift};
    default:
      return is_comparison(op) ? Infix{spelling(op), kRelation} : Infix{"", 0};
  }
}

const Operation* as_operation(const Expr& expr) {
  return std::get_if<Operation>(&expr->kind);
}

// Operands that need no parentheses in C, but for which compilers warn without them.
bool confusing(Op outer, const Expr& operand) {
  const Operation* inner = as_operation(operand);
  if (!inner || infix(inner->op).level == 0 || inner->op == outer) return false;
  if (outer == Op::Or) return inner->op == Op::And;
  if (is_comparison(outer)) return is_comparison(inner->op) || infix(inner->op).level < kShift;
  return outer >= Op::BitAnd && outer <= Op::Shr;
}

bool fits_int(int64_t value) {
  return value > std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

// True if a 64-bit expression can be printed in 32 bits, because C widens it beside a 64-bit
// operand: a small literal, or a conversion from I32.
bool narrow_inside(const Expr& expr) {
  if (expr->type != Scalar::I64) return false;
  if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&expr->kind)) {
    return fits_int(literal->value);
  }
  const Operation* operation = as_operation(expr);
  return operation && operation->op == Op::Convert && operation->operands[0]->type == Scalar::I32;
}

}  // namespace

bool negative(const Expr& expr) {
  if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&expr->kind))
    return literal->value < 0;
  if (const auto* literal = std::get_if<kernel::RealLiteral>(&expr->kind)) {
    return std::signbit(literal->value);
  }
  const Operation* operation = as_operation(expr);
  return operation && operation->op == Op::Neg;
}

std::string real_literal(double value, Scalar type, const Dialect& dialect) {
  const bool single = type == Scalar::F32;
  if (std::isnan(value)) return std::string(dialect.nan[single ? 0 : 1]);
  if (std::isinf(value)) {
    const std::string infinity(dialect.infinity[single ? 0 : 1]);
    return value < 0 ? "-" + infinity : infinity;
  }
  std::string text =
      single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return single ? text + "f" : text;
}

// --- Entry points

std::string ExpressionPrinter::print(const Expr& expr, bool exposed) {
  out_.clear();
  depth_ = 0;
  if (narrow_inside(expr)) {
    put_operand(expr, nullptr, kTernary, exposed);
  } else {
    put(expr, kTernary, exposed);
  }
  return out_;
}

std::string ExpressionPrinter::element(kernel::BufferId buffer, const std::vector<Expr>& index) {
  out_.clear();
  depth_ = 0;
  put_element(buffer, index);
  return out_;
}

// --- Parts

void ExpressionPrinter::open(bool parenthesise) {
  if (!parenthesise) return;
  out_ += "(";
  ++depth_;
}

void ExpressionPrinter::close(bool parenthesise) {
  if (!parenthesise) return;
  out_ += ")";
  --depth_;
}

void ExpressionPrinter::space() {
  out_ += soft_space(depth_);
}

bool ExpressionPrinter::guards_product(Scalar type, bool exposed) const {
  return exposed && is_float(type) && module_.fp != FpMode::Fast && !dialect_.product[0].empty();
}

void ExpressionPrinter::put(const Expr& expr, int level, bool exposed) {
  struct Visitor {
    ExpressionPrinter& printer;
    const Expr& expr;
    int level;
    bool exposed;
    void operator()(const kernel::IntegerLiteral& literal) const {
      if (!literal.name.empty()) {
        printer.out_ += printer.names_.spell(literal.name);
        return;
      }
      printer.open(apart());
      printer.put_integer(literal.value, expr->type, false);
      printer.close(apart());
    }
    void operator()(const kernel::RealLiteral& literal) const {
      printer.open(apart());
      printer.out_ += real_literal(literal.value, expr->type, printer.dialect_);
      printer.close(apart());
    }
    // Two adjacent minus signs would be a decrement.
    bool apart() const { return negative(expr) && kUnary < level; }
    void operator()(const kernel::Variable& variable) const {
      printer.out_ += printer.names_.spell(variable.name);
    }
    void operator()(const Operation& operation) const {
      printer.put_operation(*expr, operation, level, exposed);
    }
    void operator()(const kernel::Load& load) const {
      printer.put_element(load.buffer, load.index);
    }
  };
  uses_double_ |= expr->type == Scalar::F64;
  const auto* load = std::get_if<kernel::Load>(&expr->kind);
  if (load && kernel_) {
    const Scalar stored = kernel_->buffers[load->buffer].type;
    const bool widened = stored != expr->type && arithmetic_type(stored) == expr->type;
    if (widened || stored == Scalar::Bool) return put_stored(*load, stored, level);
  }
  std::visit(Visitor{*this, expr, level, exposed}, expr->kind);
}

void ExpressionPrinter::put_integer(int64_t value, Scalar type, bool bare) {
  if (type == Scalar::Bool) {
    out_ += value ? "true" : "false";
    return;
  }
  const int64_t least = type == Scalar::I64 ? std::numeric_limits<int64_t>::min()
                                            : std::numeric_limits<int32_t>::min();
  const std::string suffix(type == Scalar::I64 && !bare ? dialect_.wide_suffix : "");
  if (value == least) {
    out_ += fmt::format("(-{}{} - 1)", -(value + 1), suffix);
  } else {
    out_ += fmt::format("{}{}", value, suffix);
  }
}

// Prints an operand. If it is narrow, `other` widens it implicitly; without `other`, its context
// does.
void ExpressionPrinter::put_operand(const Expr& operand, const Expr& other, int level,
                                    bool exposed) {
  if (!narrow_inside(operand) || (other && narrow_inside(other))) {
    put(operand, level, exposed);
  } else if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&operand->kind)) {
    put_integer(literal->value, Scalar::I64, true);
  } else {
    put(as_operation(operand)->operands[0], level, exposed);
  }
}

void ExpressionPrinter::put_infix(const Operation& operation, int level, bool exposed) {
  const auto [symbol, own] = infix(operation.op);
  const Expr& left = operation.operands[0];
  const Expr& right = operation.operands[1];
  const bool parenthesise = own < level;
  open(parenthesise);
  // If each side relies on the other one, the left one is converted explicitly.
  const bool both = narrow_inside(left) && narrow_inside(right);
  const int left_level = confusing(operation.op, left) ? kPostfix : own;
  const bool associative = operation.op == Op::And || operation.op == Op::Or;
  const int right_level = confusing(operation.op, right) ? kPostfix : own + (associative ? 0 : 1);
  if (operation.op == Op::Shr) {  // the shift count widens nothing
    put(left, left_level, exposed);
  } else {
    put_operand(left, right, left_level, exposed);
  }
  space();
  out_ += fmt::format("{} ", symbol);
  put_operand(right, both ? nullptr : left, right_level, exposed);
  close(parenthesise);
}

void ExpressionPrinter::put_call(const std::string& name, const std::vector<Expr>& arguments,
                                 bool exposed) {
  out_ += name;
  open(true);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) {
      out_ += ",";
      space();
    }
    put(arguments[i], kTernary, exposed);
  }
  close(true);
}

void ExpressionPrinter::put_helper(const std::string& name, const std::vector<Expr>& arguments,
                                   bool exposed) {
  helpers_.insert(name);
  put_call("stencil_" + name, arguments, exposed);
}

// The larger of a bound and the smaller of two integers.
bool ExpressionPrinter::put_clamp(const std::vector<Expr>& operands, Scalar type) {
  if (!is_integer(type)) return false;
  for (const int at : {0, 1}) {
    const auto* smaller = std::get_if<Operation>(&operands[at]->kind);
    if (!smaller || smaller->op != Op::Min) continue;
    put_helper("clamp_" + std::string(short_name(type)),
               {smaller->operands[0], operands[1 - at], smaller->operands[1]}, false);
    return true;
  }
  return false;
}

std::string ExpressionPrinter::function_name(Op op, Scalar type) const {
  const auto find = [&](const std::vector<Intrinsic>& table) -> std::string {
    for (const Intrinsic& row : table) {
      if (row.op != op) continue;
      if (type == Scalar::I32) return std::string(row.integer);
      if (type == Scalar::I64) return std::string(row.wide);
      return std::string(type == Scalar::F64 ? row.real : row.single);
    }
    return "";
  };
  if (module_.fp == FpMode::Fast) {
    if (std::string fast = find(dialect_.fast_intrinsics); !fast.empty()) return fast;
  }
  return find(dialect_.intrinsics);
}

// True if the divisor is a literal or a named constant for which C's quotient is always defined.
bool ExpressionPrinter::divides_safely(const Expr& divisor) const {
  if (is_float(divisor->type)) return true;
  if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&divisor->kind)) {
    return literal->value != 0 && literal->value != -1;
  }
  if (const auto* variable = std::get_if<kernel::Variable>(&divisor->kind)) {
    for (const auto& constant : module_.constants) {
      if (constant.name == variable->name) return constant.value != 0 && constant.value != -1;
    }
  }
  const Operation* operation = as_operation(divisor);
  if (!operation || operation->op != Op::Convert) return false;
  const Expr& wide = operation->operands[0];  // from a float it could be any integer
  return is_integer(wide->type) && divides_safely(wide);
}

// A division by a constant, multiplied out if that is faster and proved to give the same bits.
bool ExpressionPrinter::put_multiplied_division(const Operation& division, int level,
                                                bool exposed) {
  using Kind = MultipliedDivision::Kind;
  const Expr& dividend = division.operands[0];
  const auto* divisor = std::get_if<kernel::RealLiteral>(&division.operands[1]->kind);
  if (!divisor || !dialect_.multiplies_divisions || module_.fp == FpMode::Fast) return false;
  const Scalar type = division.operands[1]->type;
  const auto form = multiply_out(divisor->value, type);
  if (!form) return false;
  if (form->kind == Kind::Exact) {
    const Expr factor = kernel::real(form->reciprocal, type);
    put(kernel::operation(Op::Mul, {dividend, factor}), level, exposed);
    return true;
  }
  const bool negative = divisor->value < 0;
  put_helper(
      (form->kind == Kind::Odd ? "divide_odd_" : "divide_even_") + std::string(short_name(type)),
      {negative ? kernel::operation(Op::Neg, {dividend}) : dividend,
       kernel::real(std::fabs(divisor->value), type),
       kernel::real(std::fabs(form->reciprocal), type)},
      false);
  return true;
}

// Operators that bools share with numbers are spelled differently for bools.
bool ExpressionPrinter::put_bool_operation(const Operation& operation, int level) {
  Op op;
  switch (operation.op) {
    case Op::Min:
    case Op::BitAnd:
      op = Op::And;
      break;
    case Op::Max:
    case Op::BitOr:
      op = Op::Or;
      break;
    case Op::BitXor:
      op = Op::Ne;
      break;
    default:
      return false;
  }
  put_infix(Operation{op, operation.operands}, level, false);
  return true;
}

void ExpressionPrinter::put_shift(const Operation& operation, Scalar type, int level) {
  const int64_t mask = type == Scalar::I64 ? 63 : 31;
  const Expr& count = operation.operands[1];
  const auto* literal = std::get_if<kernel::IntegerLiteral>(&count->kind);
  const Expr bounded =
      literal ? kernel::integer(literal->value & mask, Scalar::I32)
              : kernel::operation(Op::BitAnd, {count, kernel::integer(mask, count->type)});
  if (operation.op == Op::Shr)
    return put_infix(Operation{Op::Shr, {operation.operands[0], bounded}}, level, false);
  // Shifting a negative number left is undefined, so its bits are shifted.
  open(kUnary < level);
  out_ += fmt::format("({})", dialect_.type(type));
  open(true);
  out_ += fmt::format("({})", dialect_.bits_type(type));
  put(operation.operands[0], kUnary, false);
  out_ += " << ";
  put(bounded, kPostfix, false);
  close(true);
  close(kUnary < level);
}

void ExpressionPrinter::put_operation(const kernel::ExprNode& node, const Operation& operation,
                                      int level, bool exposed) {
  const std::vector<Expr>& operands = operation.operands;
  const Scalar type = node.type;
  if (type == Scalar::Bool && put_bool_operation(operation, level)) return;
  switch (operation.op) {
    case Op::Add:
    case Op::Sub:
      return put_infix(operation, level, true);
    case Op::Mul:
      if (!guards_product(type, exposed)) return put_infix(operation, level, false);
      return put_call(std::string(dialect_.product[type == Scalar::F64 ? 1 : 0]), operands, false);
    case Op::Div:
      if (put_multiplied_division(operation, level, exposed)) return;
      if (divides_safely(operands[1])) return put_infix(operation, level, false);
      return put_helper("div_" + std::string(short_name(type)), operands, false);
    case Op::Mod:
      if (is_float(type)) return put_call(function_name(operation.op, type), operands, false);
      if (divides_safely(operands[1])) return put_infix(operation, level, false);
      return put_helper("mod_" + std::string(short_name(type)), operands, false);
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Eq:
    case Op::Ne:
    case Op::And:
    case Op::Or:
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
      return put_infix(operation, level, false);
    case Op::Shl:
    case Op::Shr:
      return put_shift(operation, type, level);
    case Op::Neg:
    case Op::Not:
    case Op::BitNot:
      open(kUnary < level);
      out_ += operation.op == Op::Neg ? "-" : operation.op == Op::Not ? "!" : "~";
      put(operands[0], negative(operands[0]) ? kPostfix : kUnary, exposed);
      close(kUnary < level);
      return;
    case Op::Fma:
      if (is_float(type)) return put_call(function_name(operation.op, type), operands, false);
      return put(kernel::add(kernel::mul(operands[0], operands[1]), operands[2]), level, false);
    case Op::Rsqrt: {
      const std::string name = function_name(operation.op, type);
      if (!name.empty()) return put_call(name, operands, false);
      const Expr root = kernel::operation(Op::Sqrt, operands);
      return put(kernel::operation(Op::Div, {kernel::real(1, type), root}), level, false);
    }
    case Op::Max:
      if (put_clamp(operands, type)) return;
      [[fallthrough]];
    case Op::Min:
    case Op::Abs:
    case Op::Sqrt:
#define STENCIL_FUNCTION(op, name, operands) case Op::op:
#include "compiler/support/functions.def"
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Trunc: {
      const std::string function = function_name(operation.op, type);
      const bool selects = operation.op == Op::Min || operation.op == Op::Max;
      if (!function.empty()) return put_call(function, operands, selects);
      const std::string name = std::string(stencil::name(operation.op));
      return put_helper(name + "_" + std::string(short_name(type)), operands, selects);
    }
    case Op::Select:
      open(kTernary < level);
      put(operands[0], kTernary + 1, false);
      space();
      out_ += "? ";
      put(operands[1], kTernary + 1, true);
      space();
      out_ += ": ";
      put(operands[2], kTernary, true);
      close(kTernary < level);
      return;
    case Op::Convert:
      return put_convert(operands[0], type, level);
    case Op::WrapAbs:
      return put_helper("wrap_abs_" + std::string(short_name(type)), operands, false);
    case Op::WrapNeg:
    case Op::WrapAdd:
    case Op::WrapSub:
    case Op::WrapMul:
      open(kUnary < level);
      out_ += fmt::format("({})", dialect_.type(type));
      open(true);
      put_bits(operation, type, kTernary);
      close(true);
      close(kUnary < level);
      return;
    case Op::Random:  // expand-random has replaced it
      return;
  }
}

// A wrapping operation, printed on unsigned integers.
void ExpressionPrinter::put_bits(const Operation& operation, Scalar type, int level) {
  const Op op = operation.op;
  const int own = op == Op::WrapMul ? kProduct : kSum;
  open(own < level);
  if (op == Op::WrapNeg) {
    out_ += "0u - ";
  } else {
    put_bits_of(operation.operands[0], type, own);
    space();
    out_ += fmt::format("{} ", spelling(op));
  }
  put_bits_of(operation.operands.back(), type, own + 1);
  close(own < level);
}

void ExpressionPrinter::put_bits_of(const Expr& value, Scalar type, int level) {
  if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&value->kind)) {
    const auto bits = static_cast<uint64_t>(literal->value);
    const bool wide = type == Scalar::I64;
    out_ +=
        fmt::format("{}u{}", wide ? bits : bits & 0xffffffffu, wide ? dialect_.wide_suffix : "");
    return;
  }
  const Operation* operation = as_operation(value);
  const bool wraps = operation && operation->op >= Op::WrapNeg && operation->op <= Op::WrapMul;
  if (wraps) return put_bits(*operation, type, level);
  open(kUnary < level);
  out_ += fmt::format("({})", dialect_.bits_type(type));
  put(narrow_inside(value) ? operation->operands[0] : value, kPostfix, false);
  close(kUnary < level);
}

// Global buffers are linear and row-major in memory; other buffers are arrays of the language.
void ExpressionPrinter::put_element(kernel::BufferId id, const std::vector<Expr>& index) {
  const kernel::Buffer& buffer = kernel_->buffers[id];
  out_ += names_.spell(buffer.name);
  if (index.empty()) return;
  ++depth_;
  if (buffer.space == kernel::Space::Global) {
    const Scalar type = buffer.wide ? Scalar::I64 : Scalar::I32;
    const auto widened = [&](const Expr& e) { return buffer.wide ? kernel::convert(e, type) : e; };
    Expr offset = widened(index[0]);
    for (size_t d = 1; d < index.size(); ++d) {
      offset = kernel::add(kernel::mul(offset, widened(buffer.extents[d])), widened(index[d]));
    }
    out_ += "[";
    put_operand(offset, nullptr, kTernary, false);
    out_ += "]";
  } else {
    for (const Expr& i : index) {
      out_ += "[";
      put_operand(i, nullptr, kTernary, false);
      out_ += "]";
    }
  }
  --depth_;
}

}  // namespace stencil::emit
