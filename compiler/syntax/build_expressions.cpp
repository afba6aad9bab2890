// The part of the builder that makes expressions.
//
// The grammar delivers operands and operators in text order. Precedence is applied here by the
// shunting-yard method (Dijkstra 1961): an operator waits until one arrives that binds no tighter,
// then takes the two operands on top of the stack. Brackets open a new expression whose operators
// lie above those of the enclosing one, so nothing is reduced across them. The cost is one push and
// one pop per operator, independent of the number of precedence levels.
//
// Every operand stores the height of its tree, and open brackets are counted. No later pass, nor
// the destruction of the tree, can therefore recurse deeper than the limits in ast.h.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "compiler/syntax/builder.h"
#include "compiler/syntax/messages.h"
#include "compiler/syntax/operators.h"
#include "compiler/syntax/token.h"

namespace stencil {

namespace {

Op prefix_op(std::string_view text) {
  if (text == spelling(Op::Neg)) return Op::Neg;
  return text == spelling(Op::BitNot) ? Op::BitNot : Op::Not;
}

bool continues_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The base by the prefix of an integer: 0x hexadecimal, 0b binary; otherwise 10.
int base_of(std::string_view digits) {
  if (digits.size() < 3 || digits[0] != '0') return 10;
  const char letter = digits[1];
  return letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 10;
}

// The value of a number as written; throws P002 if the type cannot represent it.
template <typename Value>
Value read(std::string_view text, Span number) {
  Value value = 0;
  const char* begin = text.data() + number.begin;
  const char* const end = text.data() + number.end;
  std::errc error = {};
  if constexpr (std::is_integral_v<Value>) {
    const int base = base_of({begin, end});
    error = std::from_chars(base == 10 ? begin : begin + 2, end, value, base).ec;
  } else {
    error = std::from_chars(begin, end, value).ec;
  }
  if (error == std::errc{}) return value;
  throw number_out_of_range(
      text, number,
      std::is_integral_v<Value>
          ? fmt::format("an integer of at most {}", std::numeric_limits<Value>::max())
          : "a number that a double can hold");
}

}  // namespace

void TreeBuilder::name(Span at) {
  names_.push_back({std::string(text(at)), at});
}

ast::Identifier TreeBuilder::pop_name() {
  auto name = std::move(names_.back());
  names_.pop_back();
  return name;
}

TreeBuilder::Operand TreeBuilder::pop_operand() {
  auto operand = std::move(operands_.back());
  operands_.pop_back();
  return operand;
}

ast::ExprPtr TreeBuilder::pop_optional_expr() {
  return operands_.empty() ? nullptr : pop_operand().expr;
}

void TreeBuilder::push(Span span, int height, decltype(ast::Expr::kind) kind) {
  auto expr = std::make_unique<ast::Expr>(ast::Expr{std::move(kind), span});
  operands_.push_back({std::move(expr), height, {}});
}

// Nesting and height are checked before a node is made, so nothing too deep is ever built.
void TreeBuilder::open(Span bracket) {
  if (openings_.size() >= static_cast<size_t>(ast::kMaxNesting)) throw nesting_too_deep(bracket);
  openings_.push_back(
      {bracket, operands_.size(), names_.size(), types_.size(), statements_.size()});
}

TreeBuilder::Opening TreeBuilder::close() {
  const Opening opening = openings_.back();
  openings_.pop_back();
  return opening;
}

std::vector<ast::ExprPtr> TreeBuilder::operands_above(size_t count, int& height) {
  std::vector<ast::ExprPtr> taken;
  taken.reserve(operands_.size() - count);
  for (size_t i = count; i < operands_.size(); ++i) {
    height = std::max(height, operands_[i].height);
    taken.push_back(std::move(operands_[i].expr));
  }
  operands_.resize(count);
  return taken;
}

void TreeBuilder::expression_begin() {
  operator_bases_.push_back(operators_.size());
}

void TreeBuilder::expression_end() {
  while (operators_.size() > operator_bases_.back()) reduce_operator();
  operator_bases_.pop_back();
}

void TreeBuilder::prefix_operator(Span at) {
  operators_.push_back({true, prefix_op(text(at)), kPrefixPrecedence, at});
}

void TreeBuilder::binary_operator(Span at) {
  const auto row =
      std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                   [&](const BinaryOperator& r) { return spelling(r.op) == text(at); });
  while (operators_.size() > operator_bases_.back() &&
         operators_.back().precedence >= row->precedence) {
    if (row->precedence == kComparisonPrecedence &&
        operators_.back().precedence == kComparisonPrecedence) {
      throw chained_comparison(at);
    }
    reduce_operator();
  }
  operators_.push_back({false, row->op, row->precedence, at});
}

void TreeBuilder::reduce_operator() {
  const Operator op = operators_.back();
  operators_.pop_back();
  Operand right = pop_operand();
  if (op.prefix) {
    if (right.height >= ast::kMaxExpressionDepth) throw expression_too_deep(op.span);
    const Span span = join(op.span, right.expr->span);
    push(span, right.height + 1, ast::Unary{op.op, std::move(right.expr)});
    return;
  }
  Operand left = pop_operand();
  const int height = std::max(left.height, right.height) + 1;
  if (height > ast::kMaxExpressionDepth) throw expression_too_deep(op.span);
  const Span span = join(left.expr->span, right.expr->span);
  push(span, height, ast::Binary{op.op, std::move(left.expr), std::move(right.expr)});
}

