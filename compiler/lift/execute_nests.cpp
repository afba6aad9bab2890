// Loops over space. The body is executed repeatedly until the set of variables that an iteration
// changes is known. These variables are marked as carried from the previous iteration, which
// distinguishes a sum from a recurrence. Conditions on counters split the domain of a nest into
// parts, and the nest is executed once for each part.
#include <fmt/format.h>

#include "compiler/lift/executor.h"
#include "compiler/support/magnitude.h"

namespace stencil::lifter {

namespace {

// A loop with a reduction is executed twice, and so is every loop inside it. Each level of nesting
// may therefore double the work.
constexpr size_t kMostLoops = 12;

bool never_negative(X x) {
  if (x->kind == XKind::Cast && is_floating(x->args[0]->type)) return never_negative(x->args[0]);
  if (is_constant(x)) return x->kind == XKind::Int ? x->integer >= 0 : x->real >= 0;
  if (x->kind == XKind::Call) return x->text == "abs" || x->text == "sqrt";
  if (x->kind == XKind::Select) return never_negative(x->args[1]) && never_negative(x->args[2]);
  return x->kind == XKind::Binary && x->text == "*" && x->args[0] == x->args[1];
}

}  // namespace

// Adds the values from outside of the region that the loop read or assigned for the first time.
void Executor::outside_values(Cells& before) {
  const Cells now = cells_;
  for (const auto& [path, value] : now) {
    if (before.count(path) > 0 || is_local(path)) continue;
    const int variable = variable_of_path(path);
    const bool constant = variable >= 0 && tree_.variables[variable].initial >= 0;
    if (constant) {  // every element of a constant table, even one that the loop has not read
      before[path] = value;
      continue;
    }
    if (cell_types_.count(path) == 0) continue;
    cells_.clear();
    const Value initial = read_cell({LValue::Kind::Cell, path, {}, cell_types_[path], ""});
    before[path] = initial;
  }
  cells_ = now;
}

void Executor::space_loop(const Loop& loop) {
  const CNode& n = node(loop.node);
  if (active_.size() >= kMostLoops) {
    refuse("C024", n, fmt::format("more than {} loops over space are nested", kMostLoops),
           "a grid has at most 8 dimensions");
  }
  loop_counters_.insert(loop.counter.path);
  const std::string key = key_of(loop.node);
  const auto [entry, fresh] =
      index_ids_.try_emplace(key, static_cast<int>(out_.index_names.size()));
  if (fresh) out_.index_names.push_back(c_expression(loop.counter.path));
  if (is_unsigned(loop.type)) pool_.count_from_zero(entry->second);
  Domain domain;
  domain.index = entry->second;
  domain.stride = magnitude(loop.step);
  domain.direction = loop.step > 0 ? 1 : -1;
  domain.low = Poly::of(loop.step > 0 ? loop.first : loop.last);
  domain.high = Poly::of(loop.step > 0 ? loop.last : loop.first);
  // The last value of the counter, if its distance from the bound is known.
  if (domain.stride != 1) {
    const auto rest = (domain.high - domain.low).remainder(domain.stride);
    if (domain.direction > 0) {
      domain.high = domain.high - Poly(rest.value_or(0));
    } else if (rest) {
      domain.low = domain.low + Poly(*rest);
    } else {
      refuse("C012", n,
             fmt::format(
                 "the loop over '{}' counts down by {}, and its last iteration depends on sizes",
                 c_expression(loop.counter.path), domain.stride),
             "count up from the smallest value of the counter");
    }
  }
  for (const Poly& bound : {domain.low, domain.high}) {
    for (X atom : bound.atoms()) {
      std::string bad;
      each_node(atom, [&](X a) {
        if (a->kind == XKind::Index) bad = fmt::format("depends on '{}'", a->text);
        if (a->kind == XKind::Time) bad = "depends on the time step";
        if (a->kind == XKind::Load || a->kind == XKind::Sum) bad = "depends on data";
        if (a->kind == XKind::Carried || a->kind == XKind::Unknown)
          bad = "cannot be determined: " + a->text;
        if (a->kind == XKind::Select) bad = "is a minimum or maximum";
      });
      if (bad.empty()) continue;
      time_bounds_ = time_bounds_ || contains(atom, XKind::Time);
      refuse("C012", n,
             fmt::format("a bound of the loop over '{}' {}", c_expression(loop.counter.path), bad),
             "use sums of sizes as bounds of loops over a grid, and undo manual tiling");
    }
  }
  for (const Poly& bound : {domain.low, domain.high}) {
    constexpr int64_t kLargestCoordinate = int64_t{1} << 30;  // limit of grid coordinates
    const bool number = bound.is_constant();
    if (bound.fits_program() && (!number || magnitude(bound.constant()) <= kLargestCoordinate))
      continue;
    refuse(
        "C012", n,
        fmt::format("a bound of the loop over '{}' is {}", c_expression(loop.counter.path),
                    bound.text()),
        fmt::format("the absolute value of a grid coordinate is at most {}", kLargestCoordinate));
  }
  const Domain unsplit = domain;
  if (const auto part = parts_.find(key); part != parts_.end()) {
    domain.low = part->second.first;
    domain.high = part->second.second;
  }
  const std::string name = out_.index_names[domain.index];
  X index = pool_.leaf(XKind::Index, CScalar::I64, domain.index, name);
  Cells before = cells_;
  const auto begin = [&] {
    cells_[loop.counter.path] = scalar_value(pool_.cast(index, loop.type));
  };
  active_.push_back({domain, key, name, unsplit});
  trail_.push_back(fmt::format("l{}", loop.node));
  const size_t stored = stores_.size();
  std::set<std::string> changed;
  const auto changes = [&](const Cells& from) {
    const size_t known = changed.size();
    for (const auto& [path, value] : from) {
      const auto now = cells_.find(path);
      if (path != loop.counter.path && (now == cells_.end() || !(now->second == value)))
        changed.insert(path);
    }
    return changed.size() > known;
  };
  // Executing an iteration shows which variables it changes. The iteration is executed again with
  // these variables carried from the previous iteration, until no other variable changes. If every
  // iteration changes a variable by the same number, the variable becomes a polynomial of the
  // counter instead.
  Cells start;
  std::map<std::string, Steady> steady;
  bool more = false;
  do {
    stores_.resize(stored);
    cells_ = before;
    begin();
    X const counter = cells_[loop.counter.path].x;
    for (const std::string& path : changed) {
      const Value& value = before.at(path);
      if (const auto known = steady.find(path); known != steady.end() && known->second.step) {
        cells_[path] = scalar_value(in_iteration(value, known->second, loop, index));
      } else if (value.kind == Value::Kind::Scalar) {
        cells_[path] = scalar_value(
            pool_.leaf(XKind::Carried, value.x->type, domain.index, c_expression(path)));
      } else {
        cells_[path] = unknown(
            fmt::format("the value of '{}' from the previous iteration", c_expression(path)));
      }
    }
    start = cells_;
    const Flow flow = in_scope(Flow::Continue, loop.body);
    if (flow == Flow::Break || flow == Flow::Return)
      refuse("C015", n, "a loop over space is left early");
    unchanged(loop, counter);
    outside_values(before);
    for (const auto& [path, value] : before) start.try_emplace(path, value);
    more = changes(start);
    more = find_steady(start, changed, loop, steady) || more;
  } while (more);
  for (const auto& [path, of] : steady) {
    if (!of.step) continue;
    const CScalar type = before.at(path).x->type;
    X carried = pool_.leaf(XKind::Carried, type, domain.index, c_expression(path));
    cells_[path] = scalar_value(pool_.binary("+", carried, pool_.integer(*of.step, type), type));
  }
  trail_.pop_back();
  active_.pop_back();
  carry(before, changed, domain, where(n));
  cells_[loop.counter.path] = unknown(fmt::format("the value of '{}' after its loop", name));
}

// Finds variables to which every iteration adds a fixed number. Drops candidates for which an
// iteration that starts from the formula adds another number. Returns whether anything changed.
bool Executor::find_steady(const Cells& start, const std::set<std::string>& changed,
                           const Loop& loop, std::map<std::string, Steady>& steady) {
  bool any = false;
  for (const std::string& path : changed) {
    const Value &had = start.at(path), &has = cells_[path];
    const auto known = steady.find(path);
    std::optional<int64_t> step;
    if (had.kind == Value::Kind::Scalar && has.kind == Value::Kind::Scalar &&
        is_integer(had.x->type) && bits_of(had.x->type) >= 32 && had.x->type == has.x->type) {
      bool plain = true;
      each_node(had.x, [&](X n) {
        plain = plain && n->kind != XKind::Unknown && n->kind != XKind::Load &&
                n->kind != XKind::Sum && n->kind != XKind::Carried;
      });
      const Poly by = Poly::of(has.x) - Poly::of(had.x);
      const bool constant = by.is_constant() && !by.zero() && by.constant() % loop.step == 0;
      if (plain && constant) step = by.constant();
    }
    if (known == steady.end()) {
      steady[path] = {step};
      any = any || step;
    } else if (known->second.step && known->second.step != step) {
      known->second.step.reset();
      any = true;
    }
  }
  return any;
}

// The value of a steady variable at the start of an iteration. The sum is computed exactly in 64
// bits. The cast keeps the low bits, just as each addition would.
X Executor::in_iteration(const Value& start, const Steady& of, const Loop& loop, X index) {
  constexpr CScalar kWide = CScalar::I64;
  X done = pool_.binary("-", index, pool_.cast(loop.first, kWide), kWide);
  X by = pool_.integer(*of.step / loop.step, kWide);
  X sum = pool_.binary("+", pool_.cast(start.x, kWide), pool_.binary("*", done, by, kWide), kWide);
  return pool_.cast(Poly::of(sum).expression(pool_, kWide), start.x->type);
}

// Sets the values of variables after a loop: a reduction, or unknown.
void Executor::carry(const Cells& before, const std::set<std::string>& changed,
                     const Domain& domain, CPlace place) {
  for (auto it = cells_.begin(); it != cells_.end();) {
    it = before.count(it->first) == 0 ? cells_.erase(it) : std::next(it);
  }
  for (const std::string& path : changed) {
    const Value after = cells_[path];
    const Value& start = before.at(path);
    const bool rounded = after.kind == Value::Kind::Scalar && after.x->kind == XKind::Cast &&
                         is_floating(after.x->args[0]->type) && after.x->type == CScalar::F32;
    cells_[path] = unknown(
        rounded ? fmt::format("'{}', which each iteration rounds to float", c_expression(path))
                : fmt::format("the value of '{}' after a loop", c_expression(path)));
    if (after.kind != Value::Kind::Scalar || start.kind != Value::Kind::Scalar) continue;
    X carried = pool_.leaf(XKind::Carried, start.x->type, domain.index, c_expression(path));
    if (const auto sum = reduced(carried, after.x, domain, path)) {
      out_.sums[*sum].place = place;
      cells_[path] = scalar_value(joined(start.x, *sum));
    }
  }
}

// Combines the initial value of a variable with the reduction over the loop.
X Executor::joined(X start, X sum) {
  const std::string& op = sum->text;
  const bool number = is_constant(start);
  const double value =
      start->kind == XKind::Int ? static_cast<double>(start->integer) : start->real;
  if (number && op == "sum" && value == 0) return sum;
  if (number && op == "prod" && value == 1) return sum;
  if (number && op == "max" && value == 0 && never_negative(sum->args[0])) return sum;
  if (op == "sum") return pool_.binary("+", start, sum, start->type);
  if (op == "prod") return pool_.binary("*", start, sum, start->type);
  return pool_.call(op, {start, sum}, start->type);
}

// Matches updates such as after = carried + e or after = max(carried, e): `op` becomes the
// reduction and `value` the operand e. Several updates in one iteration are combined into one
// operand.
bool Executor::takes_in(X carried, X after, std::string& op, X& value) {
  const auto free = [&](X x) {
    bool out = true;
    each_node(x, [&](X n) { out = out && n != carried; });
    return out;
  };
  // `base` is the variable at the start of the iteration, or an earlier update of the variable.
  const auto taken_in = [&](X base, X more, const std::string& how) {
    if (!free(more)) return false;
    if (base == carried) {
      value = more;
    } else {
      std::string earlier;
      if (!takes_in(carried, base, earlier, value) || earlier != how) return false;
      value = how == "sum"    ? pool_.binary("+", value, more, value->type)
              : how == "prod" ? pool_.binary("*", value, more, value->type)
                              : pool_.call(how, {value, more}, value->type);
    }
    op = how;
    return true;
  };
  const auto either = [&](X a, X b, const std::string& how) {
    return free(b) ? taken_in(a, b, how) : taken_in(b, a, how);
  };
  if (after->kind == XKind::Binary && (after->text == "+" || after->text == "*"))
    return either(after->args[0], after->args[1], after->text == "+" ? "sum" : "prod");
  if (after->kind == XKind::Call && after->args.size() == 2) {
    const bool most = after->text == "max" || after->text == "fmax";
    if (!most && after->text != "min" && after->text != "fmin") return false;
    const bool library = after->text[0] == 'f';
    out_.zeros_open = out_.zeros_open || (library && free(after->args[0]));
    return either(after->args[0], after->args[1], most ? "max" : "min");
  }
  if (after->kind != XKind::Select) return false;
  X c = after->args[0];
  const bool kept = !free(after->args[2]);
  X base = after->args[kept ? 2 : 1], taken = after->args[kept ? 1 : 2];
  if (free(c)) {  // for example if (mask[i] > 0) sum += e;
    const bool sum = taken->kind == XKind::Binary && taken->text == "+" &&
                     (taken->args[0] == base || taken->args[1] == base);
    if (!sum) return false;
    X added = taken->args[taken->args[0] == base ? 1 : 0];
    X none = is_floating(added->type) ? pool_.real(0, added->type) : pool_.integer(0, added->type);
    return taken_in(base, kept ? pool_.select(c, added, none) : pool_.select(c, none, added),
                    "sum");
  }
  // Handles e > s ? e : s and equivalent forms.
  if (c->kind != XKind::Binary || !free(taken)) return false;
  std::string relation = c->text;
  if (c->args[0] == base && c->args[1] == taken) {
    relation = relation[0] == '<' ? ">" : relation[0] == '>' ? "<" : "";
  } else if (c->args[0] != taken || c->args[1] != base) {
    return false;
  }
  if (relation.empty() || (relation[0] != '<' && relation[0] != '>')) return false;
  return taken_in(base, taken, (relation[0] == '>') == kept ? "max" : "min");
}

// Returns the reduction that a variable computes over a loop. `after`: the value of the variable
// after an iteration.
std::optional<X> Executor::reduced(X carried, X after, const Domain& domain,
                                   const std::string& path) {
  std::string op;
  X value = nullptr;
  if (!takes_in(carried, after, op, value)) return std::nullopt;
  SumInfo info;
  info.domain = {domain};
  info.epoch = epoch_;
  std::vector<int> ids = {domain.index};
  bool carries = false;
  each_node(value, [&](X n) {
    carries = carries || n->kind == XKind::Carried || n->kind == XKind::Unknown;
  });
  if (carries) return std::nullopt;
  if (value->kind == XKind::Sum && value->text == op) {
    ids.insert(ids.end(), value->ids.begin(), value->ids.end());
    const auto& inner = out_.sums.at(value).domain;
    info.domain.insert(info.domain.end(), inner.begin(), inner.end());
    value = value->args[0];
  } else {  // the operand reads only reductions of earlier nests
    bool within = false;
    each_node(value, [&](X n) {
      if (n->kind == XKind::Sum) within = within || out_.sums.at(n).epoch == epoch_;
    });
    if (within) return std::nullopt;
  }
  auto& name = sum_names_[path];
  if (name.empty()) name = distinct(name_of_path(path));
  info.name = name;
  X out = pool_.sum(op, value, ids);
  out_.sums[out] = info;
  return out;
}

void Executor::run_leaves(std::vector<std::vector<Store>>& leaves,
                          const std::function<void()>& body, std::map<std::string, Cells>& ends) {
  stores_.clear();  // left over from a previous attempt
  const Frame before = frame();
  constexpr int kMostRuns = 200;
  std::vector<std::map<std::string, std::pair<Poly, Poly>>> todo = {{}};
  for (int runs = 0; !todo.empty(); ++runs) {
    if (runs > kMostRuns) throw NoSplit();
    parts_ = todo.back();
    todo.pop_back();
    frame() = before;
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
      frame() = before;
      for (const auto& part : {high, low}) {
        const auto& [from, to] = part.at(split.key);
        if (!known_at_least_zero(from - to - Poly(1))) todo.push_back(part);
      }
    } catch (...) {
      frame() = before;
      parts_.clear();
      throw;
    }
  }
  parts_.clear();
}

