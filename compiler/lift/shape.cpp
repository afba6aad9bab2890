// Recovers the dimensions of linear subscripts: (z*NY + y)*NX + x becomes three subscripts. The
// factors of the loop counters are the strides, and each stride is a multiple of the next one.
// Terms without a counter are divided by the strides in turn. Semantic analysis later proves that
// the subscripts stay within the resulting lengths, as it does for any access.
#include "compiler/lift/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/lift/guards.h"

namespace stencil::lifter {

namespace {

bool is_buffer_slot(X atom) {
  return atom->kind == XKind::Binary && atom->text == "%" && contains(atom, XKind::Time) &&
         !contains(atom, XKind::Index) && !contains(atom, XKind::Load);
}

bool is_counter(X atom) {
  return atom->kind == XKind::Index || atom->kind == XKind::Edge || is_buffer_slot(atom);
}

// The value of an expression that depends only on the step.
std::optional<int64_t> at_step(X x, int64_t step) {
  Pool pool;
  std::map<X, X> done;
  X value = transformed(pool, x, done, [&](X n) -> X {
    return n->kind == XKind::Time ? pool.integer(step) : nullptr;
  });
  return value->kind == XKind::Int ? std::optional(value->integer) : std::nullopt;
}

// Matches (buffer slot + step) % copies. Returns {copies, buffer slot}.
std::optional<std::pair<int64_t, int64_t>> rotation_of(X x) {
  std::vector<int64_t> values;
  for (int64_t step = 0; step < 24; ++step) {
    const auto value = at_step(x, step);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  for (int64_t copies = 2; copies <= 8; ++copies) {
    bool fits = true;
    for (int64_t step = 0; step < 24; ++step) {
      fits = fits && values[step] == (values[0] + step) % copies && values[0] >= 0 &&
             values[0] < copies;
    }
    if (fits) return std::pair{copies, values[0]};
  }
  return std::nullopt;
}

}  // namespace

X Shapes::index(int id) const {
  return pool_.leaf(XKind::Index, CScalar::I64, id, execution_.index_names[id]);
}

bool Shapes::at_least_zero(const Poly& p) const {
  return proved(p, facts_, &used_);
}

std::vector<Poly> Shapes::facts_used() const {
  std::vector<Poly> out;
  for (size_t f : used_) {
    if (f >= given_) out.push_back(facts_[f]);
  }
  return out;
}

Poly Shapes::extreme(Pool& pool, const Execution& execution, Poly p,
                     const std::vector<Domain>& domain, bool largest) {
  for (X atom : p.atoms()) {
    if (atom->kind != XKind::Edge) continue;
    const auto factor = p.linear_in(atom);
    if (!factor || *factor == 0) continue;
    const Poly last = Poly::of(atom->args[1]) - Poly(1);
    p = p.without(atom) + Poly(*factor) * ((*factor > 0) == largest ? last : Poly());
  }
  for (const Domain& d : domain) {
    X i = pool.leaf(XKind::Index, CScalar::I64, d.index, execution.index_names[d.index]);
    const auto factor = p.linear_in(i);
    if (!factor || *factor == 0) continue;
    p = p.without(i) + Poly(*factor) * ((*factor > 0) == largest ? d.high : d.low);
  }
  return p;
}

void Shapes::gather(const Store& store, bool writes) {
  if (writes) {
    seen_[store.array].push_back({store.subscripts, &store, true, store.domain});
  }
  const auto domains = domains_of_loads(pool_, execution_, store.value, store.domain);
  each_node(store.value, [&](X n) {
    if (n->kind == XKind::Load) seen_[n->id].push_back({n->args, &store, false, domains.at(n)});
  });
}

// Determines the strides of a linear array.
void Shapes::delinearise(int array) {
  const ArrayInfo& info = execution_.arrays[array];
  std::vector<Poly> strides = {Poly(1)};
  for (const Seen& seen : seen_[array]) {
    const Poly p = Poly::of(seen.subscripts[0]);
    for (X atom : p.atoms()) {
      const bool counts = is_counter(atom);
      if (!counts) {
        if (atom->kind != XKind::Symbol && atom->kind != XKind::Time) {
          const bool quotient = atom->kind == XKind::Binary && !contains(atom, XKind::Load) &&
                                !contains(atom, XKind::Index);
          if (!quotient) {
            throw Refusal{"C013", seen.store->place,
                          fmt::format("a subscript of '{}' depends on data", info.c_expression),
                          "a subscript must be a sum of loop counters and sizes"};
          }
        }
        continue;
      }
      const Poly factor = p.coefficient(atom);
      for (X other : factor.atoms()) {
        if (other->kind == XKind::Index) {
          throw Refusal{
              "C013", seen.store->place,
              fmt::format("a subscript of '{}' has a product of loop counters", info.c_expression),
              ""};
        }
      }
      if (p.degree_in(atom) > 1) {
        throw Refusal{"C013", seen.store->place,
                      fmt::format("a subscript of '{}' has a square", info.c_expression), ""};
      }
      if (std::find(strides.begin(), strides.end(), factor) == strides.end())
        strides.push_back(factor);
    }
  }
  const auto degree = [](const Poly& p) {
    size_t most = 0;
    for (const auto& [monomial, factor] : p.terms()) most = std::max(most, monomial.size());
    return most;
  };
  std::stable_sort(strides.begin(), strides.end(), [&](const Poly& a, const Poly& b) {
    if (degree(a) != degree(b)) return degree(a) > degree(b);
    const Poly d = a - b;
    return d.is_constant() && d.constant() > 0;
  });
  const CPlace place = seen_[array][0].store->place;
  ArrayShape& shape = shapes_[array];
  shape.extents = {Poly()};
  shape.known = {false};
  for (size_t k = 1; k < strides.size(); ++k) {
    const auto division = strides[k - 1].divided_by(strides[k]);
    if (!division.rest.zero() || division.quotient.zero()) {
      throw Refusal{"C013", place,
                    fmt::format("subscripts of '{}' have strides {} and {}, neither of which is a "
                                "multiple of the other",
                                info.c_expression, strides[k - 1].text(), strides[k].text()),
                    ""};
    }
    shape.extents.push_back(division.quotient);
    shape.known.push_back(true);
  }
  strides_[array] = std::move(strides);
}

// Splits a linear subscript into one per dimension.
std::vector<Poly> Shapes::split(int array, const std::vector<X>& subscripts,
                                const std::vector<Domain>& domain) const {
  std::vector<Poly> out;
  const auto& strides = strides_[array];
  if (strides.empty()) {
    for (X s : subscripts) out.push_back(Poly::of(s));
    return out;
  }
  Poly rest = Poly::of(subscripts[0]);
  out.assign(strides.size(), Poly());
  for (X atom : rest.atoms()) {
    if (!is_counter(atom)) continue;
    const Poly factor = rest.coefficient(atom);
    for (size_t k = 0; k < strides.size(); ++k) {
      if (strides[k] == factor) out[k] = out[k] + Poly::atom(atom);
    }
    rest = rest - factor * Poly::atom(atom);
  }
  for (size_t k = 0; k < strides.size(); ++k) {
    const auto division = rest.divided_by(strides[k]);
    out[k] = out[k] + division.quotient;
    rest = division.rest;
  }
  // Example: a[i*n + n-1] is the last element of row i, not the element before row i+1.
  const auto& extents = shapes_[array].extents;
  for (size_t k = strides.size() - 1; k > 0; --k) {
    for (int guard = 0; guard < 4; ++guard) {
      const Poly most = extreme(pool_, execution_, out[k], domain, true);
      const Poly least = extreme(pool_, execution_, out[k], domain, false);
      if (at_least_zero(-most - Poly(1))) {
        out[k] = out[k] + extents[k];
        out[k - 1] = out[k - 1] - Poly(1);
      } else if (at_least_zero(least - extents[k])) {
        out[k] = out[k] - extents[k];
        out[k - 1] = out[k - 1] + Poly(1);
      } else {
        break;
      }
    }
  }
  return out;
}

// Classifies dimensions as space, rotating buffers or constants.
void Shapes::classify(int array) {
  const ArrayInfo& info = execution_.arrays[array];
  ArrayShape& shape = shapes_[array];
  const auto& all = seen_[array];
  for (const Seen& seen : all) (seen.write ? shape.stored : shape.loaded) = true;
  if (strides_[array].empty()) {
    for (X extent : info.extents) {
      shape.extents.push_back(extent != nullptr ? Poly::of(extent) : Poly());
      shape.known.push_back(extent != nullptr);
    }
  }
  const size_t dimensions = shape.extents.size();
  for (const Seen& seen : all) {
    const auto& strides = strides_[array];
    if (strides.size() < 2) break;
    const Poly whole = Poly::of(seen.subscripts[0]);
    for (X atom : whole.atoms()) {
      if (!is_counter(atom)) continue;
      const Poly factor = whole.coefficient(atom);
      const bool falls = std::any_of(strides.begin(), strides.end(),
                                     [&](const Poly& stride) { return factor == -stride; });
      if (!falls) continue;
      throw Refusal{"C013", seen.store->place,
                    fmt::format("a subscript of '{}' decreases while '{}' increases",
                                info.c_expression, atom->text),
                    "a subscript must be a sum of loop counters and sizes"};
    }
  }
  for (size_t k = 0; k < dimensions; ++k) {
    bool constant = true, rotates = true, time = true;
    int64_t copies = 0;
    for (const Seen& seen : all) {
      const Poly s = split(array, seen.subscripts, seen.domain)[k];
      constant = constant && s.is_constant();
      time = time && s.atoms().size() == 1 && (*s.atoms().begin())->kind == XKind::Time &&
             s.linear_in(*s.atoms().begin()) == std::optional<int64_t>(1);
      const auto rotation = rotation_of(s.expression(pool_, CScalar::I64));
      rotates = rotates && rotation && (copies == 0 || copies == rotation->first);
      if (rotation) copies = rotation->first;
    }
    const int number = static_cast<int>(k);
    if (rotates && copies > 1 && shape.buffer_slot_dimension < 0) {
      shape.buffer_slot_dimension = number;
      shape.copies = copies;
    } else if (constant && dimensions > 1) {
      shape.fixed.push_back(number);
    } else if (time && !shape.stored && !shape.over_time && shape.space.empty()) {
      shape.over_time = true;
      shape.space.push_back(number);
    } else {
      shape.space.push_back(number);
    }
  }
  if (shape.space.empty()) {  // a single element is a grid with one point
    shape.space = shape.fixed;
    shape.fixed.clear();
  }
}

// The length that is provably >= all others.
std::optional<Poly> Shapes::largest(const std::vector<Poly>& lengths) const {
  for (const Poly& most : lengths) {
    const bool all = std::all_of(lengths.begin(), lengths.end(),
                                 [&](const Poly& other) { return at_least_zero(most - other); });
    if (all) return most;
  }
  return std::nullopt;
}

// Determines lengths that C does not declare. They follow from the accesses.
void Shapes::measure(int array) {
  const ArrayInfo& info = execution_.arrays[array];
  ArrayShape& shape = shapes_[array];
  for (size_t k = 0; k < shape.extents.size(); ++k) {
    if (shape.known[k] || static_cast<int>(k) == shape.buffer_slot_dimension) continue;
    std::vector<Poly> ends;
    for (const Seen& seen : seen_[array]) {
      const Poly s = split(array, seen.subscripts, seen.domain)[k];
      Poly end = extreme(pool_, execution_, s, seen.domain, true) + Poly(1);
      if (shape.over_time && static_cast<int>(k) == shape.space[0] && execution_.steps != nullptr) {
        end = s - Poly::atom(*s.atoms().begin()) + Poly::of(execution_.steps);
      }
      if (std::find(ends.begin(), ends.end(), end) == ends.end()) ends.push_back(end);
    }
    const std::optional<Poly> most = largest(ends);
    if (!most) {
      std::vector<std::string> texts;
      for (const Poly& end : ends) texts.push_back(end.text());
      throw Refusal{"C019", seen_[array][0].store->place,
                    fmt::format("the length of dimension {} of '{}' is not known: it may be {}", k,
                                info.c_expression, fmt::join(texts, " or ")),
                    "declare the array with its lengths, as in double a[n][m]"};
    }
    shape.extents[k] = *most;
    std::optional<int64_t> spare;
    for (const Seen& seen : seen_[array]) {
      const Poly s = split(array, seen.subscripts, seen.domain)[k];
      const Poly gap = *most - Poly(1) - extreme(pool_, execution_, s, seen.domain, true);
      if (!gap.is_constant()) continue;
      int64_t beyond = gap.constant();
      for (const Domain& d : seen.domain) {
        const bool strided = d.stride != 1 && s.degree_in(index(d.index)) > 0;
        if (strided && !(d.high - d.low).remainder(d.stride)) beyond += d.stride - 1;
      }
      spare = std::min(spare.value_or(beyond), beyond);
    }
    shape.spare = std::max(shape.spare, spare.value_or(0));
    for (X atom : most->atoms()) {
      if (contains(atom, XKind::Index) || contains(atom, XKind::Load) ||
          contains(atom, XKind::Time)) {
        throw Refusal{"C013", seen_[array][0].store->place,
                      fmt::format("a subscript of '{}' depends on data", info.c_expression),
                      "a subscript must be a sum of loop counters and sizes"};
      }
    }
  }
}

// Sets the size of the grid: in each dimension, the largest length of all written arrays.
void Shapes::grid() {
  CPlace place;
  for (size_t a = 0; a < shapes_.size(); ++a) {
    const ArrayShape& shape = shapes_[a];
    if (!shape.stored) continue;
    rank_ = std::max(rank_, static_cast<int>(shape.space.size()));
  }
  for (size_t a = 0; a < shapes_.size(); ++a) {
    const ArrayShape& shape = shapes_[a];
    const ArrayInfo& info = execution_.arrays[a];
    if (!shape.stored && !shape.loaded) continue;
    place = seen_[a][0].store->place;
    const int rank = static_cast<int>(shape.space.size());
    if (shape.stored && rank != rank_) {
      throw Refusal{"C019", place,
                    fmt::format("'{}' has {} dimensions, and other arrays that are written have {}",
                                info.c_expression, rank, rank_),
                    "a program has one grid: lift the loops of these arrays separately"};
    }
    if (rank != rank_ || shape.over_time) continue;
    for (int d = 0; d < rank; ++d) {
      const Poly& length = shape.extents[shape.space[static_cast<size_t>(d)]];
      if (static_cast<int>(extents_.size()) <= d) {
        extents_.push_back(length);
      } else if (Poly& most = extents_[d]; at_least_zero(length - most)) {
        most = length;
      } else if (!at_least_zero(most - length)) {
        throw Refusal{
            "C019", place,
            fmt::format("the arrays have different lengths in dimension {}: {} and {}", d,
                        most.text(), length.text()),
            "a program has one grid: declare lengths such that one is known to be the largest"};
      }
    }
  }
  if (rank_ < 1 || rank_ > 8) {
    throw Refusal{"C019", place, fmt::format("the grid would have {} dimensions", rank_),
                  "a grid has 1 to 8 dimensions"};
  }
}

// Arrays that are read at points get the lengths of the grid, because positions of points are data.
void Shapes::whole_grid() {
  for (const PointStatement& one : execution_.points) {
    each_node(one.store.value, [&](X n) {
      if (n->kind != XKind::Load) return;
      ArrayShape& shape = shapes_[n->id];
      if (static_cast<int>(shape.space.size()) != rank_ || shape.over_time) return;
      for (size_t d = 0; d < extents_.size(); ++d) {
        const size_t k = static_cast<size_t>(shape.space[d]);
        if (!shape.known[k]) shape.extents[k] = extents_[d];
      }
    });
  }
}

// Maps the dimensions of smaller arrays to grid dimensions, using the counters in their subscripts.
void Shapes::directions() {
  for (size_t a = 0; a < shapes_.size(); ++a) {
    ArrayShape& shape = shapes_[a];
    const ArrayInfo& info = execution_.arrays[a];
    if (!shape.stored && !shape.loaded) continue;
    const size_t skip = shape.over_time ? 1 : 0;
    const size_t rank = shape.space.size() - skip;
    shape.along.assign(rank, -1);
    if (static_cast<int>(rank) == rank_) {
      for (size_t k = 0; k < rank; ++k) shape.along[k] = static_cast<int>(k);
      continue;
    }
    for (const Seen& seen : seen_[a]) {
      const auto mine = split(static_cast<int>(a), seen.subscripts, seen.domain);
      const ArrayShape& target = shapes_[seen.store->array];
      const auto theirs = split(seen.store->array, seen.store->subscripts, seen.store->domain);
      for (size_t k = 0; k < rank; ++k) {
        const Poly& s = mine[shape.space[k + skip]];
        for (X atom : s.atoms()) {
          if (atom->kind != XKind::Index) continue;
          for (size_t d = 0; d < target.space.size(); ++d) {
            if (theirs[target.space[d]].degree_in(atom) == 0) continue;
            if (shape.along[k] >= 0 && shape.along[k] != static_cast<int>(d)) {
              throw Refusal{"C013", seen.store->place,
                            fmt::format("a dimension of '{}' is indexed by the counters of "
                                        "different dimensions of the grid",
                                        info.c_expression),
                            ""};
            }
            shape.along[k] = static_cast<int>(d);
          }
        }
      }
    }
    for (size_t k = 0; k < rank; ++k) {
      if (shape.along[k] >= 0 && (k == 0 || shape.along[k] > shape.along[k - 1])) continue;
      throw Refusal{"C013", seen_[a][0].store->place,
                    fmt::format("a subscript of '{}' is not a counter of a loop over the grid",
                                info.c_expression),
                    "a subscript must be a sum of loop counters and sizes"};
    }
  }
}

Shapes::Shapes(Pool& pool, Execution& execution) : pool_(pool), execution_(execution) {
  size_of_swapped();
  const size_t count = execution.arrays.size();
  seen_.resize(count);
  shapes_.resize(count);
  strides_.resize(count);
  facts_ = execution.facts;
  given_ = facts_.size();
  const auto note = [&](const Store& store) {
    for (const Domain& d : store.domain) {
      const Poly fact = d.high - d.low;
      const bool known =
          fact.is_constant() || std::find(facts_.begin(), facts_.end(), fact) != facts_.end();
      if (!known && facts_.size() < given_ + 40) facts_.push_back(fact);
    }
  };
  for (const Nest& nest : execution.nests) {
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const Store& store : leaf) {
          gather(store, true);
          note(store);
        }
      }
    }
  }
  for (const Reduction& r : execution.reductions) {
    gather(r.point, false);
    note(r.point);
  }
  // w[t] in a statement at points has the same value for all points.
  for (const PointStatement& one : execution.points) {
    each_node(one.store.value, [&](X n) {
      if (n->kind != XKind::Load || n->id == one.store.array) return;
      bool series = is_floating(n->type);
      for (X s : n->args) {
        series = series && !contains(s, XKind::Load);
        for (const Domain& d : one.store.domain) series = series && !contains_index(s, d.index);
      }
      const bool timed =
          std::any_of(n->args.begin(), n->args.end(), [](X s) { return contains(s, XKind::Time); });
      if (series && timed) seen_[n->id].push_back({n->args, &one.store, false, one.store.domain});
    });
  }
  for (size_t a = 0; a < count; ++a) {
    if (seen_[a].empty()) continue;
    if (execution.arrays[a].linear) delinearise(static_cast<int>(a));
    classify(static_cast<int>(a));
    measure(static_cast<int>(a));
  }
  share_lengths();
  grid();
  whole_grid();
  directions();
  share_unused();
}

