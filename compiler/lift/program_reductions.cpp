// Reductions and the stop condition.
//
// If only `stop` reads a reduction, the reduction is evaluated at the end of a step. It is
// evaluated only every K steps if the condition is tested every K steps. If later functions of the
// step overwrite its arrays, the reduction must keep its position within the step. A second
// reduction that reads it, `reduce err_of_step = max(err) on [0, 0]`, achieves this.
#include <fmt/format.h>

#include "compiler/lift/program_writer.h"

namespace stencil::lifter {

void ProgramWriter::begin_reductions() {
  const auto& all = execution_.reductions;
  placed_.assign(all.size(), false);
  for (const Reduction& r : all) {
    reduced_.push_back(r.name);
    locals_.insert(r.name);
    out_.reductions.push_back(r.name);
    const bool sum = (r.op == "sum" || r.op == "prod") && is_floating(r.value->type);
    out_.sums = out_.sums || sum;
    out_.single = out_.single || (sum && r.value->type == CScalar::F32);
    out_.sums_in_step = out_.sums_in_step || (sum && r.in_step);
  }
  if (out_.sums) {
    out_.assumed.push_back(
        "sums are added in the order of the language, so the last digits may differ from C");
  }
  stop_ = execution_.stop;
  if (stop_ == nullptr) return;
  // `every K` is possible only if all reductions may be evaluated at the end of a step.
  bool end = true;
  std::set<int> asked;
  each_node(stop_, [&](X n) {
    if (n->kind == XKind::Reduced) asked.insert(n->id);
  });
  for (int id : asked) {
    const Reduction& r = all[id];
    end = end && !r.in_step && at_the_end(r);
    each_node(r.value, [&](X n) { end = end && n->kind != XKind::Reduced; });
  }
  // The program uses the value after the loop, so it must be the value of the last step.
  bool left = false;
  for (const Left& one : execution_.left) {
    if (one.value == nullptr) continue;
    each_node(one.value,
              [&](X n) { left = left || (n->kind == XKind::Reduced && asked.count(n->id)); });
  }
  int64_t every = 1;
  if (X rest = every_part(stop_, every); rest != nullptr && end && !left) {
    stop_ = rest;
    every_ = every;
  }
}

// Returns `condition` without the conjunct (time + 1) % K == 0 and sets K. Null if there is no such
// conjunct.
X ProgramWriter::every_part(X condition, int64_t& every) const {
  if (condition->kind != XKind::Binary || condition->text != "&&") return nullptr;
  X when = condition->args[0];
  if (when->kind == XKind::Unary && when->text == "!") {  // the condition has the form !(t % 10)
    when = pool_.binary("==", when->args[0], pool_.integer(0, when->args[0]->type), CScalar::I32);
  }
  if (when->kind != XKind::Binary || when->text != "==") return nullptr;
  X left = when->args[0], right = when->args[1];
  while (left->kind == XKind::Cast) left = left->args[0];
  if (left->kind != XKind::Binary || left->text != "%" || left->args[1]->kind != XKind::Int)
    return nullptr;
  const int64_t k = left->args[1]->integer;
  const Poly at = Poly::of(left->args[0]);
  if (k < 2 || right->kind != XKind::Int || at.atoms().size() != 1) return nullptr;
  X time = *at.atoms().begin();
  if (time->kind != XKind::Time || at.linear_in(time) != std::optional<int64_t>(1)) return nullptr;
  // C tests the condition after steps k, 2k, ...: time + 1 is a multiple of k.
  const int64_t first = at.constant() - right->integer;
  if (first < 0 || first % k != 1 % k || right->integer < 0 || right->integer >= k) return nullptr;
  every = k;
  return condition->args[1];
}

// Whether no later function of the step writes an array that the reduction reads.
bool ProgramWriter::at_the_end(const Reduction& r) const {
  const int64_t place = r.after ? r.epoch : r.epoch - 1;
  bool out = true;
  each_node(r.value, [&](X n) {
    if (n->kind != XKind::Load) return;
    for (const StepFunction& function : functions_) {
      if (function.epoch <= place) continue;
      for (const ArrayPart& part : function.targets) out = out && part.array != n->id;
    }
    for (const auto& [to, from] : roles_.moves) out = out && to.array != n->id;
  });
  return out;
}

// Adds the reductions before a function. If `function` is null, adds the remaining ones.
void ProgramWriter::reductions_ahead_of(const StepFunction* function) {
  for (size_t k = 0; k < execution_.reductions.size(); ++k) {
    const Reduction& r = execution_.reductions[k];
    if (placed_[k]) continue;
    const int64_t at = 2 * r.epoch + (r.after ? 1 : 0);
    const bool due = function == nullptr || at <= 2 * function->epoch;
    const bool waits = function != nullptr && !r.in_step && at_the_end(r);
    if (due && !waits) add_reduction(k);
  }
}

void ProgramWriter::add_reduction(size_t number) {
  const Reduction& r = execution_.reductions[number];
  placed_[number] = true;
  StepPiece piece{&r.point, {r.value}};
  Context context = context_of(piece);
  if (static_cast<int>(context.point.subscripts.size()) != shapes_.rank()) {
    throw Refusal{
        "C025", r.point.place,
        fmt::format("'{}' is reduced over an array of fewer dimensions than the grid has", r.name),
        "reduce values of an array that has all dimensions of the grid"};
  }
  ValueWriter writer(pool_, r.point.place, [&](X x) { return leaf(x, context); });
  writer.assume(facts_of(r.point));
  ast::Reduce made;
  made.name = make_identifier(r.name);
  made.reducer = make_identifier(r.op);
  made.value = writer.value(r.value);
  made.region = region(context);
  points_of(r.point);
  const bool end = !r.in_step && at_the_end(r);
  bool asked = false;
  if (stop_ != nullptr) {
    each_node(stop_, [&](X n) {
      asked = asked || (n->kind == XKind::Reduced && static_cast<size_t>(n->id) == number);
    });
  }
  if (end && asked && every_ > 1) made.every = make_integer(every_);
  add(std::move(made), fmt::format("{}:{}", file_, r.point.place.line));
  if (end || r.in_step) return;
  ast::Reduce reader;
  reduced_[number] = fresh(r.name + "_of_step");
  reader.name = make_identifier(reduced_[number]);
  reader.reducer = make_identifier("max");
  reader.value = make_name(r.name);
  ast::Box corner;
  for (int d = 0; d < shapes_.rank(); ++d) {
    ast::Range range;
    range.low = make_integer(0);
    corner.ranges.push_back(std::move(range));
  }
  reader.region = std::move(corner);
  add(std::move(reader), fmt::format("'{}' at this point of the step, not at its end", r.name));
}

void ProgramWriter::stop() {
  if (stop_ == nullptr) return;
  ValueWriter writer(pool_, execution_.place, [&](X x) -> ExprPtr {
    if (x->kind == XKind::Reduced) return make_name(reduced_[x->id]);
    if (x->kind == XKind::Symbol) return symbol(x);
    if (x->kind == XKind::Time) return make_name("time");
    return nullptr;
  });
  ast::Stop made{writer.condition(stop_)};
  add(std::move(made), fmt::format("{}:{}", file_, execution_.place.line));
}

}  // namespace stencil::lifter