// Executes a loop nest, or a statement outside of loops. First all stores of an iteration are
// treated as simultaneous. If that is incorrect, they are executed in order.
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
  // Tries one execution: fused or ordered. Without `split`, conditions become selects.
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
    if (fused || ends.empty()) ends = std::move(found);
    return true;
  };
  bool done = false;
  for (const bool split : {true, false}) {
    out_.requirements = requirements;
    out_.facts = facts;
    ends.clear();
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
    throw Refusal{"C016", place,
                  "the lifter finds no order in which each statement of this loop can run for all "
                  "points at once",
                  "split the loop"};
  }
  // Keep the scalars that have equal values in all parts.
  Cells merged = ends.begin()->second;
  for (const auto& [name, cells] : ends) {
    for (auto& [path, value] : merged) {
      const auto found = cells.find(path);
      if (found == cells.end() || !(found->second == value))
        value = unknown("a value that differs between the parts of a loop");
    }
  }
  cells_ = std::move(merged);
  bool stores = false;
  for (const auto* leaves : {&made.leaves, &made.ordered}) {
    for (const auto& leaf : *leaves) stores = stores || !leaf.empty();
  }
  if (stores && out_.timed && !in_time_) {
    throw Refusal{
        "C017", place, "statements after the time loop also write arrays",
        "a program consists of its time loop: mark it with #pragma scop and #pragma endscop"};
  }
  if (stores && dry_ == 0) out_.nests.push_back(std::move(made));
}

// Throws Unfusable if one iteration stores to different elements of an array, because such stores
// must be ordered.
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

}  // namespace stencil::lifter
