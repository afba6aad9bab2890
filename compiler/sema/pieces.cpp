// Turns items into pieces. A piece has a region, a graph, and the targets of the graph's results.
// The pieces of one stencil share the text of its lets, but each piece has its own graph. A piece
// evaluates only the lets that it needs, so bounds are proved only for the region that reads.
#include "compiler/sema/pieces.h"

#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "compiler/ir/lower/fixed_edges.h"
#include "compiler/sema/ast_names.h"
#include "compiler/sema/bounds.h"
#include "compiler/sema/coordinates.h"
#include "compiler/sema/declare.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/fixed_edges.h"
#include "compiler/sema/reductions.h"
#include "compiler/sema/targets.h"
#include "compiler/support/escape.h"

namespace stencil::sema {

void bind_indices(Elaborator& elaborator, const std::vector<std::string>& names) {
  for (size_t d = 0; d < names.size(); ++d) {
    if (!names[d].empty()) elaborator.bind_index(names[d], static_cast<int>(d));
  }
}

Value taken(Elaborator& elaborator, const ir::Box& box, const std::vector<int64_t>& strides,
            const std::optional<Value>& where, Span span) {
  std::optional<Value> all;
  const auto require = [&](const Value& condition) {
    all = all ? elaborator.arithmetic().apply(Op::And, {*all, condition}, span) : condition;
  };
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] == 1) continue;
    require(elaborator.on_stride(static_cast<int>(d), box.ranges[d].low, strides[d], span));
  }
  if (where) require(*where);
  return all.value_or(Value{});
}

Value settled(Arithmetic& arithmetic, Value value, const Type& type) {
  if (!value.ok()) return value;
  const std::vector<ir::Component> components = flatten(type);
  for (size_t c = 0; c < value.leaves.size(); ++c) {
    const Scalar to = arithmetic_type(components[std::min(c, components.size() - 1)].type);
    Leaf& leaf = value.leaves[c];
    if (arithmetic.type_of(leaf) || !is_float(to)) continue;
    const Value converted = arithmetic.convert(Value::of_leaf(leaf), to, {});
    if (converted.ok()) leaf = converted.leaves[0];
  }
  return value;
}

namespace {

constexpr size_t kMaxPieces = 1000;  // per stencil, because each pair is checked for overlap

void check_lets(Environment& env, const ast::Stencil& stencil) {
  std::unordered_set<std::string> names;
  for (const ast::Let& let : stencil.lets) {
    env.check_local_name(let.name);
    if (!names.insert(let.name.name).second) {
      env.report.error("S002", let.name.span, fmt::format("'{}' is declared twice", let.name.name));
    }
  }
  for (const ast::Piece& piece : stencil.pieces) {
    for (const ast::Identifier* index : indices_of(piece.region)) {
      if (!index || !names.count(index->name)) continue;
      env.report.error("S002", index->span,
                       fmt::format("'{}' is already the name of a let", index->name));
    }
  }
}

// The state of a stencil while its pieces are analysed.
struct Pieces {
  const LetUses lets;
  // nullopt if the targets have errors. The pieces are then analysed only to report their own
  // errors.
  const std::optional<Targets> targets;
  const ast::Piece* otherwise = nullptr;       // the `else` piece, if there is one
  std::vector<std::string> otherwise_indices;  // index names of the `else` piece
  int64_t every = 1;  // the stencil writes only in every n-th step, with n = every
  Span every_span = {};