// If C uses the length of one of two swapped containers, both have that length.
void Shapes::size_of_swapped() {
  for (size_t pass = 0; pass < execution_.rotations.size(); ++pass) {
    for (const Rotation& rotation : execution_.rotations) {
      ArrayInfo* a = &execution_.arrays[rotation.before];
      ArrayInfo* b = &execution_.arrays[rotation.after];
      const bool vectors = (a->sequence || a->view) && (b->sequence || b->view);
      if (!vectors || a->extents.size() != b->extents.size()) continue;
      for (size_t k = 0; k < a->extents.size(); ++k) {
        if ((a->extents[k] == nullptr) == (b->extents[k] == nullptr)) continue;
        ArrayInfo *known = a->extents[k] != nullptr ? a : b, *other = known == a ? b : a;
        other->extents[k] = known->extents[k];
        execution_.assumptions.push_back(fmt::format("{} and {} have the same length",
                                                     other->c_expression, known->c_expression));
      }
    }
  }
}

// Buffers that rotate all get the longest shape that one of them needs.
void Shapes::share_lengths() {
  for (size_t pass = 0; pass < execution_.rotations.size(); ++pass) {
    for (const Rotation& rotation : execution_.rotations) {
      ArrayShape& a = shapes_[rotation.before];
      ArrayShape& b = shapes_[rotation.after];
      if (a.extents.size() != b.extents.size()) continue;
      for (size_t k = 0; k < a.extents.size(); ++k) {
        if (a.known[k] && b.known[k]) continue;
        const bool longer = b.known[k] || at_least_zero(b.extents[k] - a.extents[k]);
        (longer ? a : b).extents[k] = (longer ? b : a).extents[k];
      }
    }
  }
}

