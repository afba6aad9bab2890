// Places reductions before or after the nest that computes them. C computes both at once: in err =
// max(err, fabs(new[i] - old[i])), new[i] has just been written. If a store of the same iteration
// wrote a value, the value equals the array's element after the nest. If the reduction reads
// nothing else from arrays that the nest writes, it is placed after the nest. Otherwise it is
// placed before the nest and recomputes the values to be written.
#include "compiler/lift/reductions.h"
#include "compiler/support/magnitude.h"

#include <fmt/format.h>

#include <array>

namespace stencil::lifter {

namespace {

class Finder {
 public:
  Finder(Pool& pool, Execution& execution) : pool_(pool), execution_(execution) {}

  void run() {
    for (Nest& nest : execution_.nests) {
      for (auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (auto& leaf : *leaves) {
          for (Store& store : leaf) {
            at_ = store.place;
            within_ = nest.epoch;
            store.value = resolved(store.value);
            each_node(store.value, [&](X n) {
              if (n->kind == XKind::Reduced) in_step(n->id);
            });
          }
        }
      }
    }
    within_ = -1;
    at_ = execution_.place;
    if (execution_.stop != nullptr) execution_.stop = resolved(execution_.stop);
    for (Left& left : execution_.left) {
      if (left.value != nullptr) left.value = resolved(left.value);
    }
    for (const Reduction& r : execution_.reductions) check_age(r);
  }

 private:
  X resolved(X x) {
    if (const auto found = done_.find(x); found != done_.end()) return found->second;
    std::vector<X> args;
    for (X arg : x->args) args.push_back(resolved(arg));
    X out = args == x->args ? x : pool_.rebuilt(x, args);
    if (x->kind == XKind::Sum) out = reduction(x, args[0]);
    return done_[x] = out;
  }

  // Marks a reduction that the step, or a reduction inside the step, reads.
  void in_step(int id) { execution_.reductions[id].in_step = true; }

  X reduction(X sum, X value) {
    const SumInfo& info = execution_.sums.at(sum);
    if (info.epoch == within_) {
      throw Refusal{
          "C025", at_,
          fmt::format("'{}' is reduced along some of the dimensions of a loop", info.name),
          "reduce over all loops of the nest"};
    }
    each_node(value, [&](X n) {
      if (n->kind == XKind::Reduced) in_step(n->id);
      if (n->kind == XKind::Load && n->integer % kEpoch != 0) {
        throw Refusal{
            "C025", info.place,
            fmt::format("'{}' is reduced in a loop whose statements must run in order", info.name),
            "reduce in a separate loop"};
      }
    });
    Reduction made;
    made.op = sum->text;
    made.epoch = info.epoch;
    made.value = value;
    made.name = info.name;
    int same = 1;
    for (const Reduction& other : execution_.reductions) {
      if (other.name.rfind(info.name, 0) == 0) ++same;
    }
    if (same > 1) made.name = fmt::format("{}_{}", info.name, same);
    place(made);
    made.point.domain = info.domain;
    made.point.place = info.place;
    made.point.value = made.value;
    reference(made);
    execution_.reductions.push_back(made);
    return pool_.leaf(XKind::Reduced, sum->type, static_cast<int>(execution_.reductions.size()) - 1,
                      made.name);
  }

