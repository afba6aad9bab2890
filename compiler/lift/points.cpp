// Sources such as u[sy[s]*nx + sx[s]] += w[t*ns + s], and receivers such as rec[t*nr + r] =
// u[ry[r]*nx + rx[r]]. At most one loop over point numbers surrounds such a statement, and its
// counter selects positions from integer arrays.
//
// C processes the points in order; a program processes all points at once. The lifted program
// therefore assumes that the points are distinct. A statement may read the array that it writes
// only at its own point.
#include "compiler/lift/points.h"

#include <fmt/format.h>

namespace stencil::lifter {

namespace {

bool data_in(const std::vector<X>& subscripts) {
  return std::any_of(subscripts.begin(), subscripts.end(),
                     [](X s) { return contains(s, XKind::Load); });
}

bool time_in(const std::vector<X>& subscripts) {
  return std::any_of(subscripts.begin(), subscripts.end(), [](X s) {
    const XSet atoms = Poly::of(s).atoms();
    return std::any_of(atoms.begin(), atoms.end(),
                       [](X atom) { return atom->kind == XKind::Time; });
  });
}

template <class Visit>
void each_store(const std::vector<Nest>& nests, const Visit& visit) {
  for (const Nest& nest : nests) {
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const Store& store : leaf) visit(store);
      }
    }
  }
}

bool writes(const std::vector<Nest>& nests, int array) {
  bool out = false;
  each_store(nests, [&](const Store& store) { out = out || store.array == array; });
  return out;
}

}  // namespace

bool is_record(const Execution& execution, const Store& store, const std::vector<Nest>& nests) {
  if (!time_in(store.subscripts) || store.domain.size() > 1) return false;
  if (!is_floating(execution.arrays[store.array].element)) return false;
  bool read = false, of_grid = false;
  each_store(nests, [&](const Store& other) {
    each_node(other.value,
              [&](X n) { read = read || (n->kind == XKind::Load && n->id == store.array); });
  });
  each_node(store.value, [&](X n) {
    if (n->kind == XKind::Load) of_grid = of_grid || (n->id != store.array && writes(nests, n->id));
  });
  return !read && of_grid;
}

bool is_of_grid(const Execution& execution, const PointStatement& statement, X load) {
  if (load->id == statement.store.array) return !statement.record;
  if (data_in(load->args)) return true;
  const ArrayInfo& info = execution.arrays[load->id];
  if (!is_floating(info.element)) return false;
  bool by_point = false;  // the array is indexed by the point number: w[t][s]
  for (const Domain& d : statement.store.domain) {
    for (X s : load->args) by_point = by_point || contains_index(s, d.index);
  }
  return !by_point && !time_in(load->args);
}

void find_points(Pool& pool, Execution& execution) {
  if (!execution.timed) return;
  const std::vector<Nest> all = execution.nests;
  const auto at_points = [&](const Store& store) {
    return (data_in(store.subscripts) && store.domain.size() <= 1) ||
           is_record(execution, store, all);
  };
  // The lifter does nothing without a loop over a grid.
  const bool grid = std::any_of(all.begin(), all.end(), [&](const Nest& nest) {
    bool out = false;
    each_store({nest}, [&](const Store& store) { out = out || !at_points(store); });
    return out;
  });
  if (!grid) return;
  std::vector<Nest> kept;
  for (const Nest& nest : all) {
    const bool one = nest.leaves.size() == 1 && !nest.leaves[0].empty();
    if (!one || !std::all_of(nest.leaves[0].begin(), nest.leaves[0].end(), at_points)) {
      kept.push_back(nest);
      continue;
    }
    for (const Store& store : nest.leaves[0]) {
      PointStatement made;
      made.store = store;
      made.epoch = nest.epoch;
      made.record = !data_in(store.subscripts);
      std::vector<X> own;
      for (X s : store.subscripts) {
        std::map<X, X> done;
        own.push_back(transformed(pool, s, done, [&](X n) -> X {
          return n->kind == XKind::Load ? pool.load(n->id, n->args, n->type, 0) : nullptr;
        }));
      }
      made.store.subscripts = own;
      bool kept_element = false;  // the statement reads the element that it writes
      std::map<X, X> done;
      made.store.value = transformed(pool, store.value, done, [&](X n) -> X {
        if (n->kind != XKind::Load) return nullptr;
        kept_element = kept_element || n->id == store.array;
        const int64_t read = n->integer / kEpoch;
        for (const Nest& other : all) {
          if (other.epoch <= read || other.epoch >= nest.epoch) continue;
          each_store({other}, [&](const Store& later) {
            if (later.array != n->id) return;
            throw Refusal{
                "C016", store.place,
                fmt::format("a value read from '{}' is used after the array was overwritten",
                            execution.arrays[n->id].c_expression),
                "read the array where its value is used"};
          });
        }
        X plain = pool.load(n->id, n->args, n->type, 0);
        if (n->id == store.array && plain->args != own) {
          throw Refusal{
              "C013", store.place,
              fmt::format("'{}' is written at positions given by data and read at other positions",
                          execution.arrays[n->id].c_expression),
              "a source may only update the element at its own position"};
        }
        return plain;
      });
      // For each point, C runs the statements of a loop in order.
      for (const Store& other : nest.leaves[0]) {
        if (&other == &store) continue;
        bool reads = other.array == store.array;
        each_node(store.value,
                  [&](X n) { reads = reads || (n->kind == XKind::Load && n->id == other.array); });
        if (!reads) continue;
        throw Refusal{"C013", store.place,
                      "several statements of a loop over points read and write the same array",
                      "write a separate loop for each statement"};
      }
      execution.points.push_back(std::move(made));
    }
  }
  execution.nests = std::move(kept);
}

}  // namespace stencil::lifter
