// The calls of stencil/builder.h that add to the program. Each call makes the syntax of one item or
// of one line of a body.
//
// A Statement collects the parts of one call. If several parts are misused, only the first one is
// reported, at the place of the call. A misused part leaves an incomplete tree behind. A program
// with misuse is never built, so this tree is never used.
#include <fmt/format.h>

#include <atomic>

#include "compiler/builder/parts.h"

namespace stencil::dsl {

namespace {

using detail::State;

uint64_t next_builder() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

class Statement {
 public:
  Statement(State& state, Place place) : state_(state), place_(place), span_(state.mark(place)) {}

  Span span() const { return span_; }

  ast::Identifier name(const std::string& name) {
    check(detail::check_name(name));
    return {name, span_};
  }
  // A name that the builder with this id has declared.
  ast::Identifier name(const std::string& name, uint64_t builder) {
    check_builder(builder);
    return this->name(name);
  }

  ast::ExprPtr expr(const Expr& expr) {
    const detail::Node& node = Access::node(expr);
    return sound(node) ? detail::tree(node) : nullptr;
  }
  ast::ExprPtr expr(const std::optional<Expr>& optional) {
    return optional ? expr(*optional) : nullptr;
  }

  ast::TypeExpr type(const Type& type) {
    const detail::TypeNode& node = Access::node(type);
    return sound(node) ? node.make() : ast::TypeExpr{};
  }

  // The box of a grid or series, whose ranges must have no strides.
  ast::Box plain_box(const Box& ranges, const char* of) {
    for (const Range& range : ranges) {
      if (Access::stride(range)) check(detail::unstrided(of));
    }
    return box(ranges);
  }
  ast::Box box(const Box& ranges) {
    ast::Box box;
    for (const Range& range : ranges) {
      ast::Range& out = box.ranges.emplace_back();
      if (Access::index(range)) out.index = name(*Access::index(range));
      out.low = expr(Access::low(range));
      out.high = expr(Access::high(range));
      out.stride = expr(Access::stride(range));
      if (out.stride && !Access::high(range)) {
        check(detail::problem("P023", "a range of one point cannot have a stride"));
      }
    }
    return box;
  }
  std::optional<ast::PerDimension> per_dimension(const PerDimension& values) {
    if (!Access::list(values) && Access::values(values).empty()) return std::nullopt;
    ast::PerDimension out{Access::list(values), {}, {}};
    for (const Expr& value : Access::values(values)) out.values.push_back(expr(value));
    return out;
  }
  ast::Region region(const Region& region) {
    const std::optional<Domain>& domain = Access::domain(region);
    if (!domain) return box(Access::box(region));
    return ast::NamedRegion{name(Access::name(*domain), Access::builder(*domain)),
                            names(Access::indices(region))};
  }
  std::vector<ast::Identifier> names(const std::vector<Index>& indices) {
    std::vector<ast::Identifier> out;
    for (const Index& index : indices) out.push_back(name(Access::name(index)));
    return out;
  }
  ast::ExprPtr where(const Region& region) { return expr(Access::where(region)); }

  ast::BoundaryRule rule(const Rule& rule) {
#define STENCIL_BOUNDARY(kind, ...) \
  static_assert(static_cast<int>(Rule::Kind::kind) == static_cast<int>(BoundaryKind::kind));
#include "compiler/support/boundaries.def"
    const auto kind = static_cast<BoundaryKind>(rule.kind);
    if (!row_of(kind).takes_value()) return {kind, nullptr, {}};
    return {kind, expr(rule.value.value_or(Expr(0))), {}};
  }
  std::optional<ast::Boundary> boundary(const Boundary& boundary) {
    if (!Access::list(boundary) && Access::dimensions(boundary).empty()) return std::nullopt;
    ast::Boundary out{Access::list(boundary), {}, {}};
    for (const Sides& sides : Access::dimensions(boundary)) {
      ast::BoundarySides& rules = out.dimensions.emplace_back();
      rules.low = rule(sides.low);
      if (sides.high) rules.high = rule(*sides.high);
    }
    return out;
  }

  std::vector<ast::Function::Argument> arguments(const std::vector<Argument>& arguments) {
    std::vector<ast::Function::Argument> out;
    for (const Argument& argument : arguments) {
      out.push_back({name(Access::name(argument)), Access::is_field(argument)});
    }
    return out;
  }