  // The field of the first target. The fields of all targets have the same domain.
  const ir::Field& field(const Environment& env) const {
    return env.program.fields[targets->fields.front()];
  }
};

// The value of an expression at the points of a piece's region.
Value value_of(Elaborator& elaborator, const Pieces& pieces, const ast::Expr& expr,
               const std::vector<std::string>& indices, const Type* type) {
  bind_indices(elaborator, indices);
  elaborator.bind_lets(pieces.lets.needed_by(expr));
  return elaborator.elaborate(expr, type);
}

// Selects the value where the condition holds. Elsewhere it takes the value of the `else` piece or,
// if there is none, the present value of the point.
Value chosen(Environment& env, const Pieces& pieces, const ast::Piece& piece, const Region& region,
             ir::Piece& result, AccessProver& prover, Value value, const Type& type) {
  const Span span = piece.where ? piece.where->span : span_of(piece.region);
  Elaborator elaborator(env, kStencilSite, result.graph, &prover);
  elaborator.store_in(type);
  std::optional<Value> where;
  if (piece.where) where = value_of(elaborator, pieces, *piece.where, result.index_names, nullptr);
  const Value condition = taken(elaborator, region.box, region.strides, where, span);
  Elaborator other(env, kStencilSite, result.graph, &prover);
  other.store_in(type);
  Value kept = pieces.otherwise ? value_of(other, pieces, *pieces.otherwise->value,
                                           pieces.otherwise_indices, &type)
                                : present(*pieces.targets, other, span);
  Arithmetic& arithmetic = elaborator.arithmetic();
  return arithmetic.apply(
      Op::Select, {condition, settled(arithmetic, value, type), settled(arithmetic, kept, type)},
      span);
}

// Selects `value` in the steps in which the stencil writes. In other steps, selects the present
// value.
Value in_its_steps(Elaborator& elaborator, const Pieces& pieces, Value value, const Type& type) {
  const Span span = pieces.every_span;
  const Value due = elaborator.in_step_of(pieces.every, span);
  const Value kept = present(*pieces.targets, elaborator, span);
  Arithmetic& arithmetic = elaborator.arithmetic();
  return arithmetic.apply(Op::Select, {due, settled(arithmetic, std::move(value), type), kept},
                          span);
}

// Analyses a piece over its own region or, for `else`, over a box outside of all other regions.
// Returns nullopt after an error.
std::optional<ir::Piece> analyze_piece(Environment& env, const Pieces& pieces,
                                       const ast::Piece& piece, Region region) {
  bool inside = region.ok && pieces.targets && lies_in(env, region, env.domain, piece.region);
  TypePtr type;
  const ir::Box* within = &env.here().box;
  if (pieces.targets) {
    const ir::Field& field = pieces.field(env);
    type = pieces.targets->type;
    within = &field.box;
    inside =
        inside && require_inside(env, region.box, field.box,
                                 fmt::format("region leaves the domain of field '{}'", field.name),
                                 span_of(piece.region));
  }
  ir::Piece result;
  result.region = region.box;
  result.index_names = std::move(region.index_names);
  result.span = piece.span;
  // Lowering cuts off fixed edge points, whose values their rules give.
  const ir::Box computed =
      inside ? ir::without_fixed_edges(env.program, env.facts, pieces.targets->fields, region.box)
             : region.box;
  AccessProver prover(env, computed, *within, result.index_names, !inside);
  Elaborator elaborator(env, kStencilSite, result.graph, &prover);
  type ? elaborator.store_in(*type) : elaborator.store_in_unknown();
  Value value = value_of(elaborator, pieces, *piece.value, result.index_names, type.get());
  if (!type) return std::nullopt;
  if (piece.where || !region.strides.empty()) {
    value = chosen(env, pieces, piece, region, result, prover, std::move(value), *type);
  }
  if (pieces.every > 1) value = in_its_steps(elaborator, pieces, std::move(value), *type);
  auto stored = store(env, *pieces.targets, elaborator, value, piece.value->span);
  if (!stored || !inside) return std::nullopt;
  for (const ir::FieldId field : pieces.targets->fields) {
    if (!elaborator.edges_allow(field, piece.value->span)) return std::nullopt;
  }
  result.results = std::move(*stored);
  return result;
}

// Returns the `else` piece, or null. Reports a second one.
const ast::Piece* find_otherwise(Environment& env, const ast::Stencil& stencil) {
  const ast::Piece* found = nullptr;
  for (const ast::Piece& piece : stencil.pieces) {
    if (!piece.otherwise) continue;
    if (found) {
      env.report.error("S036", piece.span, "second else of a stencil")
          .related.push_back({found->span, "the first"});
    } else {
      found = &piece;
    }
  }
  return found;
}

// Adds the `else` pieces, for all points of the field's domain that no other region contains. False
// after an error.
bool analyze_otherwise(Environment& env, const Pieces& pieces, ir::Function& function) {
  const ast::Piece& piece = *pieces.otherwise;
  std::vector<ir::Box> taken;
  for (const ir::Piece& other : function.pieces) taken.push_back(other.region);
  const auto left = known_boxes(env, ir::boxes_left(env.facts, pieces.field(env).box, taken),
                                piece.span, "the points of 'else'");
  if (!left) return false;
  for (const ir::Box& box : *left) {
    Region region{true, box, pieces.otherwise_indices, {}};
    region.domain = pieces.field(env).domain;
    auto result = analyze_piece(env, pieces, piece, std::move(region));
    if (!result) return false;
    function.pieces.push_back(std::move(*result));
  }
  return true;
}

}  // namespace

