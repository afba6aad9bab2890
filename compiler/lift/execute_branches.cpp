// Executes both branches of a condition that cannot be decided. Both branches start from the same
// state. The condition guards their stores, and variables become selects. `if`, `?:`, `&&` and `||`
// share this code, so an operand that assigns a variable assigns it only under its condition.
#include <fmt/format.h>

#include "compiler/lift/executor.h"
#include "compiler/support/magnitude.h"

namespace stencil::lifter {

// ---- side effects

// Whether executing this node (without its children) may change something that the caller can see.
// `own`: the node belongs to a called function. The caller cannot see the local variables of that
// function.
bool Executor::node_changes(const CNode& n, bool own) {
  const auto is_own = [&](const CNode& target) {
    if (!own || target.kind != CKind::Variable) return false;
    const CVariable& v = tree_.variables[target.integer];
    return v.storage != CVariable::Storage::Global &&
           type_of(v.type)->kind != CTypeInfo::Kind::Reference;
  };
  switch (n.kind) {
    case CKind::Assign:
    case CKind::Step:
      return !is_own(node(n.children[0]));
    case CKind::Call:
      return n.integer >= 0 ? function_changes(static_cast<int>(n.integer)) : !is_pure(n.text);
    case CKind::Declare:
    case CKind::Return:
    case CKind::Break:
    case CKind::Continue:
      return !own;
    case CKind::Unknown:
      return n.integer != 0;
    default:
      return false;
  }
}

bool Executor::function_changes(int index) {
  // Assume true while the body is checked, in case the function is recursive.
  const auto [entry, fresh] = function_changes_.try_emplace(index, true);
  if (!fresh) return entry->second;
  bool out = false;
  std::vector<int> todo = {tree_.functions[index].body};
  while (!todo.empty() && !out) {
    const CNode& n = node(todo.back());
    todo.pop_back();
    out = node_changes(n, true);
    todo.insert(todo.end(), n.children.begin(), n.children.end());
  }
  return function_changes_[index] = out;
}

bool Executor::has_effects(int index) {
  if (effects_.empty()) effects_.assign(tree_.nodes.size(), -1);
  if (effects_[index] >= 0) return effects_[index] > 0;
  const CNode& n = node(index);
  bool out = node_changes(n, false);
  for (int child : n.children) out = has_effects(child) || out;
  effects_[index] = out ? 1 : 0;
  return out;
}

// ---- branches

// Conjunction; null means true.
X Executor::both(X a, X b) {
  if (a == nullptr) return b;
  return b == nullptr ? a : pool_.binary("&&", a, b, CScalar::I32);
}

// Executes both branches of a condition.
void Executor::run_branches(X condition, const CNode& at, const std::function<void()>& yes,
                            const std::function<void()>& no) {
  X const outer = path_;
  const Cells before = cells_;
  const size_t stored = stores_.size(), nests = out_.nests.size();
  path_ = both(outer, condition);
  guard_ = both(left_, path_);
  yes();
  const Cells first = std::move(cells_);
  cells_ = before;
  path_ = both(outer, pool_.negation(condition));
  guard_ = both(left_, path_);
  no();
  path_ = outer;
  guard_ = both(left_, path_);
  if (condition->kind == XKind::Unknown &&
      (stores_.size() != stored || out_.nests.size() != nests)) {
    refuse("C022", at, "a condition cannot be determined: " + condition->text);
  }
  merge(condition, first);
}

// Merges the variables after a condition: `yes` has their values if the condition holds, cells_ has
// their values otherwise.
void Executor::merge(X condition, const Cells& yes) {
  std::set<std::string> paths;
  for (const Cells* side : {&yes, static_cast<const Cells*>(&cells_)}) {
    for (const auto& [path, value] : *side) paths.insert(path);
  }
  const Cells no = cells_;
  // If only one branch touched a variable from outside of the region, the other branch keeps its
  // previous value.
  const auto held = [&](const Cells& side, const std::string& path) -> std::optional<Value> {
    if (const auto found = side.find(path); found != side.end()) return found->second;
    if (is_local(path) || cell_types_.count(path) == 0) return std::nullopt;
    const int variable = variable_of_path(path);
    if (variable >= 0 && tree_.variables[variable].initial >= 0) return std::nullopt;
    cells_.clear();
    return read_cell({LValue::Kind::Cell, path, {}, cell_types_[path], ""});
  };
  Cells merged;
  for (const std::string& path : paths) {
    const std::optional<Value> a = held(yes, path), b = held(no, path);
    const int variable = variable_of_path(path);
    const bool table = variable >= 0 && tree_.variables[variable].initial >= 0;
    if (a && b && *a == *b) {
      merged[path] = *a;
    } else if (table && (a || b)) {  // constants have equal values in both branches
      merged[path] = a ? *a : *b;
    } else if (!a || !b) {
      merged[path] =
          unknown(fmt::format("'{}', which only one branch assigns", c_expression(path)));
    } else if (condition->kind == XKind::Unknown) {
      merged[path] = unknown(condition->text);
    } else if (a->kind == Value::Kind::Scalar && b->kind == Value::Kind::Scalar &&
               a->x->type == b->x->type) {
      merged[path] = scalar_value(pool_.select(condition, a->x, b->x));
    } else {
      merged[path] = unknown(fmt::format("'{}', which depends on a condition", c_expression(path)));
    }
  }
  cells_ = std::move(merged);
}

// ---- && || ?:

Value Executor::eval_logical(const CNode& n) {
  const bool absorbing = n.text == "||";
  X left = pool_.truth(scalar(n.children[0]));
  const auto known = decide(left);
  if (known && *known == absorbing) return scalar_value(pool_.integer(*known));
  if (known) return scalar_value(pool_.truth(scalar(n.children[1])));
  X right = nullptr;
  const auto second = [&] { right = pool_.truth(scalar(n.children[1])); };
  if (has_effects(n.children[1])) {
    const auto nothing = [] {};
    run_branches(absorbing ? pool_.negation(left) : left, n, second, nothing);
  } else {
    second();
    if (const auto also = decide(right)) right = pool_.integer(*also);
  }
  return scalar_value(pool_.binary(n.text, left, right, CScalar::I32));
}

Value Executor::eval_choice(const CNode& n) {
  X condition = pool_.truth(scalar(n.children[0]));
  if (const auto known = decide_as_it_is(condition)) return eval(n.children[*known ? 1 : 2]);
  const CScalar type = scalar_of(n.type);
  const bool plain = !has_effects(n.children[1]) && !has_effects(n.children[2]);
  if (in_nest_ && is_integer(type) && plain) {
    // The choice may be a subscript that follows a boundary rule.
    const Value first = eval(n.children[1]), second = eval(n.children[2]);
    if (first.kind == Value::Kind::Scalar && second.kind == Value::Kind::Scalar) {
      X choice = choice_of_index(condition, pool_.cast(first.x, type), pool_.cast(second.x, type));
      if (choice != nullptr) return scalar_value(choice);
    }
  }
  if (const auto known = decide(condition)) return eval(n.children[*known ? 1 : 2]);
  Value yes, no;
  const auto first = [&] { yes = eval(n.children[1]); };
  const auto second = [&] { no = eval(n.children[2]); };
  if (plain) {
    first();
    second();
  } else {
    run_branches(condition, n, first, second);
  }
  if (yes.kind == Value::Kind::None) return yes;
  if (no.kind == Value::Kind::None) return no;
  if (yes.kind == Value::Kind::Scalar && no.kind == Value::Kind::Scalar)
    return scalar_value(pool_.select(condition, pool_.cast(yes.x, type), pool_.cast(no.x, type)));
  if (yes == no) return yes;
  return unknown("a pointer that a condition selects");
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

Flow Executor::exec_converted_if(const CNode& n, X condition) {
  const size_t stored = stores_.size(), nests = out_.nests.size();
  struct Side {
    Flow flow = Flow::Next;
    EarlyEnd end;
  };
  Side yes, no;
  const Value returned = returned_;
  const LValue returned_place = returned_place_;
  const auto side = [&](Side& made, size_t child) {
    returned_ = returned;
    returned_place_ = returned_place;
    if (child < n.children.size()) made.flow = exec(n.children[child]);
    made.end = {nullptr, cells_, returned_, returned_place_, where(n), false};
  };
  run_branches(
      condition, n, [&] { side(yes, 1); }, [&] { side(no, 2); });
  yes.end.condition = condition;
  no.end.condition = pool_.negation(condition);
  if (yes.flow == Flow::Next && no.flow == Flow::Next) return Flow::Next;
  const bool nothing_stored = stores_.size() == stored && out_.nests.size() == nests;
  const bool outermost = call_sites_.empty() && scope_ == Flow::Return;
  // Handles `if (change < eps) break;` and `if (change < eps) return;` in the time loop.
  const bool alone = no.flow == Flow::Next && n.children.size() <= 2 && nothing_stored;
  if (alone && (yes.flow == Flow::Break || (yes.flow == Flow::Return && outermost)) && in_time_ &&
      !in_nest_ && active_.empty() && trail_.size() == time_trail_) {
    X when = guarded_by(condition);
    if (dry_ == 0) {
      breaks_.push_back({when, yes.end.cells, out_.nests.size(), where(n), yes.flow == Flow::Return,
                         yes.end.returned});
    }
    cells_ = no.end.cells;
    return Flow::Next;
  }
  const bool usable = condition->kind != XKind::Unknown;
  if (usable && yes.flow == no.flow && yes.flow == scope_ && !in_time_) {
    returned_ = either(condition, yes.end.returned, no.end.returned);
    if (yes.end.returned_place.path != no.end.returned_place.path) returned_place_ = {};
    return scope_;
  }
  const Side &leaves = yes.flow != Flow::Next ? yes : no,
             &stays = yes.flow != Flow::Next ? no : yes;
  if (usable && leaves.flow == scope_ && stays.flow == Flow::Next) {
    returned_ = stays.end.returned;
    returned_place_ = stays.end.returned_place;
    EarlyEnd end = leaves.end;
    end.condition = both(path_, end.condition);
    const bool allowed =
        !outermost || (!in_time_ && !in_nest_ && early_return(end, nothing_stored, n));
    if (allowed) {
      cells_ = stays.end.cells;
      if (!outermost) end_where(end);
      return Flow::Next;
    }
  }
  refuse("C015", n, "a loop or function is left early under a condition on data",
         "only the time loop may end early, by a condition on a reduction after its last loop");
}

// Guards the rest of the function or iteration with the condition under which it continues.
void Executor::end_where(const EarlyEnd& end) {
  exits_.push_back(end);
  left_ = both(left_, pool_.negation(end.condition));
  guard_ = both(left_, path_);
}

// Executes the body of a function or iteration. Then selects between the values at the early exits
// of the body and the values at its end.
Flow Executor::in_scope(Flow kind, int body) {
  X const path = path_, left = left_;
  std::vector<EarlyEnd> outer = std::move(exits_);
  const Flow scope = scope_;
  left_ = guard_;
  path_ = nullptr;
  exits_.clear();
  scope_ = kind;
  Flow flow = exec(body);
  if (!exits_.empty() && flow != Flow::Next && flow != kind) {
    refuse("C015", node(body), "a loop is left early under a condition on data",
           "only the time loop may end early");
  }
  for (auto end = exits_.rbegin(); end != exits_.rend(); ++end) {
    merge(end->condition, end->cells);
    if (kind != Flow::Return) continue;
    returned_ = either(end->condition, end->returned, returned_);
    if (end->returned_place.path != returned_place_.path) returned_place_ = {};
  }
  path_ = path;
  left_ = left;
  guard_ = both(left_, path_);
  exits_ = std::move(outer);
  scope_ = scope;
  return flow;
}

Value Executor::either(X condition, const Value& yes, const Value& no) const {
  if (yes == no) return yes;
  if (yes.kind == Value::Kind::Scalar && no.kind == Value::Kind::Scalar &&
      yes.x->type == no.x->type) {
    return scalar_value(pool_.select(condition, yes.x, no.x));
  }
  return unknown("a value that depends on where a function returns");
}

// Handles `if (n < 3) return -1;` before the time loop. If the region has written nothing yet and
// continues only for larger sizes, the program requires those sizes. Otherwise all following
// statements are guarded.
bool Executor::early_return(const EarlyEnd& end, bool nothing_stored, const CNode& n) {
  bool plain = true;
  each_node(end.condition, [&](X c) {
    plain = plain && c->kind != XKind::Load && c->kind != XKind::Sum && c->kind != XKind::Carried &&
            c->kind != XKind::Unknown && c->kind != XKind::Outcome;
  });
  if (!plain) return false;
  EarlyEnd made = end;
  std::vector<Poly> slacks;
  made.required = guard_ == nullptr && nothing_stored && out_.nests.empty() && out_.sums.empty() &&
                  at_least_zero_unless(end.condition, slacks) &&
                  std::none_of(slacks.begin(), slacks.end(), bounds_from_above);
  if (!made.required) {
    end_where(made);
    return true;
  }
  for (const Poly& slack : slacks) {
    require(slack, fmt::format("line {} returns otherwise", n.line));
    out_.facts.push_back(slack);
  }
  exits_.push_back(std::move(made));
  return true;
}

// If the condition fails exactly where some integers are >= 0, appends these integers and returns
// true. Returns false for any other condition.
bool Executor::at_least_zero_unless(X condition, std::vector<Poly>& slacks) {
  if (condition->kind != XKind::Binary) return false;
  const std::string& op = condition->text;
  if (op == "||") {
    return at_least_zero_unless(condition->args[0], slacks) &&
           at_least_zero_unless(condition->args[1], slacks);
  }
  if (op != "<" && op != "<=" && op != ">" && op != ">=") return false;
  if (!is_integer(condition->args[0]->type)) return false;
  const auto a = exact(condition->args[0], true), b = exact(condition->args[1], true);
  if (!a || !b) return false;
  const Poly d = op[0] == '<' ? *a - *b : *b - *a;
  slacks.push_back(op.size() == 1 ? d : d - Poly(1));
  return !slacks.back().is_constant();
}

// ---- integers as polynomials

// Whether an atom cannot wrap around. Sizes and coordinates of a grid lie within 2^30, so they
// qualify.
bool Executor::is_size(X atom) const {
  if (atom->kind == XKind::Index || atom->kind == XKind::Time) return true;
  if (atom->kind != XKind::Symbol) return false;
  const auto has = [&](const Poly& p) { return p.atoms().count(atom) > 0; };
  if (std::any_of(active_.begin(), active_.end(), [&](const Active& loop) {
        return has(loop.domain.low) || has(loop.domain.high);
      })) {
    return true;
  }
  return std::any_of(out_.facts.begin(), out_.facts.end(), has);
}

// Returns an integer expression as a polynomial with the value that C computes, or nullopt.
// Conversions must keep the value, and unsigned results must be >= 0. Parts that may wrap around
// become atoms. `assume`: the program may require sizes that prevent wrapping.
std::optional<Poly> Executor::exact(X x, bool assume) {
  std::map<X, std::optional<Poly>> done;
  return exact(x, assume, done);
}

bool Executor::stays_within(X x, const Poly& p, bool assume) {
  if (ranges_.exact(x).within(range_of_type(x->type))) return true;
  const XSet atoms = p.atoms();
  const bool sizes = std::all_of(atoms.begin(), atoms.end(), [&](X atom) {
    return is_size(atom) || (assume && atom->kind == XKind::Symbol);
  });
  // Larger constants are not sizes, as in i + 4294967299 converted to int, or 4294967290u + k.
  const int64_t largest = int64_t{1} << (bits_of(x->type) == 32 ? 30 : 61);
  if (!sizes || bits_of(x->type) < 32 || magnitude(p.constant()) > largest) return false;
  if (bits_of(x->type) == 32 && !p.fits_program()) return false;
  const Poly least = extreme(p, false);
  if (!is_unsigned(x->type) || known_at_least_zero(least)) return true;
  if (!assume || least.is_constant()) return false;
  require(least, fmt::format("'{}' does not wrap around", describe(x)));
  out_.facts.push_back(least);
  return true;
}

std::optional<Poly> Executor::exact(X x, bool assume, std::map<X, std::optional<Poly>>& done) {
  if (const auto found = done.find(x); found != done.end()) return found->second;
  std::optional<Poly> out;
  const auto arg = [&](size_t i) { return exact(x->args[i], assume, done); };
  const bool shift = x->kind == XKind::Binary && x->text == "<<" &&
                     x->args[1]->kind == XKind::Int && x->args[1]->integer >= 0 &&
                     x->args[1]->integer < 31;
  bool computed = true;
  if (x->kind == XKind::Int) {
    if (x->type != CScalar::U64 || x->integer >= 0) out = Poly(x->integer);
    return done[x] = out;
  }
  if (x->kind == XKind::Cast && is_integer(x->args[0]->type) && x->type != CScalar::Bool) {
    out = arg(0);
    if (out && !stays_within(x, *out, assume)) out = Poly::atom(x);
    return done[x] = out;
  }
  try {
    if (x->kind == XKind::Unary && x->text == "-") {
      if (const auto a = arg(0)) out = -*a;
    } else if (x->kind == XKind::Binary && (x->text == "+" || x->text == "-" || x->text == "*")) {
      const auto a = arg(0), b = arg(1);
      const bool small = a && b && a->terms().size() * b->terms().size() <= 64;
      if (small) out = x->text == "+" ? *a + *b : x->text == "-" ? *a - *b : *a * *b;
      if (!small) out = Poly::atom(x);
    } else if (shift) {
      if (const auto a = arg(0)) out = *a * Poly(int64_t{1} << x->args[1]->integer);
    } else {
      computed = false;
      out = Poly::atom(x);
    }
  } catch (const TooLarge&) {
    out = Poly::atom(x);
  }
  if (out && computed && is_unsigned(x->type) && !stays_within(x, *out, assume))
    out = Poly::atom(x);
  return done[x] = out;
}

// ---- assumptions about sizes

void Executor::require(const Poly& slack, const std::string& why) {
  if (slack.is_constant() && slack.constant() >= 0) return;
  if (!slack.fits_program()) throw TooLarge{slack.constant(), CScalar::I32};
  require(pool_.binary(">=", (slack - Poly(slack.constant())).expression(pool_),
                       pool_.integer(-slack.constant()), CScalar::I32),
          why);
}

}  // namespace stencil::lifter
