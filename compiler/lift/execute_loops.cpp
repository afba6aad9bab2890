// Statements. A loop is one of three: a few iterations that are known are run one after the other;
// a loop over space is run once, with a symbol for its counter; and the time loop is run once, from
// a state that stands for any step. Which loop is the time loop follows from what it writes: no
// subscript has its counter, but for copies picked by t % 2.
#include <fmt/format.h>

#include "compiler/lift/executor.h"

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
  const CNode& n = node(index);
  budget(n);
  switch (n.kind) {
    case CKind::Block:
      return exec_block(n);
    case CKind::Declare: {
      const std::string path = fmt::format("v{}", n.integer);
      const int type = tree_.variables[static_cast<size_t>(n.integer)].type;
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
          function = &tree_.functions[static_cast<size_t>(node(call_sites_.back()).integer)];
        }
        if (function != nullptr && type_of(function->result)->kind == CTypeInfo::Kind::Reference) {
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

// ---- if

Flow Executor::exec_if(const CNode& n) {
  X condition = pool_.truth(scalar(n.children[0]));
  if (const auto known = decide(condition)) {
    if (*known) return exec(n.children[1]);
    return n.children.size() > 2 ? exec(n.children[2]) : Flow::Next;
  }
  return exec_converted_if(n, condition);
}

// Both branches are run, and what they leave is chosen between.
Flow Executor::exec_converted_if(const CNode& n, X condition) {
  X const outer = guard_;
  const Cells before = cells_;
  const size_t stored = stores_.size();
  const auto branch = [&](int index, X when) {
    guard_ = outer == nullptr ? when : pool_.binary("&&", outer, when, CScalar::I32);
    return exec(index);
  };
  const Flow first = branch(n.children[1], condition);
  const Cells yes = cells_;
  cells_ = before;
  const Flow second =
      n.children.size() > 2 ? branch(n.children[2], pool_.negation(condition)) : Flow::Next;
  guard_ = outer;
  if (first != Flow::Next || second != Flow::Next) {
    // `if (change < eps) break;` and `if (n < 3) return;`
    const bool leaves = second == Flow::Next && n.children.size() <= 2 && stores_.size() == stored;
    const bool returns = first == Flow::Return && call_sites_.empty();
    if (leaves && (first == Flow::Break || returns) && in_time_ && !in_nest_ && active_.empty() &&
        trail_.size() == time_trail_) {
      X when = outer == nullptr ? condition : pool_.binary("&&", outer, condition, CScalar::I32);
      if (dry_ == 0)
        breaks_.push_back({when, yes, out_.nests.size(), where(n), returns, returned_});
      cells_ = before;
      return Flow::Next;
    }
    bool plain = condition->kind != XKind::Unknown && !in_time_ && !in_nest_;
    each_node(condition,
              [&](X c) { plain = plain && c->kind != XKind::Load && c->kind != XKind::Sum; });
    if (leaves && first == Flow::Return && plain) {
      require(pool_.negation(condition), fmt::format("else line {} returns", n.line));
      cells_ = before;
      return Flow::Next;
    }
    refuse("C015", n, "a loop or function is left where a condition on data holds",
           "only the time loop may end early, by a condition on a reduction behind its last "
           "loop");
  }
  if (condition->kind == XKind::Unknown && (stores_.size() != stored || cells_ != yes)) {
    // what depends on it is not known
    for (const auto& [path, value] : yes) {
      auto& now = cells_[path];
      if (!(now == value)) now = unknown(condition->text);
    }
    if (stores_.size() != stored) refuse("C022", n, "a condition is not known: " + condition->text);
    return Flow::Next;
  }
  Cells merged = cells_;
  for (const auto& [path, value] : yes) {
    const auto other = cells_.find(path);
    if (other == cells_.end()) {
      merged[path] = unknown(fmt::format("'{}', which only one branch assigns", in_c(path)));
    } else if (!(other->second == value)) {
      const Value& no = other->second;
      const bool scalars = value.kind == Value::Kind::Scalar && no.kind == Value::Kind::Scalar;
      if (scalars && value.x->type == no.x->type) {
        merged[path] = scalar_value(pool_.select(condition, value.x, no.x));
      } else {
        merged[path] = unknown(fmt::format("'{}', which depends on a condition", in_c(path)));
      }
    }
  }
  for (const auto& [path, value] : cells_) {
    if (yes.count(path) == 0)
      merged[path] = unknown(fmt::format("'{}', which only one branch assigns", in_c(path)));
  }
  cells_ = std::move(merged);
  return Flow::Next;
}

// ---- what kind of loop

int Executor::depth_of_loops(int index, int calls) const {
  const CNode& n = node(index);
  int inner = 0;
  for (int child : n.children) inner = std::max(inner, depth_of_loops(child, calls));
  if (n.kind == CKind::Call && n.integer >= 0 && calls < 8) {
    inner = std::max(
        inner, depth_of_loops(tree_.functions[static_cast<size_t>(n.integer)].body, calls + 1));
  }
  const bool loop = n.kind == CKind::For || n.kind == CKind::While || n.kind == CKind::Do;
  return inner + (loop ? 1 : 0);
}

// Whether a statement may assign a variable by its name.
bool Executor::assigns(int index, const std::string& path, int depth) {
  const CNode& n = node(index);
  if (n.kind == CKind::Assign || n.kind == CKind::Step || n.kind == CKind::Address) {
    const CNode& target = node(n.children[0]);
    if (target.kind == CKind::Variable &&
        place_of_variable(static_cast<int>(target.integer)).path == path) {
      return true;
    }
  }
  if (depth > 1000) return true;
  for (int child : n.children) {
    if (assigns(child, path, depth + 1)) return true;
  }
  return false;
}

// Whether a statement may assign what an expression reads: a variable, a member, an element.
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

bool Executor::assigns_anything(int index) const {
  const CNode& n = node(index);
  const bool call = n.kind == CKind::Call && n.integer >= 0;
  if (n.kind == CKind::Assign || n.kind == CKind::Step || call) return true;
  return std::any_of(n.children.begin(), n.children.end(),
                     [&](int child) { return assigns_anything(child); });
}

// for (v = first; v < last; v += step) with a counter that the body leaves alone, once `init` has
// been run.
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
  if (test.kind != CKind::Binary) return std::nullopt;
  const auto is_counter = [&](int at) {
    const CNode* c = &node(at);
    while (c->kind == CKind::Cast) c = &node(c->children[0]);
    return c->kind == CKind::Variable && c->integer == counter->integer;
  };
  std::string op = test.text;
  int bound = test.children[1];
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
  const CScalar wide = CScalar::I64;
  X one = pool_.integer(1, wide);
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

// while (t < n) { ...; t++; }: the last statement counts.
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
  out.last = test->text == "<=" ? limit
                                : pool_.binary("-", pool_.cast(limit, CScalar::I64),
                                               pool_.integer(1, CScalar::I64), CScalar::I64);
  out.body = n.children[1];
  return out;
}

// Whether a loop moves along a dimension of what it writes: run once, for nothing but that.
bool Executor::moves_along(const Loop& loop) {
  const State before = state();
  bool found = false;
  probing_ = in_nest_ = true;
  fused_ = split_ = false;
  ++dry_;
  const int id = static_cast<int>(out_.index_names.size());
  out_.index_names.push_back(in_c(loop.counter.path));
  const bool up = loop.step > 0;
  const Domain domain{id, Poly::of(up ? loop.first : loop.last),
                      Poly::of(up ? loop.last : loop.first), std::abs(loop.step), up ? 1 : -1};
  active_.push_back({domain, "probe" + std::to_string(id), out_.index_names.back()});
  X index = pool_.leaf(XKind::Index, CScalar::I64, id, out_.index_names.back());
  cells_[loop.counter.path] = scalar_value(pool_.cast(index, loop.type));
  try {
    found = exec(loop.body) == Flow::Next;
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

// A few iterations are run one after the other, unless the loop is one over space.
bool Executor::unrolled(const Loop& loop) {
  const Poly count = Poly::of(loop.last) - Poly::of(loop.first);
  const Poly first = Poly::of(loop.first);
  // for (k = i - 1; k <= i + 1; k++), too
  const bool near = contains(loop.first, XKind::Index) && !contains(loop.first, XKind::Load);
  if (!count.is_constant() || !(first.is_constant() || near)) return false;
  const int64_t span = loop.step > 0 ? count.constant() : -count.constant();
  const int64_t times = span < 0 ? 0 : span / std::abs(loop.step) + 1;
  constexpr int64_t kAlways = 5;
  if (times > options_.unroll || (times > kAlways && moves_along(loop))) return false;
  const auto counter = [&](int64_t i) {
    const Poly value = first + Poly(i * loop.step);
    cells_[loop.counter.path] = scalar_value(value.expression(pool_, loop.type));
  };
  for (int64_t i = 0; i < times; ++i) {
    counter(i);
    trail_.push_back(fmt::format("u{}:{}", loop.node, i));
    const Flow flow = exec(loop.body);
    trail_.pop_back();
    if (flow == Flow::Break) return true;
    if (flow == Flow::Return) {
      refuse("C015", node(loop.node), "a loop is left by return");
    }
  }
  counter(times);
  return true;
}

// A loop that has no form we know, run as long as its condition is known.
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
          refuse("C012", n, "the bounds of a loop are not known: " + describe(holds),
                 "loops over a grid count by 1 from one sum of sizes to another");
        }
        if (holds->integer == 0) return Flow::Next;
      }
    }
    if (i > options_.unroll) {
      refuse("C012", n, "a loop whose iterations cannot be counted",
             "loops over a grid count by 1 from one sum of sizes to another");
    }
    trail_.push_back(fmt::format("s{}:{}", index, i));
    const Flow flow = exec(body);
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
  if (n.kind == CKind::While) refuse("C012", n, "a while loop over space", "write it with for");
  const auto body = [&] { space_loop(*loop); };
  if (in_nest_) {
    body();
  } else {
    nest(where(n), body);
  }
  return Flow::Next;
}

}  // namespace stencil::lifter
