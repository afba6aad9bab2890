// From items to pieces: a region, a graph, and what the graph's results are for. The pieces of one
// stencil share its lets as text; each has a graph of its own, and evaluates the lets it needs
// there, so that bounds are proved for the region that reads and for no other.
#include "compiler/sema/pieces.h"

#include <unordered_set>

#include <fmt/format.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/bounds.h"
#include "compiler/sema/coordinates.h"
#include "compiler/sema/elaborate.h"
#include "compiler/support/escape.h"

namespace stencil::sema {
namespace {

constexpr size_t kMaxPieces = 1000;  // of one stencil; each pair is checked for overlap
constexpr int64_t kMaxEvery = 1'000'000'000;

// The field that `name` names, or null (reported, unless its declaration is in error).
const Declaration* find_field(Environment& env, const ast::Identifier& name) {
  const Declaration* declaration = env.use(name.name, name.span);
  if (!declaration) {
    env.unknown_name(Foreign::Field, name.name, name.span);
    return nullptr;
  }
  if (declaration->broken) return nullptr;
  if (declaration->kind != Declared::Field) {
    env.report.error("S005", name.span, fmt::format("'{}' is no field", name.name)).found =
        describe(declaration->kind);
    return nullptr;
  }
  return declaration;
}

void bind_indices(Elaborator& elaborator, const std::vector<std::string>& names) {
  for (size_t d = 0; d < names.size(); ++d) {
    if (!names[d].empty()) elaborator.bind_index(names[d], static_cast<int>(d));
  }
}

void check_lets(Environment& env, const ast::Stencil& stencil) {
  std::unordered_set<std::string> names;
  for (const ast::Let& let : stencil.lets) {
    env.check_local_name(let.name);
    if (!names.insert(let.name.name).second) {
      env.report.error("S002", let.name.span, fmt::format("'{}' is declared twice", let.name.name));
    }
  }
  for (const ast::Piece& piece : stencil.pieces) {
    const auto* box = std::get_if<ast::Box>(&piece.region);
    if (!box) continue;
    for (const ast::Range& range : box->ranges) {
      if (!range.index || !names.count(range.index->name)) continue;
      env.report.error("S002", range.index->span,
                       fmt::format("'{}' is already the name of a let", range.index->name));
    }
  }
}

// Lets that no piece uses are never evaluated; their names are looked at all the same.
void check_let_names(Environment& env, const ast::Stencil& stencil) {
  std::unordered_set<std::string> visible;
  for (const ast::Piece& piece : stencil.pieces) {
    const auto* box = std::get_if<ast::Box>(&piece.region);
    if (!box) continue;
    for (const ast::Range& range : box->ranges) {
      if (range.index) visible.insert(range.index->name);
    }
  }
  for (const ast::Let& let : stencil.lets) {
    env.check_names(*let.value, visible);
    visible.insert(let.name.name);
  }
}

// `target` may be null, if what the stencil writes is in error: then the piece is looked at for its
// other errors. Nothing is returned if there are any.
std::optional<ir::Piece> analyze_piece(Environment& env, const ast::Piece& piece,
                                       const LetUses& lets, const Declaration* target) {
  Region region = elaborate_region(env, piece.region);
  bool inside = region.ok && target;
  TypePtr type;
  const ir::Box* within = &env.program.grid;
  if (target) {
    const ir::Field& field = env.program.fields[static_cast<size_t>(target->index)];
    type = env.field_types[static_cast<size_t>(target->index)];
    within = &field.box;
    inside =
        inside && require_inside(env, region.box, field.box,
                                 fmt::format("region leaves the domain of field '{}'", field.name),
                                 span_of(piece.region));
  }
  ir::Piece result;
  result.region = std::move(region.box);
  result.index_names = std::move(region.index_names);
  result.span = piece.span;
  AccessProver prover(env, result.region, *within, result.index_names, !inside);
  Elaborator elaborator(env, kStencilSite, result.graph, &prover);
  bind_indices(elaborator, result.index_names);
  elaborator.bind_lets(lets.needed_by(*piece.value));
  const Value value = elaborator.elaborate(*piece.value, type.get());
  if (!type) return std::nullopt;
  auto stored = elaborator.arithmetic().store(value, *type, piece.value->span);
  if (!stored || !inside) return std::nullopt;
  result.results = std::move(*stored);
  return result;
}

// The type of a reduced or compared scalar; nothing if `value` is no number.
std::optional<Scalar> number_type(Environment& env, Arithmetic& arithmetic, const Value& value,
                                  Span span) {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar()) {
    Diagnostic& error = env.report.error("S019", span, "a reduction needs a scalar");
    error.found = describe(*value.type);
    error.hint = "select a component with [index] or .name";
    return std::nullopt;
  }
  const Scalar type = arithmetic.natural_type(value.leaves[0]);
  if (type != Scalar::Bool) return type;
  env.report.error("S018", span, "a condition where a number is needed").hint =
      "select(condition, 1, 0) makes a number of a condition";
  return std::nullopt;
}

std::optional<ir::Reducer> reducer_of(Environment& env, const ast::Identifier& name) {
  if (name.name == "sum") return ir::Reducer::Sum;
  if (name.name == "prod") return ir::Reducer::Prod;
  if (name.name == "min") return ir::Reducer::Min;
  if (name.name == "max") return ir::Reducer::Max;
  Diagnostic& error =
      env.report.error("S038", name.span, fmt::format("unknown reduction '{}'", name.name));
  error.expected = "sum, prod, min or max";
  error.hint = hint_for_foreign_word(Foreign::Reducer, name.name);
  return std::nullopt;
}

}  // namespace

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
  const Declaration* target = find_field(env, stencil.field);
  ir::Function function{stencil.name.name, target ? target->index : 0, {}, stencil.name.span};
  if (target && env.program.fields[static_cast<size_t>(target->index)].constant) {
    const ir::Field& field = env.program.fields[static_cast<size_t>(target->index)];
    Diagnostic& error = env.report.error("S028", stencil.field.span,
                                         fmt::format("field '{}' is constant", field.name));
    error.related.push_back({field.span, "declared here"});
    error.hint = "a constant field gets its values from init or from outside";
  }
  if (stencil.pieces.size() > kMaxPieces) {
    env.report.error("S030", stencil.name.span, "too many pieces").expected =
        fmt::format("at most {}", kMaxPieces);
    return;
  }
  const LetUses lets(stencil.lets);
  check_let_names(env, stencil);
  for (const ast::Piece& piece : stencil.pieces) {
    std::optional<ir::Piece> result = analyze_piece(env, piece, lets, target);
    if (!result) continue;
    for (const ir::Piece& other : function.pieces) require_disjoint(env, other, *result);
    function.pieces.push_back(std::move(*result));
  }
  if (target) env.program.functions.push_back(std::move(function));
}

