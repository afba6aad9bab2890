// Expressions and ranges of stencil/builder.h. Each function makes one kind of syntax node.
// Semantic analysis decides what the node means and whether it is allowed.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/builder/parts.h"

namespace stencil::dsl {

namespace {

using ast::ExprPtr;
using detail::make_expr;
using detail::Node;
using Exprs = std::vector<ExprPtr>;

Expr binary(Op op, const Expr& a, const Expr& b) {
  return Access::combine({a, b}, [op](Exprs parts) {
    return make_expr(ast::Binary{op, std::move(parts[0]), std::move(parts[1])});
  });
}

Expr unary(Op op, const Expr& a) {
  return Access::combine({a}, [op](Exprs parts) {
    return make_expr(ast::Unary{op, std::move(parts[0])});
  });
}

ast::Identifier identifier(const std::string& name) {
  return {name, {}};
}

Expr call(const std::string& callee, const std::vector<Expr>& arguments) {
  return Access::combine(arguments, [callee](Exprs parts) {
    return make_expr(ast::Call{identifier(callee), std::move(parts)});
  });
}

std::shared_ptr<const Node> literal(std::function<ExprPtr()> make) {
  auto node = std::make_shared<Node>();
  node->make = [make = std::move(make)](Exprs) { return make(); };
  return node;
}

std::shared_ptr<const Node> without_literal(std::string number) {
  auto node = std::make_shared<Node>();
  node->problem = detail::problem("P022", fmt::format("{} cannot be written as a literal", number));
  return node;
}

ExprPtr integral(int64_t value) {
  return make_expr(ast::Number{true, value, static_cast<double>(value)});
}
ExprPtr negated(ExprPtr operand) {
  return make_expr(ast::Unary{Op::Neg, std::move(operand)});
}

// A comprehension whose body uses the names of the ranges. The operands are the low and the high
// bound of each range, followed by the body.
Expr comprehension(const std::string& reducer, const std::vector<Range>& ranges, const Expr& body) {
  std::vector<std::string> names;
  std::vector<Expr> operands;
  detail::Problem problem;
  for (const Range& range : ranges) {
    if (!Access::index(range) || !Access::high(range)) {
      problem = detail::problem("P023", fmt::format("a range of {}() has no index", reducer),
                                "write index.in(low, high)");
      break;
    }
    if (Access::stride(range)) problem = detail::unstrided(fmt::format("{}()", reducer));
    names.push_back(*Access::index(range));
    operands.push_back(Access::low(range));
    operands.push_back(*Access::high(range));
    if (!problem) problem = detail::check_name(names.back());
  }
  operands.push_back(body);
  const auto make = [reducer, names](Exprs parts) {
    ast::Comprehension node{identifier(reducer), {}, std::move(parts.back())};
    for (size_t i = 0; i < names.size(); ++i) {
      node.binders.push_back(
          {identifier(names[i]), std::move(parts[2 * i]), std::move(parts[2 * i + 1])});
    }
    return make_expr(std::move(node));
  };
  return Access::combine(operands, make, problem);
}

// The field `base` on another time level or grid level. `steps` is what at() is given.
Expr other_level(const Expr& base, const std::string& name, int steps, int towards) {
  detail::Problem problem;
  if (steps > 0 || steps == std::numeric_limits<int>::min()) {
    problem = detail::problem("P024", fmt::format("{}.at({}) is not an earlier level", name, steps),
                              "use at(-k) for the level k steps back");
  }
  return Access::combine(
      {base},
      [name, steps, towards](Exprs) {
        return make_expr(ast::Level{name, -steps, towards});
      },
      problem);
}

}  // namespace

// Literals. The language has no negative literals, so a negative number becomes a negation.

Expr::NodePtr Expr::boolean_literal(bool value) {
  return dsl::literal([value] { return make_expr(ast::Boolean{value}); });
}

Expr::NodePtr Expr::real_literal(double value) {
  if (!std::isfinite(value)) return without_literal(fmt::format("{}", value));
  return dsl::literal([value] {
    auto number = make_expr(ast::Number{false, 0, std::abs(value)});
    return std::signbit(value) ? negated(std::move(number)) : std::move(number);
  });
}

Expr::NodePtr Expr::integer_literal(std::int64_t value) {
  return dsl::literal([value] {
    if (value >= 0) return integral(value);
    if (value > std::numeric_limits<int64_t>::min()) return negated(integral(-value));
    auto above = negated(integral(std::numeric_limits<int64_t>::max()));
    return make_expr(ast::Binary{Op::Sub, std::move(above), integral(1)});
  });
}

Expr::NodePtr Expr::unsigned_literal(std::uint64_t value) {
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return without_literal(fmt::format("{}", value));
  }
  return integer_literal(static_cast<int64_t>(value));
}

