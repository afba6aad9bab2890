// How a time loop ends, and the values of scalars after it.
//
// Conditions that end the loop come from the loop condition and from `break` statements; the step
// must do nothing after a `break`. Conditions on counters become a number of steps. Conditions on
// reductions end the program after a step, so they are written in terms of the values at the end of
// a step.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "compiler/lift/executor.h"

namespace stencil::lifter {

namespace {

bool has_data(X x) {
  return contains(x, XKind::Sum) || contains(x, XKind::Load) || contains(x, XKind::Carried) ||
         contains(x, XKind::Unknown);
}

// Rewrites comparisons with infinity as comparisons with finite numbers, since the language has no
// infinity: HUGE_VAL > x becomes x <= DBL_MAX.
X without_infinity(Pool& pool, X condition) {
  static const std::map<std::string, std::string> kMirrored = {
      {"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}, {"==", "=="}, {"!=", "!="}};
  const auto infinite = [](X side) {
    while (side->kind == XKind::Cast) side = side->args[0];
    return side->kind == XKind::Real && std::isinf(side->real) && side->real > 0;
  };
  std::map<X, X> done;
  return transformed_outside_sums(pool, condition, done, [&](X n) -> X {
    if (n->kind != XKind::Binary || kMirrored.count(n->text) == 0) return nullptr;
    const bool left = infinite(n->args[0]);
    if (left == infinite(n->args[1])) return nullptr;
    X x = n->args[left ? 1 : 0];
    const std::string& op = left ? n->text : kMirrored.at(n->text);
    const auto holds = [&](const char* how, X with) {
      return pool.binary(how, x, with, CScalar::I32);
    };
    X largest =
        pool.real(x->type == CScalar::F32 ? static_cast<double>(std::numeric_limits<float>::max())
                                          : std::numeric_limits<double>::max(),
                  x->type);
    if (op == ">") return holds("<=", largest);
    if (op == ">=") return holds("==", x);
    if (op == "<") return pool.integer(0);
    if (op == "!=") return pool.negation(holds(">", largest));
    return holds(">", largest);
  });
}

// Whether a value is never NaN. Reductions are assumed to give no NaN; a symbol may be NaN.
bool never_nan(X x) {
  if (is_integer(x->type) || x->kind == XKind::Sum) return true;
  if (x->kind == XKind::Real) return !std::isnan(x->real);
  if (x->kind == XKind::Cast) return never_nan(x->args[0]);
  return x->kind == XKind::Select && never_nan(x->args[1]) && never_nan(x->args[2]);
}

// Negates the condition. `a >= b` is not the negation of `a < b` if an operand may be NaN.
X opposite(Pool& pool, X x) {
  if (x->kind == XKind::Unary && x->text == "!") return x->args[0];
  if (x->kind == XKind::Binary) {
    static const std::map<std::string, std::string> kOther = {
        {"<", ">="}, {">=", "<"}, {">", "<="}, {"<=", ">"}, {"==", "!="}, {"!=", "=="}};
    const auto found = kOther.find(x->text);
    if (found != kOther.end() &&
        (x->text == "==" || x->text == "!=" || (never_nan(x->args[0]) && never_nan(x->args[1])))) {
      return pool.binary(found->second, x->args[0], x->args[1], CScalar::I32);
    }
    if (x->text == "&&" || x->text == "||") {
      X left = opposite(pool, x->args[0]), right = opposite(pool, x->args[1]);
      return pool.binary(x->text == "&&" ? "||" : "&&", left, right, CScalar::I32);
    }
  }
  return pool.negation(x);
}

// Whether every operand of the conjunction `all` is an operand of the conjunction `of`.
bool has_conjuncts(X of, X all) {
  if (all->kind == XKind::Binary && all->text == "&&")
    return has_conjuncts(of, all->args[0]) && has_conjuncts(of, all->args[1]);
  if (of == all) return true;
  return of->kind == XKind::Binary && of->text == "&&" &&
         (has_conjuncts(of->args[0], all) || has_conjuncts(of->args[1], all));
}

}  // namespace

void Executor::endings(const TimeLoop& loop, const std::vector<X>& at_first) {
  const CNode& n = node(loop.node);
  const std::vector<Break> breaks = breaks_;
  if (loop.counted) {
    out_.first = loop.counted->first;
    out_.steps =
        steps_of(Poly::of(loop.counted->last) - Poly::of(loop.counted->first) + Poly(1), n);
  }
  for (size_t k = 0; k < loop.conditions.size(); ++k) {
    const CNode& asked = node(loop.conditions[k]);
    if (has_effects(loop.conditions[k])) {
      refuse("C025", asked, "the condition of the time loop has side effects",
             "count in a separate statement");
    }
    X holds = pool_.truth(scalar(loop.conditions[k]));
    ending(opposite(pool_, holds), !loop.first, asked);
    if (!loop.first || !has_data(holds)) continue;
    // before the first step, reductions have other values
    X first = without_infinity(pool_, at_first[k]);
    if (has_data(first)) {
      refuse("C025", asked,
             "the condition of the time loop cannot be determined before its first step: " +
                 describe(first));
    }
    if (first->kind == XKind::Int && first->integer == 0) {
      refuse("C025", asked, "the time loop ends before its first step");
    }
    if (first->kind != XKind::Int)
      require(first, fmt::format("the loop of line {} is entered", where(n).line));
  }
  for (const Break& end : breaks) {
    if (end.nests != out_.nests.size()) {
      throw Refusal{
          "C025", end.place,
          "the time loop is left in the middle of a step, before the step has written all arrays",
          "test for convergence after the last loop of a step"};
    }
    ending(end.condition, true, n);
  }
  endings_ = breaks;
  if (out_.steps == nullptr && out_.stop == nullptr) {
    refuse("C025", n, "no known condition ends the time loop");
  }
  if (out_.steps == nullptr) {
    out_.steps = pool_.integer(INT32_MAX);
    out_.assumptions.push_back(fmt::format(
        "the loop of line {} ends within {} steps by its condition", where(n).line, INT32_MAX));
  }
  if (out_.stop == nullptr) return;
  out_.assumptions.push_back("no reduced value is NaN");
}

// Adds a condition that ends the loop, in terms of the values at the end of a step.
void Executor::ending(X condition, bool at_least_once, const CNode& at) {
  if (condition->kind == XKind::Binary && condition->text == "||") {
    for (X part : condition->args) ending(part, at_least_once, at);
    return;
  }
  if (condition->kind == XKind::Int && condition->integer == 0) return;
  if (condition->kind == XKind::Unary && condition->text == "!") {
    X other = opposite(pool_, condition->args[0]);
    if (other->kind != XKind::Unary) return ending(other, at_least_once, at);
  }
  if (has_data(condition)) {
    X end = rarely(condition, at);
    each_outside_sums(end, [&](X n) {
      if (n->kind == XKind::Load) {
        refuse("C025", at,
               "a condition on single array elements ends the time loop: " + describe(end),
               "use a reduction in the condition: a sum, minimum or maximum over the array");
      }
      if (n->kind == XKind::Carried) {
        refuse("C025", at,
               fmt::format("the condition needs the value of '{}' from the previous step", n->text),
               "use only reductions of the current step in the condition");
      }
      if (n->kind == XKind::Unknown) {
        refuse("C025", at,
               "the condition that ends the time loop cannot be determined: " + n->text);
      }
    });
    ++stops_;
    out_.stop = out_.stop == nullptr ? end : pool_.binary("||", out_.stop, end, CScalar::I32);
    return;
  }
  // The loop ends after the first step whose number reaches (or equals) a sum of sizes.
  X c = condition;
  std::optional<Poly> last;
  if (c->kind == XKind::Binary && c->args.size() == 2 && is_integer(c->args[0]->type)) {
    const auto left = exact(c->args[0], true), right = exact(c->args[1], true);
    if (!left || !right)
      refuse("C025", at, "the number of steps of the time loop cannot be determined");
    const Poly d = *left - *right;
    const auto factor = d.linear_in(time_);
    const Poly rest = d.without(time_);
    const std::string& op = c->text;
    if (factor == std::optional<int64_t>(1) && (op == ">=" || op == ">" || op == "==")) {
      last = -rest + Poly(op == ">" ? 1 : 0);
    } else if (factor == std::optional<int64_t>(-1) && (op == "<=" || op == "<" || op == "==")) {
      last = rest + Poly(op == "<" ? 1 : 0);
    }
    if (last && contains(last->expression(pool_, CScalar::I64), XKind::Time)) last.reset();
  }
  if (!last || out_.steps != nullptr) {
    refuse("C025", at,
           "the number of steps of the time loop cannot be determined: it ends when " +
               describe(condition),
           "use one counter that increases by 1 up to a sum of sizes");
  }
  const Poly steps = *last + Poly(1);
  if (at_least_once && !known_at_least_zero(*last)) {
    require(pool_.binary(">=", steps_of(steps, at), pool_.integer(1), CScalar::I32),
            "the loop takes at least one step");
    out_.at_least_once = true;
  }
  out_.steps = steps_of(steps, at);
}

X Executor::steps_of(const Poly& steps, const CNode& at) {
  if (!steps.fits_program()) {
    refuse("C025", at, fmt::format("the time loop has {} steps", steps.text()),
           fmt::format("a program has at most {}", INT32_MAX));
  }
  return steps.expression(pool_);
}

// Replaces each value that the program computes only in some steps: `guard` holds in these steps,
// `now` is the value computed there, and `carried` is the value from the previous step.
X Executor::with_guarded(X condition,
                         const std::function<X(X value, X guard, X now, X carried)>& replacement) {
  std::map<X, X> done;
  return transformed_outside_sums(pool_, condition, done, [&](X n) -> X {
    if (n->kind != XKind::Select || has_data(n->args[0])) return nullptr;
    const bool old = n->args[2]->kind == XKind::Carried;
    if (old == (n->args[1]->kind == XKind::Carried)) return nullptr;
    X guard = old ? n->args[0] : pool_.negation(n->args[0]);
    return replacement(n, guard, n->args[old ? 1 : 2], n->args[old ? 2 : 1]);
  });
}

// The path of the variable that a step carries over, if no other variable has the same name;
// otherwise "".
std::string Executor::carried_path(X carried) const {
  std::string out;
  for (const auto& [path, value] : before_steps_) {
    if (value.kind != Value::Kind::Scalar || c_expression(path) != carried->text) continue;
    if (!out.empty()) return "";
    out = path;
  }
  return out;
}

// If a step computes a value of the condition only in some steps, the program tests the condition
// only in those steps. C also tests it in the steps between, with the old value. The result is then
// unchanged unless something else in the condition changes. Before the first computed value, C
// tests the initial value, which must not end the loop.
X Executor::rarely(X condition, const CNode& at) {
  X when = nullptr;
  bool several = false;
  X out = with_guarded(condition, [&](X, X guard, X now, X) {
    several = several || (when != nullptr && when != guard);
    when = guard;
    return now;
  });
  if (when == nullptr) return out;
  X rest = with_guarded(
      condition, [&](X value, X, X, X) { return pool_.leaf(XKind::Symbol, value->type, -1, ""); });
  if (several || has_data(rest)) {
    refuse("C025", at, "the condition that ends the time loop combines values of different steps");
  }
  X stop = pool_.binary("&&", when, out, CScalar::I32);
  if (has_conjuncts(condition, when)) return stop;
  std::string name;
  bool kept = true, known = true;
  X first = with_guarded(condition, [&](X value, X, X, X carried) {
    const std::string path = carried_path(carried);
    const auto end = cells_.find(path);
    kept = kept && !path.empty() && end != cells_.end() &&
           end->second.kind == Value::Kind::Scalar && end->second.x == value;
    name = carried->text;
    X initial = path.empty() ? nullptr : before_steps_.at(path).x;
    known = known && initial != nullptr && initial->type == value->type && !has_data(initial);
    return known ? initial : value;
  });
  if (!kept || contains(rest, XKind::Time)) {
    refuse("C025", at,
           fmt::format("the condition that ends the time loop is tested in steps that do not "
                       "compute '{}', and {}",
                       name,
                       kept ? "it also depends on the step" : "the step changes it after the test"),
           fmt::format("test it under the condition under which '{}' is computed", name));
  }
  std::map<X, X> done;
  X zero = pool_.integer(0, time_->type);
  X at_once = transformed_outside_sums(pool_, when, done,
                                       [&](X n) -> X { return n == time_ ? zero : nullptr; });
  if (decide_as_it_is(at_once) == std::optional(true)) return stop;
  if (!known) {
    refuse("C025", at,
           fmt::format("the condition that ends the time loop is tested before '{}' is computed, "
                       "and its initial value is not known",
                       name),
           fmt::format("initialize '{}', or test it only after it is computed", name));
  }
  first = without_infinity(pool_, first);
  if (first->kind == XKind::Int && first->integer != 0) {
    refuse("C025", at, fmt::format("the initial value of '{}' ends the time loop", name),
           fmt::format("initialize '{}' with a value that does not end the loop", name));
  }
  if (first->kind != XKind::Int) {
    require(pool_.negation(first),
            fmt::format("the initial value of '{}' does not end the time loop", name));
  }
  return stop;
}

// A value after the last step, or nullopt if the value is unknown.
std::optional<Value> Executor::behind(const Value& value) {
  if (value.kind != Value::Kind::Scalar) return std::nullopt;
  bool known = true;
  X last = pool_.binary("-", pool_.leaf(XKind::Outcome, CScalar::I64, kStepsTaken, ""),
                        pool_.integer(1, CScalar::I64), CScalar::I64);
  std::map<X, X> done;
  each_outside_sums(value.x, [&](X x) {
    known = known && x->kind != XKind::Load && x->kind != XKind::Carried &&
            x->kind != XKind::Unknown && x->kind != XKind::Index;
  });
  X out = transformed_outside_sums(pool_, value.x, done, [&](X x) -> X {
    return x->kind == XKind::Time ? pool_.cast(last, x->type) : nullptr;
  });
  if (!known) return std::nullopt;
  if (is_integer(out->type)) {
    if (const auto sum = exact(out)) out = sum->expression(pool_, out->type);
  }
  return scalar_value(out);
}

void Executor::behind_loop(const Cells& before, const TimeLoop& loop) {
  X taken = pool_.leaf(XKind::Outcome, CScalar::I64, kStepsTaken, "");
  X stopped = pool_.leaf(XKind::Outcome, CScalar::I64, kStopped, "");
  bool by_condition = false;
  for (int condition : loop.conditions)
    by_condition = by_condition || has_data(pool_.truth(scalar(condition)));
  if (loop.counted) {  // the counter after its last increment
    const Loop& l = *loop.counted;
    const Poly next = Poly::of(l.first) + Poly::atom(time_) + Poly(1);
    cells_[l.counter.path] = scalar_value(next.expression(pool_, l.type));
  }
  const Cells end = cells_;
  for (auto& [path, value] : cells_) {
    const auto old = before.find(path);
    if (old != before.end() && old->second == value) continue;
    if (value.kind == Value::Kind::Pointer) continue;
    std::optional<Value> now = behind(value);
    for (const Break& one : endings_) {
      if (one.returns) continue;  // this exit returns and never reaches the code after the loop
      const auto then = one.cells.find(path);
      const std::optional<Value> other =
          then == one.cells.end() ? std::nullopt : behind(then->second);
      if (now && other && now->x == other->x) continue;
      if (!now || !other || now->x->type != other->x->type || by_condition || endings_.size() > 1) {
        now.reset();
        break;
      }
      now = scalar_value(
          pool_.select(pool_.binary("!=", stopped, pool_.integer(0, CScalar::I64), CScalar::I32),
                       other->x, now->x));
    }
    if (!now) {
      value = unknown(fmt::format("the value of '{}' after the time loop", c_expression(path)));
      continue;
    }
    const bool scalar = old != before.end() && old->second.kind == Value::Kind::Scalar;
    X zero = pool_.integer(0, CScalar::I64);
    // The loop may have run zero steps.
    if (loop.first) {
      // The formula for a counter also holds for zero steps.
      X none = nullptr;
      if (scalar) {
        std::map<X, X> done;
        none = transformed(pool_, now->x, done,
                           [&](X x) -> X { return x->kind == XKind::Outcome ? zero : nullptr; });
      }
      if (none != nullptr &&
          (none == old->second.x ||
           (is_integer(none->type) && (Poly::of(none) - Poly::of(old->second.x)).zero()))) {
        value = *now;
      } else if (scalar && old->second.x->type == now->x->type) {
        value = scalar_value(
            pool_.select(pool_.binary(">", taken, zero, CScalar::I32), now->x, old->second.x));
      } else {
        value = unknown(fmt::format("the value of '{}' after the time loop", c_expression(path)));
      }
    } else {
      value = *now;
    }
  }
}

// If the time loop ended at a `return`, scalars have the values that they had at that `return`.
void Executor::returned_from_loop() {
  const auto leaves = [](const Break& one) { return one.returns; };
  const auto from = std::find_if(endings_.begin(), endings_.end(), leaves);
  if (from == endings_.end()) return;
  X stopped = pool_.binary("!=", pool_.leaf(XKind::Outcome, CScalar::I64, kStopped, ""),
                           pool_.integer(0, CScalar::I64), CScalar::I32);
  const auto either = [&](const Value& there, const Value& end) {
    const std::optional<Value> then = behind(there);
    if (!then || end.kind != Value::Kind::Scalar || endings_.size() > 1 || stops_ > 1)
      return unknown("a value that depends on where the loop ends");
    if (then->x == end.x) return end;
    return scalar_value(pool_.select(stopped, then->x, pool_.cast(end.x, then->x->type)));
  };
  for (auto& [path, value] : cells_) {
    const auto there = from->cells.find(path);
    if (value.kind != Value::Kind::Pointer && there != from->cells.end())
      value = either(there->second, value);
  }
  returned_ = either(from->returned, returned_);
}

// Merges the values at guarded early returns into the final values.
void Executor::returned_early() {
  for (auto exit = exits_.rbegin(); exit != exits_.rend(); ++exit) {
    if (exit->required) continue;
    if (out_.stop != nullptr) {
      throw Refusal{"C015", exit->place,
                    "a return before a time loop that ends by a condition on data",
                    "move the early return to the calling function"};
    }
    merge(exit->condition, exit->cells);
    returned_ = either(exit->condition, exit->returned, returned_);
  }
}

// Writes the value as a function of symbols, reductions and the number of steps. Null if that is
// impossible.
X Executor::followed(const Value& value, CScalar type) {
  if (value.kind != Value::Kind::Scalar) return nullptr;
  bool known = true;
  each_outside_sums(value.x, [&](X x) {
    known = known && x->kind != XKind::Load && x->kind != XKind::Carried &&
            x->kind != XKind::Unknown && x->kind != XKind::Index && x->kind != XKind::Time;
  });
  return known ? pool_.cast(value.x, type) : nullptr;
}

// Calls `visit` for each scalar outside of the region whose value the region changed. The arguments
// are its path, its new value, and whether it is a variable passed by value.
void Executor::each_scalar_left(
    const Cells& before, const Cells& after,
    const std::function<void(const std::string&, const Value&, bool)>& visit) {
  const CFunction& entry = tree_.functions[tree_.entry];
  for (const auto& [path, value] : before) {
    const auto now = after.find(path);
    if (now == after.end() || now->second == value) continue;
    const int variable = variable_of_path(path);
    const bool parameter = std::find(entry.parameters.begin(), entry.parameters.end(), variable) !=
                           entry.parameters.end();
    const int type = tree_.variables[variable].type;
    const bool by_value = type_of(type)->kind != CTypeInfo::Kind::Reference;
    const bool own = parameter && by_value && path.rfind("(*", 0) != 0;
    if (own && !tree_.region) continue;
    // The variable is a loop counter with an unknown final value.
    const bool unknown = now->second.kind == Value::Kind::None;
    if (own && unknown && loop_counters_.count(path) > 0) continue;
    visit(path, now->second, own && path == fmt::format("v{}", variable));
  }
}

// Collects the return value, and the scalars outside of the region that the region sets.
void Executor::scalars_left() {
  returned_from_loop();
  returned_early();
  const Cells after = cells_;
  const Value returned = returned_;
  Cells before;
  outside_values(before);
  for (const EarlyEnd& exit : exits_) {
    cells_ = exit.cells;
    outside_values(before);
  }
  const CFunction& entry = tree_.functions[tree_.entry];
  const CScalar result = scalar_of(entry.result);
  each_scalar_left(before, after, [&](const std::string& path, const Value& now, bool own) {
    const Value& old = before.at(path);
    if (old.kind == Value::Kind::Pointer) {
      out_.assumptions.push_back(fmt::format(
          "the caller does not use the final value of the pointer '{}'", c_expression(path)));
      return;
    }
    if (old.kind != Value::Kind::Scalar) return;
    Left left{c_expression(path), old.x->type, followed(now, old.x->type), own};
    if (left.value == nullptr) {
      out_.assumptions.push_back(fmt::format(
          "the caller does not use the final value of '{}', which the program does not compute",
          left.c_expression));
      out_.dropped.push_back(fmt::format("the final value of '{}'", left.c_expression));
    }
    out_.left.push_back(std::move(left));
  });
  const CTypeInfo* type = type_of(entry.result);
  if (!tree_.region && type != nullptr && type->kind != CTypeInfo::Kind::Void) {
    X value = result != CScalar::None ? followed(returned, result) : nullptr;
    if (result != CScalar::None) out_.left.push_back({"", result, value});
    if (value == nullptr) {
      out_.assumptions.push_back(fmt::format(
          "the caller does not use the return value of '{}', which the program does not compute",
          entry.name));
      out_.dropped.push_back(fmt::format("the return value of '{}'", entry.name));
    }
  }
  for (const EarlyEnd& exit : exits_) {
    if (!exit.required) continue;
    Exit made{
        exit.condition, result != CScalar::None ? followed(exit.returned, result) : nullptr, {}};
    each_scalar_left(before, exit.cells, [&](const std::string& path, const Value& now, bool own) {
      const Value& old = before.at(path);
      if (old.kind != Value::Kind::Scalar) return;
      made.left.push_back({c_expression(path), old.x->type, followed(now, old.x->type), own});
    });
    out_.exits.push_back(std::move(made));
  }
}

}  // namespace stencil::lifter