void analyze_init(Environment& env, const ast::Init& init, Span item) {
  const Declaration* target = find_field(env, init.field);
  if (!target) return;
  const ir::FieldId id = target->index;
  const ir::Field& field = env.program.fields[static_cast<size_t>(id)];
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
  result.piece.index_names.resize(rank);
  if (!init.indices.empty() && init.indices.size() != rank) {
    Diagnostic& error = env.report.error("S014", item, "wrong number of index names");
    error.expected = fmt::format("{}, one per dimension, or none", rank);
    error.found = fmt::format("{}", init.indices.size());
    return;
  }
  std::unordered_set<std::string> seen;
  for (size_t d = 0; d < init.indices.size(); ++d) {
    if (!env.check_local_name(init.indices[d])) continue;
    if (!seen.insert(init.indices[d].name).second) {
      env.report.error("S002", init.indices[d].span,
                       fmt::format("'{}' names two dimensions", init.indices[d].name));
    }
    result.piece.index_names[d] = init.indices[d].name;
  }
  const Type& type = *env.field_types[static_cast<size_t>(id)];
  Elaborator elaborator(env, kInitSite, result.piece.graph);
  bind_indices(elaborator, result.piece.index_names);
  const Value value = elaborator.elaborate(*init.value, &type);
  auto stored = elaborator.arithmetic().store(value, type, init.value->span);
  if (!stored) return;
  result.piece.results = std::move(*stored);
  env.program.inits.push_back(std::move(result));
}