void check_names_in(Environment& env, const ast::Stencil& stencil, bool all) {
  std::unordered_set<std::string> visible;
  for (const ast::Piece& piece : stencil.pieces) {
    for (const ast::Identifier* index : indices_of(piece.region)) {
      if (index) visible.insert(index->name);
    }
  }
  for (const ast::Let& let : stencil.lets) {
    env.check_names(*let.value, visible);
    visible.insert(let.name.name);
  }
  for (const ast::Piece& piece : stencil.pieces) {
    if (all && piece.where) env.check_names(*piece.where, visible);
    if (all || piece.otherwise) env.check_names(*piece.value, visible);
  }
}

void check_function_names(Environment& env, const ast::Function& function) {
  std::unordered_set<std::string> visible;
  for (const ast::Function::Argument& argument : function.arguments) {
    visible.insert(argument.name.name);
  }
  for (const ast::Let& let : function.lets) {
    env.check_names(*let.value, visible);
    visible.insert(let.name.name);
  }
  env.check_names(*function.value, visible);
}

// --- Stencils ------------------------------------------------------------------------------------

void analyze_stencil(Environment& env, const ast::Stencil& stencil) {
  check_lets(env, stencil);
  const std::optional<Targets> targets = find_targets(env, stencil);
  if (writes_in_place(env, stencil)) return;
  if (stencil.pieces.size() > kMaxPieces) {
    env.report.error("S030", stencil.name.span, "too many pieces").expected =
        fmt::format("at most {}", kMaxPieces);
    return;
  }
  Pieces pieces{LetUses(stencil.lets), targets, find_otherwise(env, stencil), {}};
  if (stencil.every) {
    const auto every = constant_in(env, *stencil.every, "the interval of a stencil", 1, kMaxEvery);
    if (!every) return;
    pieces.every = *every;
    pieces.every_span = stencil.every->span;
  }
  const InDomain at(env,
                    targets ? env.program.fields[targets->fields.front()].domain : ir::DomainId(0));
  ir::Function function{stencil.name.name, {}, {}, stencil.name.span};
  function.domain = env.domain;
  if (pieces.targets) {
    function.targets = pieces.targets->fields;
    const auto& from = pieces.targets->from;
    if (!std::all_of(from.begin(), from.end(), [](const auto& part) { return part.has_value(); })) {
      for (const auto& part : from) function.kept.push_back(!part);
    }
  }
  if (pieces.otherwise) {
    const auto rank = static_cast<size_t>(env.rank());
    const auto indices = indices_of(pieces.otherwise->region);
    if (!has_index_per_dimension(env, indices.size(), rank, pieces.otherwise->span)) return;
    pieces.otherwise_indices = index_names(env, indices);
    pieces.otherwise_indices.resize(rank);
  }
  check_names_in(env, stencil, false);
  bool ok = pieces.targets.has_value(), strided = false;
  for (const ast::Piece& piece : stencil.pieces) {
    if (piece.otherwise) continue;
    Region region = elaborate_region(env, piece.region);
    strided |= !region.strides.empty();
    auto result = analyze_piece(env, pieces, piece, std::move(region));
    ok &= result.has_value();
    if (!result) continue;
    for (const ir::Piece& other : function.pieces) {
      require_disjoint(env, other, *result, strided);
    }
    function.pieces.push_back(std::move(*result));
  }
  if (ok && pieces.otherwise) ok = analyze_otherwise(env, pieces, function);
  if (ok) check_fixed_edges(env, *pieces.targets, function);
  if (pieces.targets) env.program.functions.push_back(std::move(function));
}