  void check(const detail::Problem& problem) {
    if (problem && !reported_) state_.report(*problem, place_);
    reported_ = reported_ || problem;
  }

  // Adds the item and returns its index.
  template <typename Kind>
  size_t add(Kind kind) {
    state_.program.items.push_back({std::move(kind), span_});
    return state_.program.items.size() - 1;
  }

 private:
  void check_builder(uint64_t builder) {
    if (builder == 0 || builder == state_.id) return;
    check(detail::problem("P020", "the value belongs to another builder"));
  }
  bool sound(const detail::Extent& extent) {
    check(extent.problem);
    check_builder(extent.builder);
    return !extent.problem;
  }

  State& state_;
  Place place_;
  Span span_;
  bool reported_ = false;
};

template <typename Item>
Item& item_of(State& state, size_t item) {
  return std::get<Item>(state.program.items[item].kind);
}

template <typename Item>
Expr add_let(State& state, size_t item, const std::string& name, const Expr& value, Place place) {
  Statement line(state, place);
  item_of<Item>(state, item).lets.push_back({line.name(name), line.expr(value)});
  return Access::name(name, state.id);
}

void add_piece(State& state, Statement& line, size_t item, const Region& region,
               const Expr& value) {
  item_of<ast::Stencil>(state, item)
      .pieces.push_back({line.region(region), line.where(region), line.expr(value), line.span()});
}

}  // namespace

// Bodies.

Expr Function::call(const std::vector<Expr>& arguments) const {
  // The operand carries the id of the builder.
  std::vector<Expr> operands = {Access::name(name_, state_->id)};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  return Access::combine(operands, [name = name_](std::vector<ast::ExprPtr> parts) {
    parts.erase(parts.begin());
    return detail::make_expr(ast::Call{{name, {}}, std::move(parts)});
  });
}

Expr Function::let(const std::string& name, const Expr& value, Place place) const {
  return add_let<ast::Function>(*state_, item_, name, value, place);
}

void Function::value(const Expr& value, Place place) const {
  Statement line(*state_, place);
  auto& function = item_of<ast::Function>(*state_, item_);
  if (function.value) {
    line.check(detail::problem("P023", fmt::format("function '{}' already has a value", name_)));
  }
  function.value = line.expr(value);
}

Expr Stencil::let(const std::string& name, const Expr& value, Place place) const {
  return add_let<ast::Stencil>(*state_, item_, name, value, place);
}

Target::Target(const Field& field)
    : field_(Access::name(field)), builder_(Access::builder(field)) {}

Target Target::member(const std::string& name) const {
  Target out = *this;
  out.members_.push_back(name);
  return out;
}

const Stencil& Stencil::piece(const Region& region, const Expr& value, Place place) const {
  Statement line(*state_, place);
  add_piece(*state_, line, item_, region, value);
  return *this;
}

const Stencil& Stencil::otherwise(const Expr& value, const std::vector<Index>& indices,
                                  Place place) const {
  Statement line(*state_, place);
  ast::NamedRegion rest{{"else", line.span()}, line.names(indices)};
  item_of<ast::Stencil>(*state_, item_)
      .pieces.push_back({std::move(rest), nullptr, line.expr(value), line.span(), true});
  return *this;
}

const Stencil& Stencil::every(const Expr& n, Place place) const {
  Statement line(*state_, place);
  auto& stencil = item_of<ast::Stencil>(*state_, item_);
  if (stencil.every) {
    line.check(detail::problem(
        "P023", fmt::format("stencil '{}' already has an interval", stencil.name.name)));
  }
  stencil.every = line.expr(n);
  return *this;
}

Region Region::where(const Expr& condition) const {
  Region out = *this;
  out.where_ = condition;
  return out;
}

// Items.

Builder::Builder(const std::string& name, Place place) : state_(std::make_shared<State>()) {
  state_->id = next_builder();
  state_->name = name;
  Statement(*state_, place).name(name);
}

Expr Builder::param(const std::string& name, const Type& type, const std::optional<Expr>& value,
                    Place place) {
  Statement item(*state_, place);
  item.add(ast::Param{item.name(name), item.type(type), item.expr(value)});
  return Access::name(name, state_->id);
}

Domain Builder::grid(const std::string& name, const Box& box, const std::optional<Expr>& steps,
                     Place place) {
  return grid(name, box, GridOptions{.steps = steps}, place);
}

Domain Builder::grid(const std::string& name, const Box& box, const GridOptions& options,
                     Place place) {
  Statement item(*state_, place);
  item.add(ast::Grid{item.name(name), item.plain_box(box, "a grid"), item.expr(options.steps),
                     item.per_dimension(options.origin), item.per_dimension(options.spacing)});
  return Access::domain(name, state_->id);
}

Domain Builder::subgrid(const std::string& name, const Domain& parent, const Box& box,
                        Place place) {
  Statement item(*state_, place);
  item.add(ast::Subgrid{item.name(name), item.name(Access::name(parent), Access::builder(parent)),
                        item.box(box)});
  return Access::domain(name, state_->id);
}

Type Builder::type(const std::string& name, const Type& type, Place place) {
  Statement item(*state_, place);
  item.add(ast::TypeDecl{item.name(name), item.type(type)});
  auto node = std::make_shared<detail::TypeNode>();
  node->builder = state_->id;
  node->make = [name] { return ast::TypeExpr{ast::NamedType{name}, {}}; };
  return Access::type(std::move(node));
}

Field Builder::field(const std::string& name, const Type& type, const Domain& domain,
                     const FieldOptions& options, Place place) {
  Statement item(*state_, place);
  ast::Field field;
  field.names.push_back(item.name(name));
  field.type = item.type(type);
  field.domain = item.name(Access::name(domain), Access::builder(domain));
  field.along = item.per_dimension(options.along);
  field.history = item.expr(options.history);
  field.constant = options.constant;
  field.boundary = item.boundary(options.boundary);
  item.add(std::move(field));
  return Field(name, state_->id);
}

Field Builder::series(const std::string& name, const Type& type, const Range& times,
                      const SeriesOptions& options, Place place) {
  Statement item(*state_, place);
  ast::Series series;
  series.names.push_back(item.name(name));
  series.type = item.type(type);
  series.times = item.plain_box({times}, "a series");
  if (options.domain) {
    series.domain = item.name(Access::name(*options.domain), Access::builder(*options.domain));
  }
  series.along = item.per_dimension(options.along);
  series.boundary = item.boundary(options.boundary);
  item.add(std::move(series));
  return Field(name, state_->id);
}

Points Builder::points(const std::string& name, const Range& numbers, const Domain& domain,
                       const std::optional<Expr>& weights, Place place) {
  Statement item(*state_, place);
  ast::Points points;
  points.names.push_back(item.name(name));
  points.numbers = item.plain_box({numbers}, "a set of points");
  points.domain = item.name(Access::name(domain), Access::builder(domain));
  points.weights = item.expr(weights);
  item.add(std::move(points));
  return {Access::domain(name, state_->id), Field(name, state_->id)};
}

Expr Builder::table(const std::string& name, const Type& type, const std::vector<Expr>& extents,
                    const Expr& value, Place place) {
  Statement item(*state_, place);
  ast::Table table{item.name(name), item.type(type), {}, item.expr(value)};
  for (const Expr& extent : extents) table.extents.push_back(item.expr(extent));
  item.add(std::move(table));
  return Access::name(name, state_->id);
}

Function Builder::function(const std::string& name, const std::vector<Argument>& arguments,
                           const Expr& value, Place place) {
  Statement item(*state_, place);
  const size_t at =
      item.add(ast::Function{item.name(name), item.arguments(arguments), {}, item.expr(value)});
  return Function(state_, at, name);
}

Function Builder::function(const std::string& name, const std::vector<Argument>& arguments,
                           Place place) {
  Statement item(*state_, place);
  const size_t at =
      item.add(ast::Function{item.name(name), item.arguments(arguments), {}, nullptr});
  return Function(state_, at, name);
}

Stencil Builder::stencil(const std::string& name, const Field& target, Place place) {
  return stencil(name, std::vector<Target>{target}, place);
}

Stencil Builder::stencil(const std::string& name, const std::vector<Target>& targets, Place place) {
  Statement item(*state_, place);
  ast::Stencil stencil{item.name(name), {}, {}, {}};
  for (const Target& target : targets) {
    ast::Target to{item.name(Access::name(target), Access::builder(target)), {}};
    for (const std::string& member : Access::members(target)) {
      to.members.push_back(item.name(member));
    }
    stencil.targets.push_back(std::move(to));
  }
  if (targets.empty()) {
    item.check(detail::problem("P023", fmt::format("stencil '{}' has no target", name)));
  }
  return Stencil(state_, item.add(std::move(stencil)));
}

Stencil Builder::stencil(const std::string& name, const std::vector<Target>& targets,
                         const Region& region, const Expr& value, Place place) {
  const Stencil made = stencil(name, targets, place);
  return made.piece(region, value, place);
}

Stencil Builder::stencil(const std::string& name, const Field& target, const Region& region,
                         const Expr& value, Place place) {
  const Stencil made = stencil(name, target, place);
  return made.piece(region, value, place);
}

void Builder::repeat(const Expr& count, const std::function<void()>& body, Place place) {
  Statement item(*state_, place);
  item.add(ast::Repeat{item.expr(count)});
  body();
  item.add(ast::RepeatEnd{});
}

void Builder::init(const Field& target, const std::vector<Index>& indices, const Expr& value,
                   Place place) {
  Statement item(*state_, place);
  ast::Init init{item.name(Access::name(target), Access::builder(target)), {}, item.expr(value)};
  for (const Index& index : indices) init.indices.push_back(item.name(Access::name(index)));
  item.add(std::move(init));
}

void Builder::init(const Field& target, const Expr& value, Place place) {
  init(target, std::vector<Index>{}, value, place);
}

namespace {

const char* name_of(Reducer reducer) {
  static constexpr const char* kNames[] = {"sum", "prod", "min", "max"};
  return kNames[static_cast<size_t>(reducer)];
}

}  // namespace

Reduction Builder::reduce(const std::string& name, Reducer reducer, const Expr& value,
                          const Region& region, const std::optional<Expr>& every, Place place) {
  return reduce(name, reducer, value, region, ReduceOptions{.every = every}, place);
}

Reduction Builder::reduce(const std::string& name, Reducer reducer, const Expr& value,
                          const Region& region, const ReduceOptions& options, Place place) {
  Statement item(*state_, place);
  item.add(ast::Reduce{item.name(name),
                       item.name(name_of(reducer)),
                       item.expr(value),
                       item.region(region),
                       item.where(region),
                       item.expr(options.every),
                       item.expr(options.initial),
                       {},
                       item.boundary(options.boundary)});
  return Reduction(name, state_->id);
}

Field Builder::reduce_over(const std::string& name, const PerDimension& dimensions, Reducer reducer,
                           const Expr& value, const Region& region, const ReduceOptions& options,
                           Place place) {
  Statement item(*state_, place);
  if (!item.per_dimension(dimensions)) {
    item.check(detail::problem("P023", fmt::format("reduce_over(\"{}\") names no dimension", name),
                               "use reduce() for one value"));
  }
  item.add(ast::Reduce{item.name(name), item.name(name_of(reducer)), item.expr(value),
                       item.region(region), item.where(region), item.expr(options.every),
                       item.expr(options.initial), item.per_dimension(dimensions),
                       item.boundary(options.boundary)});
  return Field(name, state_->id);
}

void Builder::record(const std::string& name, const Range& rows, const Expr& value,
                     const Points& points, const std::optional<Expr>& every, Place place) {
  Statement item(*state_, place);
  ast::Reduce record{};
  record.name = item.name(name);
  record.rows = item.plain_box({rows}, "a record");
  record.value = item.expr(value);
  record.at = item.name(Access::name(points.domain), Access::builder(points.domain));
  record.every = item.expr(every);
  item.add(std::move(record));
}

void Builder::stop(const Expr& condition, Place place) {
  Statement item(*state_, place);
  item.add(ast::Stop{item.expr(condition)});
}

void Builder::require(const Expr& condition, Place place) {
  Statement item(*state_, place);
  item.add(ast::Require{item.expr(condition)});
}

}  // namespace stencil::dsl
