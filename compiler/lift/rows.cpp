// Splits a loop over several rows of length s. A counter i in [low*s .. high*s + s - 1] equals r*s
// + j, with r in [low .. high] and j in [0 .. s - 1]. Loops over r and j visit the same elements in
// the same order, so the substitution is exact for any loop body. It is applied under two
// conditions. Other loops use the stride s for an array of this loop. The counter occurs only in
// subscripts, alone or plus whole rows. A subscript a[i - 1] would leave its row, so such a loop is
// not split.
#include "compiler/lift/rows.h"

#include <algorithm>
#include <map>
#include <optional>

namespace stencil::lifter {

namespace {

// Splitting the loops of one array reveals strides for loops over other arrays.
constexpr int kPasses = 8;

bool is_value(X x, int index) {  // x uses the index outside of subscripts
  bool found = false;
  std::set<X> seen;
  each_node_of(
      x, seen, [](X n) { return n->kind != XKind::Load; },
      [&](X n) { found = found || (n->kind == XKind::Index && n->id == index); });
  return found;
}

struct Rows {
  std::vector<Domain> domain;  // outermost first
  std::vector<Poly> strides;
};

class Splitter {
 public:
  Splitter(Pool& pool, Execution& execution) : pool_(pool), execution_(execution) {}

  void run() {
    for (int pass = 0; pass < kPasses; ++pass) {
      gather();
      bool more = false;
      for (Nest& nest : execution_.nests) {
        std::vector<Store*> stores;
        for (auto* leaves : {&nest.leaves, &nest.ordered}) {
          for (auto& leaf : *leaves) {
            for (Store& store : leaf) stores.push_back(&store);
          }
        }
        more |= split(stores, nullptr);
      }
      for (Reduction& reduction : execution_.reductions)
        more |= split({&reduction.point}, &reduction.value);
      if (!more) return;
    }
  }

 private:
  X index(int id) const {
    return pool_.leaf(XKind::Index, CScalar::I64, id, execution_.index_names[id]);
  }
  bool is_linear(int array) const { return execution_.arrays[array].linear; }

  // Calls visit(array, subscripts) for each write and read of a store.
  template <class Visit>
  static void each_access(const Store& store, X value, const Visit& visit) {
    visit(store.array, store.subscripts);
    for (X x : {store.value, value}) {
      if (x == nullptr) continue;
      each_node(x, [&](X n) {
        if (n->kind == XKind::Load) visit(n->id, n->args);
      });
    }
  }

  void gather() {
    strides_.assign(execution_.arrays.size(), {});
    const auto note = [&](int array, const std::vector<X>& subscripts) {
      if (!is_linear(array)) return;
      const Poly p = Poly::of(subscripts[0]);
      auto& strides = strides_[array];
      for (X atom : p.atoms()) {
        if (atom->kind != XKind::Index || p.degree_in(atom) != 1) continue;
        const Poly factor = p.coefficient(atom);
        const XSet others = factor.atoms();
        const bool size = std::all_of(others.begin(), others.end(),
                                      [](X other) { return other->kind == XKind::Symbol; });
        if (size && factor != Poly(1) &&
            std::find(strides.begin(), strides.end(), factor) == strides.end())
          strides.push_back(factor);
      }
    };
    for (const Nest& nest : execution_.nests) {
      for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (const auto& leaf : *leaves) {
          for (const Store& store : leaf) each_access(store, nullptr, note);
        }
      }
    }
    for (const Reduction& reduction : execution_.reductions)
      each_access(reduction.point, reduction.value, note);
  }

  // Splits one loop of these stores if the loop runs over rows. Returns whether it was split.
  bool split(const std::vector<Store*>& stores, X* value) {
    std::map<int, Domain> loops;
    for (const Store* store : stores) {
      for (const Domain& d : store->domain) loops.try_emplace(d.index, d);
    }
    for (const auto& [id, loop] : loops) {
      std::vector<Poly> candidates;
      if (!counts_elements(stores, value, loop, candidates)) continue;
      const std::optional<Rows> rows = rows_of(loop, candidates);
      if (!rows || !begins_rows(stores, value, loop, rows->strides[0])) continue;
      for (Store* store : stores) replace(*store, loop, *rows);
      if (value != nullptr) *value = replaced(*value, loop, *rows);
      return true;
    }
    return false;
  }

