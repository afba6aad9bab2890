// Declares element types, fields, tables and functions. If a declaration has an error, its name is
// still declared but marked as broken. Uses of a broken name are not reported.
#include "compiler/sema/declare.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/bounds.h"
#include "compiler/sema/declare_boundary.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/pieces.h"
#include "compiler/sema/prove.h"

namespace stencil::sema {
namespace {

constexpr int64_t kMaxHistory = 64;
constexpr int64_t kMostWeights = 16;  // largest number of weights per point and dimension

// --- Element types -------------------------------------------------------------------------------

TypePtr named_type(Environment& env, const std::string& name, Span span) {
  if (name == "real") return scalar_type(env.program.real);
  std::vector<std::string> known = {"real"};
  for (size_t s = 0; s < kScalarTypes; ++s) {
    const auto scalar = static_cast<Scalar>(s);
    if (name == stencil::name(scalar)) return scalar_type(scalar);
    known.emplace_back(stencil::name(scalar));
  }
  const Declaration* declaration = env.use(name, span);
  if (!declaration) {
    env.unknown_name(Foreign::Type, name, span, known);
    return nullptr;
  }
  if (declaration->broken) return nullptr;
  if (declaration->kind != Declared::Type) {
    env.report.error("S005", span, fmt::format("'{}' is not a type", name)).found =
        describe(declaration->kind);
    return nullptr;
  }
  return env.types[declaration->index];
}

TypePtr fitting(Environment& env, TypePtr type, Span span) {
  if (!type) {
    env.report.error("S015", span, "type too large").expected =
        fmt::format("at most {} scalars, nested at most {} deep", kMaxComponents, kMaxTypeDepth);
  }
  return type;
}

TypePtr struct_of(Environment& env, const ast::StructType& type, Span span) {
  std::vector<std::pair<std::string, TypePtr>> members;
  std::unordered_set<std::string> seen;
  bool ok = true;
  for (const ast::StructMember& member : type.members) {
    if (!seen.insert(member.name.name).second) {
      env.report.error("S002", member.name.span,
                       fmt::format("member '{}' is declared twice", member.name.name));
      ok = false;
    }
    TypePtr element = elaborate_type(env, *member.type);
    ok &= element != nullptr;
    members.emplace_back(member.name.name, std::move(element));
  }
  return ok ? fitting(env, struct_type(std::move(members)), span) : nullptr;
}

TypePtr vector_of(Environment& env, const ast::VectorType& type, Span span) {
  const auto length = constant_in(env, *type.length, "the length of a vector", 1, kMaxComponents);
  TypePtr element = elaborate_type(env, *type.element);
  if (!length || !element) return nullptr;
  return fitting(env, vector_type(*length, std::move(element)), span);
}

}  // namespace

TypePtr elaborate_type(Environment& env, const ast::TypeExpr& type) {
  if (const auto* named = std::get_if<ast::NamedType>(&type.kind)) {
    return named_type(env, named->name, type.span);
  }
  if (const auto* vector = std::get_if<ast::VectorType>(&type.kind)) {
    return vector_of(env, *vector, type.span);
  }
  return struct_of(env, std::get<ast::StructType>(type.kind), type.span);
}

namespace {

// --- Fields --------------------------------------------------------------------------------------

// The domain of a field: a box of the grid, or the numbers of a set's points.
struct Domain {
  ir::Box box;
  ir::DomainId grid = 0;
  std::optional<ir::FieldId> points = {};
};

std::optional<Domain> field_domain(Environment& env, const ast::Identifier& domain) {
  const Declaration* set = env.find(domain.name);
  if (set && set->kind == Declared::Field && !set->broken) {
    const ir::Field& field = env.program.fields[set->index];
    if (field.is_point_set()) return Domain{field.box, field.domain, set->index};
  }
  const Region region = elaborate_region(env, ast::Region{ast::NamedRegion{domain, {}}});
  if (!region.ok || !require_every_point(env, region, domain)) return std::nullopt;
  if (!(region.box == env.program.domains[region.domain].box)) {
    require_nonempty(env, region.box, fmt::format("the domain '{}'", domain.name), domain.span);
  }
  return Domain{region.box, region.domain};
}

// The dimensions listed in `along` or `over`. Returns nullopt after an error (S050).
std::optional<std::vector<int>> dimensions_along(Environment& env, const ast::PerDimension& along) {
  const int rank = env.rank();
  std::vector<int> out;
  for (const ast::ExprPtr& number : along.values) {
    const auto value = constant_in(env, *number, "a dimension", 0, rank - 1);
    if (!value) return std::nullopt;
    if (!out.empty() && *value <= out.back()) {
      Diagnostic& error = env.report.error("S050", number->span, "dimensions in the wrong order");
      error.expected = "numbers of the grid's dimensions, each once, the outermost first";
      error.found = fmt::format("{} after {}", *value, out.back());
      return std::nullopt;
    }
    out.push_back(static_cast<int>(*value));
  }
  return out;
}

// Restricts the field to the dimensions listed in `along`. Without `along`, the field keeps all
// dimensions. The only dimension of a field on points is the number of the point.
bool take_dimensions(Environment& env, const std::optional<ast::PerDimension>& along,
                     const std::optional<ir::FieldId>& set, ir::Field& field) {
  if (set) {
    field.kind = ir::AtPoints{*set};
    if (!along) return true;
    Diagnostic& error = env.report.error("S050", along->span, "'along' for a field on points");
    error.hint = "omit 'along': a field on points has no grid dimensions";
    return false;
  }
  if (!along) return true;
  const auto dimensions = dimensions_along(env, *along);
  if (!dimensions) return false;
  if (static_cast<int>(dimensions->size()) == env.rank()) return true;
  ir::Box box;
  for (const int d : *dimensions) box.ranges.push_back(field.box.ranges[d]);
  field.kind = ir::Profile{*dimensions};
  field.box = std::move(box);
  return true;
}

// Declares fields, series or points once their domain is known.
void declare_fields(Environment& env, const std::vector<ast::Identifier>& names,
                    const std::optional<ast::Boundary>& boundary, const TypePtr& type,
                    ir::Field field, bool ok, Span item) {
  // The points of a set have no neighbours, so their dimension has no boundary rule.
  const int rank = field.box.rank() - (field.set() ? 1 : 0);
  field.boundary = ir::uniform_boundary(rank, {});
  std::vector<SideValues> side_values;
  if (boundary && rank == 0) {
    env.report.error("S053", boundary->span, "values at points cannot have a boundary").hint =
        "omit 'boundary': a point of a set has no neighbours";
    ok = false;
  } else if (boundary && type && ok) {
    ok = take_boundary(env, *boundary, *type, field, side_values);
  }
  if (field.set()) {
    field.boundary.emplace_back();
    side_values.emplace_back();
  }
  if (type) field.components = flatten(*type);
  for (const ast::Identifier& name : names) {
    const int id = static_cast<int>(env.program.fields.size());
    Declaration* declaration = env.declare(name, Declared::Field, id);
    if (!declaration) continue;
    declaration->broken = !ok;
    field.name = name.name;
    field.span = name.span.valid() ? name.span : item;
    env.program.fields.push_back(field);
    env.field_types.push_back(type);
    env.field_side_values.push_back(side_values);
  }
}

// Profiles and values at points never change, so they must be constant and have one level.
bool require_constant(Environment& env, const ast::Field& field) {
  if (field.constant && !field.history) return true;
  Diagnostic& error = env.report.error(
      "S051", field.along ? field.along->span : field.domain.span,
      fmt::format("a field {} {}", field.along ? "along some of the dimensions" : "on points",
                  field.constant ? "must have one level" : "must be constant"));
  error.expected = "constant, without history";
  error.hint =
      field.constant ? "omit 'history'" : "add 'constant': no stencil can write this field";
  return false;
}

// Values at points must be floating-point, because they are multiplied by weights. S084.
bool require_floating(Environment& env, const ir::Field& field, const ast::TypeExpr& type) {
  const bool floating =
      std::all_of(field.components.begin(), field.components.end(),
                  [](const ir::Component& c) { return is_float(arithmetic_type(c.type)); });
  if (!field.set() || floating) return true;
  Diagnostic& error = env.report.error("S084", type.span, "values at points must be real numbers");
  error.expected = "components of a floating-point type, because weights multiply them";
  return false;
}

// The range of the steps of a series, or of the numbers of a set of points. nullopt after an error.
std::optional<ir::Range> numbers_of(Environment& env, const ast::Box& numbers, const char* what) {
  const auto box = elaborate_box(env, numbers, 1);
  if (!box) return std::nullopt;
  if (numbers.ranges[0].index) {
    env.report.error("S026", numbers.ranges[0].index->span, fmt::format("{} no index names", what))
        .hint = "init names them: init w[t] = ...;";
    return std::nullopt;
  }
  return box->ranges[0];
}

std::optional<ir::Range> times_of(Environment& env, const ast::Box& times) {
  const auto range = numbers_of(env, times, "a series has");
  if (range) require_nonempty(env, {{*range}}, "the series", times.span);
  return range;
}

// The element type of a set of points: the position and, if the program declares weights, the
// weights. All members are double.
TypePtr type_of_points(Environment& env, const ast::Points& points, int64_t width) {
  const TypePtr place = vector_type(env.rank(), scalar_type(Scalar::F64));
  if (!points.weights) return place;
  const TypePtr weights = vector_type(env.rank(), vector_type(width, scalar_type(Scalar::F64)));
  return fitting(env, struct_type({{"at", place}, {"weight", weights}}), points.weights->span);
}

}  // namespace

void declare_type(Environment& env, const ast::TypeDecl& type) {
  Declaration* declaration =
      env.declare(type.name, Declared::Type, static_cast<int>(env.types.size()));
  if (declaration) declaration->broken = true;  // the name is not visible in its own definition
  TypePtr result = elaborate_type(env, type.type);
  if (!declaration) return;
  declaration->broken = result == nullptr;
  env.types.push_back(std::move(result));
}

void declare_points(Environment& env, const ast::Points& points, Span item) {
  const auto numbers = numbers_of(env, points.numbers, "points have");
  const auto domain = field_domain(env, points.domain);
  bool ok = numbers && domain;
  if (domain && domain->points) {
    env.report.error("S084", points.domain.span, "the domain of points is a set of points")
        .expected = "the grid or a sub-grid that contains them";
    ok = false;
  }
  std::optional<int64_t> width = 2;
  if (points.weights) {
    width =
        constant_in(env, *points.weights, "the number of weights in a dimension", 1, kMostWeights);
  }
  ok &= width.has_value();
  if (numbers) require_nonempty(env, {{*numbers}}, "the set of points", points.numbers.span);
  const TypePtr type = type_of_points(env, points, width.value_or(1));
  ir::Field result;
  result.box.ranges = {numbers.value_or(ir::Range{})};
  result.constant = true;
  if (domain) result.domain = domain->grid;
  for (const ast::Identifier& name : points.names) {
    result.kind = ir::PointSet{static_cast<ir::FieldId>(env.program.fields.size()),
                               static_cast<int>(width.value_or(1)), points.weights != nullptr,
                               Scalar::F32, domain ? domain->box : env.here().box};
    declare_fields(env, {name}, std::nullopt, type, result, ok && type, item);
  }
}

namespace {

// Declares the levels of fields on a grid with levels: copies of the finest field, with the boxes
// and the boundary values of the levels. They are called NAME_1, NAME_2, ... outside of the
// program's text.
void add_levels(Environment& env, const ast::Field& syntax) {
  for (const ast::Identifier& name : syntax.names) {
    const auto declared = env.names.find(name.name);
    if (declared == env.names.end() || declared->second.broken ||
        declared->second.span != name.span) {
      continue;
    }
    const ir::FieldId finest = declared->second.index;
    std::vector<ir::FieldId> levels = {finest};
    env.levelled[finest] = {finest, 0};
    for (size_t level = 1; level < env.levels.size(); ++level) {
      const AtLevel at(env, static_cast<int>(level));
      const std::optional<Domain> domain = field_domain(env, syntax.domain);
      if (!domain) break;
      ir::Field field = env.program.fields[finest];
      field.name = fmt::format("{}_{}", name.name, level);
      while (env.is_declared(field.name)) field.name += "_";
      field.box = domain->box;
      field.domain = domain->grid;
      std::vector<SideValues> side_values;
      if (syntax.boundary) {
        env.report.at({field.span, fmt::format("of level {}", level)});
        const bool sound =
            take_boundary(env, *syntax.boundary, *env.field_types[finest], field, side_values);
        env.report.at({});
        declared->second.broken |= !sound;
      }
      const auto id = static_cast<ir::FieldId>(env.program.fields.size());
      env.program.fields.push_back(std::move(field));
      env.field_types.push_back(env.field_types[finest]);
      env.field_side_values.push_back(std::move(side_values));
      levels.push_back(id);
      env.levelled[id] = {finest, static_cast<int>(level)};
    }
    levels.resize(env.levels.size(), finest);
    env.fields_by_level[finest] = std::move(levels);
  }
}

}  // namespace

void declare_field(Environment& env, const ast::Field& field, Span item) {
  const TypePtr type = elaborate_type(env, field.type);
  const std::optional<Domain> domain = field_domain(env, field.domain);
  ir::Field result;
  bool ok = type && domain;
  result.box = domain ? domain->box : env.here().box;
  if (domain) result.domain = domain->grid;
  result.constant = field.constant;
  if (field.history) {
    const auto history = constant_in(env, *field.history, "the history of a field", 1, kMaxHistory);
    ok &= history.has_value();
    result.history = static_cast<int>(history.value_or(1));
  }
  ok &= take_dimensions(env, field.along, domain ? domain->points : std::nullopt, result);
  if (result.read_in_place()) ok &= require_constant(env, field);
  if (type) result.components = flatten(*type);
  ok &= require_floating(env, result, field.type);
  const bool levelled =
      env.levels.size() > 1 && ok && result.domain == 0 && !result.read_in_place();
  declare_fields(env, field.names, field.boundary, type, std::move(result), ok, item);
  if (levelled) add_levels(env, field);
}

namespace {

// The same field with a value for every step: the steps become the first dimension.
void add_steps(ir::Field& field, const ir::Range& times) {
  if (auto* values = std::get_if<ir::AtPoints>(&field.kind)) {
    values->per_step = true;
  } else if (const auto* profile = std::get_if<ir::Profile>(&field.kind)) {
    field.kind = ir::Series{profile->dimensions};
  } else {
    ir::Series series;
    for (int d = 0; d < field.box.rank(); ++d) series.dimensions.push_back(d);
    field.kind = std::move(series);
  }
  field.box.ranges.insert(field.box.ranges.begin(), times);
}

}  // namespace

void declare_series(Environment& env, const ast::Series& series, Span item) {
  const TypePtr type = elaborate_type(env, series.type);
  const std::optional<ir::Range> times = times_of(env, series.times);
  ir::Field result;
  bool ok = type && times;
  result.constant = true;
  if (series.domain) {
    const std::optional<Domain> domain = field_domain(env, *series.domain);
    ok &= domain.has_value();
    result.box = domain ? domain->box : env.here().box;
    if (domain) result.domain = domain->grid;
    ok &= take_dimensions(env, series.along, domain ? domain->points : std::nullopt, result);
  } else if (series.along) {
    env.report.error("S050", series.along->span, "'along' without a grid").hint =
        "name the grid first: series w : real [0..K-1] on G along 0;";
    ok = false;
  }
  add_steps(result, times.value_or(ir::Range{}));
  if (type) result.components = flatten(*type);
  ok &= require_floating(env, result, series.type);
  declare_fields(env, series.names, series.boundary, type, std::move(result), ok, item);
}

namespace {

// Marks the result of a reduction as broken, so that uses of the result are not reported.
void break_off(Environment& env, ReductionInfo& info) {
  info.broken = true;
  const ast::Identifier& name = info.syntax->name;
  const auto named = env.names.find(name.name);
  const bool own = named != env.names.end() && named->second.span == name.span;
  if (own) named->second.broken = true;
}

}  // namespace

void declare_profile(Environment& env, ReductionInfo& info) {
  const ast::Reduce& reduce = *info.syntax;
  const Region& region = *info.region;
  ir::Field& field = env.program.fields[*info.profile];
  const auto over = dimensions_along(env, *reduce.over);
  bool ok = over && region.ok;
  ir::Profile profile;
  for (int d = 0; ok && d < env.rank(); ++d) {
    if (std::find(over->begin(), over->end(), d) != over->end()) continue;
    profile.dimensions.push_back(d);
    field.box.ranges.push_back(region.box.ranges[d]);
  }
  const bool all = profile.dimensions.empty();
  field.kind = std::move(profile);
  if (ok && all) {
    Diagnostic& error =
        env.report.error("S075", reduce.over->span, "'over' names all dimensions of the grid");
    error.expected = "some of the grid's dimensions";
    error.hint = "omit 'over': a reduction over all dimensions gives one value";
    ok = false;
  }
  if (reduce.initial) {
    Diagnostic& error =
        env.report.error("S076", reduce.initial->span,
                         fmt::format("'{}' is a field and takes no 'initial'", field.name));
    error.expected = "an init item for its initial values";
    error.hint = fmt::format("init {} = {};", field.name, env.text(reduce.initial->span));
    ok = false;
  }
  field.domain = region.domain;
  if (ok && !(region.box == env.program.domains[region.domain].box)) {
    require_nonempty(env, field.box, fmt::format("the field '{}'", field.name), reduce.name.span);
  }
  field.boundary = ir::uniform_boundary(field.box.rank(), {});
  if (!ok) break_off(env, info);
}

namespace {

// The set of points with this name. S089.
std::optional<ir::FieldId> set_of_points(Environment& env, const ast::Identifier& name) {
  const Declaration* declaration = env.use(name.name, name.span);
  if (!declaration) {
    env.unknown_name(Foreign::Field, name.name, name.span);
    return std::nullopt;
  }
  if (declaration->broken) return std::nullopt;
  const bool field = declaration->kind == Declared::Field;
  const auto id = static_cast<size_t>(declaration->index);
  if (field && env.program.fields[id].is_point_set()) return declaration->index;
  Diagnostic& error =
      env.report.error("S089", name.span, fmt::format("'{}' is not a set of points", name.name));
  error.found = describe(declaration->kind);
  error.hint = "declare one: points mics [0..9] on G;";
  return std::nullopt;
}

// The rows of a record, which are numbered from 0. S089.
std::optional<ir::Range> rows_of(Environment& env, const ast::Box& rows) {
  const auto range = numbers_of(env, rows, "a record has");
  if (!range) return std::nullopt;
  if (!(range->low == ir::Affine{})) {
    Diagnostic& error = env.report.error("S089", rows.span, "the rows of a record must begin at 0");
    error.expected = "a range that begins at 0";
    error.found = env.print(range->low);
    return std::nullopt;
  }
  require_nonempty(env, {{*range}}, "the record", rows.span);
  return range;
}

}  // namespace

void declare_record(Environment& env, ReductionInfo& info) {
  const ast::Reduce& record = *info.syntax;
  const auto set = set_of_points(env, *record.at);
  const auto rows = rows_of(env, record.rows);
  std::optional<int64_t> every = 1;
  if (record.every) {
    every = constant_in(env, *record.every, "the interval of a record", 1, kMaxEvery);
  }
  ir::Field& field = env.program.fields[*info.profile];
  field.kind = ir::AtPoints{set.value_or(0), true};
  field.box.ranges = {rows.value_or(ir::Range{}), ir::Range{}};
  field.boundary = ir::uniform_boundary(2, {});
  bool ok = set && rows && every;
  info.region = Region{ok, env.here().box, {}, {}};
  if (ok) {
    const ir::Field& points = env.program.fields[*set];
    field.box.ranges[1] = points.box.ranges[0];
    field.domain = info.region->domain = points.domain;
    info.region->box = points.as_point_set()->within;
    info.every = *every;
    const ir::Affine steps = (rows->high + 1) * *every + (*every - 1);
    const ir::StepLimit limit = {
        steps, fmt::format("record {} has rows for {} steps", field.name, env.print(steps)),
        "give the record more rows", record.name.span};
    ok = limit_steps(env, env.facts, limit, record.rows.span);
  }
  if (!ok) break_off(env, info);
}

void settle_profile(Environment& env, ReductionInfo& info, Scalar type) {
  const auto id = static_cast<size_t>(*info.profile);
  ir::Field& field = env.program.fields[id];
  env.field_types[id] = scalar_type(type);
  field.components = flatten(*env.field_types[id]);
  const auto& boundary = info.syntax->boundary;
  const bool ok = !boundary || take_boundary(env, *boundary, *env.field_types[id], field,
                                             env.field_side_values[id]);
  if (!ok) break_off(env, info);
}

void declare_table(Environment& env, const ast::Table& table) {
  Declaration* declaration =
      env.declare(table.name, Declared::Table, static_cast<int>(env.tables.size()));
  if (declaration) declaration->broken = true;  // the name is not visible in its own value
  TypePtr type = elaborate_type(env, table.type);
  std::vector<int64_t> extents;
  for (const ast::ExprPtr& extent : table.extents) {
    const auto value = constant_in(env, *extent, "the extent of a table", 1, kMaxTableEntries);
    if (value) extents.push_back(*value);
  }
  if (!type || extents.size() != table.extents.size()) type = nullptr;
  for (size_t d = extents.size(); type && d-- > 0;) {
    type = vector_type(extents[d], std::move(type), kMaxTableEntries);
    if (!type) {
      env.report.error("S015", table.name.span, "table too large").expected =
          fmt::format("at most {} numbers", kMaxTableEntries);
    }
  }
  Value result;
  if (type) {
    ir::Graph scratch;
    Elaborator elaborator(env, kConstantSite, scratch);
    const auto entries = elaborator.arithmetic().store_constants(
        elaborator.elaborate(*table.value, type.get()), *type, table.value->span);
    if (entries) result = {type, {entries->begin(), entries->end()}};
  }
  if (!declaration) return;
  declaration->broken = !result.ok();
  env.tables.push_back(std::move(result));
}

void declare_function(Environment& env, const ast::Function& function) {
  Declaration* declaration =
      env.declare(function.name, Declared::Function, static_cast<int>(env.functions.size()));
  FunctionInfo info{&function, LetUses(function.lets).needed_by(*function.value), false};
  std::unordered_set<std::string> locals;
  bool ok = true;
  auto add_local = [&](const ast::Identifier& name) {
    if (locals.insert(name.name).second) return;
    env.report.error("S002", name.span, fmt::format("'{}' is declared twice", name.name));
    ok = false;
  };
  for (const ast::Function::Argument& argument : function.arguments) {
    info.takes_field |= argument.is_field;
    if (argument.type) ok &= elaborate_type(env, *argument.type) != nullptr;
    if (is_reserved(argument.name.name)) {
      env.report.error("S003", argument.name.span,
                       fmt::format("'{}' is a reserved name", argument.name.name));
    }
    add_local(argument.name);
  }
  for (const ast::Let& let : function.lets) {
    ok &= env.check_local_name(let.name);
    add_local(let.name);
  }
  if (!declaration) return;
  declaration->broken = !ok;
  env.functions.push_back(std::move(info));
}

}  // namespace stencil::sema
