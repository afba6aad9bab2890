// Statements. There are three kinds of loops. A loop with a small, known number of iterations is
// unrolled. A loop over space is executed once with a symbol as its counter. The time loop is
// executed once, from a state that represents any step. Store subscripts contain the counter of the
// time loop only as t % 2, which selects a buffer.
#include <fmt/format.h>

#include "compiler/lift/executor.h"
#include "compiler/support/magnitude.h"

namespace stencil::lifter {

std::string Executor::key_of(int index) const {
  std::string out;
  for (const std::string& part : trail_) out += part + "/";
  return out + std::to_string(index);
}

Flow Executor::exec_block(const CNode& n) {
  for (int child : n.children) {
    const Flow flow = exec(child);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Flow Executor::exec(int index) {
  try {
    return exec_statement(index);
  } catch (const TooLarge& large) {
    refuse_number(large, where(node(index)));
  }
}

Flow Executor::exec_statement(int index) {
  const CNode& n = node(index);
  budget(n);
  switch (n.kind) {
    case CKind::Block:
      return exec_block(n);
    case CKind::Declare: {
      const std::string path = fmt::format("v{}", n.integer);
      const int type = tree_.variables[n.integer].type;
      for (auto it = cells_.lower_bound(path);
           it != cells_.end() && it->first.rfind(path, 0) == 0;) {
        const char next = it->first.size() > path.size() ? it->first[path.size()] : '.';
        it = next == '.' || next == '[' ? cells_.erase(it) : std::next(it);
      }
      if (type_of(type)->kind == CTypeInfo::Kind::Reference && !n.children.empty()) {
        const LValue bound = place(n.children[0]);
        aliases_[static_cast<int>(n.integer)] = bound;
        return Flow::Next;
      }
      if (!n.children.empty()) initialise(path, type, n.children[0]);
      return Flow::Next;
    }
    case CKind::If:
      return exec_if(n);
    case CKind::For:
    case CKind::While:
    case CKind::Do:
      return exec_loop(index);
    case CKind::Return:
      if (!n.children.empty()) {
        const CFunction* function = nullptr;
        if (!call_sites_.empty()) {
          function = &tree_.functions[node(call_sites_.back()).integer];
        }
        if (function != nullptr && type_of(function->result)->kind == CTypeInfo::Kind::Struct) {
          return_object(function->result, n.children[0]);
        } else if (function != nullptr &&
                   type_of(function->result)->kind == CTypeInfo::Kind::Reference) {
          returned_place_ = place(n.children[0]);
          returned_ = read(returned_place_, n);
        } else {
          returned_ = eval(n.children[0]);
        }
      }
      return Flow::Return;
    case CKind::Break:
      return Flow::Break;
    case CKind::Continue:
      return Flow::Continue;
    case CKind::Empty:
      return Flow::Next;
    case CKind::Unknown:
      refuse("C015", n, n.text + " has no counterpart in a stencil program",
             "write it with for, while and if");
    default:
      (void)eval(index);
      return Flow::Next;
  }
}

// ---- kinds of loops

int Executor::depth_of_loops(int index) {
  if (loop_depths_.empty()) loop_depths_.assign(tree_.nodes.size(), -1);
  int& known = loop_depths_[index];
  if (known >= 0) return known;
  known = 0;  // assume depth 0 while the body is measured, in case the function is recursive
  const CNode& n = node(index);
  int inner = 0;
  for (int child : n.children) inner = std::max(inner, depth_of_loops(child));
  if (n.kind == CKind::Call && n.integer >= 0) {
    inner = std::max(inner, depth_of_loops(tree_.functions[n.integer].body));
  }
  const bool loop = n.kind == CKind::For || n.kind == CKind::While || n.kind == CKind::Do;
  return known = inner + (loop ? 1 : 0);
}

// Whether a statement assigns to a variable by name. unchanged() finds assignments through
// references and in called functions, after the body has been executed.
bool Executor::assigns(int index, const std::string& path) {
  const CNode& n = node(index);
  if (n.kind == CKind::Assign || n.kind == CKind::Step || n.kind == CKind::Address) {
    const CNode& target = node(n.children[0]);
    if (target.kind == CKind::Variable &&
        place_of_variable(static_cast<int>(target.integer)).path == path) {
      return true;
    }
  }
  return std::any_of(n.children.begin(), n.children.end(),
                     [&](int child) { return assigns(child, path); });
}

// After the body of a loop, checks that it left the counter and the bound unchanged.
void Executor::unchanged(const Loop& loop, X counter) {
  const CNode& n = node(loop.node);
  const auto now = cells_.find(loop.counter.path);
  X value =
      now != cells_.end() && now->second.kind == Value::Kind::Scalar ? now->second.x : nullptr;
  if (n.kind == CKind::While && value != nullptr)  // the body increments the counter
    value = (Poly::of(value) - Poly(loop.step)).expression(pool_, counter->type);
  if (value == nullptr || !(Poly::of(value) - Poly::of(counter)).zero()) {
    refuse("C012", n,
           fmt::format("the body of the loop changes its counter '{}'",
                       c_expression(loop.counter.path)));
  }
  if (scalar(loop.bound) != loop.limit) {
    refuse("C012", n,
           fmt::format("the bound of the loop over '{}' changes in its body",
                       c_expression(loop.counter.path)),
           "store the bound in a variable before the loop");
  }
}

// Whether a statement may assign to anything that an expression reads: a variable, member or
// element.
bool Executor::changes(int statement, int expression) {
  const CNode& e = node(expression);
  if (e.kind == CKind::Variable) {
    const LValue place = place_of_variable(static_cast<int>(e.integer));
    if (place.kind != LValue::Kind::Cell || assigns(statement, place.path)) return true;
  }
  if (e.kind == CKind::Member || e.kind == CKind::Subscript || e.kind == CKind::Deref) {
    const auto writes = [&](int at, const auto& self) -> bool {
      const CNode& n = node(at);
      if (n.kind == CKind::Assign || n.kind == CKind::Step) {
        const CNode& to = node(n.children[0]);
        const bool alike = to.kind == e.kind && to.type == e.type;
        if (alike && (e.kind != CKind::Member || to.text == e.text)) return true;
      }
      return std::any_of(n.children.begin(), n.children.end(),
                         [&](int child) { return self(child, self); });
    };
    if (writes(statement, writes)) return true;
  }
  return std::any_of(e.children.begin(), e.children.end(),
                     [&](int child) { return changes(statement, child); });
}

// Matches for (v = first; v < last; v += step) whose body does not change the counter. `init` has
// already been executed.
std::optional<Executor::Loop> Executor::canonical(int index) {
  const CNode& n = node(index);
  if (n.kind != CKind::For) return std::nullopt;
  Loop out;
  out.node = index;
  out.body = n.children[3];
  const CNode& step = node(n.children[2]);
  int64_t by = 0;
  const CNode* counter = nullptr;
  if (step.kind == CKind::Step) {
    counter = &node(step.children[0]);
    by = step.text.find('+') != std::string::npos ? 1 : -1;
  } else if (step.kind == CKind::Assign) {  // v = v + c, v += c
    counter = &node(step.children[0]);
    const CNode* sum = &node(step.children[1]);
    while (sum->kind == CKind::Cast) sum = &node(sum->children[0]);
    if (sum->kind != CKind::Binary || (sum->text != "+" && sum->text != "-")) return std::nullopt;
    const CNode* left = &node(sum->children[0]);
    int right = sum->children[1];
    while (left->kind == CKind::Cast) left = &node(left->children[0]);
    if (left->kind != CKind::Variable || counter->kind != CKind::Variable ||
        left->integer != counter->integer) {
      return std::nullopt;
    }
    X amount = scalar(right);
    if (amount->kind != XKind::Int) return std::nullopt;
    by = sum->text == "+" ? amount->integer : -amount->integer;
  }
  if (counter == nullptr || counter->kind != CKind::Variable || by == 0) return std::nullopt;
  out.counter = place_of_variable(static_cast<int>(counter->integer));
  out.type = scalar_of(counter->type);
  out.step = by;
  if (out.counter.kind != LValue::Kind::Cell || !is_integer(out.type)) return std::nullopt;
  if (assigns(out.body, out.counter.path)) return std::nullopt;
  const CNode& test = node(n.children[1]);
  if (test.kind != CKind::Binary || has_effects(n.children[1])) return std::nullopt;
  // Matches `v` or `v + c` with a small constant c >= 0.
  int64_t added = 0;
  const auto plain = [&](int at) {
    const CNode* c = &node(at);
    while (c->kind == CKind::Cast) c = &node(c->children[0]);
    return c->kind == CKind::Variable && c->integer == counter->integer;
  };
  const auto is_counter = [&](int at) {
    if (plain(at)) return true;
    const CNode* sum = &node(at);
    while (sum->kind == CKind::Cast && is_integer(scalar_of(sum->type)) &&
           bits_of(scalar_of(sum->type)) >= 32) {
      sum = &node(sum->children[0]);
    }
    if (sum->kind != CKind::Binary || sum->text != "+" || !is_integer(scalar_of(sum->type))) {
      return false;
    }
    const bool left = plain(sum->children[0]);
    if (!left && !plain(sum->children[1])) return false;
    constexpr int64_t kLargest = int64_t{1} << 20;
    X const c = scalar(sum->children[left ? 1 : 0]);
    if (c->kind != XKind::Int || c->integer < 0 || c->integer > kLargest) return false;
    added = c->integer;
    return true;
  };
  std::string op = test.text;
  int bound = test.children[1];
  const int test_type = node(test.children[0]).type;
  if (!is_counter(test.children[0])) {
    if (!is_counter(test.children[1])) return std::nullopt;
    bound = test.children[0];
    op = op == "<" ? ">" : op == ">" ? "<" : op == "<=" ? ">=" : op == ">=" ? "<=" : op;
  }
  if (changes(out.body, bound)) return std::nullopt;
  const Value first = read(out.counter, n);
  X limit = scalar(bound);
  if (first.kind != Value::Kind::Scalar || limit->kind == XKind::Unknown ||
      !is_integer(limit->type)) {
    return std::nullopt;
  }
  out.first = first.x;
  out.bound = bound;
  out.limit = limit;
  if (added != 0) {  // rewrite v + c < n as v < n - c
    const CScalar type = scalar_of(test_type);
    limit = pool_.binary("-", pool_.cast(limit, type), pool_.integer(added, type), type);
  }
  const CScalar wide = CScalar::I64;
  X one = pool_.integer(1, wide);
  if (!counts_as_written(out, scalar_of(test_type), limit)) return std::nullopt;
  // An unsigned counter is never negative, so v >= 0 always holds.
  const auto least = exact(limit);
  if (op == ">=" && is_unsigned(scalar_of(test_type)) &&
      (!least || !known_at_least_zero(extreme(*least, false) - Poly(1)))) {
    return std::nullopt;
  }
  if ((op == "<" && by > 0) || (op == "!=" && by == 1)) {
    out.last = pool_.binary("-", pool_.cast(limit, wide), one, wide);
  } else if (op == "<=" && by > 0) {
    out.last = limit;
  } else if ((op == ">" && by < 0) || (op == "!=" && by == -1)) {
    out.last = pool_.binary("+", pool_.cast(limit, wide), one, wide);
  } else if (op == ">=" && by < 0) {
    out.last = limit;
  } else {
    return std::nullopt;
  }
  return out;
}

// Whether the first value and the bound equal their polynomials. Two things could prevent that: an
// unsigned comparison reads negative numbers as large numbers, and unsigned sums wrap around. The
// program may require sizes that exclude both.
bool Executor::counts_as_written(const Loop& loop, CScalar compared, X limit) {
  X first = is_unsigned(compared) ? pool_.cast(loop.first, compared) : loop.first;
  const auto low = exact(first, true), high = exact(limit, true);
  return low && high && *low == Poly::of(loop.first) && *high == Poly::of(limit);
}

// Matches while (t < n) { ...; t++; }: the last statement increments the counter.
std::optional<Executor::Loop> Executor::canonical_while(int index) {
  const CNode& n = node(index);
  if (n.kind != CKind::While) return std::nullopt;
  const CNode* test = &node(n.children[0]);
  const CNode& body = node(n.children[1]);
  if (body.kind != CKind::Block || body.children.empty()) return std::nullopt;
  if (test->kind != CKind::Binary || (test->text != "<" && test->text != "<=")) return std::nullopt;
  const CNode* left = &node(test->children[0]);
  while (left->kind == CKind::Cast) left = &node(left->children[0]);
  if (left->kind != CKind::Variable) return std::nullopt;
  Loop out;
  out.node = index;
  out.counter = place_of_variable(static_cast<int>(left->integer));
  out.type = scalar_of(left->type);
  if (!is_integer(out.type)) return std::nullopt;
  const CNode& last = node(body.children.back());
  const CNode* stepped = last.kind == CKind::Step && last.text.find('+') != std::string::npos
                             ? &node(last.children[0])
                             : nullptr;
  if (last.kind == CKind::Assign) {
    const CNode* sum = &node(last.children[1]);
    while (sum->kind == CKind::Cast) sum = &node(sum->children[0]);
    const CNode* by =
        sum->kind == CKind::Binary && sum->text == "+" ? &node(sum->children[1]) : nullptr;
    const CNode* from = by != nullptr ? &node(sum->children[0]) : nullptr;
    while (from != nullptr && from->kind == CKind::Cast) from = &node(from->children[0]);
    if (by != nullptr && by->kind == CKind::Int && by->integer == 1 &&
        from->kind == CKind::Variable && from->integer == left->integer) {
      stepped = &node(last.children[0]);
    }
  }
  if (stepped == nullptr || stepped->kind != CKind::Variable || stepped->integer != left->integer) {
    return std::nullopt;
  }
  for (size_t i = 0; i + 1 < body.children.size(); ++i) {
    if (assigns(body.children[i], out.counter.path)) return std::nullopt;
  }
  if (changes(n.children[1], test->children[1])) return std::nullopt;
  const Value first = read(out.counter, n);
  X limit = scalar(test->children[1]);
  if (first.kind != Value::Kind::Scalar || limit->kind == XKind::Unknown ||
      !is_integer(limit->type)) {
    return std::nullopt;
  }
  out.first = first.x;
  out.bound = test->children[1];
  out.limit = limit;
  if (has_effects(n.children[0]) ||
      !counts_as_written(out, scalar_of(node(test->children[0]).type), limit)) {
    return std::nullopt;
  }
  out.last = test->text == "<=" ? limit
                                : pool_.binary("-", pool_.cast(limit, CScalar::I64),
                                               pool_.integer(1, CScalar::I64), CScalar::I64);
  out.body = n.children[1];
  return out;
}

// Whether a loop moves along a dimension of the arrays that it writes. To find out, executes the
// body once on a copy of the state.
bool Executor::moves_along(const Loop& loop) {
  const State before = state();
  bool found = false;
  probing_ = in_nest_ = true;
  fused_ = split_ = false;
  ++dry_;
  const int id = static_cast<int>(out_.index_names.size());
  out_.index_names.push_back(c_expression(loop.counter.path));
  const bool up = loop.step > 0;
  const Domain domain{id, Poly::of(up ? loop.first : loop.last),
                      Poly::of(up ? loop.last : loop.first), magnitude(loop.step), up ? 1 : -1};
  active_.push_back({domain, "probe" + std::to_string(id), out_.index_names.back(), {}});
  X index = pool_.leaf(XKind::Index, CScalar::I64, id, out_.index_names.back());
  cells_[loop.counter.path] = scalar_value(pool_.cast(index, loop.type));
  try {
    found = in_scope(Flow::Continue, loop.body) == Flow::Next;
    bool along = false;
    for (size_t k = before.stores_.size(); k < stores_.size(); ++k) {
      for (X s : stores_[k].subscripts) along = along || contains_index(s, id);
    }
    found = found && along;
  } catch (const Refusal&) {
    found = false;
  } catch (const Unfusable&) {
    found = false;
  } catch (const NoSplit&) {
    found = false;
  }
  state() = before;
  return found;
}

// Executes a loop with a small number of iterations one by one, unless it is a loop over space.
bool Executor::unrolled(const Loop& loop) {
  const Poly count = Poly::of(loop.last) - Poly::of(loop.first);
  const Poly first = Poly::of(loop.first);
  // Loops such as for (k = i - 1; k <= i + 1; k++) qualify as well.
  const bool near = contains(loop.first, XKind::Index) && !contains(loop.first, XKind::Load);
  if (!count.is_constant() || !(first.is_constant() || near)) return false;
  const int64_t span = loop.step > 0 ? count.constant() : -count.constant();
  const int64_t times = span < 0 ? 0 : span / magnitude(loop.step) + 1;
  constexpr int64_t kAlways = 5;
  if (times > options_.unroll || (times > kAlways && moves_along(loop))) return false;
  const auto counter = [&](int64_t i) {
    const Poly value = first + Poly(i * loop.step);
    cells_[loop.counter.path] = scalar_value(value.expression(pool_, loop.type));
  };
  for (int64_t i = 0; i < times; ++i) {
    counter(i);
    X const value = cells_[loop.counter.path].x;
    trail_.push_back(fmt::format("u{}:{}", loop.node, i));
    const Flow flow = in_scope(Flow::Continue, loop.body);
    trail_.pop_back();
    if (flow == Flow::Break) return true;
    if (flow == Flow::Return) {
      refuse("C015", node(loop.node), "a return statement leaves a loop");
    }
    unchanged(loop, value);
  }
  counter(times);
  return true;
}

// Executes a loop of any other form one iteration at a time, while its condition is known.
Flow Executor::simulate(int index) {
  const CNode& n = node(index);
  const bool is_for = n.kind == CKind::For;
  const int condition = n.children[is_for ? 1 : n.kind == CKind::While ? 0 : 1];
  const int body = n.children[is_for ? 3 : n.kind == CKind::While ? 1 : 0];
  for (int i = 0;; ++i) {
    if (n.kind != CKind::Do || i > 0) {
      if (node(condition).kind != CKind::Empty) {
        X holds = pool_.truth(scalar(condition));
        if (holds->kind != XKind::Int) {
          refuse("C012", n, "the bounds of a loop cannot be determined: " + describe(holds),
                 "a loop over the grid must count by 1 between bounds that are sums of sizes");
        }
        if (holds->integer == 0) return Flow::Next;
      }
    }
    if (i > options_.unroll) {
      refuse("C012", n, "the iterations of a loop cannot be counted",
             "a loop over the grid must count by 1 between bounds that are sums of sizes");
    }
    trail_.push_back(fmt::format("s{}:{}", index, i));
    const Flow flow = in_scope(Flow::Continue, body);
    trail_.pop_back();
    if (flow == Flow::Break) return Flow::Next;
    if (flow == Flow::Return) return flow;
    if (is_for) (void)exec(n.children[2]);
  }
}

Flow Executor::exec_loop(int index) {
  const CNode& n = node(index);
  if (n.kind == CKind::For) (void)exec(n.children[0]);
  std::optional<Loop> loop = canonical(index);
  if (!loop) loop = canonical_while(index);
  const bool outside = !in_nest_ && !in_time_ && dry_ == 0;
  if (outside && depth_of_loops(index) >= 2 && not_time_.count(index) == 0) {
    TimeLoop time = conditional(index);
    if (loop) {
      time.counted = loop;
      time.body = loop->body;
      time.conditions.clear();
      time.step = -1;
    }
    if (time_loop(time)) return Flow::Next;
  }
  if (!loop) return simulate(index);
  if (unrolled(*loop)) return Flow::Next;
  if (n.kind == CKind::While)
    refuse("C012", n, "a while loop runs over the grid", "write it as a for loop");
  const auto body = [&] { space_loop(*loop); };
  if (in_nest_) {
    body();
  } else {
    nest(where(n), body);
  }
  return Flow::Next;
}

}  // namespace stencil::lifter
