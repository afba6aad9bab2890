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
    if (leaves && first == Flow::Break && in_time_ && !in_nest_ && active_.empty() &&
        contains(condition, XKind::Sum) && out_.stop == nullptr) {
      if (dry_ == 0) out_.stop = condition;
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
           "statement");
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

// for (v = first; v < last; v += step) with a counter that the body leaves alone. Runs `init`.
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
  (void)exec(n.children[0]);
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
  const Cells cells = cells_;
  const std::vector<Store> stores = stores_;
  const std::vector<Active> active = active_;
  const auto trail = trail_;
  const auto sites = call_sites_;
  const auto calls = calls_;
  const auto aliases = aliases_;
  const auto parts = parts_;
  const Execution out = out_;
  const auto arrays = array_paths_;
  const auto symbols = symbol_paths_;
  const auto names = names_;
  const auto indices = index_ids_;
  X const guard = guard_;
  const bool in_nest = in_nest_, fused = fused_, split = split_, probing = probing_;
  const int dry = dry_;
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
    for (size_t k = stores.size(); k < stores_.size(); ++k) {
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
  cells_ = cells;
  stores_ = stores;
  active_ = active;
  trail_ = trail;
  call_sites_ = sites;
  calls_ = calls;
  aliases_ = aliases;
  parts_ = parts;
  out_ = out;
  array_paths_ = arrays;
  symbol_paths_ = symbols;
  names_ = names;
  index_ids_ = indices;
  guard_ = guard;
  in_nest_ = in_nest;
  fused_ = fused;
  split_ = split;
  probing_ = probing;
  dry_ = dry;
  return found;
}

