// Dependence analysis. The analysis is exact if subscripts are a counter plus a constant: two
// accesses to one element are then a fixed number of iterations apart in each loop.
//
// A function of the language reads the values from before the function. A load may therefore read
// elements that its own nest writes only if C reads them before the write. The lifter refuses a
// load that follows a write of the same element in an earlier iteration (Gauss-Seidel order).
#include "compiler/lift/order.h"

#include <fmt/format.h>

namespace stencil::lifter {

namespace {

class Order {
 public:
  Order(Pool& pool, const Execution& execution, const Shapes& shapes)
      : pool_(pool), execution_(execution), shapes_(shapes) {}

  // Both accesses refer to one element, in loops that they share. Returns whether the first access
  // may happen in a later (or, without `later`, earlier) iteration than the second one. Returns
  // false as well if the accesses never refer to one element.
  bool may_be(bool later, int array, const std::vector<X>& first_subscripts, const Store& first,
              const std::vector<X>& second_subscripts, const Store& second) const {
    const Access a = shapes_.access(array, first_subscripts, first);
    const Access b = shapes_.access(array, second_subscripts, second);
    if (a.part.fixed != b.part.fixed || a.part.buffer_slot != b.part.buffer_slot) return false;
    if (apart(a, first, b, second)) return false;
    for (size_t k = 0; k < std::min(first.domain.size(), second.domain.size()); ++k) {
      if (first.domain[k].index != second.domain[k].index) return false;  // not a common loop
      const auto [least, most] = distance(k, a, first, b, second);
      const bool down = first.domain[k].direction < 0;
      // Choose the sign of the distance so that a positive distance has the requested order.
      const Poly towards = later != down ? most : -least;
      const Poly away = later != down ? least : -most;
      if (later_known(towards)) return false;             // has the opposite order in all cases
      if (!shapes_.at_least_zero(-towards)) return true;  // the distance may be positive
      // The distance is at most 0. If it is always negative, this loop decides. A distance of 0
      // leaves the decision to the next loop.
      if (shapes_.at_least_zero(-towards - Poly(1))) return false;
      (void)away;
    }
    return false;
  }

 private:
  bool later_known(const Poly& most) const { return shapes_.at_least_zero(-most - Poly(1)); }

  Poly extreme(const Poly& p, const Store& at, bool largest) const {
    return Shapes::extreme(pool_, execution_, p, at.domain, largest);
  }

  // Whether ranges or a stride make the accesses disjoint in some dimension.
  bool apart(const Access& a, const Store& first, const Access& b, const Store& second) const {
    for (size_t d = 0; d < a.subscripts.size(); ++d) {
      const Poly gap =
          extreme(a.subscripts[d], first, false) - extreme(b.subscripts[d], second, true);
      const Poly other =
          extreme(b.subscripts[d], second, false) - extreme(a.subscripts[d], first, true);
      if (shapes_.at_least_zero(gap - Poly(1)) || shapes_.at_least_zero(other - Poly(1)))
        return true;
      for (const Domain& domain : first.domain) {
        if (domain.stride == 1) continue;
        X index = pool_.leaf(XKind::Index, CScalar::I64, domain.index,
                             execution_.index_names[domain.index]);
        const Poly difference = a.subscripts[d] - b.subscripts[d];
        const bool both = a.subscripts[d].linear_in(index) == std::optional<int64_t>(1) &&
                          b.subscripts[d].linear_in(index) == std::optional<int64_t>(1);
        if (both && difference.is_constant() && difference.constant() % domain.stride != 0)
          return true;
      }
    }
    return false;
  }

  // The least and the largest number of iterations of loop k by which the first access follows the
  // second one, if both access one element.
  std::pair<Poly, Poly> distance(size_t k, const Access& a, const Store& first, const Access& b,
                                 const Store& second) const {
    X index = pool_.leaf(XKind::Index, CScalar::I64, first.domain[k].index,
                         execution_.index_names[first.domain[k].index]);
    for (size_t d = 0; d < a.subscripts.size(); ++d) {
      const Poly &p = a.subscripts[d], &q = b.subscripts[d];
      if (p.linear_in(index) == std::optional<int64_t>(1) &&
          q.linear_in(index) == std::optional<int64_t>(1)) {
        // i + p0 = j + q0: i - j = q0 - p0
        const Poly difference = q.without(index) - p.without(index);
        return {extreme(difference, second, false), extreme(difference, second, true)};
      }
    }
    // only the ranges of the counters are known
    const Domain &m = first.domain[k], &n = second.domain[k];
    return {m.low - n.high, m.high - n.low};
  }

