#include "compiler/builder/call.h"

namespace stencil::dsl::detail {

ast::Identifier Call::name(const std::string& name) {
  check(check_name(name));
  return {name, span_};
}

ast::Identifier Call::name(const std::string& name, uint64_t builder) {
  check_builder(builder);
  return this->name(name);
}

ast::Identifier Call::name(const Domain& domain) {
  return name(Access::name(domain), Access::builder(domain));
}

std::vector<ast::Identifier> Call::names(const std::vector<Index>& indices) {
  std::vector<ast::Identifier> out;
  for (const Index& index : indices) out.push_back(name(Access::name(index)));
  return out;
}

ast::ExprPtr Call::expr(const Expr& expr) {
  const Node& node = Access::node(expr);
  return sound(node) ? tree(node) : nullptr;
}

ast::ExprPtr Call::expr(const std::optional<Expr>& optional) {
  return optional ? expr(*optional) : nullptr;
}

ast::TypeExpr Call::type(const Type& type) {
  const TypeNode& node = Access::node(type);
  return sound(node) ? node.make() : ast::TypeExpr{};
}

ast::Box Call::box(const Box& ranges) {
  ast::Box box;
  for (const Range& range : ranges) {
    ast::Range& out = box.ranges.emplace_back();
    if (Access::index(range)) out.index = name(*Access::index(range));
    out.low = expr(Access::low(range));
    out.high = expr(Access::high(range));
    out.stride = expr(Access::stride(range));
    if (out.stride && !Access::high(range)) {
      check(problem("P023", "a range of one point cannot have a stride"));
    }
  }
  return box;
}

ast::Box Call::plain_box(const Box& ranges, const char* of) {
  for (const Range& range : ranges) {
    if (Access::stride(range)) check(unstrided(of));
  }
  return box(ranges);
}

std::optional<ast::PerDimension> Call::per_dimension(const PerDimension& values) {
  if (Access::absent(values)) return std::nullopt;
  ast::PerDimension out{Access::list(values), {}, {}};
  for (const Expr& value : Access::values(values)) out.values.push_back(expr(value));
  return out;
}

ast::Coarsening Call::coarsening(const PerDimension& ratios, bool cells) {
  return {per_dimension(ratios).value_or(ast::PerDimension{}), cells, {}};
}

ast::Region Call::region(const Region& region) {
  const std::optional<Domain>& domain = Access::domain(region);
  if (!domain) return box(Access::box(region));
  return ast::NamedRegion{name(*domain), names(Access::indices(region))};
}

ast::BoundaryRule Call::rule(const Rule& rule) {
#define STENCIL_BOUNDARY(kind, ...) \
  static_assert(static_cast<int>(Rule::Kind::kind) == static_cast<int>(BoundaryKind::kind));
#include "compiler/support/boundaries.def"
  const auto kind = static_cast<BoundaryKind>(rule.kind);
  if (!row_of(kind).takes_value()) return {kind, nullptr, {}};
  return {kind, expr(rule.value.value_or(Expr(0))), {}};
}

std::optional<ast::Boundary> Call::boundary(const Boundary& boundary) {
  if (!Access::list(boundary) && Access::dimensions(boundary).empty()) return std::nullopt;
  ast::Boundary out{Access::list(boundary), {}, {}};
  for (const Sides& sides : Access::dimensions(boundary)) {
    ast::BoundarySides& rules = out.dimensions.emplace_back();
    rules.low = rule(sides.low);
    if (sides.high) rules.high = rule(*sides.high);
  }
  return out;
}

std::vector<ast::Function::Argument> Call::arguments(const std::vector<Argument>& arguments) {
  std::vector<ast::Function::Argument> out;
  for (const Argument& argument : arguments) {
    out.push_back({name(Access::name(argument)), Access::is_field(argument)});
  }
  return out;
}

void Call::check(const Problem& problem) {
  if (problem && !reported_) state_.report(*problem, place_);
  reported_ = reported_ || problem;
}

void Call::check_builder(uint64_t builder) {
  if (builder == 0 || builder == state_.id) return;
  check(problem("P020", "the value belongs to another builder"));
}

bool Call::sound(const Extent& extent) {
  check(extent.problem);
  check_builder(extent.builder);
  return !extent.problem;
}

}  // namespace stencil::dsl::detail