// A few iterations are run one after the other, unless the loop is one over space.
bool Executor::unrolled(const Loop& loop) {
  const Poly count = Poly::of(loop.last) - Poly::of(loop.first);
  if (!count.is_constant() || !Poly::of(loop.first).is_constant()) return false;
  const int64_t span = loop.step > 0 ? count.constant() : -count.constant();
  const int64_t times = span < 0 ? 0 : span / std::abs(loop.step) + 1;
  constexpr int64_t kAlways = 5;
  if (times > options_.unroll || (times > kAlways && moves_along(loop))) return false;
  int64_t value = Poly::of(loop.first).constant();
  for (int64_t i = 0; i < times; ++i, value += loop.step) {
    cells_[loop.counter.path] = scalar_value(pool_.integer(value, loop.type));
    trail_.push_back(fmt::format("u{}:{}", loop.node, i));
    const Flow flow = exec(loop.body);
    trail_.pop_back();
    if (flow == Flow::Break) return true;
    if (flow == Flow::Return) {
      refuse("C015", node(loop.node), "a loop is left by return");
    }
  }
  cells_[loop.counter.path] = scalar_value(pool_.integer(value, loop.type));
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
  std::optional<Loop> loop = canonical(index);
  if (!loop) loop = canonical_while(index);
  if (!loop) return simulate(index);
  const bool outside = !in_nest_ && !in_time_ && dry_ == 0;
  if (outside && depth_of_loops(index) >= 2 && not_time_.count(index) == 0 &&
      time_loop(*loop, index)) {
    return Flow::Next;
  }
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

// ---- loops over space

// What a loop finds that the region has not touched before: values from outside.
void Executor::outside_values(Cells& before) {
  const Cells now = cells_;
  for (const auto& [path, value] : now) {
    if (before.count(path) > 0 || is_local(path) || cell_types_.count(path) == 0) continue;
    cells_.clear();
    const Value initial = read_cell({LValue::Kind::Cell, path, {}, cell_types_[path], ""});
    before[path] = initial;
  }
  cells_ = now;
}

void Executor::space_loop(const Loop& loop) {
  const CNode& n = node(loop.node);
  const std::string key = key_of(loop.node);
  const auto [slot, fresh] = index_ids_.try_emplace(key, static_cast<int>(out_.index_names.size()));
  if (fresh) out_.index_names.push_back(in_c(loop.counter.path));
  Domain domain;
  domain.index = slot->second;
  domain.stride = std::abs(loop.step);
  domain.direction = loop.step > 0 ? 1 : -1;
  domain.low = Poly::of(loop.step > 0 ? loop.first : loop.last);
  domain.high = Poly::of(loop.step > 0 ? loop.last : loop.first);
  if (domain.direction < 0 && domain.stride != 1) {
    refuse("C012", n, "a loop that counts down by more than 1");
  }
  for (const Poly& bound : {domain.low, domain.high}) {
    for (X atom : bound.atoms()) {
      std::string bad;
      each_node(atom, [&](X a) {
        if (a->kind == XKind::Index) bad = fmt::format("depends on '{}'", a->text);
        if (a->kind == XKind::Time) bad = "depends on the time step";
        if (a->kind == XKind::Load || a->kind == XKind::Sum) bad = "depends on data";
        if (a->kind == XKind::Carried || a->kind == XKind::Unknown)
          bad = "is not known: " + a->text;
        if (a->kind == XKind::Select) bad = "is a minimum or maximum";
      });
      if (bad.empty()) continue;
      refuse("C012", n,
             fmt::format("a bound of the loop over '{}' {}", in_c(loop.counter.path), bad),
             "loops over a grid have bounds that are sums of sizes: undo tiling by hand");
    }
  }
  if (const auto part = parts_.find(key); part != parts_.end()) {
    domain.low = part->second.first;
    domain.high = part->second.second;
  }
  const std::string name = out_.index_names[static_cast<size_t>(domain.index)];
  X index = pool_.leaf(XKind::Index, CScalar::I64, domain.index, name);
  Cells before = cells_;
  const auto begin = [&] {
    cells_[loop.counter.path] = scalar_value(pool_.cast(index, loop.type));
  };
  active_.push_back({domain, key, name});
  trail_.push_back(fmt::format("l{}", loop.node));
  // what an iteration changes, found by running it
  const size_t stored = stores_.size();
  ++dry_;
  begin();
  if (exec(loop.body) != Flow::Next) refuse("C015", n, "a loop over space is left early");
  --dry_;
  stores_.resize(stored);
  outside_values(before);
  std::set<std::string> changed;
  for (const auto& [path, value] : before) {
    const auto now = cells_.find(path);
    if (path != loop.counter.path && (now == cells_.end() || !(now->second == value)))
      changed.insert(path);
  }
  cells_ = before;
  begin();
  for (const std::string& path : changed) {
    const Value& value = before.at(path);
    if (value.kind == Value::Kind::Scalar) {
      cells_[path] =
          scalar_value(pool_.leaf(XKind::Carried, value.x->type, domain.index, in_c(path)));
    } else {
      cells_[path] = unknown(fmt::format("'{}' as the iteration before left it", in_c(path)));
    }
  }
  (void)exec(loop.body);
  trail_.pop_back();
  active_.pop_back();
  carry(before, changed, domain);
  cells_[loop.counter.path] = unknown(fmt::format("'{}' behind its loop", name));
}

// What variables hold behind a loop: sums and the like, or nothing that is known.
void Executor::carry(const Cells& before, const std::set<std::string>& changed,
                     const Domain& domain) {
  for (auto it = cells_.begin(); it != cells_.end();) {
    it = before.count(it->first) == 0 ? cells_.erase(it) : std::next(it);
  }
  for (const std::string& path : changed) {
    const Value after = cells_[path];
    const Value& start = before.at(path);
    cells_[path] = unknown(fmt::format("'{}' as a loop left it", in_c(path)));
    if (after.kind != Value::Kind::Scalar || start.kind != Value::Kind::Scalar) continue;
    X carried = pool_.leaf(XKind::Carried, start.x->type, domain.index, in_c(path));
    if (const auto sum = reduced(carried, after.x, domain.index)) {
      const std::string op = (*sum)->text;
      X both = op == "sum"    ? pool_.binary("+", start.x, *sum, start.x->type)
               : op == "prod" ? pool_.binary("*", start.x, *sum, start.x->type)
                              : pool_.call(op, {start.x, *sum}, start.x->type);
      cells_[path] = scalar_value(both);
    }
  }
}

// after = before + e, a larger of both, ...: the reduction of e over the loop.
std::optional<X> Executor::reduced(X carried, X after, int index) {
  std::string op;
  X value = nullptr;
  const auto free = [&](X x) {
    bool out = true;
    each_node(x, [&](X n) { out = out && n != carried; });
    return out;
  };
  const auto other = [&](X a, X b) {
    return a == carried && free(b) ? b : b == carried && free(a) ? a : nullptr;
  };
  if (after->kind == XKind::Binary && (after->text == "+" || after->text == "*")) {
    op = after->text == "+" ? "sum" : "prod";
    value = other(after->args[0], after->args[1]);
  } else if (after->kind == XKind::Call && after->args.size() == 2) {
    op = after->text == "max" || after->text == "fmax" ? "max" : "min";
    if (after->text != "max" && after->text != "fmax" && after->text != "min" &&
        after->text != "fmin")
      return std::nullopt;
    value = other(after->args[0], after->args[1]);
  } else if (after->kind == XKind::Select && after->args[0]->kind == XKind::Binary) {
    // e > s ? e : s and its other spellings
    X c = after->args[0];
    X e = after->args[2] == carried   ? after->args[1]
          : after->args[1] == carried ? after->args[2]
                                      : nullptr;
    if (e == nullptr || !free(e)) return std::nullopt;
    std::string relation = c->text;
    if (c->args[0] == carried && c->args[1] == e) {
      relation = relation[0] == '<' ? ">" : relation[0] == '>' ? "<" : "";
    } else if (c->args[0] != e || c->args[1] != carried) {
      return std::nullopt;
    }
    const bool taken = after->args[1] == e;
    if (relation.empty() || (relation[0] != '<' && relation[0] != '>')) return std::nullopt;
    op = (relation[0] == '>') == taken ? "max" : "min";
    value = e;
  }
  if (value == nullptr) return std::nullopt;
  std::vector<int> ids = {index};
  bool carries = false;
  each_node(value, [&](X n) {
    carries = carries || n->kind == XKind::Carried || n->kind == XKind::Unknown;
  });
  if (carries) return std::nullopt;
  if (value->kind == XKind::Sum && value->text == op) {
    ids.insert(ids.end(), value->ids.begin(), value->ids.end());
    value = value->args[0];
  } else if (contains(value, XKind::Sum)) {
    return std::nullopt;
  }
  return pool_.sum(op, value, ids);
}

// ---- nests

void Executor::run_leaves(std::vector<std::vector<Store>>& leaves,
                          const std::function<void()>& body, std::map<std::string, Cells>& ends) {
  const Cells before = cells_;
  const size_t trail = trail_.size(), sites = call_sites_.size();
  const std::set<int> calls = calls_;
  const std::map<int, LValue> aliases = aliases_;
  X const guard = guard_;
  const int dry = dry_;
  constexpr int kMostRuns = 200;
  std::vector<std::map<std::string, std::pair<Poly, Poly>>> todo = {{}};
  for (int runs = 0; !todo.empty(); ++runs) {
    if (runs > kMostRuns) throw NoSplit();
    parts_ = todo.back();
    todo.pop_back();
    const auto restore = [&] {
      cells_ = before;
      active_.clear();
      trail_.resize(trail);
      call_sites_.resize(sites);
      calls_ = calls;
      aliases_ = aliases;
      guard_ = guard;
      dry_ = dry;
      stores_.clear();
    };
    restore();
    try {
      body();
      leaves.push_back(stores_);
      ends[std::to_string(ends.size())] = cells_;
    } catch (const Split& split) {
      const auto loop = std::find_if(active_.begin(), active_.end(),
                                     [&](const Active& a) { return a.key == split.key; });
      const Domain domain = loop->domain;
      auto low = parts_, high = parts_;
      low[split.key] = {domain.low, split.at - Poly(1)};
      high[split.key] = {split.at, domain.high};
      restore();
      for (const auto& part : {high, low}) {
        const auto& [from, to] = part.at(split.key);
        if (!known_at_least_zero(from - to - Poly(1))) todo.push_back(part);
      }
    } catch (...) {
      restore();
      parts_.clear();
      throw;
    }
  }
  parts_.clear();
}

// A loop nest, or a statement outside of loops: first with all stores of an iteration at once,
// then, where that is no correct order, one after the other.
void Executor::nest(CPlace place, const std::function<void()>& body) {
  ++epoch_;
  in_nest_ = true;
  Nest made;
  made.place = place;
  made.epoch = epoch_;
  std::map<std::string, Cells> ends;
  const Cells before = cells_;
  const auto requirements = out_.requirements;
  const auto facts = out_.facts;
  // Fused with its parts, else in order; conditions that cannot be split are choices.
  const auto attempt = [&](bool fused, bool split, std::vector<std::vector<Store>>& leaves) {
    std::map<std::string, Cells> found;
    cells_ = before;
    fused_ = fused;
    split_ = split;
    leaves.clear();
    try {
      run_leaves(leaves, body, found);
      for (const auto& [name, cells] : found) {
        for (const auto& [path, value] : cells) {
          const bool sum = value.kind == Value::Kind::Scalar && contains(value.x, XKind::Sum);
          if (found.size() > 1 && sum) throw NoSplit();
        }
      }
      if (fused) check_leaves(leaves);
    } catch (const Unfusable&) {
      return false;
    } catch (const NoSplit&) {
      return false;
    }
    ends = std::move(found);
    return true;
  };
  bool done = false;
  for (const bool split : {true, false}) {
    out_.requirements = requirements;
    out_.facts = facts;
    const bool fused = attempt(true, split, made.leaves);
    if (!fused) made.leaves.clear();
    bool several = false;
    for (const auto& leaf : made.leaves) several = several || leaf.size() > 1;
    if (!fused || several) {
      const bool ordered = attempt(false, split, made.ordered);
      if (!ordered) made.ordered.clear();
      if (!fused && !ordered) continue;
    }
    done = true;
    break;
  }
  fused_ = split_ = true;
  in_nest_ = false;
  stores_.clear();
  if (!done) {
    throw Refusal{"C016", place, "the statements of this loop have no order that is known",
                  "split the loop"};
  }
  // scalars: what all parts agree upon
  Cells merged = ends.begin()->second;
  for (const auto& [name, cells] : ends) {
    for (auto& [path, value] : merged) {
      const auto found = cells.find(path);
      if (found == cells.end() || !(found->second == value))
        value = unknown("what a part of a loop left");
    }
  }
  cells_ = std::move(merged);
  bool stores = false;
  for (const auto* leaves : {&made.leaves, &made.ordered}) {
    for (const auto& leaf : *leaves) stores = stores || !leaf.empty();
  }
  if (stores && dry_ == 0) out_.nests.push_back(std::move(made));
}

// Stores of one iteration to several elements of one array need an order.
void Executor::check_leaves(const std::vector<std::vector<Store>>& leaves) {
  for (const auto& leaf : leaves) {
    for (size_t i = 0; i < leaf.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (leaf[i].array != leaf[j].array) continue;
        if (leaf[i].domain.size() != leaf[j].domain.size()) throw Unfusable();
        if (same_element(leaf[i].subscripts, leaf[j].subscripts) != std::optional(true))
          throw Unfusable();
      }
    }
  }
}