  Pool& pool_;
  const Execution& execution_;
  const Shapes& shapes_;
};

class Grouping {
 public:
  Grouping(Pool& pool, const Execution& execution, const Shapes& shapes)
      : pool_(pool), execution_(execution), shapes_(shapes), order_(pool, execution, shapes) {}

  std::vector<StepFunction> run() {
    for (const Nest& nest : execution_.nests) {
      for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (const auto& leaf : *leaves) {
          for (const Store& store : leaf) check_store(store);
        }
      }
      std::string why;
      CPlace place;
      const size_t before = out_.size();
      const bool done = (!nest.leaves.empty() && fused(nest, why, place)) ||
                        (!nest.ordered.empty() && ordered(nest, why, place));
      for (size_t k = before; k < out_.size(); ++k) out_[k].epoch = nest.epoch;
      if (done) {
        for (const Reduction& r : execution_.reductions) {
          if (r.epoch == nest.epoch) check_reduction(r, nest);
        }
        continue;
      }
      throw Refusal{"C010", place, why,
                    "a stencil function computes all points from the old values: use two arrays, "
                    "as in Jacobi's method, or red-black order"};
    }
    return std::move(out_);
  }

 private:
  std::string name(int array) const { return execution_.arrays[array].c_expression; }

  // Checks that every loop around a store moves it along exactly one dimension.
  void check_store(const Store& store) const {
    const Access to = shapes_.access(store.array, store.subscripts, store);
    for (const Domain& domain : store.domain) {
      if (domain.low == domain.high) continue;
      X index = pool_.leaf(XKind::Index, CScalar::I64, domain.index,
                           execution_.index_names[domain.index]);
      int uses = 0;
      for (const Poly& s : to.subscripts) {
        if (s.degree_in(index) == 0) continue;
        ++uses;
        if (s.linear_in(index) == std::optional<int64_t>(1)) continue;
        throw Refusal{"C013", store.place,
                      fmt::format("a subscript of '{}' is a multiple of '{}'", name(store.array),
                                  index->text),
                      "write at subscripts of the form counter + constant; a loop may have a "
                      "stride (i += 2)"};
      }
      if (uses == 1) continue;
      throw Refusal{
          "C013", store.place,
          uses == 0
              ? fmt::format("'{}' is written by every iteration of the loop over '{}'",
                            name(store.array), index->text)
              : fmt::format("two subscripts of '{}' contain '{}'", name(store.array), index->text),
          uses == 0 && domain.stride != 1 ? "a time loop must count by 1; each loop over space "
                                            "must appear in one subscript of the written array"
                                          : "the counter of each loop over space must appear in "
                                            "exactly one subscript of the written array"};
    }
    // for (i = 0; i < n*m; i++) a[i] in one loop, a[i*m + j] in other loops.
    const auto degree = [](const Poly& p) {
      size_t most = 0;
      for (const auto& [monomial, factor] : p.terms()) most = std::max(most, monomial.size());
      return most;
    };
    const auto lengths = shapes_.lengths(store.array);
    for (size_t d = 1; d < to.subscripts.size() && d < lengths.size(); ++d) {
      const Poly high = Shapes::extreme(pool_, execution_, to.subscripts[d], store.domain, true);
      if (degree(high) <= std::max<size_t>(degree(lengths[d]), 1)) continue;
      throw Refusal{"C013", store.place,
                    fmt::format("a loop runs over several rows of '{}' at once, up to {}",
                                name(store.array), high.text()),
                    "use one loop per dimension, or flatten every loop over these arrays"};
    }
    for (const Poly& s : to.subscripts) {
      int counters = 0;
      for (X atom : s.atoms()) {
        if (atom->kind == XKind::Index) ++counters;
        if (contains(atom, XKind::Load) || contains(atom, XKind::Sum) ||
            contains(atom, XKind::Time) ||
            (atom->kind != XKind::Index && contains(atom, XKind::Index))) {
          throw Refusal{"C013", store.place,
                        fmt::format("a subscript of '{}' depends on data", name(store.array)),
                        "a subscript must be a sum of loop counters and sizes"};
        }
      }
      if (counters > 1) {
        throw Refusal{"C013", store.place,
                      fmt::format("a subscript of '{}' has two loop counters", name(store.array)),
                      ""};
      }
    }
  }

  // Checks that a reduction placed before its nest reads no values that the nest has written by
  // then.
  void check_reduction(const Reduction& r, const Nest& nest) const {
    if (r.after) return;
    each_load(r.point, [&](X load) {
      for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (const auto& leaf : *leaves) {
          for (const Store& writer : leaf) {
            if (writer.array != load->id) continue;
            if (!order_.may_be(true, load->id, load->args, r.point, writer.subscripts, writer))
              continue;
            throw Refusal{"C010", r.point.place,
                          fmt::format("'{}' is reduced from values of '{}' that earlier iterations "
                                      "of the same loop have written",
                                      r.name, name(load->id)),
                          "reduce in a separate loop after the loop that writes the array"};
          }
        }
      }
    });
  }

