// The syntax tree of the program, written as text with comments that say where in C each part is.
//
// Points that a step leaves alone keep their value in C. A field with several levels would hand
// them on from the newest level, where C's buffers have what they had copies steps ago: `else` says
// so.
#include "compiler/lift/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "compiler/lift/roles.h"
#include "compiler/lift/values.h"
#include "compiler/syntax/write.h"

namespace stencil::lifter {

namespace {

using ast::ExprPtr;

constexpr size_t kMostFunctions = 256;

class ProgramWriter {
 public:
  ProgramWriter(Pool& pool, Execution& execution, const std::string& title, const std::string& file)
      : pool_(pool), execution_(execution), title_(title), file_(file), shapes_(pool, execution) {}

  LiftedProgram run() {
    functions_ = functions_of(pool_, execution_, shapes_);
    if (functions_.size() > kMostFunctions) {
      throw Refusal{"C024", functions_[0].place,
                    fmt::format("a step would have {} functions", functions_.size()),
                    "loops that write single elements are no loops over a grid"};
    }
    gather();
    roles_ = roles_of(execution_, shapes_, functions_, parts_);
    bind();
    for (const StepFunction& function : functions_) stencil(function);
    moves();
    stop();
    assemble();
    return std::move(out_);
  }

 private:
  // ---- what there is

  const ArrayInfo& info(int array) const { return execution_.arrays[static_cast<size_t>(array)]; }
  static Part without_slot(Part part) {
    part.slot = -1;
    return part;
  }

  void gather() {
    for (const StepFunction& function : functions_) {
      for (const Part& part : function.targets) parts_.insert(part);
      for (const StepPiece& piece : function.pieces) {
        for (X value : piece.values) {
          each_node(value, [&](X n) {
            if (n->kind == XKind::Load)
              parts_.insert(shapes_.access(n->id, n->args, *piece.point).part);
          });
        }
      }
    }
    // copies that nobody reads are there, too
    const std::set<Part> seen = parts_;
    for (const Part& part : seen) {
      if (part.slot < 0) continue;
      for (int slot = 0; slot < shapes_.shape(part.array).copies; ++slot) {
        parts_.insert({part.array, part.fixed, slot});
      }
    }
    for (const Rotation& rotation : execution_.rotations) {
      for (int array : {rotation.before, rotation.after}) {
        if (shapes_.shape(array).extents.empty()) {
          throw Refusal{"C014", execution_.place,
                        fmt::format("'{}' takes part in a change of pointers and is not used",
                                    info(array).in_c),
                        ""};
        }
        parts_.insert({array, {}, -1});
      }
    }
  }

  std::vector<Poly> lengths(int array) const { return shapes_.lengths(array); }

  std::string domain_of(int array) {
    const ArrayShape& shape = shapes_.shape(array);
    std::vector<Poly> wanted = shapes_.extents();
    const size_t skip = shape.over_time ? 1 : 0;
    const auto mine = lengths(array);
    for (size_t k = 0; k + skip < mine.size(); ++k) {
      wanted[static_cast<size_t>(shape.along[k])] = mine[k + skip];
    }
    if (wanted == shapes_.extents()) return "G";
    for (const auto& [name, extents] : boxes_) {
      if (extents == wanted) return name;
    }
    const std::string name = fresh(info(array).name + "_box");
    boxes_.emplace_back(name, wanted);
    return name;
  }

  std::string fresh(const std::string& name) {
    std::string out = name;
    for (int i = 2;; ++i) {
      bool taken = locals_.count(out) > 0;
      for (const SymbolInfo& symbol : execution_.symbols) taken = taken || symbol.name == out;
      for (const auto& [part, role] : roles_.of) taken = taken || role.field == out;
      if (!taken) break;
      out = fmt::format("{}{}", name, i);
    }
    locals_.insert(out);
    return out;
  }

