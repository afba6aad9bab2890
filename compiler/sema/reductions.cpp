// Analyses reductions, records and the stop condition. A record is a reduction at each point of a
// set: the weighted sum over the grid points around it. It gives a series, not a single value.
//
// Stencil functions may read reductions. Reductions may read each other and their own previous
// values. A reduction is therefore analysed when its type is first needed. If the type of a
// reduction depends on itself, it takes the type of its initial value.
#include "compiler/sema/reductions.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "compiler/sema/bounds.h"
#include "compiler/sema/declare.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/pieces.h"
#include "compiler/support/escape.h"

namespace stencil::sema {
namespace {

// The type of a scalar that is reduced or compared. nullopt if `value` is not a number.
std::optional<Scalar> number_type(Environment& env, Arithmetic& arithmetic, const Value& value,
                                  Span span, const char* what = "reduction") {
  if (!value.ok()) return std::nullopt;
  if (!value.type->scalar()) {
    Diagnostic& error = env.report.error("S019", span, fmt::format("a {} needs a scalar", what));
    error.found = describe(*value.type);
    error.hint = "select a component with [index] or .name";
    return std::nullopt;
  }
  const Scalar type = arithmetic.natural_type(value.leaves[0]);
  if (type != Scalar::Bool) return type;
  env.report.error("S018", span, "a condition where a number is needed").hint =
      "select(condition, 1, 0) converts a condition to a number";
  return std::nullopt;
}

// The type in which values are combined. Sums and products of integers use 64 bits.
Scalar combined_in(const ast::Identifier& reducer, Scalar type) {
  const bool grows = reducer.name == "sum" || reducer.name == "prod";
  return grows && type == Scalar::I32 ? Scalar::I64 : type;
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

void types_differ(Environment& env, const ReductionInfo& info, Scalar type) {
  const ast::Identifier& reduction = info.syntax->name;
  Diagnostic& error = env.report.error(
      "S074", reduction.span, fmt::format("the type of '{}' depends on itself", reduction.name));
  error.found = std::string(name(type));
  if (info.profile) {
    error.expected =
        fmt::format("{}, the type that the reduction has where it reads itself", name(*info.type));
    error.hint = fmt::format("convert the reduced value: {}({})", name(*info.type),
                             env.text(info.syntax->value->span));
    return;
  }
  error.expected = fmt::format(
      "{}, the type {}", name(*info.type),
      info.syntax->initial ? "of its initial value" : "of a reduction without an initial value");
  error.hint = fmt::format("give the initial value this type: initial {}(0)", name(type));
}

// Sets the type of the reduction, and its initial value in that type.
void settle(Environment& env, ReductionInfo& info, Scalar type) {
  const ast::Expr* initial = info.syntax->initial.get();
  const bool settled = info.type.has_value();
  info.type = type;
  if (info.profile && !settled) settle_profile(env, info, type);
  if (info.profile || !initial || info.initial_value) return;
  Elaborator elaborator(env, kInitialSite, info.initial);
  const Value value = elaborator.elaborate(*initial);
  const auto stored = elaborator.arithmetic().store(value, *scalar_type(type), initial->span);
  if (stored) info.initial_value = stored->front();
}

// Analyses a record: a weighted reduction at each point of a set. Each evaluation gives one row.
void analyze_record(Environment& env, ReductionInfo& info, ir::Reduction& record) {
  const ast::Reduce& syntax = *info.syntax;
  ir::Reduction result{syntax.name.name, ir::Reducer::Sum, {}, info.every, syntax.name.span};
  const InDomain at(env, info.region->domain);
  result.domain = env.domain;
  result.piece.region = info.region->box;
  result.piece.span = info.item;
  result.piece.index_names.resize(static_cast<size_t>(env.rank()));
  AccessProver prover(env, result.piece.region, env.here().box, result.piece.index_names,
                      !info.region->ok);
  Elaborator elaborator(env, kRecordSite, result.piece.graph, &prover);
  const Value value = elaborator.elaborate(*syntax.value);
  const auto type = number_type(env, elaborator.arithmetic(), value, syntax.value->span, "record");
  if (!type) return;
  if (!is_float(*type)) {
    Diagnostic& error = env.report.error("S084", syntax.value->span, "a record needs a real value");
    error.expected = "a value of a floating-point type, because weights multiply it";
    error.found = name(*type);
    error.hint = fmt::format("convert it: real({})", env.text(syntax.value->span));
    return;
  }
  auto stored = elaborator.arithmetic().store(value, *scalar_type(*type), syntax.value->span);
  settle(env, info, *type);
  if (!stored || info.broken) return;
  const ir::Field& field = env.program.fields[*info.profile];
  result.at = field.set();
  result.target = info.profile;
  result.piece.results = std::move(*stored);
  record = std::move(result);
}

void analyze_reduce(Environment& env, ReductionInfo& info, ir::Reduction& reduction) {
  if (info.syntax->at) return analyze_record(env, info, reduction);
  const ast::Reduce& reduce = *info.syntax;
  ir::Reduction result{reduce.name.name, ir::Reducer::Sum, {}, 1, reduce.name.span};
  const std::optional<ir::Reducer> reducer = reducer_of(env, reduce.reducer);
  const InDomain first_grid(env, 0);  // a reduction may be analysed at its first read
  Region region = info.profile ? *info.region : elaborate_region(env, reduce.region);
  const InDomain at(env, region.domain);
  result.domain = env.domain;
  std::optional<int64_t> every = 1;
  if (reduce.every) {
    every = constant_in(env, *reduce.every, "the interval of a reduction", 1, kMaxEvery);
  }
  const bool inside = region.ok && require_inside(env, region.box, env.here().box,
                                                  "region leaves the grid", span_of(reduce.region));
  result.piece.region = std::move(region.box);
  result.piece.index_names = std::move(region.index_names);
  result.piece.span = info.item;

  AccessProver prover(env, result.piece.region, env.here().box, result.piece.index_names, !inside);
  Elaborator elaborator(env, kReduceSite, result.piece.graph, &prover);
  bind_indices(elaborator, result.piece.index_names);
  Value value = elaborator.elaborate(*reduce.value);
  auto type = number_type(env, elaborator.arithmetic(), value, reduce.value->span);
  if (!type) return;
  type = combined_in(reduce.reducer, *type);
  if ((reduce.where || !region.strides.empty()) && reducer) {
    const Span span = reduce.where ? reduce.where->span : span_of(reduce.region);
    std::optional<Value> where;
    if (reduce.where) where = elaborator.elaborate(*reduce.where);
    const Value condition = taken(elaborator, result.piece.region, region.strides, where, span);
    const ir::NodeId neutral =
        result.piece.graph.add({ir::neutral(*reducer, *type), *type, span, {}});
    value = elaborator.arithmetic().apply(
        Op::Select, {condition, std::move(value), Value::of_leaf(neutral)}, span);
  }
  auto stored = elaborator.arithmetic().store(value, *scalar_type(*type), reduce.value->span);
  if (info.type && *info.type != *type) return types_differ(env, info, *type);
  settle(env, info, *type);
  if (!stored || !reducer || !every || !inside) return;
  if (info.broken || (reduce.initial && !info.initial_value)) return;
  result.target = info.profile;
  result.reducer = *reducer;
  result.every = *every;
  result.piece.results = std::move(*stored);
  reduction = std::move(result);
}

}  // namespace

void assume_type(Environment& env, ReductionInfo& info) {
  if (info.type) return;
  Scalar type = natural_real(env);
  if (info.syntax->initial) {
    ir::Graph scratch;
    Elaborator elaborator(env, kInitialSite, scratch);
    const Value value = elaborator.elaborate(*info.syntax->initial);
    const bool number = value.ok() && value.type->scalar();
    const auto own = number ? elaborator.arithmetic().type_of(value.leaves[0]) : std::nullopt;
    if (own && *own != Scalar::Bool) type = combined_in(info.syntax->reducer, *own);
  }
  settle(env, info, type);
}

void declare_reduction(Environment& env, const ast::Reduce& reduce, Span item) {
  ReductionInfo info{&reduce, item, reduce.name.span.begin};
  const bool gives_field = reduce.over || reduce.at;
  if (gives_field) info.profile = static_cast<ir::FieldId>(env.program.fields.size());
  const auto kind = gives_field ? Declared::Field : Declared::Reduction;
  const int index = info.profile.value_or(static_cast<int>(env.reductions.size()));
  Declaration* declaration = env.declare(reduce.name, kind, index);
  if (declaration) declaration->used = true;
  if (info.profile) {
    ir::Field field;
    field.name = reduce.name.name;
    field.span = reduce.name.span.valid() ? reduce.name.span : item;
    env.program.fields.push_back(std::move(field));
    env.field_types.push_back(nullptr);
    env.field_side_values.emplace_back();
  }
  env.reductions.push_back(std::move(info));
  env.program.reductions.push_back({reduce.name.name, ir::Reducer::Sum, {}, 1, reduce.name.span});
}

void declare_profiles(Environment& env) {
  for (ReductionInfo& info : env.reductions) {
    const ast::Reduce& reduce = *info.syntax;
    if (reduce.at) {
      declare_record(env, info);
    } else if (info.profile) {
      info.region = elaborate_region(env, reduce.region);
      declare_profile(env, info);
    } else if (reduce.boundary) {
      Diagnostic& error =
          env.report.error("S077", reduce.boundary->span,
                           fmt::format("'{}' cannot have a boundary", reduce.name.name));
      error.expected = "'boundary' only on a reduction with 'over'";
      error.hint = "omit 'boundary': without 'over' the result is one value";
    }
  }
}

void analyze_reduce(Environment& env, ir::ReductionId id) {
  ReductionInfo& info = env.reductions[id];
  if (info.state != ReductionInfo::State::Waiting) return;
  info.state = ReductionInfo::State::Begun;
  // A record is evaluated after the complete step.
  const uint32_t own_place = info.syntax->at ? std::numeric_limits<uint32_t>::max() : info.position;
  const uint32_t reader = std::exchange(env.reader, own_place);
  ++env.reductions_begun;
  analyze_reduce(env, info, env.program.reductions[id]);
  --env.reductions_begun;
  env.reader = reader;
  const auto named = env.names.find(info.syntax->name.name);
  const bool own = named != env.names.end() && named->second.span == info.syntax->name.span;
  const auto& results = env.program.reductions[id].piece.results;
  if (own && results.empty()) named->second.broken = true;
  info.state = ReductionInfo::State::Done;
}

void place_reductions(Environment& env) {
  for (size_t r = 0; r < env.reductions.size(); ++r) {
    const ReductionInfo& info = env.reductions[r];
    if (!info.read.valid() && !info.in_block) continue;
    ir::Reduction& reduction = env.program.reductions[r];
    reduction.in_step = true;
    if (!env.instances.empty() && !info.in_block) {
      Diagnostic& error = env.report.error(
          "S204", info.syntax->name.span,
          fmt::format("'{}' is read in the step, which does not evaluate it", reduction.name));
      error.related.push_back({info.read, "read here"});
      error.hint = fmt::format("write '{};' in the 'step' block", reduction.name);
      continue;
    }
    if (reduction.every == 1) continue;
    Diagnostic& error = env.report.error(
        "S073", info.syntax->every->span,
        fmt::format("'{}' is read in the step and is therefore evaluated in every step",
                    reduction.name));
    error.found = fmt::format("every {}", reduction.every);
    if (info.read.valid()) error.related.push_back({info.read, "read here"});
    error.hint = "omit 'every'";
  }
}

void analyze_stop(Environment& env, const ast::Stop& stop, Span item) {
  if (env.program.run.until) {
    Diagnostic& error = env.report.error("S036", item, "second stop condition");
    error.related.push_back({env.program.run.until->span, "the first"});
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
        "the condition is evaluated together with its reductions; `steps` limits the number of "
        "steps";
    return;
  }
  result.condition = *condition;
  env.program.run.until = std::move(result);
}

}  // namespace stencil::sema