// If no loop accesses a rotating buffer, the buffer gets the shape of the others.
void Shapes::share_unused() {
  for (size_t pass = 0; pass < execution_.rotations.size(); ++pass) {
    for (const Rotation& rotation : execution_.rotations) {
      ArrayShape& a = shapes_[rotation.before];
      ArrayShape& b = shapes_[rotation.after];
      if (a.extents.empty() == b.extents.empty()) continue;
      ArrayShape& unused = a.extents.empty() ? a : b;
      unused = a.extents.empty() ? b : a;
      unused.stored = unused.loaded = false;
    }
  }
}

std::vector<Poly> Shapes::lengths(int array) const {
  const ArrayShape& shape = shapes_[array];
  std::vector<Poly> out;
  for (int k : shape.space) out.push_back(shape.extents[k]);
  return out;
}

Access Shapes::access(int array, const std::vector<X>& subscripts, const Store& context) const {
  const ArrayShape& shape = shapes_[array];
  const auto all = split(array, subscripts, context.domain);
  Access out;
  out.part.array = array;
  for (int k : shape.fixed) out.part.fixed.push_back(all[k].constant());
  if (shape.buffer_slot_dimension >= 0) {
    const auto rotation =
        rotation_of(all[shape.buffer_slot_dimension].expression(pool_, CScalar::I64));
    out.part.buffer_slot = static_cast<int>(rotation->second);
  }
  for (size_t k = 0; k < shape.space.size(); ++k) {
    const Poly& s = all[shape.space[k]];
    if (k == 0 && shape.over_time) {
      out.time_offset = s.constant();
      continue;
    }
    out.subscripts.push_back(s);
  }
  return out;
}

}  // namespace stencil::lifter