// ---- the time loop

// A copy is picked by t % 2, which is an atom; in any other way the counter is one of space.
bool Executor::counter_in_stores(size_t from) const {
  for (size_t i = from; i < out_.nests.size(); ++i) {
    for (const auto* leaves : {&out_.nests[i].leaves, &out_.nests[i].ordered}) {
      for (const auto& leaf : *leaves) {
        for (const Store& store : leaf) {
          for (X s : store.subscripts) {
            for (X atom : Poly::of(s).atoms()) {
              if (atom->kind == XKind::Time) return true;
            }
          }
        }
      }
    }
  }
  return false;
}

bool Executor::time_loop(const Loop& loop, int index) {
  const Cells before = cells_;
  const Execution saved = out_;
  const auto arrays = array_paths_;
  const auto symbols = symbol_paths_;
  const auto names = names_;
  const auto indices = index_ids_;
  const int64_t epoch = epoch_;
  if (loop.step != 1) return false;
  in_time_ = true;
  out_.place = where(node(index));
  time_ = pool_.leaf(XKind::Time, CScalar::I32, 0, "time");
  const size_t nests = out_.nests.size();
  bool timed = true;
  try {
    time_body(loop, index);
    timed = out_.nests.size() > nests && !counter_in_stores(nests);
  } catch (const Refusal& refusal) {
    // the reason may be that it is no time loop
    in_time_ = false;
    if (!counter_in_stores(nests)) throw;
    timed = false;
  }
  in_time_ = false;
  if (timed) {
    if (nests > 0) {
      throw Refusal{"C017", where(node(index)),
                    "statements ahead of the time loop write arrays, too",
                    "a program is its time loop: mark that with #pragma scop and #pragma endscop"};
    }
    if (out_.timed) {
      throw Refusal{"C017", where(node(index)), "there are several time loops",
                    "mark one with #pragma scop and #pragma endscop"};
    }
    out_.timed = true;
    out_.first = loop.first;
    out_.steps = (Poly::of(loop.last) - Poly::of(loop.first) + Poly(1)).expression(pool_);
    out_.place = where(node(index));
    return true;
  }
  not_time_.insert(index);
  out_ = saved;
  array_paths_ = arrays;
  symbol_paths_ = symbols;
  names_ = names;
  index_ids_ = indices;
  epoch_ = epoch;
  cells_ = before;
  // canonical() has run its first statement, whose effect is kept in `before`
  return false;
}

