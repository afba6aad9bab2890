// The calls of stencil/builder.h that add to the program, except blocks of statements (blocks.cpp).
// Each call makes the syntax of one item or of one line of a body.
#include <fmt/format.h>

#include <atomic>

#include "compiler/builder/call.h"

namespace stencil::dsl {

namespace {

using detail::Call;
using detail::item_of;
using detail::State;

uint64_t next_builder() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

template <typename Item>
Expr add_let(State& state, size_t item, const std::string& name, const Expr& value, Place place) {
  Call line(state, place);
  item_of<Item>(state, item).lets.push_back({line.name(name), line.expr(value)});
  return Access::name(name, state.id);
}

void add_piece(State& state, Call& line, size_t item, const Region& region, const Expr& value) {
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
  Call line(*state_, place);
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
  Call line(*state_, place);
  add_piece(*state_, line, item_, region, value);
  return *this;
}

const Stencil& Stencil::otherwise(const Expr& value, const std::vector<Index>& indices,
                                  Place place) const {
  Call line(*state_, place);
  ast::NamedRegion rest{{"else", line.span()}, line.names(indices)};
  item_of<ast::Stencil>(*state_, item_)
      .pieces.push_back({std::move(rest), nullptr, line.expr(value), line.span(), true});
  return *this;
}

const Stencil& Stencil::every(const Expr& n, Place place) const {
  Call line(*state_, place);
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
  Call(*state_, place).name(name);
}

Expr Builder::param(const std::string& name, const Type& type, const std::optional<Expr>& value,
                    Place place) {
  Call item(*state_, place);
  item.add(ast::Param{item.name(name), item.type(type), item.expr(value)});
  return Access::name(name, state_->id);
}

Domain Builder::grid(const std::string& name, const Box& box, const std::optional<Expr>& steps,
                     Place place) {
  return grid(name, box, GridOptions{.steps = steps}, place);
}

Domain Builder::grid(const std::string& name, const Box& box, const GridOptions& options,
                     Place place) {
  Call item(*state_, place);
  ast::Grid grid{item.name(name), item.plain_box(box, "a grid"), item.expr(options.steps),
                 item.per_dimension(options.origin), item.per_dimension(options.spacing)};
  const bool has_ratio = !Access::absent(options.by);
  if (options.levels && !has_ratio) {
    item.check(detail::problem("P023", fmt::format("grid '{}' has levels without a ratio", name),
                               "give it one, for example .by = 2"));
  }
  if (!options.levels && (has_ratio || options.cells)) {
    item.check(detail::problem("P023", fmt::format("grid '{}' has a ratio without levels", name),
                               "give it .levels, or derive a grid from another one"));
  }
  grid.levels = item.expr(options.levels);
  if (options.levels) grid.level_ratio = item.coarsening(options.by, options.cells);
  item.add(std::move(grid));
  return Access::domain(name, state_->id);
}

Domain Builder::grid(const std::string& name, const Domain& parent, const Coarsening& ratio,
                     Place place) {
  Call item(*state_, place);
  ast::Grid grid{};
  grid.name = item.name(name);
  grid.parent = item.name(parent);
  if (Access::absent(ratio.by)) {
    item.check(detail::problem("P023", fmt::format("grid '{}' has no ratio", name),
                               "give it one, for example {.by = 2}"));
  }
  grid.by = item.coarsening(ratio.by, ratio.cells);
  item.add(std::move(grid));
  return Access::domain(name, state_->id);
}

Domain Builder::subgrid(const std::string& name, const Domain& parent, const Box& box,
                        Place place) {
  Call item(*state_, place);
  item.add(ast::Subgrid{item.name(name), item.name(parent), item.box(box)});
  return Access::domain(name, state_->id);
}

Type Builder::type(const std::string& name, const Type& type, Place place) {
  Call item(*state_, place);
  item.add(ast::TypeDecl{item.name(name), item.type(type)});
  auto node = std::make_shared<detail::TypeNode>();
  node->builder = state_->id;
  node->make = [name] { return ast::TypeExpr{ast::NamedType{name}, {}}; };
  return Access::type(std::move(node));
}

Field Builder::field(const std::string& name, const Type& type, const Domain& domain,
                     const FieldOptions& options, Place place) {
  Call item(*state_, place);
  ast::Field field;
  field.names.push_back(item.name(name));
  field.type = item.type(type);
  field.domain = item.name(domain);
  field.along = item.per_dimension(options.along);
  field.history = item.expr(options.history);
  field.constant = options.constant;
  field.boundary = item.boundary(options.boundary);
  item.add(std::move(field));
  return Field(name, state_->id);
}

Field Builder::series(const std::string& name, const Type& type, const Range& times,
                      const SeriesOptions& options, Place place) {
  Call item(*state_, place);
  ast::Series series;
  series.names.push_back(item.name(name));
  series.type = item.type(type);
  series.times = item.plain_box({times}, "a series");
  if (options.domain) {
    series.domain = item.name(*options.domain);
  }
  series.along = item.per_dimension(options.along);
  series.boundary = item.boundary(options.boundary);
  item.add(std::move(series));
  return Field(name, state_->id);
}

Points Builder::points(const std::string& name, const Range& numbers, const Domain& domain,
                       const std::optional<Expr>& weights, Place place) {
  Call item(*state_, place);
  ast::Points points;
  points.names.push_back(item.name(name));
  points.numbers = item.plain_box({numbers}, "a set of points");
  points.domain = item.name(domain);
  points.weights = item.expr(weights);
  item.add(std::move(points));
  return {Access::domain(name, state_->id), Field(name, state_->id)};
}

Expr Builder::table(const std::string& name, const Type& type, const std::vector<Expr>& extents,
                    const Expr& value, Place place) {
  Call item(*state_, place);
  ast::Table table{item.name(name), item.type(type), {}, item.expr(value)};
  for (const Expr& extent : extents) table.extents.push_back(item.expr(extent));
  item.add(std::move(table));
  return Access::name(name, state_->id);
}

Function Builder::function(const std::string& name, const std::vector<Argument>& arguments,
                           const Expr& value, Place place) {
  Call item(*state_, place);
  const size_t at =
      item.add(ast::Function{item.name(name), item.arguments(arguments), {}, item.expr(value)});
  return Function(state_, at, name);
}

Function Builder::function(const std::string& name, const std::vector<Argument>& arguments,
                           Place place) {
  Call item(*state_, place);
  const size_t at =
      item.add(ast::Function{item.name(name), item.arguments(arguments), {}, nullptr});
  return Function(state_, at, name);
}

Stencil Builder::stencil(const std::string& name, const Field& target, Place place) {
  return stencil(name, std::vector<Target>{target}, place);
}

Stencil Builder::stencil(const std::string& name, const std::vector<Target>& targets, Place place) {
  Call item(*state_, place);
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
  Call item(*state_, place);
  item.add(ast::Repeat{item.expr(count)});
  body();
  item.add(ast::RepeatEnd{});
}

void Builder::init(const Field& target, const std::vector<Index>& indices, const Expr& value,
                   Place place) {
  Call item(*state_, place);
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
  Call item(*state_, place);
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
  Call item(*state_, place);
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
  Call item(*state_, place);
  ast::Reduce record{};
  record.name = item.name(name);
  record.rows = item.plain_box({rows}, "a record");
  record.value = item.expr(value);
  record.at = item.name(points.domain);
  record.every = item.expr(every);
  item.add(std::move(record));
}

void Builder::stop(const Expr& condition, Place place) {
  Call item(*state_, place);
  item.add(ast::Stop{item.expr(condition)});
}

void Builder::require(const Expr& condition, Place place) {
  Call item(*state_, place);
  item.add(ast::Require{item.expr(condition)});
}

}  // namespace stencil::dsl
