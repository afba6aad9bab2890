// Point sets, their fields and series, sources and records.
//
//   points shots [0..ns-1] on G;                 // sy[s], sx[s]
//   series w : float [0..nt-1] on shots;         // w[s*nt + t]
//   stencil source : u on G where shots > 0 = u[0, 0] + w[time];
//
// At other points, `where shots > 0` keeps the sign of zeros.
#include <fmt/format.h>

#include "compiler/lift/points.h"
#include "compiler/lift/program_writer.h"

namespace stencil::lifter {

// Checks that sources and receivers are on a grid that loops run over.
void ProgramWriter::check_points() const {
  for (const PointStatement& one : execution_.points) {
    const auto check = [&](int array) {
      if (!shapes_.shape(array).extents.empty()) return;
      throw Refusal{
          "C013", one.store.place,
          fmt::format("'{}' is accessed only at positions given by data", info(array).c_expression),
          "sources and receivers need an array that loops over the grid access"};
    };
    if (!one.record) check(one.store.array);
    each_node(one.store.value, [&](X n) {
      if (n->kind == XKind::Load && is_of_grid(execution_, one, n)) check(n->id);
    });
  }
}

X ProgramWriter::number_of_point(const PointStatement& statement) const {
  const Domain& d = statement.store.domain[0];
  return pool_.leaf(XKind::Index, CScalar::I64, d.index, execution_.index_names[d.index]);
}

// Refuses positions and strides of points that contain anything other than params.
void ProgramWriter::of_params(const Poly& p, CPlace place, const std::string& message) const {
  for (X atom : p.atoms()) {
    if (atom->kind == XKind::Symbol) continue;
    const bool quotient = atom->kind == XKind::Binary && !contains(atom, XKind::Load) &&
                          !contains(atom, XKind::Index) && !contains(atom, XKind::Time);
    if (quotient) continue;
    throw Refusal{"C013", place, message,
                  "read each coordinate of a position from an integer array, plus a constant; "
                  "index arrays of points by the point and the step"};
  }
}

PointSetBinding::Coordinate ProgramWriter::coordinate(const Poly& place,
                                                      const PointStatement& statement,
                                                      const Poly& extent) const {
  PointSetBinding::Coordinate out;
  Poly rest = place;
  const std::string no_places = "the positions of sources or receivers are not elements of arrays";
  for (X atom : place.atoms()) {
    X at = atom;
    while (at->kind == XKind::Cast) at = at->args[0];
    if (at->kind != XKind::Load) continue;
    bool plain = out.array < 0 && place.linear_in(atom) == std::optional<int64_t>(1) &&
                 std::none_of(at->args.begin(), at->args.end(),
                              [](X s) { return contains(s, XKind::Load); }) &&
                 is_integer(at->type) && statement.store.domain.size() == 1;
    for (const StepFunction& function : functions_) {
      for (const ArrayPart& part : function.targets) plain = plain && part.array != at->id;
    }
    if (!plain) {
      throw Refusal{"C013", statement.store.place, no_places,
                    "read each coordinate of a position from an integer array, plus a constant"};
    }
    X index = number_of_point(statement);
    const Poly s = in_memory(at->id, at->args, statement.store.place);
    const Poly stride = s.coefficient(index);
    const Poly offset = s.without(index) + stride * statement.store.domain[0].low;
    of_params(stride, statement.store.place, no_places);
    of_params(offset, statement.store.place, no_places);
    out.array = at->id;
    out.stride = stride.expression(pool_);
    out.offset = offset.expression(pool_);
    rest = rest - Poly::atom(atom);
  }
  of_params(rest, statement.store.place, no_places);
  out.constant = rest.expression(pool_);
  out.extent = extent.expression(pool_);
  return out;
}

const ProgramWriter::PlacedAt& ProgramWriter::points_at(const std::vector<Poly>& place,
                                                        const PointStatement& statement) {
  const auto& domain = statement.store.domain;
  for (const PlacedAt& known : sets_) {
    const bool same = known.domain.size() == domain.size() &&
                      (domain.empty() || (known.domain[0].index == domain[0].index &&
                                          known.domain[0].low == domain[0].low &&
                                          known.domain[0].high == domain[0].high));
    if (same && known.place == place) return known;
  }
  PlacedAt made{place, domain, fresh(statement.record ? "receivers" : "sources_at")};
  PointSetBinding binding;
  binding.name = made.name;
  if (domain.size() == 1 && domain[0].stride != 1) {
    throw Refusal{"C013", statement.store.place,
                  "a loop over sources or receivers skips some of them", ""};
  }
  const Poly count = domain.empty() ? Poly(1) : domain[0].high - domain[0].low + Poly(1);
  binding.count = count.expression(pool_);
  for (size_t d = 0; d < place.size(); ++d) {
    binding.place.push_back(coordinate(place[d], statement, shapes_.extents()[d]));
    binding.given = binding.given || binding.place.back().array >= 0;
  }
  if (!domain.empty()) has_points(domain[0].high - domain[0].low);
  const Span span = next_span();
  comments_[span.begin] = fmt::format("positions of {}:{}", file_, statement.store.place.line);
  ast::Points points;
  points.names = {make_identifier(made.name)};
  points.numbers = box_of({count});
  points.domain = make_identifier("G");
  point_items_.push_back({std::move(points), span});
  if (!binding.given) {
    ast::Init init;
    init.field = make_identifier(made.name);
    init.indices = {make_identifier(fresh("number"))};
    ast::Aggregate all;
    for (const Poly& p : place) {
      std::vector<ExprPtr> value;
      value.push_back(affine(p, statement.store.place));
      all.entries.push_back({std::nullopt, make_call("double", std::move(value))});
    }
    init.value = std::make_unique<ast::Expr>();
    init.value->kind = std::move(all);
    point_items_.push_back({std::move(init), next_span()});
  } else if (!statement.record) {
    out_.assumed.push_back(fmt::format("the points of '{}' are distinct", made.name));
  }
  out_.point_sets.push_back(std::move(binding));
  sets_.push_back(std::move(made));
  return sets_.back();
}

// The linear index of an element in memory, in elements.
Poly ProgramWriter::in_memory(int array, const std::vector<X>& subscripts, CPlace place) const {
  const ArrayInfo& of = info(array);
  Poly at;
  for (size_t k = 0; k < subscripts.size(); ++k) {
    if (k > 0 && (of.extents[k] == nullptr || of.rows)) {
      throw Refusal{"C019", place,
                    fmt::format("the lengths of '{}' are not known", of.c_expression),
                    "declare the array with its lengths, as in double a[n][m]"};
    }
    if (k > 0) at = at * Poly::of(of.extents[k]);
    at = at + Poly::of(subscripts[k]);
  }
  return at;
}

// Describes an array indexed by point number and step by its strides.
PointFieldBinding ProgramWriter::by_point(int array, const std::vector<X>& subscripts,
                                          const PointStatement& statement) const {
  const ArrayInfo& of = info(array);
  const CPlace place = statement.store.place;
  const Poly at = in_memory(array, subscripts, place);
  const std::string message = fmt::format(
      "a subscript of '{}' depends on something other than the point number and the step",
      of.c_expression);
  PointFieldBinding out;
  out.array = array;
  out.count = pool_.integer(1);
  Poly offset = at, by_number;
  if (!statement.store.domain.empty()) {
    const Domain& d = statement.store.domain[0];
    X index = number_of_point(statement);
    by_number = at.coefficient(index);
    offset = at.without(index) + by_number * d.low;
    out.count = (d.high - d.low + Poly(1)).expression(pool_);
  }
  for (X atom : at.atoms()) {
    if (atom->kind != XKind::Time) continue;
    const Poly stride = offset.coefficient(atom);
    of_params(stride, place, message);
    out.time_stride = stride.expression(pool_);
    offset = offset.without(atom);
  }
  of_params(by_number, place, message);
  of_params(offset, place, message);
  out.offset = offset.expression(pool_);
  out.point_stride = by_number.expression(pool_);
  return out;
}

// A load in a statement at points: from the grid at that point, or from an array indexed by point.
ExprPtr ProgramWriter::point_load(X x, const PlacedAt& at, const PointStatement& statement) {
  const ArrayShape& shape = shapes_.shape(x->id);
  if (is_of_grid(execution_, statement, x) || (!shape.extents.empty() && shape.over_time)) {
    StepPiece piece{&statement.store, {}};
    Context context;
    context.piece = &piece;
    context.point.subscripts = at.place;
    context.indices.resize(at.place.size());
    if (!shape.over_time &&
        shapes_.access(x->id, x->args, statement.store).subscripts != at.place) {
      throw Refusal{"C013", statement.store.place,
                    fmt::format("'{}' is read at a point other than the source or receiver",
                                info(x->id).c_expression),
                    "receivers record values at their own positions"};
    }
    return load(x, context);
  }
  PointFieldBinding made = by_point(x->id, x->args, statement);
  const bool series = made.time_stride != nullptr;
  const auto read = [&](const std::string& name) -> ExprPtr {
    if (!series) return make_name(name);
    ast::Bracket bracket;
    bracket.base = make_name(name);
    bracket.indices.push_back(make_name("time"));
    auto out = std::make_unique<ast::Expr>();
    out->kind = std::move(bracket);
    return out;
  };
  for (const PointFieldBinding& known : out_.point_fields) {
    if (known.array == made.array && known.offset == made.offset && known.set == at.name &&
        known.point_stride == made.point_stride && known.time_stride == made.time_stride)
      return read(known.field);
  }
  made.field = fresh(info(x->id).name);
  made.set = at.name;
  const Span span = next_span();
  comments_[span.begin] = info(x->id).c_expression;
  if (series) {
    ast::Series item;
    item.names = {make_identifier(made.field)};
    item.type = type(type_name(info(x->id).element));
    item.times = box_of({Poly::of(execution_.steps)});
    item.domain = make_identifier(at.name);
    point_items_.push_back({std::move(item), span});
  } else {
    ast::Field item;
    item.names = {make_identifier(made.field)};
    item.type = type(type_name(info(x->id).element));
    item.domain = make_identifier(at.name);
    item.constant = true;
    point_items_.push_back({std::move(item), span});
  }
  out_.point_fields.push_back(made);
  return read(made.field);
}

ValueWriter ProgramWriter::writer_at(const PlacedAt& at, const PointStatement& statement) {
  return ValueWriter(pool_, statement.store.place, [this, &at, &statement](X x) -> ExprPtr {
    if (x->kind == XKind::Load) return point_load(x, at, statement);
    if (x->kind == XKind::Symbol) return symbol(x);
    if (x->kind == XKind::Time) return make_name("time");
    return nullptr;
  });
}

void ProgramWriter::source(const PointStatement& statement) {
  const Store& store = statement.store;
  const Access target = shapes_.access(store.array, store.subscripts, store);
  const PlacedAt at = points_at(target.subscripts, statement);
  const Role& role = roles_.of.at(target.part);
  if (role.copies > 1 && advanced_.count(role.field) == 0) {
    throw Refusal{
        "C014", store.place,
        fmt::format("sources are added to '{}' before the loop that writes it", role.field),
        "add sources after the loop over the grid"};
  }
  ast::Stencil made;
  made.name = make_identifier(unique_stencil(role.field));
  ast::Target field;
  field.field = make_identifier(role.field);
  made.targets.push_back(std::move(field));
  ast::Piece piece;
  piece.value = writer_at(at, statement).value(store.value, true);
  piece.where = make_binary(">", make_name(at.name), make_integer(0));
  ast::NamedRegion grid;
  grid.name = make_identifier(domain_of(store.array));
  piece.region = std::move(grid);
  made.pieces.push_back(std::move(piece));
  add(std::move(made), fmt::format("{}:{}", file_, store.place.line));
  ++out_.functions;
}

void ProgramWriter::record(const PointStatement& statement) {
  const Store& store = statement.store;
  std::optional<std::vector<Poly>> place;
  each_node(store.value, [&](X n) {
    if (n->kind != XKind::Load || !is_of_grid(execution_, statement, n)) return;
    bool later = false;
    for (const StepFunction& function : functions_) {
      if (function.epoch < statement.epoch) continue;
      for (const ArrayPart& part : function.targets) later = later || part.array == n->id;
    }
    for (const PointStatement& other : execution_.points)
      later = later || (other.epoch > statement.epoch && other.store.array == n->id);
    if (later) {
      throw Refusal{
          "C013", store.place,
          fmt::format("'{}' is recorded before the step writes it", info(n->id).c_expression),
          "receivers record at the end of a step"};
    }
    if (!place) place = shapes_.access(n->id, n->args, store).subscripts;
  });
  const PlacedAt at = points_at(*place, statement);
  PointFieldBinding binding = by_point(store.array, store.subscripts, statement);
  if (binding.time_stride == nullptr) {
    throw Refusal{
        "C013", store.place,
        fmt::format("'{}' is not indexed by the time step", info(store.array).c_expression), ""};
  }
  binding.field = fresh(info(store.array).name);
  binding.set = at.name;
  binding.written = true;
  ast::Reduce made;
  made.name = make_identifier(binding.field);
  made.value = writer_at(at, statement).value(store.value);
  made.rows = box_of({Poly::of(execution_.steps)});
  made.at = make_identifier(at.name);
  out_.point_fields.push_back(binding);
  add(std::move(made), fmt::format("{}:{}", file_, store.place.line));
}

// Adds the sources that C executes before a function. If `function` is null, adds the remaining
// sources and the records.
void ProgramWriter::point_statements_ahead_of(const StepFunction* function) {
  for (; points_done_ < execution_.points.size(); ++points_done_) {
    const PointStatement& one = execution_.points[points_done_];
    if (one.record) continue;
    if (function != nullptr && one.epoch > function->epoch) return;
    source(one);
  }
  if (function != nullptr) return;
  for (const PointStatement& one : execution_.points) {
    if (one.record) record(one);
  }
}

}  // namespace stencil::lifter