void Executor::time_body(const Loop& loop, int index) {
  const CNode& n = node(index);
  X now = (Poly::of(loop.first) + Poly::atom(time_)).expression(pool_, loop.type);
  Cells before = cells_;
  const auto begin = [&] { cells_[loop.counter.path] = scalar_value(now); };
  const auto run_body = [&] {
    const Flow flow = exec(loop.body);
    if (flow == Flow::Return || flow == Flow::Break) {
      refuse("C015", n, "the time loop is left in its first step");
    }
  };
  // once to see what a step changes
  const Execution saved = out_;
  ++dry_;
  begin();
  run_body();
  --dry_;
  outside_values(before);
  std::set<std::string> changed;
  for (const auto& [path, value] : before) {
    const auto after = cells_.find(path);
    if (path != loop.counter.path && (after == cells_.end() || !(after->second == value)))
      changed.insert(path);
  }
  out_.nests = saved.nests;
  out_.stop = saved.stop;
  cells_ = before;
  begin();
  periodic_counters(before, changed, loop);
  const Cells start = cells_;
  read_.clear();
  run_body();
  end_of_time_body(before, start);
  cells_[loop.counter.path] = unknown("the counter of the time loop behind it");
}

// cur = 1 - cur; swap(cur, next): counters that come round are functions of the step. Other scalars
// are marked as carried.
void Executor::periodic_counters(const Cells& before, const std::set<std::string>& changed,
                                 const Loop& loop) {
  std::set<std::string> counters;
  for (const std::string& path : changed) {
    const Value& value = before.at(path);
    if (value.kind != Value::Kind::Scalar) continue;
    if (is_integer(value.x->type) && value.x->kind == XKind::Int) counters.insert(path);
  }
  // run the step with numbers, as far as they go, and see what comes out
  const Value now = cells_[loop.counter.path];
  std::map<std::string, std::vector<int64_t>> history;
  Cells state = before;
  const Execution saved = out_;
  ++dry_;
  for (int step = 0; step < 4 && !counters.empty(); ++step) {
    for (const std::string& path : counters) {
      const Value& value = state[path];
      if (value.kind == Value::Kind::Scalar && value.x->kind == XKind::Int) {
        history[path].push_back(value.x->integer);
      } else {
        history[path].assign(1, INT64_MIN);
      }
    }
    cells_ = state;
    cells_[loop.counter.path] = now;
    (void)exec(loop.body);
    for (const std::string& path : counters) state[path] = cells_[path];
  }
  --dry_;
  out_.nests = saved.nests;
  out_.stop = saved.stop;
  cells_ = before;
  cells_[loop.counter.path] = now;
  for (const std::string& path : changed) {
    const Value& value = before.at(path);
    if (value.kind == Value::Kind::Pointer) continue;
    const auto& h = history[path];
    if (h.size() == 4 && h[0] != INT64_MIN && h[2] == h[0] && h[3] == h[1] && h[0] != h[1]) {
      // h0 + (h1 - h0) * (time % 2)
      X odd = pool_.binary("%", time_, pool_.integer(2), CScalar::I32);
      const Poly both = Poly(h[0]) + Poly(h[1] - h[0]) * Poly::atom(odd);
      cells_[path] = scalar_value(both.expression(pool_, value.x->type));
    } else if (value.kind == Value::Kind::Scalar) {
      cells_[path] = scalar_value(pool_.leaf(XKind::Carried, value.x->type, -1, in_c(path)));
    } else {
      cells_[path] = unknown(fmt::format("'{}' as the step before left it", in_c(path)));
    }
  }
}