  void bind() {
    for (const auto& [part, role] : roles_.of) {
      const ArrayShape& shape = shapes_.shape(part.array);
      FieldBinding made;
      made.field = role.field;
      made.level = role.level;
      made.copies = role.copies;
      made.array = part.array;
      size_t fixed = 0;
      for (size_t k = 0; k < shape.extents.size(); ++k) {
        const int number = static_cast<int>(k);
        if (number == shape.slots_dimension) {
          made.subscripts.push_back(kSlot);
        } else if (std::find(shape.fixed.begin(), shape.fixed.end(), number) != shape.fixed.end()) {
          made.subscripts.push_back(part.fixed[fixed++]);
        } else {
          made.subscripts.push_back(kSpace);
        }
      }
      made.slot = part.slot;
      for (size_t k = 0; k < shape.extents.size(); ++k) {
        const bool slots = static_cast<int>(k) == shape.slots_dimension;
        made.extents.push_back(slots ? pool_.integer(shape.copies)
                                     : shape.extents[k].expression(pool_));
      }
      made.written = shape.stored || role.copies > 1;
      made.over_time = shape.over_time;
      out_.fields.push_back(std::move(made));
    }
  }

  // ---- expressions

  ExprPtr symbol(X x, bool value) {
    used_.insert(x->id);
    const SymbolInfo& symbol = execution_.symbols[static_cast<size_t>(x->id)];
    const bool wide =
        is_integer(symbol.type) && (bits_of(symbol.type) == 64 || symbol.type == CScalar::U32);
    if (!value || !wide) return make_name(symbol.name);
    std::vector<ExprPtr> argument;
    argument.push_back(make_name(symbol.name));
    return make_call("long", std::move(argument));
  }

  // An integer of params: a bound, a length, a condition.
  ExprPtr affine(const Poly& p, CPlace place) {
    ValueWriter writer(place, [&](X x) -> ExprPtr {
      if (x->kind == XKind::Symbol) return symbol(x, false);
      return nullptr;
    });
    return writer.value(p.expression(pool_));
  }

  struct Context {
    const StepPiece* piece = nullptr;
    Access point;
    std::vector<std::string> indices;  // names used, by dimension
  };

  ExprPtr offset(const Poly& from, const Poly& to, X load, const Context& context) {
    const Poly difference = to - from;
    for (X atom : difference.atoms()) {
      if (contains(atom, XKind::Load) || contains(atom, XKind::Sum)) {
        throw Refusal{"C013", context.piece->point->place,
                      fmt::format("a subscript of '{}' depends on data", info(load->id).in_c),
                      "subscripts are sums of loop counters and sizes"};
      }
      if (contains(atom, XKind::Index) || contains(atom, XKind::Time)) {
        throw Refusal{
            "C013", context.piece->point->place,
            fmt::format("'{}' is read at {}, which is no fixed distance from the point written",
                        info(load->id).in_c, to.text()),
            "arrays are read at the counters of the point plus constants"};
      }
    }
    if (!difference.is_constant()) {
      throw Refusal{
          "C013", context.piece->point->place,
          fmt::format("'{}' is read {} from the point written, a distance that depends on sizes",
                      info(load->id).in_c, difference.text()),
          "fixed sizes make it a number; whole dimensions that wrap around, (i + 1) % n, "
          "are a boundary"};
    }
    return affine(difference, context.piece->point->place);
  }

  // The offset of a subscript that a boundary rule bends, which becomes the field's.
  std::optional<ExprPtr> bent(const Poly& from, const Poly& to, const Part& part, size_t k,
                              const Context& context) {
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
      throw Refusal{"C026", context.piece->point->place,
                    fmt::format("'{}' is read across an end that is not its own", array.in_c),
                    "a subscript that bends at the end of an array spans all of the array, at the "
                    "point written"};
    }
    auto& sides = rules_[roles_.of.at(part).field];
    sides.resize(lengths(part.array).size());
    for (const bool low : {true, false}) {
      if (edge->text != "periodic" && low != (edge->integer < 0)) continue;
      std::string& rule = low ? sides[k].first : sides[k].second;
      if (!rule.empty() && rule != edge->text) {
        throw Refusal{"C026", context.piece->point->place,
                      fmt::format("'{}' is {} and {} at one end", array.in_c, rule, edge->text),
                      "a field has one rule at an end"};
      }
      rule = edge->text;
    }
    return make_integer(edge->integer);
  }