void analyze_init(Environment& env, const ast::Init& init, Span item) {
  const Declaration* target = find_field(env, init.field);
  if (!target) return;
  const ir::FieldId id = target->index;
  if (const auto made = env.reduction_into(id)) {  // the analysis of the reduction gives the type
    if (env.reductions[*made].syntax->at) {
      env.report
          .error("S089", item,
                 fmt::format("'{}' is a record and cannot have an init", init.field.name))
          .hint = "omit the init: rows are 0 until they are recorded";
      return;
    }
    analyze_reduce(env, *made);
    if (target->broken) return;
  }
  const ir::Field& field = env.program.fields[id];
  const InDomain at(env, field.domain);
  env.inits_seen.insert(id);
  for (const ir::Init& other : env.program.inits) {
    if (other.field != id) continue;
    Diagnostic& error =
        env.report.error("S036", item, fmt::format("second init of '{}'", field.name));
    error.related.push_back({other.piece.span, "the first"});
    return;
  }
  const auto rank = static_cast<size_t>(field.box.rank());
  ir::Init result{id, {}};
  result.piece.region = field.box;
  result.piece.span = item;
  if (!has_index_per_dimension(env, init.indices.size(), rank, item)) return;
  std::vector<const ast::Identifier*> indices;
  for (const ast::Identifier& index : init.indices) indices.push_back(&index);
  result.piece.index_names = index_names(env, indices);
  result.piece.index_names.resize(rank);
  const Type& type = *env.field_types[id];
  Elaborator elaborator(env, kInitSite, result.piece.graph);
  elaborator.at_points_of(field);
  bind_indices(elaborator, result.piece.index_names);
  Value value = elaborator.elaborate(*init.value, &type);
  auto stored = elaborator.arithmetic().store(value, type, init.value->span);
  if (!stored) return;
  result.piece.results = std::move(*stored);
  env.program.inits.push_back(std::move(result));
}

// --- Requirements --------------------------------------------------------------------------------

namespace {

void assume_comparison(Environment& env, const ast::Binary& comparison) {
  const auto left = try_affine(env, *comparison.left);
  const auto right = try_affine(env, *comparison.right);
  if (!left || !right) return;
  const ir::Affine difference = *left - *right;
  if (difference.is_constant()) return;
  switch (comparison.op) {
    case Op::Ge:
      env.facts.push_back(difference);
      break;
    case Op::Gt:
      env.facts.push_back(difference - 1);
      break;
    case Op::Le:
      env.facts.push_back(difference * -1);
      break;
    case Op::Lt:
      env.facts.push_back(difference * -1 - 1);
      break;
    case Op::Eq:
      env.facts.push_back(difference);
      env.facts.push_back(difference * -1);
      break;
    default:
      break;  // != and other operators give no affine facts
  }
}

void assume(Environment& env, const ast::Expr& condition) {
  const auto* binary = std::get_if<ast::Binary>(&condition.kind);
  if (!binary) return;
  if (binary->op != Op::And) return assume_comparison(env, *binary);
  assume(env, *binary->left);
  assume(env, *binary->right);
}

}  // namespace

void assume_requirement(Environment& env, const ast::Require& require) {
  assume(env, *require.condition);
}

void analyze_requirement(Environment& env, const ast::Require& require) {
  const Span span = require.condition->span;
  ir::Requirement result{{}, 0, on_one_line(env.text(span)), span};
  Elaborator elaborator(env, kRequireSite, result.graph);
  const Value value = elaborator.elaborate(*require.condition);
  const auto condition = elaborator.arithmetic().condition(value, span);
  if (!condition) return;
  if (const auto* known = std::get_if<Constant>(&value.leaves[0])) {
    if (known->integer == 0) {
      env.report.error("S035", span, "requirement not met").expected = result.text;
    }
    ++env.requirements_analysed;
    return;  // the condition is always true, so there is nothing to check later
  }
  result.condition = *condition;
  ++env.requirements_analysed;
  env.program.requirements.push_back(std::move(result));
}

}  // namespace stencil::sema