  template <class Visit>
  void each_load(const Store& store, const Visit& visit) const {
    each_node(store.value, [&](X n) {
      if (n->kind == XKind::Load) visit(n);
    });
  }

  bool fused(const Nest& nest, std::string& why, CPlace& place) {
    for (const auto& leaf : nest.leaves) {
      for (const Store& reader : leaf) {
        bool sound = true;
        each_load(reader, [&](X load) {
          for (const auto& other : nest.leaves) {
            for (const Store& writer : other) {
              if (writer.array != load->id || !sound) continue;
              // The write may come first, so the load would read the new value.
              if (!order_.may_be(true, load->id, load->args, reader, writer.subscripts, writer))
                continue;
              sound = false;
              place = reader.place;
              why = fmt::format(
                  "'{}' is read where an earlier iteration of the same loop has written it "
                  "(Gauss-Seidel order)",
                  name(load->id));
            }
          }
        });
        if (!sound) return false;
      }
    }
    // If all leaves write the same parts, they become one function. Otherwise each set of targets
    // becomes a function.
    std::map<std::vector<ArrayPart>, StepFunction> made;
    std::vector<std::vector<ArrayPart>> sequence;
    for (const auto& leaf : nest.leaves) {
      std::vector<std::pair<const Store*, std::vector<const Store*>>> points;
      for (const Store& store : leaf) {
        bool placed = false;
        for (auto& [point, stores] : points) {
          if (same_point(*point, store)) {
            stores.push_back(&store);
            placed = true;
          }
        }
        if (!placed) points.push_back({&store, {&store}});
      }
      if (points.size() > 1) {
        if (nest.ordered.empty()) {
          why = "the statements of the loop write different points";
          place = leaf[0].place;
        }
        return false;
      }
      if (points.empty()) continue;
      std::map<ArrayPart, X> values;
      std::vector<ArrayPart> targets;
      for (const Store* store : points[0].second) {
        const ArrayPart part = shapes_.access(store->array, store->subscripts, *store).part;
        if (values.count(part) == 0) targets.push_back(part);
        values[part] = store->value;
      }
      std::sort(targets.begin(), targets.end());
      for (const std::vector<ArrayPart>& together : by_domain(targets)) {
        StepPiece piece{points[0].first, {}};
        for (const ArrayPart& part : together) piece.values.push_back(values[part]);
        if (made.count(together) == 0) sequence.push_back(together);
        StepFunction& function = made[together];
        function.targets = together;
        function.place = points[0].first->place;
        function.pieces.push_back(std::move(piece));
      }
    }
    // If a nest becomes several functions, no function may read an array that another one writes.
    if (sequence.size() > 1) {
      for (const auto& targets : sequence) {
        for (const StepPiece& piece : made[targets].pieces) {
          for (X value : piece.values) {
            bool sound = true;
            each_node(value, [&](X n) {
              if (n->kind != XKind::Load) return;
              for (const auto& others : sequence) {
                if (others == targets) continue;
                for (const ArrayPart& part : others) sound = sound && part.array != n->id;
              }
            });
            if (sound) continue;
            why =
                "the loop writes several arrays, and one of its statements reads an array that "
                "another one writes";
            place = piece.point->place;
            return false;
          }
        }
      }
    }
    for (const auto& targets : sequence) out_.push_back(std::move(made[targets]));
    return true;
  }

  // Groups targets by domain, because all targets of a function have one domain.
  std::vector<std::vector<ArrayPart>> by_domain(const std::vector<ArrayPart>& targets) const {
    std::vector<std::vector<ArrayPart>> out;
    for (const ArrayPart& part : targets) {
      const auto same = [&](const std::vector<ArrayPart>& group) {
        return shapes_.lengths(group[0].array) == shapes_.lengths(part.array);
      };
      const auto found = std::find_if(out.begin(), out.end(), same);
      if (found == out.end()) {
        out.push_back({part});
      } else {
        found->push_back(part);
      }
    }
    return out;
  }

  bool same_point(const Store& a, const Store& b) const {
    const Access p = shapes_.access(a.array, a.subscripts, a),
                 q = shapes_.access(b.array, b.subscripts, b);
    if (a.domain.size() != b.domain.size()) return false;
    for (size_t k = 0; k < a.domain.size(); ++k) {
      if (a.domain[k].index != b.domain[k].index) return false;
    }
    return p.subscripts == q.subscripts;
  }