  ast::BoundaryRule rule_called(const std::string& name) {
    static const std::map<std::string, ast::BoundaryKind> kKinds = {
        {"", ast::BoundaryKind::None},
        {"clamp", ast::BoundaryKind::Clamp},
        {"mirror", ast::BoundaryKind::Mirror},
        {"symmetric", ast::BoundaryKind::Symmetric},
        {"periodic", ast::BoundaryKind::Periodic}};
    return {kKinds.at(name), nullptr, {}};
  }

  std::optional<ast::Boundary> boundary_of(const std::string& field) {
    const auto found = rules_.find(field);
    if (found == rules_.end()) return std::nullopt;
    ast::Boundary out;
    for (const auto& [low, high] : found->second) {
      ast::BoundarySides sides{rule_called(low), std::nullopt};
      if (low != high) sides.high = rule_called(high);
      out.dimensions.push_back(std::move(sides));
    }
    const bool one =
        std::all_of(found->second.begin(), found->second.end(), [&](const auto& sides) {
          return sides == found->second[0] && sides.first == sides.second;
        });
    out.list = !one;
    if (one) out.dimensions.resize(1);
    return out;
  }

  ExprPtr load(X x, Context& context) {
    const Access access = shapes_.access(x->id, x->args, *context.piece->point);
    const ArrayShape& shape = shapes_.shape(x->id);
    const Role& role = roles_.of.at(access.part);
    auto out = std::make_unique<ast::Expr>();
    ExprPtr base = level_of(role);
    ast::Bracket bracket;
    bracket.base = std::move(base);
    if (shape.over_time) {
      ExprPtr now = make_name("time");
      if (access.time_offset != 0) {
        now = make_binary(access.time_offset > 0 ? "+" : "-", std::move(now),
                          make_integer(std::abs(access.time_offset)));
      }
      bracket.indices.push_back(std::move(now));
    }
    for (size_t k = 0; k < access.subscripts.size(); ++k) {
      const Poly& from = context.point.subscripts[static_cast<size_t>(shape.along[k])];
      auto rule = bent(from, access.subscripts[k], access.part, k, context);
      bracket.indices.push_back(rule ? std::move(*rule)
                                     : offset(from, access.subscripts[k], x, context));
    }
    out->kind = std::move(bracket);
    return out;
  }

  ExprPtr level_of(const Role& role) {
    int level = role.level;
    if (role.copies > 1 && advanced_.count(role.field) > 0)
      level = level == role.copies - 1 ? 0 : level + 1;
    if (level == 0) return make_name(role.field);
    auto out = std::make_unique<ast::Expr>();
    out->kind = ast::Level{role.field, level};
    return out;
  }

  // The value of a target where nothing new is written.
  ExprPtr kept(const Part& part) {
    const Role& role = roles_.of.at(part);
    auto out = std::make_unique<ast::Expr>();
    ast::Bracket bracket;
    bracket.base = level_of(role);
    for (int d = 0; d < shapes_.rank(); ++d) bracket.indices.push_back(make_integer(0));
    out->kind = std::move(bracket);
    return out;
  }

  ExprPtr leaf(X x, Context& context) {
    if (x->kind == XKind::Load) return load(x, context);
    if (x->kind == XKind::Symbol) return symbol(x, true);
    if (x->kind == XKind::Time) return make_name("time");
    if (x->kind != XKind::Index) return nullptr;
    for (size_t d = 0; d < context.point.subscripts.size(); ++d) {
      if (context.point.subscripts[d].linear_in(x) != std::optional<int64_t>(1)) continue;
      if (context.indices[d].empty()) context.indices[d] = index_name(x->text, context);
      const Poly shift = context.point.subscripts[d].without(x);
      ExprPtr name = make_name(context.indices[d]);
      if (shift.zero()) return name;
      return make_binary("-", std::move(name), affine(shift, context.piece->point->place));
    }
    throw Refusal{"C013", context.piece->point->place,
                  fmt::format("the counter '{}' is used, and is none of the point's", x->text), ""};
  }