  // Whether the counter of a loop occurs only as a[counter + more], and only in linear arrays.
  bool counts_elements(const std::vector<Store*>& stores, const X* value, const Domain& loop,
                       std::vector<Poly>& candidates) const {
    bool good = loop.stride == 1;
    X i = index(loop.index);
    for (const Store* store : stores) {
      for (const Domain& d : store->domain) {
        if (d.index == loop.index) {
          good = good && d.low == loop.low && d.high == loop.high && d.stride == 1 &&
                 d.direction == loop.direction;
        } else {
          good = good && !d.low.atoms().count(i) && !d.high.atoms().count(i);
        }
      }
      good = good && !is_value(store->value, loop.index) &&
             (value == nullptr || !is_value(*value, loop.index));
      each_access(*store, value == nullptr ? nullptr : *value,
                  [&](int array, const std::vector<X>& subscripts) {
                    const bool moves = std::any_of(subscripts.begin(), subscripts.end(), [&](X s) {
                      return contains_index(s, loop.index);
                    });
                    if (!moves) return;
                    good = good && is_linear(array) &&
                           Poly::of(subscripts[0]).linear_in(i) == std::optional<int64_t>(1);
                    const auto& strides = strides_[array];
                    candidates.insert(candidates.end(), strides.begin(), strides.end());
                  });
    }
    return good;
  }

  // Splits the loop by the largest stride whose rows the loop covers, then by strides that divide
  // it. Returns nullopt if no stride fits or if several strides are possible.
  std::optional<Rows> rows_of(const Domain& loop, const std::vector<Poly>& candidates) {
    Rows out;
    Domain inner = loop;
    for (bool more = true; more;) {
      more = false;
      std::optional<Poly> best;
      for (const Poly& s : candidates) {
        const auto low = inner.low.divided_by(s), end = (inner.high + Poly(1)).divided_by(s);
        if (!low.rest.zero() || !end.rest.zero() || end.quotient - low.quotient == Poly(1))
          continue;
        if (!best || s.divided_by(*best).rest.zero()) best = s;
      }
      if (!best) break;
      for (const Poly& s :
           candidates) {  // ambiguous: rows of n and rows of m both cover n*m elements
        const bool rows = (inner.high + Poly(1)).divided_by(s).rest.zero();
        if (rows && !best->divided_by(s).rest.zero() && !s.divided_by(*best).rest.zero())
          return std::nullopt;
      }
      Domain outer = inner;
      outer.low = inner.low.divided_by(*best).quotient;
      outer.high = (inner.high + Poly(1)).divided_by(*best).quotient - Poly(1);
      out.domain.push_back(outer);
      out.strides.push_back(*best);
      inner.low = Poly();
      inner.high = *best - Poly(1);
      more = true;
    }
    if (out.domain.empty()) return std::nullopt;
    out.domain.push_back(inner);
    out.strides.push_back(Poly(1));
    const std::string name = execution_.index_names[loop.index];
    for (Domain& d : out.domain) {
      d.index = static_cast<int>(execution_.index_names.size());
      execution_.index_names.push_back(name);
    }
    return out;
  }

  // Whether all offsets from the counter are multiples of the row length.
  bool begins_rows(const std::vector<Store*>& stores, const X* value, const Domain& loop,
                   const Poly& stride) const {
    bool good = true;
    X i = index(loop.index);
    for (const Store* store : stores) {
      each_access(*store, value == nullptr ? nullptr : *value,
                  [&](int, const std::vector<X>& subscripts) {
                    const Poly p = Poly::of(subscripts[0]);
                    if (!p.atoms().count(i)) return;
                    const Poly more = p.without(i);
                    const XSet atoms = more.atoms();
                    good = good && more.divided_by(stride).rest.zero() &&
                           std::none_of(atoms.begin(), atoms.end(),
                                        [&](X atom) { return contains_index(atom, loop.index); });
                  });
    }
    return good;
  }

  X element(X subscript, const Domain& loop, const Rows& rows) {
    Poly p = Poly::of(subscript).without(index(loop.index));
    for (size_t k = 0; k < rows.domain.size(); ++k)
      p = p + rows.strides[k] * Poly::atom(index(rows.domain[k].index));
    return p.expression(pool_, CScalar::I64);
  }
  X replaced(X value, const Domain& loop, const Rows& rows) {
    std::map<X, X> done;
    return transformed(pool_, value, done, [&](X n) -> X {
      if (n->kind != XKind::Load || !contains_index(n->args[0], loop.index)) return nullptr;
      return pool_.rebuilt(n, {element(n->args[0], loop, rows)});
    });
  }
  void replace(Store& store, const Domain& loop, const Rows& rows) {
    if (contains_index(store.subscripts[0], loop.index))
      store.subscripts[0] = element(store.subscripts[0], loop, rows);
    store.value = replaced(store.value, loop, rows);
    std::vector<Domain> domain;
    for (const Domain& d : store.domain) {
      if (d.index == loop.index) {
        domain.insert(domain.end(), rows.domain.begin(), rows.domain.end());
      } else {
        domain.push_back(d);
      }
    }
    store.domain = std::move(domain);
  }

  Pool& pool_;
  Execution& execution_;
  std::vector<std::vector<Poly>> strides_;  // by array; the stride 1 is omitted
};

}  // namespace

void split_into_rows(Pool& pool, Execution& execution) {
  Splitter(pool, execution).run();
}

}  // namespace stencil::lifter
