// Stencil functions: regions, pieces and names for shared subexpressions.
//
// In C, points that a step does not write keep their value. A field with several levels would copy
// the newest level instead. C's buffer still holds the values of `copies` steps ago, so an `else`
// piece writes these values.
#include "compiler/lift/program_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/lift/guards.h"

namespace stencil::lifter {

ast::Box ProgramWriter::region(const Context& context) {
  const Store& store = *context.piece->point;
  ast::Box box;
  for (size_t d = 0; d < context.point.subscripts.size(); ++d) {
    const Poly& s = context.point.subscripts[d];
    ast::Range range;
    const Domain* along = nullptr;
    for (const Domain& domain : store.domain) {
      X index = pool_.leaf(XKind::Index, CScalar::I64, domain.index,
                           execution_.index_names[domain.index]);
      if (s.degree_in(index) > 0) along = &domain;
    }
    if (!context.indices[d].empty()) range.index = make_identifier(context.indices[d]);
    if (along == nullptr) {
      range.low = affine(s, store.place);
    } else {
      X index = pool_.leaf(XKind::Index, CScalar::I64, along->index,
                           execution_.index_names[along->index]);
      range.low = affine(s.without(index) + along->low, store.place);
      range.high = affine(s.without(index) + along->high, store.place);
      if (along->stride != 1) range.stride = make_integer(along->stride);
    }
    box.ranges.push_back(std::move(range));
  }
  return box;
}

// Whether a piece writes all points of a field.
bool ProgramWriter::covers(const StepPiece& piece, const ArrayPart& part) {
  const Access point = shapes_.access(piece.point->array, piece.point->subscripts, *piece.point);
  const auto all = lengths(part.array);
  for (size_t d = 0; d < all.size(); ++d) {
    const Poly low =
        Shapes::extreme(pool_, execution_, point.subscripts[d], piece.point->domain, false);
    const Poly high =
        Shapes::extreme(pool_, execution_, point.subscripts[d], piece.point->domain, true);
    const auto periodic = ghosts_.dimensions.find(static_cast<int>(d));
    const bool ghosts = periodic != ghosts_.dimensions.end();
    const Poly first = ghosts ? periodic->second.low : Poly();
    const Poly last = ghosts ? periodic->second.high : all[d] - Poly(1);
    if (low != first || high != last) return false;
  }
  for (const Domain& domain : piece.point->domain) {
    if (domain.stride != 1) return false;
  }
  return true;
}

// Introduces names for subexpressions that occur more than once.
void ProgramWriter::name_shared(const StepPiece& piece, ValueWriter& writer, ast::Stencil& made) {
  std::map<X, int> uses;
  std::map<X, bool> indexed, data;
  std::set<X> seen;
  std::vector<X> order;
  for (X value : piece.values) {
    if (value == nullptr) continue;
    ++uses[value];
    each_node(value, seen, [&](X n) {
      order.push_back(n);
      indexed[n] = n->kind == XKind::Index;
      bool& of_data = data[n];
      of_data = n->kind == XKind::Load;
      for (X arg : n->args) {
        indexed[n] = indexed[n] || (n->kind != XKind::Load && indexed[arg]);
        of_data = of_data || data[arg];
      }
      if (n->kind == XKind::Load) return;
      for (X arg : n->args) ++uses[arg];
    });
  }
  for (X n : order) {
    const bool small = n->args.empty() || n->kind == XKind::Load || n->kind == XKind::Cast ||
                       n->kind == XKind::Unary || is_constant(n);
    if (small || uses[n] < 2 || indexed[n] || !data[n]) continue;
    const std::string name = fresh("t" + std::to_string(++temporaries_));
    ast::Let let{make_identifier(name), is_condition(n) ? writer.condition(n) : writer.value(n)};
    let.name.span = next_span();
    made.lets.push_back(std::move(let));
    writer.names[n] = name;
  }
}

ExprPtr ProgramWriter::piece_value(const StepFunction& function,
                                   const std::function<ExprPtr(size_t)>& of) {
  if (function.targets.size() == 1) return of(0);
  ast::Aggregate all;
  for (size_t t = 0; t < function.targets.size(); ++t) {
    all.entries.push_back({make_identifier(roles_.of.at(function.targets[t]).field), of(t)});
  }
  auto out = std::make_unique<ast::Expr>();
  out->kind = std::move(all);
  return out;
}

void ProgramWriter::stencil(const StepFunction& function) {
  ast::Stencil made;
  std::set<std::string> fields;
  for (const ArrayPart& part : function.targets) {
    const Role& role = roles_.of.at(part);
    if (info(part.array).constant) {
      throw Refusal{"C020", function.place,
                    fmt::format("'{}' is const but written", info(part.array).c_expression), ""};
    }
    if (type_name(info(part.array).element).empty()) {
      throw Refusal{"C023", function.place,
                    fmt::format("'{}' has elements of type '{}', which the language does not have",
                                info(part.array).c_expression, name_of(info(part.array).element)),
                    ""};
    }
    if (!fields.insert(role.field).second) {
      throw Refusal{"C014", function.place,
                    fmt::format("a loop writes two buffers of '{}'", role.field), ""};
    }
    ast::Target target;
    target.field = make_identifier(role.field);
    made.targets.push_back(std::move(target));
  }
  const Role& first = roles_.of.at(function.targets[0]);
  made.name = make_identifier(unique_stencil(first.field));
  bool whole = false;
  for (const StepPiece& piece : function.pieces) {
    Context context = context_of(piece);
    within_rows(context.point, *piece.point, piece.point->domain);
    ValueWriter writer(pool_, piece.point->place, [&](X x) { return leaf(x, context); });
    writer.assume(facts_of(*piece.point));
    if (function.pieces.size() == 1) name_shared(piece, writer, made);
    ast::Piece written;
    written.value = piece_value(function, [&](size_t t) {
      X value = piece.values[t];
      if (info(function.targets[t].array).element == CScalar::Bool && value->kind == XKind::Cast)
        value = value->args[0];
      // a store to an array of a narrow type keeps the low bits in any case
      const CScalar element = info(function.targets[t].array).element;
      if (value->kind == XKind::Cast && is_integer(element) && bits_of(element) < 32 &&
          is_integer(value->args[0]->type)) {
        value = value->args[0];
      }
      return writer.value(value, true);
    });
    written.region = region(context);
    made.pieces.push_back(std::move(written));
    bool all = true;
    for (const ArrayPart& part : function.targets) all = all && covers(piece, part);
    whole = whole || all;
  }
  otherwise(function, whole, made);
  for (const ArrayPart& part : function.targets) {
    const Role& role = roles_.of.at(part);
    if (role.copies > 1) advanced_.insert(role.field);
  }
  add(std::move(made), fmt::format("{}:{}", file_, function.place.line));
  ++out_.functions;
}

ProgramWriter::Context ProgramWriter::context_of(const StepPiece& piece) {
  Context out;
  out.piece = &piece;
  out.point = shapes_.access(piece.point->array, piece.point->subscripts, *piece.point);
  out.indices.resize(out.point.subscripts.size());
  for (X value : piece.values) {
    if (value == nullptr) continue;
    std::set<X> guarded;
    for (auto& [load, domain] :
         domains_of_loads(pool_, execution_, value, piece.point->domain, &guarded)) {
      const auto [entry, fresh] = out.domains.try_emplace(load, domain);
      if (!fresh && entry->second != domain) entry->second = piece.point->domain;
      if (guarded.count(load) == 0) {
        out.guarded.erase(load);
      } else if (fresh) {
        out.guarded.insert(load);
      }
    }
  }
  return out;
}

// Facts that hold at each point that a statement writes.
std::vector<Poly> ProgramWriter::facts_of(const Store& store) const {
  std::vector<Poly> out = execution_.facts;
  for (const Domain& domain : store.domain) out.push_back(domain.high - domain.low);
  return out;
}

// Requires that loops are not empty, since `else` means all points outside of the loops.
void ProgramWriter::points_of(const Store& store) {
  for (const Domain& domain : store.domain) has_points(domain.high - domain.low);
}

// Requires fact >= 0. Unless `why` says otherwise, `fact` is high - low of a loop that must not be
// empty.
void ProgramWriter::has_points(const Poly& fact, const char* why) {
  if (fact.is_constant()) return;
  if (!fact.fits_program()) throw TooLarge{fact.constant(), CScalar::I32};
  X holds = pool_.binary(">=", (fact - Poly(fact.constant())).expression(pool_),
                         pool_.integer(-fact.constant()), CScalar::I32);
  for (const auto& [known, reason] : execution_.requirements) {
    if (known == holds) return;
  }
  execution_.requirements.emplace_back(holds, why);
}

void ProgramWriter::otherwise(const StepFunction& function, bool whole, ast::Stencil& made) {
  bool needed = false;
  for (const ArrayPart& part : function.targets) {
    const Role& role = roles_.of.at(part);
    needed = needed || (role.copies > 1 && advanced_.count(role.field) == 0);
  }
  if (!needed || whole) return;
  for (const StepPiece& piece : function.pieces) points_of(*piece.point);
  ast::Piece rest;
  rest.otherwise = true;
  rest.value = piece_value(function, [&](size_t t) { return kept(function.targets[t]); });
  ast::NamedRegion name;
  name.name = make_identifier("else");
  rest.region = std::move(name);
  made.pieces.push_back(std::move(rest));
}

std::string ProgramWriter::unique_stencil(const std::string& field) {
  const int number = ++stencils_[field];
  const std::string name = number == 1 ? "step_" + field : fmt::format("step_{}_{}", field, number);
  return stencil_names_.insert(name).second ? name : unique_stencil(field);
}

// Rotates arrays by copying values if the pointers cannot be mapped to levels.
void ProgramWriter::moves() {
  if (roles_.moves.empty()) return;
  ast::Stencil made;
  made.name = make_identifier("turn");
  ast::Piece piece;
  ast::Aggregate all;
  for (const auto& [to, from] : roles_.moves) {
    ast::Target target;
    target.field = make_identifier(roles_.of.at(to).field);
    made.targets.push_back(std::move(target));
    all.entries.push_back({make_identifier(roles_.of.at(to).field), kept(from)});
  }
  piece.value = std::make_unique<ast::Expr>();
  piece.value->kind = std::move(all);
  ast::NamedRegion grid;
  grid.name = make_identifier(domain_of(roles_.moves[0].first.array));
  piece.region = std::move(grid);
  made.pieces.push_back(std::move(piece));
  add(std::move(made), fmt::format("{}:{}: pointers rotate", file_, execution_.place.line));
}

}  // namespace stencil::lifter