  std::string index_name(const std::string& wanted, const Context& context) {
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

  // ---- stencil functions

  ast::Box region(const Context& context) {
    const Store& store = *context.piece->point;
    ast::Box box;
    for (size_t d = 0; d < context.point.subscripts.size(); ++d) {
      const Poly& s = context.point.subscripts[d];
      ast::Range range;
      const Domain* along = nullptr;
      for (const Domain& domain : store.domain) {
        X index = pool_.leaf(XKind::Index, CScalar::I64, domain.index,
                             execution_.index_names[static_cast<size_t>(domain.index)]);
        if (s.degree_in(index) > 0) along = &domain;
      }
      if (!context.indices[d].empty()) range.index = make_identifier(context.indices[d]);
      if (along == nullptr) {
        range.low = affine(s, store.place);
      } else {
        X index = pool_.leaf(XKind::Index, CScalar::I64, along->index,
                             execution_.index_names[static_cast<size_t>(along->index)]);
        range.low = affine(s.without(index) + along->low, store.place);
        range.high = affine(s.without(index) + along->high, store.place);
        if (along->stride != 1) range.stride = make_integer(along->stride);
      }
      box.ranges.push_back(std::move(range));
    }
    return box;
  }

  // Whether a piece covers all points of its field.
  bool covers(const StepPiece& piece, const Part& part) {
    const Access point = shapes_.access(piece.point->array, piece.point->subscripts, *piece.point);
    const auto all = lengths(part.array);
    for (size_t d = 0; d < all.size(); ++d) {
      const Poly low =
          Shapes::extreme(pool_, execution_, point.subscripts[d], piece.point->domain, false);
      const Poly high =
          Shapes::extreme(pool_, execution_, point.subscripts[d], piece.point->domain, true);
      if (!low.zero() || !(high - all[d] + Poly(1)).zero()) return false;
    }
    for (const Domain& domain : piece.point->domain) {
      if (domain.stride != 1) return false;
    }
    return true;
  }

  // Subexpressions that occur more than once, by names.
  void name_shared(const StepPiece& piece, ValueWriter& writer, ast::Stencil& made) {
    std::map<X, int> uses;
    std::map<X, bool> indexed;
    std::set<X> seen;
    std::vector<X> order;
    for (X value : piece.values) {
      if (value == nullptr) continue;
      ++uses[value];
      each_node(value, seen, [&](X n) {
        order.push_back(n);
        indexed[n] = n->kind == XKind::Index;
        for (X arg : n->args) indexed[n] = indexed[n] || (n->kind != XKind::Load && indexed[arg]);
        if (n->kind == XKind::Load) return;
        for (X arg : n->args) ++uses[arg];
      });
    }
    for (X n : order) {
      const bool small = n->args.empty() || n->kind == XKind::Load || n->kind == XKind::Cast ||
                         n->kind == XKind::Unary || is_constant(n);
      if (small || uses[n] < 2 || indexed[n]) continue;
      bool data = false;
      each_node(n, [&](X m) { data = data || m->kind == XKind::Load; });
      if (!data) continue;
      const std::string name = fresh("t" + std::to_string(++temporaries_));
      ast::Let let{make_identifier(name), is_condition(n) ? writer.condition(n) : writer.value(n)};
      let.name.span = next_span();
      made.lets.push_back(std::move(let));
      writer.names[n] = name;
    }
  }

  ExprPtr piece_value(const StepFunction& function, const std::function<ExprPtr(size_t)>& of) {
    if (function.targets.size() == 1) return of(0);
    ast::Aggregate all;
    for (size_t t = 0; t < function.targets.size(); ++t) {
      all.entries.push_back({make_identifier(roles_.of.at(function.targets[t]).field), of(t)});
    }
    auto out = std::make_unique<ast::Expr>();
    out->kind = std::move(all);
    return out;
  }

  void stencil(const StepFunction& function) {
    ast::Stencil made;
    std::set<std::string> fields;
    for (const Part& part : function.targets) {
      const Role& role = roles_.of.at(part);
      if (info(part.array).constant) {
        throw Refusal{"C020", function.place,
                      fmt::format("'{}' is const and written", info(part.array).in_c), ""};
      }
      if (type_name(info(part.array).element).empty()) {
        throw Refusal{"C023", function.place,
                      fmt::format("'{}' has elements of the type '{}'", info(part.array).in_c,
                                  name_of(info(part.array).element)),
                      ""};
      }
      if (!fields.insert(role.field).second) {
        throw Refusal{"C014", function.place,
                      fmt::format("a loop writes two copies of '{}'", role.field), ""};
      }
      ast::Target target;
      target.field = make_identifier(role.field);
      made.targets.push_back(std::move(target));
    }
    const Role& first = roles_.of.at(function.targets[0]);
    made.name = make_identifier(unique_stencil(first.field));
    bool whole = false;
    for (const StepPiece& piece : function.pieces) {
      Context context;
      context.piece = &piece;
      context.point = shapes_.access(piece.point->array, piece.point->subscripts, *piece.point);
      context.indices.resize(context.point.subscripts.size());
      ValueWriter writer(piece.point->place, [&](X x) { return leaf(x, context); });
      if (function.pieces.size() == 1) name_shared(piece, writer, made);
      ast::Piece written;
      written.value = piece_value(function, [&](size_t t) {
        X value = piece.values[t];
        if (info(function.targets[t].array).element == CScalar::Bool && value->kind == XKind::Cast)
          value = value->args[0];
        // an array of a narrow type takes the low bits itself
        const CScalar element = info(function.targets[t].array).element;
        if (value->kind == XKind::Cast && is_integer(element) && bits_of(element) < 32)
          value = value->args[0];
        return writer.value(value, true);
      });
      written.region = region(context);
      made.pieces.push_back(std::move(written));
      bool all = true;
      for (const Part& part : function.targets) all = all && covers(piece, part);
      whole = whole || all;
    }
    otherwise(function, whole, made);
    for (const Part& part : function.targets) {
      const Role& role = roles_.of.at(part);
      if (role.copies > 1) advanced_.insert(role.field);
    }
    add(std::move(made), fmt::format("{}:{}", file_, function.place.line));
    ++out_.functions;
  }

  // `else` is the rest of loops that have points.
  void points_of(const Store& store) {
    for (const Domain& domain : store.domain) has_points(domain.high - domain.low);
  }

  // high - low of a loop that the program takes to have points.
  void has_points(const Poly& fact) {
    if (fact.is_constant()) return;
    X holds = pool_.binary(">=", (fact - Poly(fact.constant())).expression(pool_),
                           pool_.integer(-fact.constant()), CScalar::I32);
    for (const auto& [known, reason] : execution_.requirements) {
      if (known == holds) return;
    }
    execution_.requirements.emplace_back(holds, "its loop has points");
  }

  void otherwise(const StepFunction& function, bool whole, ast::Stencil& made) {
    bool needed = false;
    for (const Part& part : function.targets) {
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

  std::string unique_stencil(const std::string& field) {
    const int number = ++stencils_[field];
    const std::string name =
        number == 1 ? "step_" + field : fmt::format("step_{}_{}", field, number);
    return stencil_names_.insert(name).second ? name : unique_stencil(field);
  }

  // Arrays whose pointers trade places, by values.
  void moves() {
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
    add(std::move(made), fmt::format("{}:{}: pointers trade places", file_, execution_.place.line));
  }

  // ---- reductions

  void stop() {
    if (execution_.stop == nullptr) return;
    throw Refusal{"C025", execution_.place, "the time loop ends by a condition on a reduction", ""};
  }

  // ---- all of it

  template <class Kind>
  void add(Kind kind, const std::string& comment) {
    ast::Item item{std::move(kind), next_span()};
    comments_[item.span.begin] = comment;
    stencil_items_.push_back(std::move(item));
  }
  Span next_span() {
    spans_ += 2;
    return {spans_, spans_ + 1};
  }

  ast::Box box_of(const std::vector<Poly>& extents) {
    ast::Box box;
    for (const Poly& extent : extents) {
      ast::Range range;
      range.low = make_integer(0);
      range.high = affine(extent - Poly(1), execution_.place);
      box.ranges.push_back(std::move(range));
    }
    return box;
  }

  ast::TypeExpr type(const std::string& name) {
    ast::TypeExpr out;
    out.kind = ast::NamedType{name};
    return out;
  }

  void declare_fields(std::vector<ast::Item>& items, std::map<uint32_t, std::string>& comments) {
    std::set<std::string> declared;
    for (const auto& [part, role] : roles_.of) {
      if (!declared.insert(role.field).second) continue;
      const ArrayShape& shape = shapes_.shape(part.array);
      const ArrayInfo& array = info(part.array);
      const std::string element = type_name(array.element);
      if (element.empty()) {
        throw Refusal{
            "C023", functions_[0].place,
            fmt::format("'{}' has elements of the type '{}'", array.in_c, name_of(array.element)),
            ""};
      }
      const Span span = next_span();
      std::string comment = array.in_c;
      if (role.copies > 1) {
        std::vector<std::string> names;
        for (const auto& [other, its] : roles_.of) {
          if (its.field == role.field)
            names.push_back(fmt::format(
                "{}{}", info(other.array).in_c,
                other.slot >= 0 ? fmt::format("[(t+{})%{}]", other.slot, role.copies) : ""));
        }
        comment = fmt::format("{}", fmt::join(names, ", "));
      }
      comments[span.begin] = comment;
      const size_t skip = shape.over_time ? 1 : 0;
      const bool full = static_cast<int>(shape.space.size() - skip) == shapes_.rank();
      const auto along = [&]() -> std::optional<ast::PerDimension> {
        if (full) return std::nullopt;
        ast::PerDimension out;
        out.list = shape.along.size() > 1;
        for (int d : shape.along) out.values.push_back(make_integer(d));
        return out;
      };
      if (shape.over_time) {
        ast::Series series;
        series.names = {make_identifier(role.field)};
        series.type = type(element);
        series.times = box_of({shape.extents[static_cast<size_t>(shape.space[0])]});
        if (shape.space.size() > 1) {
          series.domain = make_identifier(domain_of(part.array));
          series.along = along();
        }
        items.push_back({std::move(series), span});
        continue;
      }
      ast::Field field;
      field.names = {make_identifier(role.field)};
      field.type = type(element);
      field.domain = make_identifier(domain_of(part.array));
      field.along = along();
      field.constant = !shape.stored && role.copies == 1;
      if (role.copies > 1) field.history = make_integer(role.copies);
      field.boundary = boundary_of(role.field);
      items.push_back({std::move(field), span});
    }
  }

  void assemble() {
    std::vector<ast::Item> fields;
    std::map<uint32_t, std::string> comments = comments_;
    declare_fields(fields, comments);
    ast::Program program;
    ast::Grid grid;
    grid.name = make_identifier("G");
    grid.box = box_of(shapes_.extents());
    grid.steps = execution_.steps != nullptr ? affine(Poly::of(execution_.steps), execution_.place)
                                             : make_integer(1);
    std::vector<ast::Item> boxes;
    for (const auto& [name, extents] : boxes_) {
      boxes.push_back({ast::Subgrid{make_identifier(name), make_identifier("G"), box_of(extents)},
                       next_span()});
    }
    for (const Poly& fact : shapes_.facts_used()) has_points(fact);
    std::vector<ast::Item> requirements;
    for (const auto& [condition, why] : execution_.requirements) {
      ValueWriter writer(execution_.place, [&](X x) -> ExprPtr {
        return x->kind == XKind::Symbol ? symbol(x, false) : nullptr;
      });
      const Span span = next_span();
      comments[span.begin] = "assumed: " + why;
      requirements.push_back({ast::Require{writer.condition(condition)}, span});
      out_.assumed.push_back(
          fmt::format("{} ({})", stencil::write(*writer.condition(condition)), why));
    }
    for (size_t s = 0; s < execution_.symbols.size(); ++s) {
      if (used_.count(static_cast<int>(s)) == 0) continue;
      const SymbolInfo& symbol = execution_.symbols[s];
      const Span span = next_span();
      if (symbol.in_c != symbol.name) comments[span.begin] = symbol.in_c;
      ast::Param param{make_identifier(symbol.name),
                       type(is_floating(symbol.type) ? type_name(symbol.type) : "integer"),
                       nullptr};
      if (symbol.value) param.value = make_integer(*symbol.value);
      program.items.push_back({std::move(param), span});
      out_.params.push_back({symbol.name, static_cast<int>(s)});
    }
    program.items.push_back({std::move(grid), next_span()});
    for (auto* more : {&boxes, &requirements, &fields, &stencil_items_}) {
      for (ast::Item& item : *more) program.items.push_back(std::move(item));
    }
    out_.steps = execution_.steps;
    powers();
    aliasing();
    for (const std::string& more : execution_.assumptions) out_.assumed.push_back(more);
    render(program, comments);
  }

  // pow(x, 2) is exactly x*x; higher powers are products here and the library's in C.
  void powers() {
    for (const StepFunction& function : functions_) {
      for (const StepPiece& piece : function.pieces) {
        for (X value : piece.values) {
          each_node(value, [&](X n) {
            if (n->kind != XKind::Call || n->text != "pow" || n->args[1]->kind != XKind::Real)
              return;
            const double power = n->args[1]->real;
            const bool exact = power == 0 || power == 1 || power == 2 || power != std::floor(power);
            out_.powers = out_.powers || !exact;
          });
        }
      }
    }
    if (out_.powers)
      out_.assumed.push_back(
          "whole powers are products, which may differ from pow() in the last places");
  }

  // Arrays behind pointers are taken to be apart.
  void aliasing() {
    std::vector<std::string> names;
    bool written = false;
    for (const auto& [part, role] : roles_.of) {
      const ArrayInfo& array = info(part.array);
      if (array.restricted || array.local || shapes_.shape(part.array).over_time) continue;
      if (std::find(names.begin(), names.end(), array.in_c) == names.end())
        names.push_back(array.in_c);
      written = written || shapes_.shape(part.array).stored;
    }
    if (names.size() > 1 && written) {
      out_.assumed.push_back(fmt::format("{} do not overlap", fmt::join(names, ", ")));
    }
    for (const auto& [part, role] : roles_.of) {
      if (!info(part.array).rows) continue;
      out_.assumed.push_back(
          fmt::format("the rows of {} are apart and all of one length", info(part.array).in_c));
    }
  }

  void render(const ast::Program& program, const std::map<uint32_t, std::string>& comments) {
    const Written written = stencil::write(program);
    std::string text = fmt::format("// {}, lifted by stencilc.\n", title_);
    for (const std::string& assumed : out_.assumed) text += "// Assumed: " + assumed + ".\n";
    size_t done = 0;
    std::vector<std::pair<size_t, std::string>> at;
    for (const auto& statement : written.statements) {
      const auto found = comments.find(statement.node.begin);
      if (found != comments.end()) at.emplace_back(statement.text.begin, found->second);
    }
    std::sort(at.begin(), at.end());
    for (const auto& [place, comment] : at) {
      size_t begin = written.text.rfind('\n', place);
      begin = begin == std::string::npos ? 0 : begin + 1;
      if (begin < done) continue;
      text += written.text.substr(done, begin - done);
      text += "// " + comment + "\n";
      done = begin;
    }
    text += written.text.substr(done);
    if (text.back() != '\n') text += '\n';
    out_.text = std::move(text);
  }

  Pool& pool_;
  Execution& execution_;
  const std::string title_, file_;
  const Shapes shapes_;
  std::vector<StepFunction> functions_;
  std::set<Part> parts_;
  Roles roles_;
  LiftedProgram out_;
  std::set<int> used_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> rules_;  // by dimension
  std::set<std::string> advanced_, locals_ = {"G"};
  const std::set<std::string> reserved_ = {"time", "in", "of", "on", "and", "or", "not", "let"};
  std::map<std::string, int> stencils_;
  std::set<std::string> stencil_names_;
  std::vector<std::pair<std::string, std::vector<Poly>>> boxes_;
  std::vector<ast::Item> stencil_items_;
  std::map<uint32_t, std::string> comments_;
  uint32_t spans_ = 2;
  int temporaries_ = 0;
};

}  // namespace

LiftedProgram write_program(Pool& pool, Execution& execution, const std::string& title,
                            const std::string& file) {
  tidy(pool, execution);
  return ProgramWriter(pool, execution, title, file).run();
}

}  // namespace stencil::lifter
