// The time loop and the region around it. A step is executed from a state that represents any step.
// The values of pointers and counters after the step show which of these variables are periodic.
#include <fmt/format.h>

#include <utility>

#include "compiler/lift/executor.h"
#include "compiler/lift/points.h"

namespace stencil::lifter {

// Whether the subscript of a store contains the counter; then the loop runs over space. t % 2
// selects a buffer and is an atom that does not count.
bool Executor::counter_in_stores(size_t from) const {
  const std::vector<Nest> step(out_.nests.begin() + static_cast<ptrdiff_t>(from), out_.nests.end());
  for (size_t i = from; i < out_.nests.size(); ++i) {
    for (const auto* leaves : {&out_.nests[i].leaves, &out_.nests[i].ordered}) {
      for (const auto& leaf : *leaves) {
        for (const Store& store : leaf) {
          if (is_record(out_, store, step)) continue;
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

// Describes a time loop that is not a plain count: while (error > eps && steps < most) { ... }.
Executor::TimeLoop Executor::conditional(int index) {
  const CNode& n = node(index);
  const bool is_for = n.kind == CKind::For;
  TimeLoop out;
  out.node = index;
  out.first = n.kind != CKind::Do;
  out.body = n.children[is_for ? 3 : n.kind == CKind::While ? 1 : 0];
  const int condition = n.children[is_for ? 1 : n.kind == CKind::While ? 0 : 1];
  if (node(condition).kind != CKind::Empty) conjuncts(condition, out.conditions);
  if (is_for) out.step = n.children[2];
  return out;
}

void Executor::conjuncts(int index, std::vector<int>& out) const {
  const CNode& n = node(index);
  if (n.kind == CKind::Binary && n.text == "&&") {
    for (int child : n.children) conjuncts(child, out);
    return;
  }
  if (n.kind == CKind::Cast && node(n.children[0]).kind == CKind::Binary &&
      node(n.children[0]).text == "&&") {
    return conjuncts(n.children[0], out);
  }
  out.push_back(index);
}

bool Executor::time_loop(const TimeLoop& loop) {
  // The init statement of the loop has already been executed.
  const State before = state();
  if (loop.counted && loop.counted->step != 1) return false;
  in_time_ = true;
  out_.place = where(node(loop.node));
  time_ = pool_.leaf(XKind::Time, CScalar::I32, 0, "time");
  time_trail_ = trail_.size();
  const size_t nests = out_.nests.size();
  bool timed = true;
  try {
    time_body(loop);
    timed = out_.nests.size() > nests && !counter_in_stores(nests);
  } catch (const Refusal& refusal) {
    // The refusal may only mean that this loop is not a time loop.
    in_time_ = false;
    if (!counter_in_stores(nests) && !time_bounds_) throw;
    timed = false;
  }
  in_time_ = false;
  if (timed) {
    if (nests > 0) {
      throw Refusal{
          "C017", where(node(loop.node)), "statements before the time loop also write arrays",
          "a program consists of its time loop: mark it with #pragma scop and #pragma endscop"};
    }
    if (out_.timed) {
      throw Refusal{"C017", where(node(loop.node)), "there are several time loops",
                    "mark one with #pragma scop and #pragma endscop"};
    }
    out_.timed = true;
    out_.place = where(node(loop.node));
    return true;
  }
  not_time_.insert(loop.node);
  state() = before;
  return false;
}

// Executes one step from the current state.
void Executor::run_step(const TimeLoop& loop) {
  X const counter = loop.counted ? cells_[loop.counter()].x : nullptr;
  const Flow flow = exec(loop.body);
  if (flow == Flow::Return || flow == Flow::Break) {
    refuse("C015", node(loop.node), "the time loop is left in its first step");
  }
  if (loop.counted) unchanged(*loop.counted, counter);
  if (loop.step >= 0) (void)exec(loop.step);
}

void Executor::time_body(const TimeLoop& loop) {
  const std::string counter = loop.counter();
  Cells before = cells_;
  const auto begin = [&] {
    if (!loop.counted) return;
    cells_[counter] = scalar_value(
        (Poly::of(loop.counted->first) + Poly::atom(time_)).expression(pool_, loop.counted->type));
  };
  std::vector<X> at_first;
  if (loop.first) {
    for (int condition : loop.conditions) at_first.push_back(pool_.truth(scalar(condition)));
  }
  // A first step shows which variables a step changes.
  const Execution saved = out_;
  ++dry_;
  begin();
  run_step(loop);
  for (int condition : loop.conditions) (void)scalar(condition);
  --dry_;
  outside_values(before);
  std::set<std::string> changed;
  const auto changes = [&](const Cells& from) {
    const size_t known = changed.size();
    for (const auto& [path, value] : from) {
      const auto after = cells_.find(path);
      if (path != counter && (after == cells_.end() || !(after->second == value)))
        changed.insert(path);
    }
    return changed.size() > known;
  };
  (void)changes(before);
  // The next steps start from a state that represents any step. Repeat until no other scalar
  // changes.
  Cells start;
  do {
    out_.nests = saved.nests;
    cells_ = before;
    begin();
    counters(before, changed, loop);
    start = cells_;
    read_.clear();
    breaks_.clear();
    run_step(loop);
    outside_values(before);
    for (const auto& [path, value] : before) start.try_emplace(path, value);
  } while (changes(start));
  end_of_time_body(before, start);
  before_steps_ = before;
  endings(loop, at_first);
  if (loop.counted) before[counter] = scalar_value(loop.counted->first);
  behind_loop(before, loop);
}

// Writes counters as functions of the step if they are periodic (cur = 1 - cur) or grow by a
// constant. Other scalars are marked as carried.
void Executor::counters(const Cells& before, const std::set<std::string>& changed,
                        const TimeLoop& loop) {
  const std::set<std::string> round = periodic_counters(before, changed, loop);
  const State start = state();
  std::map<std::string, int64_t> growing;
  std::map<std::string, X> known;
  try {
    ++dry_;
    run_step(loop);
    for (const std::string& path : changed) {
      const Value& from = start.cells_.at(path);
      const auto after = cells_.find(path);
      if (round.count(path) > 0 || from.kind != Value::Kind::Scalar || after == cells_.end())
        continue;
      if (after->second.kind != Value::Kind::Scalar || !is_integer(from.x->type)) continue;
      const Poly by = Poly::of(after->second.x) - Poly::of(from.x);
      if (by.is_constant() && !by.zero()) growing[path] = by.constant();
    }
    known = flags(before, changed, loop, start);
  } catch (const Refusal&) {
    growing = guessed_growth(before, changed, loop, start);
    known.clear();
  }
  state() = start;
  for (const auto& [path, value] : known) cells_[path] = scalar_value(value);
  for (const auto& [path, by] : growing) {
    const Value& first = before.at(path);
    const Poly value = Poly::of(first.x) + Poly(by) * Poly::atom(time_);
    cells_[path] = scalar_value(value.expression(pool_, first.x->type));
  }
}

// Guesses the growth of counters, because the step itself may use a counter before its growth is
// known. Assumes that every step adds the number that the first step added, and checks this with a
// second step. Returns an empty map if the check fails.
std::map<std::string, int64_t> Executor::guessed_growth(const Cells& before,
                                                        const std::set<std::string>& changed,
                                                        const TimeLoop& loop, const State& start) {
  std::map<std::string, int64_t> out;
  const auto added = [&](const std::string& path, const Cells& from) -> std::optional<int64_t> {
    const auto had = from.find(path);
    const auto has = std::as_const(cells_).find(path);
    if (had == from.end() || has == cells_.end()) return std::nullopt;
    if (had->second.kind != Value::Kind::Scalar || has->second.kind != Value::Kind::Scalar ||
        !is_integer(had->second.x->type)) {
      return std::nullopt;
    }
    const Poly by = Poly::of(has->second.x) - Poly::of(had->second.x);
    return by.is_constant() && !by.zero() ? std::optional(by.constant()) : std::nullopt;
  };
  const auto step = [&](const Cells& from) {
    state() = start;
    cells_ = from;
    if (loop.counted) cells_[loop.counter()] = start.cells_.at(loop.counter());
    ++dry_;
    run_step(loop);
  };
  try {
    step(before);
    for (const std::string& path : changed) {
      if (const auto by = added(path, before)) out[path] = *by;
    }
    Cells from = start.cells_;
    for (const auto& [path, by] : out) {
      const Value& first = before.at(path);
      const Poly value = Poly::of(first.x) + Poly(by) * Poly::atom(time_);
      from[path] = scalar_value(value.expression(pool_, first.x->type));
    }
    step(from);
    for (const auto& [path, by] : out) {
      if (added(path, from) != by) return {};
    }
  } catch (const Refusal&) {
    return {};
  }
  return out;
}

// Handles while (!done) { ...; if (error < eps) done = 1; }. If only one of the possible values of
// the flag continues the loop, the flag has that value at the start of each step. Must be called
// after a step from `start`.
std::map<std::string, X> Executor::flags(const Cells& before, const std::set<std::string>& changed,
                                         const TimeLoop& loop, const State& start) {
  std::map<std::string, X> out;
  const Cells after = cells_;
  for (const std::string& path : changed) {
    const Value &first = before.at(path), &now = start.cells_.at(path);
    const auto found = after.find(path);
    if (first.kind != Value::Kind::Scalar || first.x->kind != XKind::Int) continue;
    if (now.kind != Value::Kind::Scalar || now.x->kind != XKind::Carried) continue;
    if (found == after.end() || found->second.kind != Value::Kind::Scalar) continue;
    std::set<int64_t> values = {first.x->integer};
    bool few = true;
    const auto gather = [&](X x, const auto& self) -> void {
      if (x->kind == XKind::Int) {
        values.insert(x->integer);
      } else if (x->kind == XKind::Select) {
        self(x->args[1], self);
        self(x->args[2], self);
      } else if (is_condition(x) || (x->kind == XKind::Cast && is_condition(x->args[0]))) {
        values.insert({0, 1});
      } else {
        few = few && x == now.x;
      }
    };
    gather(found->second.x, gather);
    if (!few || values.size() > 8) continue;
    std::vector<X> going;
    for (int64_t value : values) {
      X number = pool_.integer(value, first.x->type);
      bool ends = false;
      cells_ = start.cells_;
      cells_[path] = scalar_value(number);
      for (int condition : loop.conditions) {
        X holds = pool_.truth(scalar(condition));
        ends = ends || (holds->kind == XKind::Int && holds->integer == 0);
      }
      if (!ends) going.push_back(number);
    }
    if (going.size() == 1) out[path] = going[0];
  }
  return out;
}

// Finds periodic counters by executing four steps with constant values.
std::set<std::string> Executor::periodic_counters(const Cells& before,
                                                  const std::set<std::string>& changed,
                                                  const TimeLoop& loop) {
  std::set<std::string> numbers, out;
  for (const std::string& path : changed) {
    const Value& value = before.at(path);
    if (value.kind != Value::Kind::Scalar) continue;
    if (is_integer(value.x->type) && value.x->kind == XKind::Int) numbers.insert(path);
  }
  const State now = state();
  std::map<std::string, std::vector<int64_t>> history;
  Cells at = before;
  ++dry_;
  for (int step = 0; step < 4 && !numbers.empty(); ++step) {
    for (const std::string& path : numbers) {
      const Value& value = at[path];
      if (value.kind == Value::Kind::Scalar && value.x->kind == XKind::Int) {
        history[path].push_back(value.x->integer);
      } else {
        history[path].assign(1, INT64_MIN);
      }
    }
    cells_ = at;
    if (loop.counted) cells_[loop.counter()] = now.cells_.at(loop.counter());
    run_step(loop);
    for (const std::string& path : numbers) at[path] = cells_[path];
  }
  state() = now;
  for (const std::string& path : changed) {
    const Value& value = before.at(path);
    if (value.kind == Value::Kind::Pointer) continue;
    const auto& h = history[path];
    if (h.size() == 4 && h[0] != INT64_MIN && h[2] == h[0] && h[3] == h[1] && h[0] != h[1]) {
      // write the counter as h0 + (h1 - h0) * (time % 2)
      X odd = pool_.binary("%", time_, pool_.integer(2), CScalar::I32);
      const Poly both = Poly(h[0]) + Poly(h[1] - h[0]) * Poly::atom(odd);
      cells_[path] = scalar_value(both.expression(pool_, value.x->type));
      out.insert(path);
    } else if (value.kind == Value::Kind::Scalar) {
      cells_[path] =
          scalar_value(pool_.leaf(XKind::Carried, value.x->type, -1, c_expression(path)));
    } else {
      cells_[path] =
          unknown(fmt::format("the value of '{}' from the previous step", c_expression(path)));
    }
  }
  return out;
}

// Finds rotated pointers. A step may access an array through rotating pointers or through fixed
// pointers, but not through both: they would refer to different arrays in the next step.
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
                    fmt::format("the pointer '{}' changes from step to step{}", c_expression(path),
                                after != cells_.end() && after->second.kind == Value::Kind::None
                                    ? ": it becomes " + after->second.why
                                    : ""),
                    "pointers may only be swapped or rotated among each other"};
    }
    out_.rotations.push_back({value.pointer.array, after->second.pointer.array});
    moved[value.pointer.array] = path;
  }
  // If a rotating array is written, all arrays that rotate with it count as written.
  bool learned = false, more = !probing_;
  while (more) {
    more = false;
    std::set<int> written;
    for (const auto& [path, id] : array_paths_) {
      if (stored_.count(path) > 0) written.insert(id);
    }
    for (const Rotation& rotation : out_.rotations) {
      if (written.count(rotation.before) + written.count(rotation.after) == 0) continue;
      for (const auto& [path, id] : array_paths_) {
        if (id == rotation.before || id == rotation.after) more |= stored_.insert(path).second;
      }
    }
    learned |= more;
  }
  if (learned) throw Restart();
  for (const auto& [path, value] : start) {
    if (!is_array(value) || moved.count(value.pointer.array) == 0) continue;
    const auto after = cells_.find(path);
    if (after == cells_.end() || !(after->second == value) || read_.count(path) == 0) continue;
    throw Refusal{
        "C014", out_.place,
        fmt::format(
            "'{}' is used together with '{}', which points to another array in the next step",
            c_expression(path), c_expression(moved[value.pointer.array])),
        "use only the pointers that are swapped"};
  }
}

// Refuses deeply nested code, because expressions and statements are traversed recursively.
void Executor::check_depth() const {
  constexpr int kMostNested = 1000;
  std::vector<int> depth(tree_.nodes.size(), 1);
  for (size_t i = 0; i < tree_.nodes.size(); ++i) {  // children come first
    for (int child : tree_.nodes[i].children) depth[i] = std::max(depth[i], depth[child] + 1);
    if (depth[i] <= kMostNested) continue;
    refuse(
        "C024", tree_.nodes[i],
        fmt::format("an expression or statement is nested more than {} levels deep", kMostNested),
        "compute it in a loop, or store parts of it in local variables");
  }
}

Execution Executor::run() {
  const CFunction& entry = tree_.functions[tree_.entry];
  check_depth();
  find_single();
  for (int attempt = 0; attempt < 200; ++attempt) {
    state() = {};
    calls_ = {tree_.entry};
    // Reading the parameters in order gives arrays and symbols the order of the signature. Rotating
    // pointers need cells.
    try {
      for (int parameter : entry.parameters) {
        const CVariable& v = tree_.variables[parameter];
        const CTypeInfo* type = type_of(v.type);
        const LValue of = place_of_variable(parameter);
        if (type_of(of.type)->kind == CTypeInfo::Kind::Sequence ||
            type->kind == CTypeInfo::Kind::Pointer) {
          cells_[of.path] = read_cell(of);
        }
      }
      if (exec(entry.body) != Flow::Return) returned_ = {};
    } catch (const Restart&) {
      continue;
    }
    if (out_.nests.empty() && out_.sums.empty() && !single_.empty()) {
      // The region writes nothing else, so these pointers are arrays of one element.
      single_.clear();
      continue;
    }
    if (out_.nests.empty()) {
      const bool reduced = !out_.sums.empty();
      throw Refusal{
          "C018", where(node(entry.body)),
          reduced ? "no array is written; there are only reductions, such as '" +
                        out_.sums.begin()->second.name + "'"
                  : "no array is written",
          reduced ? "lift the loop that writes arrays, and add a `reduce` to the program" : ""};
    }
    scalars_left();
    return out_;
  }
  throw Refusal{"C024", {}, "the region is too large for the lifter", ""};
}

Execution execute(const CTree& tree, Pool& pool, const ExecuteOptions& options) {
  return Executor(tree, pool, options).run();
}

}  // namespace stencil::lifter
