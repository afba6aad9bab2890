// Uses of reductions. After the step (in `stop`), the name means the newest value. Within the step,
// the name means the value computed at the place of the reduction, so it can be used only below
// that place. NAME@-1 means the value of the previous step and can be used anywhere.
//
// A graph can refer to the current value of a reduction, or to the value that its last evaluation
// replaced. Above the place of the reduction, the current step has not evaluated it yet. NAME@-1 is
// then the current value. Below the place, NAME@-1 is the replaced value.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/sema/elaborate.h"
#include "compiler/sema/reductions.h"

namespace stencil::sema {

// Determines the type of the reduction if necessary. Returns false if the reduction has an error,
// or after S030.
bool Elaborator::known_reduction(ir::ReductionId id, Span span) {
  ReductionInfo& info = env_.reductions[id];
  if (info.state == ReductionInfo::State::Begun) {
    assume_type(env_, info);
    return true;
  }
  constexpr int kMostBegun = 64;
  if (env_.reductions_begun > kMostBegun) {
    env_.report.error("S030", span, "too many reductions depend on each other").expected =
        fmt::format("at most {}", kMostBegun);
    return false;
  }
  analyze_reduce(env_, id);
  return !env_.program.reductions[id].piece.results.empty();
}

// Whether the expression is above the reduction in the step, or inside the reduction.
bool Elaborator::is_above(ir::ReductionId id) const {
  return env_.reader <= env_.reductions[id].position;
}

// Whether a reduction uses its own current value in its definition. This error (S024) has been
// reported.
bool Elaborator::names_itself(ir::ReductionId id, int back, Span span) const {
  const Span own = env_.reductions[id].item;
  return back == 0 && own.begin <= span.begin && span.end <= own.end;
}

// Whether the expression may read the value that the reduction had `back` steps ago. S070, S072.
bool Elaborator::may_read(ir::ReductionId id, int back, Span span) {
  if (names_itself(id, back, span)) return false;
  ReductionInfo& info = env_.reductions[id];
  const std::string& name = info.syntax->name.name;
  const bool in_step = site_.fields;
  if (back > 1 || (back > 0 && !in_step)) {
    Diagnostic& error =
        env_.report.error("S072", span, fmt::format("{}@-{} reaches too far back", name, back));
    error.expected = in_step ? fmt::format("{0}, or {0}@-1 for the previous step", name)
                             : fmt::format("{}, the newest value", name);
    return false;
  }
  if (!known_reduction(id, span)) return false;
  if (!in_step) return true;
  if (!info.read.valid()) info.read = span;
  if (back > 0 || !is_above(id)) return true;
  Diagnostic& error = env_.report.error(
      "S070", span, fmt::format("'{}' is read above its place in the step", name));
  error.related.push_back({info.syntax->name.span, "evaluated here, after the functions above"});
  error.hint =
      fmt::format("write {}@-1 for its value of the previous step, or move the reduction up", name);
  return false;
}

Value Elaborator::reduction(const Declaration& declaration, const std::string& name, int back,
                            Span span) {
  const ir::ReductionId id = declaration.index;
  if (names_itself(id, back, span)) return {};
  if (!site_.reductions) return not_usable(name, "a reduction", span);
  if (!may_read(id, back, span)) return {};
  if (back > 0) return before_step(id, !is_above(id), span);
  const ReductionInfo& info = env_.reductions[id];
  return Value::of_leaf(graph_.add({ir::ReductionRef{id}, *info.type, span, {}}));
}

// The level to read for a field that is used some steps back. A profile computed by a reduction
// advances at the place of the reduction. Above that place, the value of the previous step is level
// 0; below it, level 1.
int Elaborator::level_of(const FieldBinding& binding) {
  const auto made = env_.reduction_into(binding.field);
  if (!made || binding.level == 0) return binding.level;
  env_.program.fields[binding.field].history = 2;
  return is_above(*made) ? 0 : 1;
}

// The hint for a profile that is used where only a single value is allowed.
std::string Elaborator::hint_of_further_reduction(const ir::Field& profile) const {
  std::string region;
  const std::vector<int> kept = profile.dimensions();
  for (int d = 0; d < env_.rank(); ++d) {
    const auto own = std::find(kept.begin(), kept.end(), d);
    ir::Range range = env_.here().box.ranges[d];
    range.high = range.low;
    if (own != kept.end()) {
      range = profile.box.ranges[own - kept.begin()];
    }
    region += region.empty() ? "[" : ", ";
    region += env_.print(range.low);
    if (!(range.low == range.high)) region += ".." + env_.print(range.high);
  }
  return fmt::format("reduce it further: reduce total = max({}{}) on {}];", profile.name,
                     env_.point(profile), region);
}

// Computes NAME@-1. A select gives the declared initial value in the first step.
Value Elaborator::before_step(ir::ReductionId id, bool replaced, Span span) {
  const ReductionInfo& info = env_.reductions[id];
  const std::string& name = info.syntax->name.name;
  if (!info.initial_value) {
    Diagnostic& error =
        env_.report.error("S071", span, fmt::format("{}@-1 has no value in the first step", name));
    error.related.push_back({info.syntax->name.span, "declared here"});
    error.hint = fmt::format("give it an initial value: reduce {} = ... initial 0;", name);
    return {};
  }
  std::vector<ir::NodeId> copies;
  for (ir::Node node : info.initial.nodes()) {
    if (auto* operation = std::get_if<ir::Operation>(&node.kind)) {
      for (ir::NodeId& operand : operation->operands) {
        operand = copies[operand];
      }
    }
    copies.push_back(graph_.add(std::move(node)));
  }
  const Value initial = Value::of_leaf(copies[*info.initial_value]);
  const Value before =
      Value::of_leaf(graph_.add({ir::ReductionRef{id, replaced}, *info.type, span, {}}));
  const Value time = Value::of_leaf(graph_.add({ir::Time{}, Scalar::I32, span, {}}));
  const Value first =
      arithmetic_.apply(Op::Eq, {time, Value::of_leaf(Constant::of_typed(Scalar::I32, 0))}, span);
  return arithmetic_.apply(Op::Select, {first, initial, before}, span);
}

}  // namespace stencil::sema