void TreeBuilder::number(Span at) {
  Span whole = at;
  while (whole.end < text_.size() && continues_word(text_[whole.end])) ++whole.end;
  if (whole.end > at.end) throw malformed_number(text_, whole, at.end);
  const auto digits = text(at);
  const bool based = base_of(digits) != 10;
  ast::Number number{based || digits.find_first_of(".eE") == std::string_view::npos, 0, 0};
  if (number.integral) number.integer = read<int64_t>(text_, at);
  number.real = based ? static_cast<double>(number.integer) : read<double>(text_, at);
  push(at, 1, number);
}

void TreeBuilder::boolean(Span at) {
  push(at, 1, ast::Boolean{text(at) == "true"});
}

void TreeBuilder::plain_name() {
  auto name = pop_name();
  const Span span = name.span;
  push(span, 1, ast::Name{std::move(name.name)});
}

void TreeBuilder::level(Span at) {
  auto name = pop_name();
  const int back = read<int>(text_, at);
  const Span span = join(name.span, at);
  push(span, 1, ast::Level{std::move(name.name), back});
}

void TreeBuilder::direction(Span word) {
  direction_ = word;
}

void TreeBuilder::same_step() {
  auto name = pop_name();
  const Span span = name.span;
  push(span, 1, ast::Level{std::move(name.name), 0});
}

void TreeBuilder::other_level() {
  ast::Expr& expr = *operands_.back().expr;
  std::get<ast::Level>(expr.kind).towards = text(direction_) == "fine" ? -1 : 1;
  expr.span = join(direction_, expr.span);
}

// Parentheses leave no node, but the operand's span grows to include them.
void TreeBuilder::parenthesized(Span close_span) {
  operands_.back().expr->span = join(close().span, close_span);
}

void TreeBuilder::call(Span close_span) {
  const Opening opening = close();
  int height = 0;
  auto arguments = operands_above(opening.operands, height);
  if (height >= ast::kMaxExpressionDepth) throw expression_too_deep(opening.span);
  auto callee = pop_name();
  const Span span = join(callee.span, close_span);
  push(span, height + 1, ast::Call{std::move(callee), std::move(arguments)});
}

// The stacks above the opening hold the binders' names and, as operands, low and high of each
// binder and the body.
void TreeBuilder::comprehension(Span close_span) {
  const Opening opening = close();
  int height = 0;
  auto parts = operands_above(opening.operands, height);
  if (height >= ast::kMaxExpressionDepth) throw expression_too_deep(opening.span);
  ast::Comprehension node;
  node.body = std::move(parts.back());
  for (size_t i = 0; opening.names + i < names_.size(); ++i) {
    node.binders.push_back({std::move(names_[opening.names + i]), std::move(parts[2 * i]),
                            std::move(parts[2 * i + 1])});
  }
  names_.resize(opening.names);
  node.reducer = pop_name();
  const Span span = join(node.reducer.span, close_span);
  push(span, height + 1, std::move(node));
}

void TreeBuilder::within() {
  Operand bound = pop_operand();
  Operand value = pop_operand();
  const int height = std::max(value.height, bound.height) + 1;
  const Span span = join(value.expr->span, bound.expr->span);
  if (height > ast::kMaxExpressionDepth) throw expression_too_deep(span);
  push(span, height, ast::Within{std::move(value.expr), std::move(bound.expr)});
}

void TreeBuilder::bracket(Span close_span) {
  const Opening opening = close();
  int height = 0;
  auto indices = operands_above(opening.operands, height);
  Operand base = pop_operand();
  height = std::max(height, base.height);
  if (height >= ast::kMaxExpressionDepth) throw expression_too_deep(opening.span);
  const Span span = join(base.expr->span, close_span);
  push(span, height + 1, ast::Bracket{std::move(base.expr), std::move(indices)});
}

void TreeBuilder::member() {
  auto name = pop_name();
  Operand base = pop_operand();
  if (base.height >= ast::kMaxExpressionDepth) throw expression_too_deep(name.span);
  const Span span = join(base.expr->span, name.span);
  push(span, base.height + 1, ast::Member{std::move(base.expr), std::move(name)});
}

void TreeBuilder::aggregate_entry() {
  if (names_.size() > openings_.back().names) operands_.back().label = pop_name();
}

void TreeBuilder::aggregate(Span close_span) {
  const Opening opening = close();
  ast::Aggregate node;
  int height = 0;
  for (size_t i = opening.operands; i < operands_.size(); ++i) {
    height = std::max(height, operands_[i].height);
    node.entries.push_back({std::move(operands_[i].label), std::move(operands_[i].expr)});
  }
  if (height >= ast::kMaxExpressionDepth) throw expression_too_deep(opening.span);
  operands_.resize(opening.operands);
  const Span span = join(opening.span, close_span);
  push(span, height + 1, std::move(node));
}

}  // namespace stencil