Expr Expr::at_indices(const std::vector<Expr>& indices) const {
  std::vector<Expr> operands = {*this};
  operands.insert(operands.end(), indices.begin(), indices.end());
  detail::Problem problem;
  if (indices.empty()) problem = detail::problem("P023", "an access without indices");
  const auto make = [](Exprs parts) {
    ast::Bracket bracket{std::move(parts[0]), {}};
    for (size_t i = 1; i < parts.size(); ++i) bracket.indices.push_back(std::move(parts[i]));
    return make_expr(std::move(bracket));
  };
  return Access::combine(operands, make, problem);
}

Expr Expr::member(const std::string& name) const {
  return Access::combine(
      {*this},
      [name](Exprs parts) {
        return make_expr(ast::Member{std::move(parts[0]), identifier(name)});
      },
      detail::check_name(name));
}

Expr& Expr::operator+=(const Expr& other) {
  return *this = *this + other;
}
Expr& Expr::operator-=(const Expr& other) {
  return *this = *this - other;
}
Expr& Expr::operator*=(const Expr& other) {
  return *this = *this * other;
}
Expr& Expr::operator/=(const Expr& other) {
  return *this = *this / other;
}

// clang-format off
Expr operator+(const Expr& a, const Expr& b) { return binary(Op::Add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return binary(Op::Sub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return binary(Op::Mul, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return binary(Op::Div, a, b); }
Expr operator%(const Expr& a, const Expr& b) { return binary(Op::Mod, a, b); }
Expr operator==(const Expr& a, const Expr& b) { return binary(Op::Eq, a, b); }
Expr operator!=(const Expr& a, const Expr& b) { return binary(Op::Ne, a, b); }
Expr operator<(const Expr& a, const Expr& b) { return binary(Op::Lt, a, b); }
Expr operator<=(const Expr& a, const Expr& b) { return binary(Op::Le, a, b); }
Expr operator>(const Expr& a, const Expr& b) { return binary(Op::Gt, a, b); }
Expr operator>=(const Expr& a, const Expr& b) { return binary(Op::Ge, a, b); }
Expr operator&&(const Expr& a, const Expr& b) { return binary(Op::And, a, b); }
Expr operator||(const Expr& a, const Expr& b) { return binary(Op::Or, a, b); }
Expr operator&(const Expr& a, const Expr& b) { return binary(Op::BitAnd, a, b); }
Expr operator|(const Expr& a, const Expr& b) { return binary(Op::BitOr, a, b); }
Expr operator^(const Expr& a, const Expr& b) { return binary(Op::BitXor, a, b); }
Expr operator<<(const Expr& a, const Expr& b) { return binary(Op::Shl, a, b); }
Expr operator>>(const Expr& a, const Expr& b) { return binary(Op::Shr, a, b); }
Expr operator-(const Expr& a) { return unary(Op::Neg, a); }
Expr operator!(const Expr& a) { return unary(Op::Not, a); }
Expr operator~(const Expr& a) { return unary(Op::BitNot, a); }

Expr select(const Expr& condition, const Expr& if_true, const Expr& if_false) {
  return call("select", {condition, if_true, if_false});
}
Expr abs(const Expr& x) { return call("abs", {x}); }
Expr sqrt(const Expr& x) { return call("sqrt", {x}); }
Expr rsqrt(const Expr& x) { return call("rsqrt", {x}); }
Expr floor(const Expr& x) { return call("floor", {x}); }
Expr ceil(const Expr& x) { return call("ceil", {x}); }
Expr round(const Expr& x) { return call("round", {x}); }
Expr trunc(const Expr& x) { return call("trunc", {x}); }
Expr sign(const Expr& x) { return call("sign", {x}); }
Expr lshr(const Expr& x, const Expr& count) { return call("lshr", {x, count}); }
Expr random(std::vector<Expr> coordinates, const Expr& seed) {
  coordinates.push_back(seed);
  return call("random", coordinates);
}
#define STENCIL_OPERANDS_1 const Expr& a
#define STENCIL_OPERANDS_2 const Expr &a, const Expr &b
#define STENCIL_VALUES_1 {a}
#define STENCIL_VALUES_2 {a, b}
#define STENCIL_FUNCTION(op, name, operands) \
  Expr name(STENCIL_OPERANDS_##operands) { return call(#name, STENCIL_VALUES_##operands); }
#include "compiler/support/functions.def"
#undef STENCIL_OPERANDS_1
#undef STENCIL_OPERANDS_2
#undef STENCIL_VALUES_1
#undef STENCIL_VALUES_2
Expr pi() { return Access::name("pi", 0); }
Expr fma(const Expr& a, const Expr& b, const Expr& c) { return call("fma", {a, b, c}); }
Expr min_of(const std::vector<Expr>& operands) { return call("min", operands); }
Expr max_of(const std::vector<Expr>& operands) { return call("max", operands); }
Expr ScalarType::operator()(const Expr& x) const { return call(name, {x}); }
Expr position(const Expr& index) { return call("position", {index}); }
Expr origin(const Expr& dimension) { return call("origin", {dimension}); }
Expr spacing(const Expr& dimension) { return call("spacing", {dimension}); }

Expr step_index() { return Access::name("time", 0); }
Expr level() { return Access::name("level", 0); }
Expr first() { return Access::name("first", 0); }
Expr last() { return Access::name("last", 0); }

Expr sum(const std::vector<Range>& ranges, const Expr& body) { return comprehension("sum", ranges, body); }
Expr prod(const std::vector<Range>& ranges, const Expr& body) { return comprehension("prod", ranges, body); }
Expr min(const std::vector<Range>& ranges, const Expr& body) { return comprehension("min", ranges, body); }
Expr max(const std::vector<Range>& ranges, const Expr& body) { return comprehension("max", ranges, body); }
Expr vector(const std::vector<Range>& ranges, const Expr& body) { return comprehension("vector", ranges, body); }
// clang-format on

Expr within(const Expr& offset, const Expr& bound) {
  return Access::combine({offset, bound}, [](Exprs parts) {
    return make_expr(ast::Within{std::move(parts[0]), std::move(parts[1])});
  });
}

Expr values(const std::vector<Expr>& elements) {
  return Access::combine(elements, [](Exprs parts) {
    ast::Aggregate node;
    for (ExprPtr& part : parts) node.entries.push_back({{}, std::move(part)});
    return make_expr(std::move(node));
  });
}

Expr record(const std::vector<NamedValue>& members) {
  std::vector<std::string> names;
  std::vector<Expr> operands;
  detail::Problem problem;
  for (const NamedValue& member : members) {
    names.push_back(member.name);
    operands.push_back(member.value);
    if (!problem) problem = detail::check_name(member.name);
  }
  const auto make = [names](Exprs parts) {
    ast::Aggregate node;
    for (size_t i = 0; i < parts.size(); ++i) {
      node.entries.push_back({identifier(names[i]), std::move(parts[i])});
    }
    return make_expr(std::move(node));
  };
  return Access::combine(operands, make, problem);
}

// Names and ranges.

Index::Index(const std::string& name) : Expr(Access::name(name, 0)), name_(name) {}

Range Index::in(const Expr& low, const Expr& high) const {
  Range range(low, high);
  range.index_ = name_;
  return range;
}
Range Index::in(const Expr& point) const {
  Range range(point);
  range.index_ = name_;
  return range;
}

Range::Range(const Expr& low, const Expr& high) : low_(low), high_(high) {}

Range Range::by(const Expr& n) const {
  Range out = *this;
  out.stride_ = n;
  return out;
}

Range extent(const Expr& n) {
  return {0, n - 1};
}

Field::Field(const std::string& name, std::uint64_t builder)
    : Expr(Access::name(name, builder)), name_(name), builder_(builder) {}

Expr Field::at(int steps) const {
  if (steps == 0) return *this;
  return other_level(*this, name_, steps, 0);
}

Expr LevelField::at(int steps) const {
  return other_level(field_, name_, steps, towards_);
}

LevelField Access::level_field(const Field& field, int towards) {
  return {other_level(field, field.name_, 0, towards), field, field.name_, towards};
}

LevelField fine(const Field& field) {
  return Access::level_field(field, -1);
}
LevelField coarse(const Field& field) {
  return Access::level_field(field, 1);
}

ValueArgument::ValueArgument(const std::string& name) : Expr(Access::name(name, 0)), name_(name) {}

Argument::Argument(const FieldArgument& argument)
    : name_(Access::name(argument)), is_field_(true) {}
Argument::Argument(const ValueArgument& argument)
    : name_(Access::name(argument)), is_field_(false) {}

Reduction::Reduction(const std::string& name) : Reduction(name, 0) {}

Reduction::Reduction(const std::string& name, uint64_t builder)
    : Expr(Access::name(name, builder)), name_(name), builder_(builder) {}

Expr Reduction::before() const {
  return Access::combine({Access::name(name_, builder_)}, [name = name_](Exprs) {
    return make_expr(ast::Level{name, 1});
  });
}

}  // namespace stencil::dsl