// --- Reductions and the stop condition -----------------------------------------------------------

void declare_reduction(Environment& env, const ast::Reduce& reduce) {
  env.declare(reduce.name, Declared::Reduction, 0);
}

void analyze_reduce(Environment& env, const ast::Reduce& reduce, Span item) {
  const auto place = env.names.find(reduce.name.name);
  Declaration* const declaration =  // null if the name is reserved, or was taken already
      place != env.names.end() && place->second.span == reduce.name.span ? &place->second : nullptr;
  if (declaration) declaration->broken = true;  // until all is known to be well
  ir::Reduction result{reduce.name.name, ir::Reducer::Sum, {}, 1, reduce.name.span};
  const std::optional<ir::Reducer> reducer = reducer_of(env, reduce.reducer);
  Region region = elaborate_region(env, reduce.region);
  std::optional<int64_t> every = 1;
  if (reduce.every) {
    every = constant_in(env, *reduce.every, "the interval of a reduction", 1, kMaxEvery);
  }
  const bool inside = region.ok && require_inside(env, region.box, env.program.grid,
                                                  "region leaves the grid", span_of(reduce.region));
  result.piece.region = std::move(region.box);
  result.piece.index_names = std::move(region.index_names);
  result.piece.span = item;

  AccessProver prover(env, result.piece.region, env.program.grid, result.piece.index_names,
                      !inside);
  Elaborator elaborator(env, kReduceSite, result.piece.graph, &prover);
  bind_indices(elaborator, result.piece.index_names);
  const Value value = elaborator.elaborate(*reduce.value);
  const auto type = number_type(env, elaborator.arithmetic(), value, reduce.value->span);
  if (!type) return;
  auto stored = elaborator.arithmetic().store(value, *scalar_type(*type), reduce.value->span);
  if (!stored || !reducer || !every || !inside || !declaration) return;
  result.reducer = *reducer;
  result.every = *every;
  result.piece.results = std::move(*stored);
  declaration->broken = false;
  declaration->index = static_cast<int>(env.program.reductions.size());
  env.program.reductions.push_back(std::move(result));
}

void analyze_stop(Environment& env, const ast::Stop& stop, Span item) {
  if (env.program.stop) {
    Diagnostic& error = env.report.error("S036", item, "second stop condition");
    error.related.push_back({env.program.stop->span, "the first"});
    error.hint = "join them with `or`";
    return;
  }
  ir::Stop result{{}, 0, item};
  Elaborator elaborator(env, kStopSite, result.graph);
  const Value value = elaborator.elaborate(*stop.condition);
  const auto condition = elaborator.arithmetic().condition(value, stop.condition->span);
  if (!condition) return;
  bool names_reduction = false;
  for (const ir::Node& node : result.graph.nodes()) {
    names_reduction |= std::holds_alternative<ir::ReductionRef>(node.kind);
  }
  if (!names_reduction) {
    env.report.error("S037", stop.condition->span, "the stop condition names no reduction").hint =
        "it is evaluated when a reduction it names is; `steps` bounds the number of steps";
    return;
  }
  result.condition = *condition;
  env.program.stop = std::move(result);
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
      break;  // != and the operators that are no comparisons say nothing affine
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
    return;  // always true: nothing to check later
  }
  result.condition = *condition;
  ++env.requirements_analysed;
  env.program.requirements.push_back(std::move(result));
}

}  // namespace stencil::sema