  // Places a reduction before or after its nest.
  void place(Reduction& r) {
    const Nest* nest = nullptr;
    for (const Nest& other : execution_.nests) {
      if (other.epoch == r.epoch) nest = &other;
    }
    if (nest == nullptr || nest->leaves.empty()) return;
    std::map<X, X> written;  // maps stored values to the elements that hold them
    std::set<int> arrays;
    for (const auto& leaf : nest->leaves) {
      for (const Store& store : leaf) {
        arrays.insert(store.array);
        written[store.value] =
            pool_.load(store.array, store.subscripts, store.value->type, nest->epoch * kEpoch);
      }
    }
    for (const Nest& other : execution_.nests) {
      if (other.epoch != r.epoch) continue;
      for (const auto& leaf : other.ordered) {
        for (const Store& store : leaf) arrays.insert(store.array);
      }
    }
    if (nest->leaves.size() > 1) return;
    std::map<X, X> done;
    const auto from_top = [&](X x, const auto& self) -> X {
      if (const auto found = done.find(x); found != done.end()) return found->second;
      if (const auto found = written.find(x); found != written.end() && !is_constant(x))
        return done[x] = found->second;
      std::vector<X> args;
      if (x->kind == XKind::Load) return done[x] = x;
      for (X arg : x->args) args.push_back(self(arg, self));
      return done[x] = args == x->args ? x : pool_.rebuilt(x, args);
    };
    X behind = from_top(r.value, from_top);
    bool sound = behind != r.value;
    each_node(behind, [&](X n) {
      if (n->kind != XKind::Load || arrays.count(n->id) == 0) return;
      sound = sound && n->integer == nest->epoch * kEpoch;
    });
    if (!sound) return;
    r.value = behind;
    r.after = true;
  }

  // Selects an array that the reduction reads at a distinct point in each iteration. The subscripts
  // of this array give the region of the reduction.
  void reference(Reduction& r) const {
    r.point.array = -1;
    // Prefer the subscripts closest to the plain counters.
    std::optional<std::array<int64_t, 4>> best;
    each_node(r.value, [&](X n) {
      if (n->kind != XKind::Load) return;
      for (const Domain& d : r.point.domain) {
        int uses = 0;
        for (X s : n->args) uses += contains_index(s, d.index) ? 1 : 0;
        if (uses != 1) return;
      }
      for (X s : n->args) {
        if (contains(s, XKind::Edge) || contains(s, XKind::Load)) return;
      }
      int64_t terms = 0, away = 0;
      for (X s : n->args) {
        const Poly p = Poly::of(s);
        terms += static_cast<int64_t>(p.terms().size());
        away += stencil::magnitude(p.constant());
      }
      const std::array<int64_t, 4> rank = {-static_cast<int64_t>(n->args.size()),
                                           is_written(n->id) ? 0 : 1, terms, away};
      if (best && *best <= rank) return;
      best = rank;
      r.point.array = n->id;
      r.point.subscripts = n->args;
    });
    if (r.point.array >= 0) return;
    throw Refusal{"C025", r.point.place,
                  fmt::format("no array is read at the points over which '{}' is reduced", r.name),
                  "reduce values of an array that has all dimensions of the grid"};
  }

  bool is_written(int array) const {
    for (const Nest& nest : execution_.nests) {
      for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (const auto& leaf : *leaves) {
          for (const Store& store : leaf) {
            if (store.array == array) return true;
          }
        }
      }
    }
    return false;
  }

  // Checks that the elements are unchanged between the load and the position of the reduction.
  void check_age(const Reduction& r) const {
    const int64_t place = r.after ? r.epoch : r.epoch - 1;
    each_node(r.value, [&](X n) {
      if (n->kind != XKind::Load) return;
      const int64_t read = n->integer / kEpoch;
      for (const Nest& nest : execution_.nests) {
        if (nest.epoch <= read || nest.epoch > place) continue;
        for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
          for (const auto& leaf : *leaves) {
            for (const Store& store : leaf) {
              if (store.array != n->id) continue;
              throw Refusal{
                  "C016", r.point.place,
                  fmt::format("a value read from '{}' is reduced after the array was overwritten",
                              execution_.arrays[n->id].c_expression),
                  "read the array where its value is used"};
            }
          }
        }
      }
    });
  }

  Pool& pool_;
  Execution& execution_;
  std::map<X, X> done_;
  int64_t within_ = -1;
  CPlace at_;
};

}  // namespace

void find_reductions(Pool& pool, Execution& execution) {
  Finder(pool, execution).run();
}

}  // namespace stencil::lifter