  // Creates one function for each statement, in source order.
  bool ordered(const Nest& nest, std::string& why, CPlace& place) {
    std::vector<std::string> keys;
    std::map<std::string, std::vector<const Store*>> groups;
    for (const auto& leaf : nest.ordered) {
      for (const Store& store : leaf) {
        if (groups.count(store.key) == 0) keys.push_back(store.key);
        groups[store.key].push_back(&store);
      }
    }
    const auto fails = [&](const Store& at, int array) {
      place = at.place;
      why = fmt::format(
          "'{}' is read and written by iterations of the same loop in an order that matters",
          name(array));
      return false;
    };
    for (size_t x = 0; x < keys.size(); ++x) {
      for (size_t y = x; y < keys.size(); ++y) {
        for (const Store* first : groups[keys[x]]) {
          for (const Store* second : groups[keys[y]]) {
            bool sound = true;
            int array = -1;
            each_load(*second, [&](X load) {  // the load must not come before the store
              if (load->id != first->array || x == y) return;
              if (order_.may_be(true, load->id, first->subscripts, *first, load->args, *second)) {
                sound = false;
                array = load->id;
              }
            });
            each_load(*first, [&](X load) {  // the store must not come before the load
              if (load->id != second->array) return;
              if (order_.may_be(false, load->id, second->subscripts, *second, load->args, *first)) {
                sound = false;
                array = load->id;
              }
            });
            if (x != y && first->array == second->array &&
                order_.may_be(true, first->array, first->subscripts, *first, second->subscripts,
                              *second)) {
              sound = false;
              array = first->array;
            }
            if (!sound) return fails(*second, array);
          }
        }
      }
    }
    for (const std::string& key : keys) {
      StepFunction function;
      for (const Store* store : groups[key]) {
        const ArrayPart part = shapes_.access(store->array, store->subscripts, *store).part;
        if (function.targets.empty()) function.targets = {part};
        if (function.targets[0] != part) return fails(*store, store->array);
        function.place = store->place;
        function.pieces.push_back({store, {store->value}});
      }
      out_.push_back(std::move(function));
    }
    return true;
  }

  Pool& pool_;
  const Execution& execution_;
  const Shapes& shapes_;
  const Order order_;
  std::vector<StepFunction> out_;
};

// Refuses a value that was loaded before another nest overwrote its array, since the program would
// read the new values. `latest`: the last nest that wrote each array.
void check_age(Execution& execution) {
  std::map<int, int64_t> latest;
  for (Nest& nest : execution.nests) {
    bool usable = true;  // whether the ordered leaves are correct
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (size_t k = 0; k < leaf.size(); ++k) {
          each_node(leaf[k].value, [&](X n) {
            if (n->kind != XKind::Load) return;
            const int64_t epoch = n->integer / kEpoch, position = n->integer % kEpoch;
            bool old = latest.count(n->id) > 0 && epoch < latest[n->id];
            if (leaves == &nest.ordered) {
              for (size_t j = static_cast<size_t>(position); j < k; ++j) {
                old = old || (epoch == nest.epoch - 1 && leaf[j].array == n->id);
              }
            }
            if (!old) return;
            if (leaves == &nest.ordered && !nest.leaves.empty()) {
              usable = false;
              return;
            }
            throw Refusal{
                "C016", leaf[k].place,
                fmt::format("a value read from '{}' is used after the array was overwritten",
                            execution.arrays[n->id].c_expression),
                "read the array where its value is used"};
          });
        }
      }
    }
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const Store& store : leaf) latest[store.array] = nest.epoch;
      }
    }
    if (!usable) nest.ordered.clear();
  }
}

}  // namespace

void tidy(Pool& pool, Execution& execution) {
  check_age(execution);
  const auto tidied = [&](Store& store) {
    std::map<X, X> done;
    const auto change = [&](X n) -> X {
      if (n->kind == XKind::Index) {
        for (const Domain& d : store.domain) {
          if (d.index == n->id && d.low == d.high) return d.low.expression(pool, CScalar::I64);
        }
      }
      if (n->kind == XKind::Load && n->integer != 0) return pool.load(n->id, n->args, n->type, 0);
      return nullptr;
    };
    store.value = transformed(pool, store.value, done, change);
    for (X& s : store.subscripts) s = transformed(pool, s, done, change);
  };
  for (Reduction& r : execution.reductions) {
    tidied(r.point);
    r.value = r.point.value;
  }
  for (Nest& nest : execution.nests) {
    for (auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (auto& leaf : *leaves) {
        for (Store& store : leaf) tidied(store);
      }
    }
  }
}

std::vector<StepFunction> functions_of(Pool& pool, const Execution& execution,
                                       const Shapes& shapes) {
  return Grouping(pool, execution, shapes).run();
}

}  // namespace stencil::lifter
