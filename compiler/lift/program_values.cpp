// Writes loads, indices and symbols of a value as expressions of the program. Subscripts become
// offsets from the point that is written, levels of fields, or, if they wrap or reflect, boundary
// rules.
#include "compiler/lift/program_writer.h"

#include <fmt/format.h>

namespace stencil::lifter {

namespace {

bool uses_counter(const Poly& p) {
  const XSet atoms = p.atoms();
  return std::any_of(atoms.begin(), atoms.end(), [](X atom) {
    return contains(atom, XKind::Index) || contains(atom, XKind::Time);
  });
}

}  // namespace

// The name of the symbol's param. It needs no conversion, because the param's type holds all values
// of the C type (ProgramWriter::assemble).
ExprPtr ProgramWriter::symbol(X x) {
  used_.insert(x->id);
  return make_name(execution_.symbols[x->id].name);
}

// Writes an integer expression of params: a bound, length or condition.
ExprPtr ProgramWriter::affine(const Poly& p, CPlace place) {
  ValueWriter writer(
      pool_, place, [&](X x) -> ExprPtr { return x->kind == XKind::Symbol ? symbol(x) : nullptr; },
      true);
  return writer.value(p.expression(pool_));
}

ExprPtr ProgramWriter::offset(const Poly& from, const Poly& to, X load, const Context& context) {
  const Poly difference = to - from;
  for (X atom : difference.atoms()) {
    if (contains(atom, XKind::Load) || contains(atom, XKind::Sum)) {
      throw Refusal{"C013", context.piece->point->place,
                    fmt::format("a subscript of '{}' depends on data", info(load->id).c_expression),
                    "a subscript must be a sum of loop counters and sizes"};
    }
    if (contains(atom, XKind::Index) || contains(atom, XKind::Time)) {
      throw Refusal{
          "C013", context.piece->point->place,
          uses_counter(to)
              ? fmt::format(
                    "'{}' is read at {}, which is not at a fixed distance from the written point",
                    info(load->id).c_expression, to.text())
              : fmt::format("'{}' is read at {}, the same element for all points written",
                            info(load->id).c_expression, to.text()),
          "read arrays at subscripts of the form counter + constant"};
    }
  }
  if (!difference.is_constant() && !out_.sized) {
    out_.sized = Refusal{
        "C013", context.piece->point->place,
        fmt::format(
            "'{}' is read at the distance {} from the written point, which depends on sizes",
            info(load->id).c_expression, difference.text()),
        "fix the sizes in the C file, or write a wrap around the whole dimension as (i + 1) % n"};
    if (keep_ghosts_) throw *out_.sized;  // with keep_ghosts, it must work for any size
    out_.assumed.push_back(
        fmt::format("sizes are given at compile time (-D NAME=VALUE): '{}' is read "
                    "at the distance {} from the written point",
                    info(load->id).c_expression, difference.text()));
  }
  return affine(difference, context.piece->point->place);
}

// The offset for a subscript that follows a boundary rule. The field gets the rule.
std::optional<ExprPtr> ProgramWriter::bent(const Poly& from, const Poly& to, const ArrayPart& part,
                                           size_t k, const Context& context) {
  const XSet atoms = to.atoms();
  if (atoms.size() != 1 || (*atoms.begin())->kind != XKind::Edge ||
      !(to - Poly::atom(*atoms.begin())).zero()) {
    return std::nullopt;
  }
  X edge = *atoms.begin();
  const ArrayInfo& array = info(part.array);
  const bool here = from == Poly::of(edge->args[0]);
  const bool whole = lengths(part.array)[k] == Poly::of(edge->args[1]);
  if (!here || !whole || shapes_.shape(part.array).over_time) {
    throw Refusal{
        "C026", context.piece->point->place,
        fmt::format("a subscript of '{}' wraps or reflects, but not at the ends of the array",
                    array.c_expression),
        "a subscript that wraps or reflects must span the whole array and start from the written "
        "point"};
  }
  auto& sides = rules_[roles_.of.at(part).field];
  sides.resize(lengths(part.array).size());
  for (const bool low : {true, false}) {
    const auto kind = find_boundary(edge->text);
    const bool both = kind && row_of(*kind).joins_edges();
    if (!both && low != (edge->integer < 0)) continue;
    std::string& rule = low ? sides[k].first : sides[k].second;
    if (!rule.empty() && rule != edge->text) {
      throw Refusal{"C026", context.piece->point->place,
                    fmt::format("'{}' needs two boundary rules at one end: {} and {}",
                                array.c_expression, rule, edge->text),
                    "use one boundary rule at each end of an array"};
    }
    rule = edge->text;
  }
  return make_integer(edge->integer);
}

// Requires that a subscript of a linear array stays within its row. If this is not provable, the
// program requires longer rows.
void ProgramWriter::within_rows(const Access& access, const Store& store,
                                const std::vector<Domain>& domain) {
  const ArrayShape& shape = shapes_.shape(access.part.array);
  if (!info(access.part.array).linear || shape.over_time || shape.space.size() < 2) return;
  const std::vector<Poly> facts = facts_of(store);
  const auto mine = lengths(access.part.array);
  for (size_t k = 1; k < access.subscripts.size() && k < mine.size(); ++k) {
    const XSet atoms = access.subscripts[k].atoms();
    const bool plain = std::all_of(atoms.begin(), atoms.end(), [](X atom) {
      return atom->kind == XKind::Index || atom->kind == XKind::Symbol;
    });
    if (!plain) continue;
    const Poly most = Shapes::extreme(pool_, execution_, access.subscripts[k], domain, true);
    const Poly room = mine[k] - Poly(1) - most;
    if (proved(room, facts) || shapes_.at_least_zero(room)) continue;
    has_points(room, "accesses stay within a row");
  }
}

// Handles a load that C evaluates only under a condition. The program evaluates the load at every
// point. It does not use values beyond the ends of the array, so any boundary rule works there. If
// the conditions do not prove that the load stays within the array, C guarantees it, because an
// array has no elements beyond its ends. C gives no such guarantee for a row of a linear array,
// because the next row follows it in memory.
void ProgramWriter::guarded_ends(X load, const Access& access, const Context& context) {
  const auto narrowed = context.domains.find(load);
  const std::vector<Domain>& all = context.piece->point->domain;
  if (narrowed == context.domains.end() || context.guarded.count(load) == 0) return;
  const std::vector<Poly> facts = facts_of(*context.piece->point);
  const auto mine = lengths(access.part.array);
  const ArrayShape& shape = shapes_.shape(access.part.array);
  for (size_t k = 0; k < access.subscripts.size() && k < mine.size(); ++k) {
    if (ghosts_.dimensions.count(shape.along[k]) > 0) continue;
    const Poly& s = access.subscripts[k];
    // The distance of the load from an end of the array; >= 0 if the load stays within the array.
    const auto room = [&](bool low, const std::vector<Domain>& domain) {
      const Poly end = Shapes::extreme(pool_, execution_, s, domain, !low);
      return low ? end : mine[k] - Poly(1) - end;
    };
    for (const bool low : {true, false}) {
      if (proved(room(low, all), facts)) continue;
      const bool shown = proved(room(low, narrowed->second), facts);
      const bool row = k > 0 && info(access.part.array).linear;
      // A larger distance is not a stencil that crosses an end of the array.
      const Poly beyond = room(low, all);
      if (!shown && (row || !beyond.is_constant())) continue;
      if (!shown) {
        std::string text = fmt::format("'{}' is read at {} only where that is within the array",
                                       info(load->id).c_expression, s.text());
        if (std::find(out_.assumed.begin(), out_.assumed.end(), text) == out_.assumed.end())
          out_.assumed.push_back(std::move(text));
      }
      auto& sides = rules_[roles_.of.at(access.part).field];
      sides.resize(mine.size());
      std::string& rule = low ? sides[k].first : sides[k].second;
      if (rule.empty()) rule = "clamp";
    }
  }
}

ast::BoundaryRule ProgramWriter::rule_called(const std::string& keyword) {
  return {find_boundary(keyword).value_or(BoundaryKind::None), nullptr, {}};
}

std::optional<ast::Boundary> ProgramWriter::boundary_of(const std::string& field) {
  const auto found = rules_.find(field);
  if (found == rules_.end()) return std::nullopt;
  ast::Boundary out;
  for (const auto& [low, high] : found->second) {
    ast::BoundarySides sides{rule_called(low), std::nullopt};
    if (low != high) sides.high = rule_called(high);
    out.dimensions.push_back(std::move(sides));
  }
  const bool one = std::all_of(found->second.begin(), found->second.end(), [&](const auto& sides) {
    return sides == found->second[0] && sides.first == sides.second;
  });
  out.list = !one;
  if (one) out.dimensions.resize(1);
  return out;
}

ExprPtr ProgramWriter::load(X x, Context& context) {
  const Access access = shapes_.access(x->id, x->args, *context.piece->point);
  const ArrayShape& shape = shapes_.shape(x->id);
  const Role& role = roles_.of.at(access.part);
  auto out = std::make_unique<ast::Expr>();
  ExprPtr base = level_of(role);
  ast::Bracket bracket;
  bracket.base = std::move(base);
  if (!shape.over_time) guarded_ends(x, access, context);
  const auto where = context.domains.find(x);
  const Store& at = *context.piece->point;
  within_rows(access, at, where != context.domains.end() ? where->second : at.domain);
  if (shape.over_time) {
    ExprPtr now = make_name("time");
    if (access.time_offset != 0) {
      now = make_binary(access.time_offset > 0 ? "+" : "-", std::move(now),
                        make_integer(std::abs(access.time_offset)));
    }
    bracket.indices.push_back(std::move(now));
  }
  for (size_t k = 0; k < access.subscripts.size(); ++k) {
    const Poly& from = context.point.subscripts[shape.along[k]];
    auto rule = bent(from, access.subscripts[k], access.part, k, context);
    bracket.indices.push_back(rule ? std::move(*rule)
                                   : offset(from, access.subscripts[k], x, context));
  }
  out->kind = std::move(bracket);
  return out;
}

ExprPtr ProgramWriter::level_of(const Role& role) {
  int level = role.level;
  if (role.copies > 1 && advanced_.count(role.field) > 0)
    level = level == role.copies - 1 ? 0 : level + 1;
  if (level == 0) return make_name(role.field);
  auto out = std::make_unique<ast::Expr>();
  out->kind = ast::Level{role.field, level};
  return out;
}

// The current value of a target, used at points that the function does not write.
ExprPtr ProgramWriter::kept(const ArrayPart& part) {
  const Role& role = roles_.of.at(part);
  auto out = std::make_unique<ast::Expr>();
  ast::Bracket bracket;
  bracket.base = level_of(role);
  for (int d = 0; d < shapes_.rank(); ++d) bracket.indices.push_back(make_integer(0));
  out->kind = std::move(bracket);
  return out;
}

ExprPtr ProgramWriter::leaf(X x, Context& context) {
  if (x->kind == XKind::Load) return load(x, context);
  if (x->kind == XKind::Symbol) {
    computed_with_.insert(x->id);
    return symbol(x);
  }
  if (x->kind == XKind::Time) return make_name("time");
  if (x->kind == XKind::Reduced) return make_name(reduced_[x->id]);
  if (x->kind != XKind::Index) return nullptr;
  for (size_t d = 0; d < context.point.subscripts.size(); ++d) {
    if (context.point.subscripts[d].linear_in(x) != std::optional<int64_t>(1)) continue;
    if (context.indices[d].empty()) context.indices[d] = index_name(x->text, context);
    const Poly shift = context.point.subscripts[d].without(x);
    ExprPtr name = make_name(context.indices[d]);
    if (shift.zero()) return name;
    return make_binary("-", std::move(name), affine(shift, context.piece->point->place));
  }
  throw Refusal{
      "C013", context.piece->point->place,
      fmt::format("the counter '{}' is used, but it is not a coordinate of the point written",
                  x->text),
      ""};
}

std::string ProgramWriter::index_name(const std::string& wanted, const Context& context) {
  std::string plain;
  for (char c : wanted) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') plain += c;
  }
  if (plain.empty() || std::isdigit(static_cast<unsigned char>(plain[0]))) plain = "i" + plain;
  for (int i = 2;; ++i) {
    bool taken = locals_.count(plain) > 0 || reserved_.count(plain) > 0;
    for (const SymbolInfo& s : execution_.symbols) taken = taken || s.name == plain;
    for (const auto& [part, role] : roles_.of) taken = taken || role.field == plain;
    for (const std::string& other : context.indices) taken = taken || other == plain;
    if (!taken) return plain;
    plain += i == 2 ? "_" : "i";
  }
}

}  // namespace stencil::lifter