// Pointers that have changed places. A step sees an array under the pointers that move, or under
// those that stay: both would mean different arrays in the next step.
void Executor::end_of_time_body(const Cells& before, const Cells& start) {
  std::map<int, std::string> moved;
  const auto is_array = [](const Value& value) {
    return value.kind == Value::Kind::Pointer && value.pointer.array >= 0;
  };
  for (const auto& [path, value] : start) {
    if (before.count(path) == 0 || !is_array(value)) continue;
    const auto after = cells_.find(path);
    if (after != cells_.end() && after->second == value) continue;
    if (after == cells_.end() || !is_array(after->second) ||
        after->second.pointer.subscripts != value.pointer.subscripts) {
      throw Refusal{"C014", out_.place,
                    fmt::format("the pointer '{}' moves from step to step", in_c(path)),
                    "pointers may trade places, all of them"};
    }
    out_.rotations.push_back({value.pointer.array, after->second.pointer.array});
    moved[value.pointer.array] = path;
  }
  for (const auto& [path, value] : start) {
    if (!is_array(value) || moved.count(value.pointer.array) == 0) continue;
    const auto after = cells_.find(path);
    if (after == cells_.end() || !(after->second == value) || read_.count(path) == 0) continue;
    throw Refusal{
        "C014", out_.place,
        fmt::format("'{}' is used beside '{}', which points to another array in the next step",
                    in_c(path), in_c(moved[value.pointer.array])),
        "use the pointers that trade places"};
  }
}

