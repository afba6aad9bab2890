// The time loop, and the region as a whole. A step is run from a state that stands for any step:
// what pointers and counters are after it says which of them come round.
#include <fmt/format.h>

#include "compiler/lift/executor.h"

namespace stencil::lifter {

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
  // what a step writes, the next one reads under another name: no array of the turn is constant
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
        fmt::format("'{}' is used beside '{}', which points to another array in the next step",
                    in_c(path), in_c(moved[value.pointer.array])),
        "use the pointers that trade places"};
  }
}

// Scalars outside of the region that it sets: a program has none.
void Executor::scalars_left() {
  const Cells after = cells_;
  Cells before;
  outside_values(before);
  const CFunction& entry = tree_.functions[static_cast<size_t>(tree_.entry)];
  for (const auto& [path, value] : before) {
    const auto now = after.find(path);
    if (value.kind != Value::Kind::Scalar || now == after.end() || now->second == value) continue;
    const int variable = variable_of_path(path);
    const bool parameter = std::find(entry.parameters.begin(), entry.parameters.end(), variable) !=
                           entry.parameters.end();
    const int type = tree_.variables[static_cast<size_t>(variable)].type;
    const bool by_value = type_of(type)->kind != CTypeInfo::Kind::Reference;
    if (parameter && by_value && path == fmt::format("v{}", variable)) continue;
    out_.left_behind.push_back(in_c(path));
    out_.assumptions.push_back(fmt::format(
        "nobody needs what '{}' is set to, which is no part of the program", in_c(path)));
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
    scalars_left();
    return out_;
  }
  throw Refusal{"C024", {}, "the region is too large to be understood", ""};
}

Execution execute(const CTree& tree, Pool& pool, const ExecuteOptions& options) {
  return Executor(tree, pool, options).run();
}

}  // namespace stencil::lifter