Execution Executor::run() {
  const CFunction& entry = tree_.functions[static_cast<size_t>(tree_.entry)];
  for (int attempt = 0; attempt < 200; ++attempt) {
    out_ = {};
    cells_.clear();
    aliases_.clear();
    array_paths_.clear();
    symbol_paths_.clear();
    names_.clear();
    calls_ = {tree_.entry};
    trail_.clear();
    call_sites_.clear();
    active_.clear();
    stores_.clear();
    index_ids_.clear();
    guard_ = nullptr;
    in_nest_ = in_time_ = false;
    fused_ = split_ = true;
    dry_ = 0;
    epoch_ = 0;
    parts_.clear();
    // Reading the parameters in order gives arrays and symbols the order of the signature. Pointers
    // that trade places need cells.
    try {
      for (int parameter : entry.parameters) {
        const CVariable& v = tree_.variables[static_cast<size_t>(parameter)];
        const CTypeInfo* type = type_of(v.type);
        const LValue of = place_of_variable(parameter);
        if (type_of(of.type)->kind == CTypeInfo::Kind::Sequence ||
            type->kind == CTypeInfo::Kind::Pointer) {
          cells_[of.path] = read_cell(of);
        }
      }
      const Flow flow = exec(entry.body);
      (void)flow;
    } catch (const Restart&) {
      continue;
    }
    if (out_.nests.empty()) {
      throw Refusal{"C018", where(node(entry.body)), "nothing is written to an array", ""};
    }
    return out_;
  }
  throw Refusal{"C024", {}, "the region is too large to be understood", ""};
}

Execution execute(const CTree& tree, Pool& pool, const ExecuteOptions& options) {
  return Executor(tree, pool, options).run();
}

}  // namespace stencil::lifter
